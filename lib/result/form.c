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

/* ---- AWS ---- */

static const struct {
    const char *status;
    const char *redrive; /* RedriveStatus */
    const char *reason;  /* RedriveStatusReason; NULL: none */
} aws_statuses[RECORD_STATUSES] = {
    [RECORD_SUCCEEDED] = {"SUCCEEDED", "NOT_REDRIVABLE",
                          "Execution is SUCCEEDED and cannot be redriven"},
    [RECORD_FAILED] = {"FAILED", "REDRIVABLE_BY_MAP_RUN", NULL},
    [RECORD_TIMED_OUT] = {"TIMED_OUT", "REDRIVABLE_BY_MAP_RUN", NULL},
    [RECORD_ABORTED] = {"ABORTED", "REDRIVABLE_BY_MAP_RUN", NULL},
    [RECORD_PENDING] = {"PENDING", "REDRIVABLE_BY_MAP_RUN", NULL},
};

/* Add the member HEAD with the value VALUE, JSON; HEAD has the comma and the colon. */
static void add_value(struct buf *b, struct span head, struct span value)
{
    buf_add_span(b, head);
    buf_add_span(b, value);
}

static void add_string(struct buf *b, struct span head, struct span text)
{
    buf_add_span(b, head);
    text_encode(b, text);
}

/* Members in the order of their names, as the service writes them. */
static void add_aws(struct buf *b, const struct record *r)
{
    struct span flow = record_inner(r->flow);
    bool succeeded = r->kind == RECORD_SUCCEEDED;
    bool began = r->kind != RECORD_PENDING;
    buf_add_byte(b, '{');
    if (r->cause.len > 0) {
        add_value(b, SPAN_LIT("\"Cause\":"), r->cause);
        buf_add_byte(b, ',');
    }
    if (r->error.len > 0) {
        add_value(b, SPAN_LIT("\"Error\":"), r->error);
        buf_add_byte(b, ',');
    }
    add_value(b, SPAN_LIT("\"ExecutionArn\":\"" FORM_ARN "execution:"), flow);
    add_value(b, SPAN_LIT(":"), record_inner(r->name));
    add_string(b, SPAN_LIT("\",\"Input\":"), r->input);
    add_value(b, SPAN_LIT(",\"InputDetails\":{\"Included\":true},\"Name\":"), r->name);
    if (succeeded) {
        add_string(b, SPAN_LIT(",\"Output\":"), r->output);
        buf_add_span(b, SPAN_LIT(",\"OutputDetails\":{\"Included\":true}"));
    }
    buf_add_span(b, SPAN_LIT(",\"RedriveCount\":"));
    buf_add_u64(b, r->redrives);
    add_string(b, SPAN_LIT(",\"RedriveStatus\":"), span_text(aws_statuses[r->kind].redrive));
    if (aws_statuses[r->kind].reason) {
        add_string(b, SPAN_LIT(",\"RedriveStatusReason\":"),
                   span_text(aws_statuses[r->kind].reason));
    }
    if (began) {
        add_value(b, SPAN_LIT(",\"StartDate\":"), r->started);
    }
    add_value(b, SPAN_LIT(",\"StateMachineArn\":\"" FORM_ARN "stateMachine:"), flow);
    add_string(b, SPAN_LIT("\",\"Status\":"), span_text(aws_statuses[r->kind].status));
    if (began) {
        add_value(b, SPAN_LIT(",\"StopDate\":"), r->stopped);
    }
    buf_add_byte(b, '}');
}

/* What stands among outputs for one that there is none of (2.7). */
static void add_aws_failure(struct buf *b, const struct record *r)
{
    buf_add_span(b, SPAN_LIT("{\"Status\":"));
    text_encode(b, span_text(aws_statuses[r->kind].status));
    if (r->error.len > 0) {
        add_value(b, SPAN_LIT(",\"Error\":"), r->error);
    }
    if (r->cause.len > 0) {
        add_value(b, SPAN_LIT(",\"Cause\":"), r->cause);
    }
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
    if (transform != FORM_NONE && f->records == FORM_AWS && r->kind != RECORD_SUCCEEDED) {
        add_aws_failure(scratch, r);
        return buf_span(scratch);
    }
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
    (f->records == FORM_AWS ? add_aws : add_cloudflow)(scratch, r);
    return buf_span(scratch);
}
