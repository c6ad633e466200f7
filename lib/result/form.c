#include "result/form.h"

#include "json/text.h"
#include "json/walk.h"

static void add_cloudflow(struct buf *b, const struct record *r)
{
    buf_add_span(b, SPAN_LIT("{\"ExecutionName\":"));
    buf_add_span(b, r->name);
    buf_add_span(b, SPAN_LIT(",\"FlowName\":"));
    buf_add_span(b, r->flow);
    buf_add_span(b, SPAN_LIT(",\"Input\":"));
    text_encode(b, r->input);
    buf_add_span(b, SPAN_LIT(",\"Output\":"));
    text_encode(b, r->output);
    buf_add_span(b, SPAN_LIT(",\"Status\":"));
    buf_add_span(b, r->status);
    buf_add_span(b, SPAN_LIT(",\"StartedTime\":"));
    buf_add_span(b, r->started);
    buf_add_span(b, SPAN_LIT(",\"StoppedTime\":"));
    buf_add_span(b, r->stopped);
    buf_add_byte(b, '}');
}

/* The elements of ARRAY, separated by SEPARATOR. */
static void add_elements(struct buf *b, struct span array, char separator)
{
    struct walk w = walk_into(array);
    bool first = true;
    while (walk_next(&w)) {
        if (!first) {
            buf_add_byte(b, separator);
        }
        first = false;
        buf_add_span(b, w.value);
    }
}

struct span form_of(const struct form *f, const struct record *r, struct span line,
                    struct buf *scratch)
{
    bool changes = r->kind == RECORD_SUCCEEDED || f->outputs_only;
    enum form_transform transform = changes ? f->transform : FORM_NONE;
    buf_reset(scratch);
    if (transform == FORM_COMPACT) {
        return r->output;
    }
    if (transform == FORM_FLATTEN) {
        if (walk_kind(r->output) != SCAN_ARRAY) {
            return r->output;
        }
        add_elements(scratch, r->output, f->lines ? '\n' : ',');
        return buf_span(scratch);
    }
    if (f->records == FORM_FULL) {
        return line;
    }
    add_cloudflow(scratch, r);
    return buf_span(scratch);
}
