#include "redis/script.h"

#include "digest/digest.h"

#include <string.h>

void script_init(struct script *s, const char *const *parts)
{
    struct buf hash = {0};
    *s = (struct script){0};
    for (; *parts; parts++) {
        buf_add_text(&s->text, *parts);
    }
    if (digest_hex(digest_find(SPAN_LIT("SHA-1")), buf_span(&s->text), &hash, NULL) == 0 &&
        hash.len < sizeof s->hash) {
        memcpy(s->hash, buf_text(&hash), hash.len + 1);
    }
    buf_release(&hash);
}

void script_release(struct script *s)
{
    buf_release(&s->text);
    *s = (struct script){0};
}
