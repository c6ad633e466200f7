#include "store/url.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>

static int parse_sqlite(struct store_url *url, struct span path, struct err *e)
{
    if (path.len == 0) {
        return err_set(e, ERR_USAGE, "the URL of the store has no path");
    }
    struct buf b = {0};
    url->scheme = STORE_SQLITE;
    url->path = mem_copy(path.at, path.len);
    buf_printf(&b, "sqlite:%s", url->path);
    url->shown = mem_text(buf_text(&b));
    buf_release(&b);
    return 0;
}

int store_url_parse(struct store_url *url, const char *text, struct err *e)
{
    struct span all = span_text(text);
    struct span sqlite = SPAN_LIT("sqlite:");
    *url = (struct store_url){0};
    if (span_starts(all, sqlite)) {
        return parse_sqlite(url, span_of(all.at + sqlite.len, all.len - sqlite.len), e);
    }
    if (!address_is(all)) { /* not a word of what it is: it may hold a password */
        return err_set(e, ERR_USAGE,
                       "the URL of the store does not begin with redis://, redis+unix://, "
                       "another scheme of Redis, or sqlite:");
    }
    if (address_parse(&url->redis, text, e) < 0) {
        return -1;
    }
    url->scheme = STORE_REDIS;
    url->shown = mem_text(url->redis.shown);
    return 0;
}

void store_url_release(struct store_url *url)
{
    address_release(&url->redis);
    free(url->path);
    free(url->shown);
    *url = (struct store_url){0};
}
