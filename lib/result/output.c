#include "result/output.h"

#include "base/mem.h"
#include "json/lines.h"

#include <stdlib.h>
#include <string.h>

static const struct span opening[] = {
    [OUTPUT_OBJECT] = {"{\"Items\":[", 10}, [OUTPUT_ARRAY] = {"[", 1}, [OUTPUT_LINES] = {"", 0}};
static const struct span closing[] = {
    [OUTPUT_OBJECT] = {"]}\n", 3}, [OUTPUT_ARRAY] = {"]\n", 2}, [OUTPUT_LINES] = {"", 0}};

/* Holds a place where nothing stands; no JSON text is a single space. */
static const struct span nothing = {" ", 1};

void output_init(struct output *o, struct writer *out, enum output_wrap wrap, const char *folder)
{
    *o = (struct output){.out = out, .wrap = wrap, .folder = folder};
}

/* TEXT is not empty, and has no LF at its end. */
static uint64_t count_lines(struct span text)
{
    uint64_t count = 0;
    const char *end = text.at + text.len;
    for (const char *at = text.at; at; at = memchr(at, '\n', (size_t)(end - at))) {
        at += count++ > 0;
    }
    return count;
}

/* Write what stands in one place; a write error is told at once, for the input may be long. */
static int emit(void *context, struct span text, struct err *e)
{
    struct output *o = context;
    if (span_equal(text, nothing)) {
        return 0;
    }
    if (o->wrap == OUTPUT_LINES) {
        o->count += count_lines(text);
        writer_put_span(o->out, text);
        writer_put_byte(o->out, '\n');
    } else {
        writer_put_span(o->out, o->count++ > 0 ? SPAN_LIT(",") : opening[o->wrap]);
        writer_put_span(o->out, text);
    }
    writer_commit(o->out);
    return o->out->number ? writer_flush(o->out, e) : 0;
}

/* No line may have the form of an end mark. TEXT is as in count_lines, or empty. */
static int check_lines(struct span text, struct err *e)
{
    while (text.len > 0) {
        const char *lf = memchr(text.at, '\n', text.len);
        size_t len = lf ? (size_t)(lf - text.at) : text.len;
        if (lines_is_mark(span_of(text.at, len))) {
            return err_set(e, ERR_DATA, "the item would have the form of an end mark");
        }
        len += lf ? 1 : 0;
        text = span_of(text.at + len, text.len - len);
    }
    return 0;
}

int output_put(struct output *o, const struct roster_place *place, struct span text, struct err *e)
{
    if (o->wrap == OUTPUT_LINES && check_lines(text, e) < 0) {
        return -1;
    }
    while (o->order_count <= place->run) {
        o->orders = mem_grow(o->orders, &o->order_cap, o->order_count, sizeof *o->orders);
        struct order *order = &o->orders[o->order_count];
        order_init(order, emit, o, o->folder);
        order->withheld = o->order_count > 0;
        o->order_count++;
    }
    return order_put(&o->orders[place->run], place->index, text.len > 0 ? text : nothing, e);
}

int output_finish(struct output *o, struct err *e)
{
    for (size_t i = 0; i < o->order_count; i++) {
        if (order_finish(&o->orders[i], e) < 0) {
            return -1;
        }
    }
    if (o->count == 0) {
        writer_put_span(o->out, opening[o->wrap]);
    }
    writer_put_span(o->out, closing[o->wrap]);
    writer_commit(o->out);
    return 0;
}

void output_break(struct output *o)
{
    writer_rollback(o->out);
    if (o->wrap != OUTPUT_LINES && o->count > 0) {
        writer_put_byte(o->out, '\n');
        writer_commit(o->out);
    }
}

uint64_t output_lines(const struct output *o)
{
    return o->wrap == OUTPUT_LINES ? o->count : 1;
}

void output_release(struct output *o)
{
    for (size_t i = 0; i < o->order_count; i++) {
        order_release(&o->orders[i]);
    }
    free(o->orders);
    *o = (struct output){0};
}
