#include "tunnel/parcel.h"

#include "base/mem.h"

#include <stdlib.h>

void parcel_add(struct parcel *b, struct span line, struct token next)
{
    buf_add_span(&b->text, line);
    buf_add_byte(&b->text, '\n');
    b->records = mem_grow(b->records, &b->cap, b->count, sizeof *b->records);
    b->records[b->count++] = (struct parcel_record){b->text.len, next};
}

struct span parcel_lines(const struct parcel *b, size_t first, size_t count)
{
    size_t from = first ? b->records[first - 1].end : 0;
    size_t to = first + count ? b->records[first + count - 1].end : 0;
    return span_of(buf_span(&b->text).at + from, to - from);
}

void parcel_reset(struct parcel *b)
{
    buf_reset(&b->text);
    b->count = b->done = b->given = 0;
}

void parcel_release(struct parcel *b)
{
    buf_release(&b->text);
    free(b->records);
    *b = (struct parcel){0};
}

static bool number(struct span *text, uint64_t *out)
{
    size_t n = 0;
    uint64_t value = 0;
    while (n < text->len && text->at[n] >= '0' && text->at[n] <= '9') {
        value = value * 10 + (uint64_t)(text->at[n++] - '0');
    }
    *text = span_of(text->at + n, text->len - n);
    *out = value;
    return n > 0 && n <= 20;
}

bool token_parse(struct span text, struct token *out)
{
    out->minor = 0;
    if (!number(&text, &out->at)) {
        return false;
    }
    if (text.len == 0) {
        return true;
    }
    if (text.at[0] != '-') {
        return false;
    }
    text = span_of(text.at + 1, text.len - 1);
    return number(&text, &out->minor) && text.len == 0;
}

void token_put(struct buf *out, struct token token, bool is_stream)
{
    buf_add_u64(out, token.at);
    if (is_stream) {
        buf_add_byte(out, '-');
        buf_add_u64(out, token.minor);
    }
}
