#include "json/members.h"

#include "base/clock.h"
#include "json/text.h"

void members_name(struct buf *b, const char *name)
{
    if (b->at[b->len - 1] != '{') {
        buf_add_byte(b, ',');
    }
    buf_add_byte(b, '"');
    buf_add_text(b, name);
    buf_add_text(b, "\":");
}

void members_open(struct buf *b, const char *name)
{
    members_name(b, name);
    buf_add_byte(b, '{');
}

void members_json(struct buf *b, const char *name, struct span json)
{
    members_name(b, name);
    buf_add_span(b, json);
}

void members_text(struct buf *b, const char *name, struct span text)
{
    members_name(b, name);
    text_encode_lossy(b, text);
}

void members_count(struct buf *b, const char *name, uint64_t n)
{
    members_name(b, name);
    buf_add_u64(b, n);
}

void members_stamp(struct buf *b, const char *name, int64_t real)
{
    char stamp[CLOCK_STAMP_MAX];
    members_text(b, name, span_text(clock_stamp(real, stamp)));
}
