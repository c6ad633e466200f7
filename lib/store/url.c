#include "store/url.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

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

/*
 * Take the parameter "entries=nifi" out of TEXT, which is changed in place, and with it the mark
 * that joined it to the others. True if it was there.
 */
static bool take_entries(char *text)
{
    static const char word[] = "entries=nifi";
    char *query = strrchr(text, '?');
    char *at = query ? strstr(query, word) : NULL;
    if (!at || (at[-1] != '?' && at[-1] != '&')) {
        return false;
    }
    char *end = at + sizeof word - 1;
    if (*end == '&') {
        memmove(at, end + 1, strlen(end + 1) + 1);
    } else if (*end == '\0') {
        at[-1] = '\0';
    } else {
        return false;
    }
    return true;
}

static int parse_redis(struct store_url *url, const char *text, struct err *e)
{
    char *copy = mem_text(text);
    bool nifi = take_entries(copy);
    int rc = address_parse(&url->redis, copy, e);
    explicit_bzero(copy, strlen(copy));
    free(copy);
    if (rc < 0) {
        return -1;
    }
    url->scheme = nifi ? STORE_REDIS_NIFI : STORE_REDIS;
    struct buf b = {0};
    buf_add_text(&b, url->redis.shown);
    if (nifi) {
        buf_add_text(&b, strchr(buf_text(&b), '?') ? "&entries=nifi" : "?entries=nifi");
    }
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
                       "the URL of the store begins with none of sqlite:, redis://, rediss://, "
                       "redis+unix://, redis+sentinel://, rediss+sentinel://, redis+cluster://, "
                       "rediss+cluster://");
    }
    return parse_redis(url, text, e);
}

void store_url_release(struct store_url *url)
{
    address_release(&url->redis);
    free(url->path);
    free(url->shown);
    *url = (struct store_url){0};
}
