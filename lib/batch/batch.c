#include "batch/batch.h"

static const struct span input_start = {"{\"BatchInput\":", 14};
static const struct span items_first = {"{\"Items\":[", 10};
static const struct span items_next = {",\"Items\":[", 10};
static const struct span items_end = {"]}", 2};

/* Bytes of a batch without items, by the rule. */
static uint64_t fixed_bytes(const struct batch_rules *r)
{
    if (r->input.len == 0 && r->count == BATCH_EXACT) {
        return items_first.len + items_end.len;
    }
    size_t input = r->input.len > 0 ? r->input.len : sizeof "null" - 1;
    return input_start.len + input + items_next.len + items_end.len;
}

void batch_init(struct batch *b, const struct batch_rules *rules, struct writer *out)
{
    *b = (struct batch){.rules = *rules, .out = out, .fixed = fixed_bytes(rules)};
}

static void open_batch(struct batch *b)
{
    if (b->rules.input.len > 0) {
        writer_put_span(b->out, input_start);
        writer_put_span(b->out, b->rules.input);
        writer_put_span(b->out, items_next);
    } else {
        writer_put_span(b->out, items_first);
    }
    b->bytes = b->fixed;
}

void batch_close(struct batch *b)
{
    if (b->items == 0) {
        return;
    }
    writer_put_span(b->out, items_end);
    writer_put_byte(b->out, '\n');
    writer_commit(b->out);
    b->items = 0;
    b->batches++;
}

/* Would ITEM, added to the open batch, break a limit? */
static bool is_full(const struct batch *b, struct span item)
{
    const struct batch_rules *r = &b->rules;
    return (r->max_items > 0 && b->items >= r->max_items) ||
           (r->max_bytes > 0 && b->bytes + 1 + item.len > r->max_bytes);
}

int batch_add(struct batch *b, struct span item, struct err *e)
{
    const struct batch_rules *r = &b->rules;
    if (r->max_bytes > 0 && b->fixed + item.len > r->max_bytes && r->oversize == BATCH_FAIL) {
        return err_set(e, ERR_DATA,
                       "the item of %zu bytes makes a batch of %llu bytes alone; the limit is %llu",
                       item.len, (unsigned long long)(b->fixed + item.len),
                       (unsigned long long)r->max_bytes);
    }
    if (b->items > 0 && is_full(b, item)) {
        batch_close(b);
    }
    if (b->items == 0) {
        open_batch(b);
    } else {
        writer_put_byte(b->out, ',');
        b->bytes++;
    }
    writer_put_span(b->out, item);
    b->bytes += item.len;
    b->items++;
    if (is_full(b, SPAN_LIT("0"))) {
        batch_close(b); /* there is no room for any other item, so it need not wait for one */
    }
    return 0;
}
