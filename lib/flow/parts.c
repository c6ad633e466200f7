/* The parts of a state, one at a time; and what a distributed Map is as a shell's pipeline. */
#include "flow/frame.h"

#include "flow/plan.h"
#include "run/dry.h"

static void begin(struct engine *e, const struct state *s, struct span raw)
{
    buf_reset(&e->globals);
    buf_add_text(&e->globals, "{}");
    buf_reset(&e->input);
    buf_add_span(&e->input, raw);
    e->root = frame_begin(e, s->in, s, NULL);
    buf_add_span(&e->root->raw, raw);
}

static void end(struct engine *e)
{
    e->first_queued = e->last_queued = NULL;
    frame_free(e->root);
    e->root = NULL;
}

int engine_enter(struct engine *e, const struct state *s, struct span raw, struct buf *out,
                 struct err *err)
{
    begin(e, s, raw);
    int rc = data_enter(e->root, err);
    if (rc == 0) {
        buf_add_span(out, frame_input(e->root));
    }
    end(e);
    return rc;
}

int engine_leave(struct engine *e, const struct state *s, struct span raw, struct span result,
                 struct buf *out, struct err *err)
{
    begin(e, s, raw);
    int rc = data_enter(e->root, err);
    if (rc == 0) {
        buf_add_span(&e->root->result, result);
        rc = data_leave(e->root, err);
    }
    if (rc == 0) {
        buf_add_span(out, buf_span(&e->root->raw));
    }
    end(e);
    return rc;
}

/* "mapflow PART --state=… -i INPUT DEF": what goes before or behind the pipeline. */
static void put_part(const struct engine *e, const struct state *s, const char *part,
                     const char *input, struct buf *out)
{
    struct buf path = {0};
    machine_path(e->machine, s, &path);
    buf_add_text(out, "mapflow ");
    buf_add_text(out, part);
    buf_add_text(out, " --state=");
    dry_quote(out, buf_span(&path));
    buf_add_text(out, " -i ");
    dry_quote(out, span_text(input));
    buf_add_byte(out, ' ');
    dry_quote(out, span_text(e->rules->definition));
    buf_release(&path);
}

static int put_plan(struct engine *e, const struct state *s, const char *input, struct buf *out,
                    struct err *err)
{
    struct plan plan = {0};
    struct buf made = {0};
    bool raw = state_takes_raw(s);
    if (!raw) {
        buf_add_span(&made, s->name);
        buf_add_text(&made, ".input.json");
        put_part(e, s, "enter", input, out);
        buf_add_text(out, " >");
        dry_quote(out, buf_span(&made));
        buf_add_text(out, " &&\n");
    }
    struct plan_names names = {.input = raw ? input : buf_text(&made)};
    int rc = plan_make(&plan, e->root, &names, err);
    if (rc == 0) {
        plan_print(&plan, out);
        if (!state_gives_result(s)) {
            out->len--; /* the LF */
            buf_add_text(out, " |\n  ");
            put_part(e, s, "leave", input, out);
            buf_add_byte(out, '\n');
        }
    }
    plan_release(&plan);
    buf_release(&made);
    return rc;
}

int engine_plan(struct engine *e, const struct state *s, const char *input, struct span raw,
                struct buf *out, struct err *err)
{
    if (!s->map.distributed) {
        return err_set(err, ERR_USAGE, "'%.*s' is an inline Map: it is no pipeline",
                       (int)s->name.len, s->name.at);
    }
    begin(e, s, raw);
    int rc = data_enter(e->root, err) < 0 ? -1 : put_plan(e, s, input, out, err);
    end(e);
    return rc;
}
