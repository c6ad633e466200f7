/* How data gets into a state and out of it again: the table in machine.h. */
#include "flow/frame.h"

#include "base/units.h"
#include "flow/graft.h"
#include "json/members.h"
#include "json/text.h"
#include "json/walk.h"

/* ---- $Context ---- */

static void put_execution(const struct engine *e, struct buf *b)
{
    members_open(b, "Execution");
    members_text(b, "Id", e->rules->name);
    members_text(b, "Name", e->rules->name);
    members_json(b, "Input", buf_span(&e->input));
    members_text(b, "RoleArn", SPAN_LIT(""));
    members_stamp(b, "StartTime", e->rules->started);
    buf_add_byte(b, '}');
    members_open(b, "StateMachine");
    members_text(b, "Id", e->machine->name);
    members_text(b, "Name", e->machine->name);
    buf_add_byte(b, '}');
}

/* CloudFlow's Current, the States Language's State. */
static void put_current(const struct frame *f, struct buf *b)
{
    uint64_t retries = f->attempts > 0 ? f->attempts - 1 : 0;
    members_open(b, "Current");
    members_text(b, "Name", f->state->name);
    members_json(b, "Input", frame_input(f));
    if (f->result_is_input || f->result.len > 0) {
        members_json(b, "Output", f->result_is_input ? frame_input(f) : buf_span(&f->result));
    }
    if (f->failed) {
        members_open(b, "Error");
        members_text(b, "Code", buf_span(&f->code));
        members_text(b, "Detail", buf_span(&f->cause));
        buf_add_byte(b, '}');
    }
    members_count(b, "RetryCount", retries);
    buf_add_byte(b, '}');
    members_open(b, "State");
    members_text(b, "Name", f->state->name);
    members_stamp(b, "EnteredTime", f->entered);
    members_count(b, "RetryCount", retries);
    buf_add_byte(b, '}');
}

static void put_item(const struct frame_item *item, struct buf *b)
{
    members_open(b, "Item");
    members_count(b, "Index", item->index);
    if (item->key.len > 0) {
        members_json(b, "Key", item->key);
    }
    members_json(b, "Value", item->value);
    members_text(b, "Source", SPAN_LIT("STATE_DATA"));
    buf_add_byte(b, '}');
}

static struct span make_context(struct frame *f)
{
    struct buf *b = &f->engine->context;
    const struct frame *around = f;
    while (around && !around->item.there) {
        around = around->parent;
    }
    buf_reset(b);
    buf_add_byte(b, '{');
    put_execution(f->engine, b);
    put_current(f, b);
    if (around) {
        put_item(&around->item, b);
        members_open(b, "Map");
        put_item(&around->item, b);
        buf_add_byte(b, '}');
    }
    buf_add_byte(b, '}');
    return buf_span(b);
}

/* ---- evaluating ---- */

void data_scene(struct frame *f, bool context, struct template_scene *s)
{
    bool any = f->result_is_input || f->result.len > 0;
    *s = (struct template_scene){0};
    s->roots[PATH_INPUT] = frame_input(f);
    s->roots[PATH_GLOBAL] = buf_span(&f->engine->globals);
    s->roots[PATH_ITEM] = f->item.there ? f->item.value : (struct span){0};
    if (any) {
        s->roots[PATH_OUTPUT] = f->result_is_input ? frame_input(f) : buf_span(&f->result);
    }
    if (context) {
        s->roots[PATH_CONTEXT] = make_context(f);
    }
}

/* The value of T with ROOT for $Input. */
static int play(struct frame *f, struct template *t, struct span root, struct buf *out,
                struct err *e)
{
    struct template_scene s;
    data_scene(f, template_uses(t, PATH_CONTEXT), &s);
    s.roots[PATH_INPUT] = root;
    buf_reset(out);
    return template_play(t, &s, out, e);
}

int data_value(struct frame *f, struct template *t, struct buf *out, struct err *e)
{
    buf_reset(out);
    return t ? play(f, t, frame_input(f), out, e) : 0;
}

int data_text(struct frame *f, setting t, struct buf *out, struct err *e)
{
    struct buf json = {0};
    int rc = data_value(f, t, &json, e);
    buf_reset(out);
    if (rc == 0 && json.len > 0 && walk_kind(buf_span(&json)) == SCAN_STRING) {
        text_decode(out, buf_span(&json));
    } else if (rc == 0) {
        buf_add_span(out, buf_span(&json));
    }
    buf_release(&json);
    return rc;
}

int data_integer(struct frame *f, setting t, const char *name, int64_t most, int64_t *out,
                 struct err *e)
{
    struct buf text = {0};
    int rc = data_text(f, t, &text, e);
    *out = 0;
    if (rc == 0 && text.len > 0) {
        rc = units_integer(buf_span(&text), 0, most, out, e);
    }
    if (rc < 0) {
        err_prefix(e, "%s", name);
    }
    buf_release(&text);
    return rc;
}

static void swap(struct buf *a, struct buf *b)
{
    struct buf was = *a;
    *a = *b;
    *b = was;
}

static void set(struct buf *b, struct span text)
{
    buf_reset(b);
    buf_add_span(b, text);
}

int data_enter(struct frame *f, struct err *e)
{
    const struct state *s = f->state;
    f->has_input = false;
    if (s->no_input) {
        set(&f->input, SPAN_LIT("{}"));
        f->has_input = true;
    } else if (s->select) {
        if (play(f, s->select, buf_span(&f->raw), &f->spare, e) < 0) {
            return -1;
        }
        swap(&f->input, &f->spare);
        f->has_input = true;
    }
    if (s->construct) {
        if (play(f, s->construct, frame_input(f), &f->spare, e) < 0) {
            return -1;
        }
        swap(&f->input, &f->spare);
        f->has_input = true;
    }
    return 0;
}

/* $Global has what GlobalConstructor makes added, which sees it as it was. */
static int add_globals(struct frame *f, struct template *t, struct err *e)
{
    struct engine *engine = f->engine;
    struct buf made = {0};
    struct buf merged = {0};
    int rc = play(f, t, frame_input(f), &made, e);
    if (rc == 0) {
        graft_merge(buf_span(&engine->globals), buf_span(&made), &merged);
        swap(&engine->globals, &merged);
    }
    buf_release(&made);
    buf_release(&merged);
    return rc;
}

/* Make f->result a text of its own. */
static void own_result(struct frame *f)
{
    if (f->result_is_input) {
        set(&f->result, frame_input(f));
        f->result_is_input = false;
    }
}

/* The result takes its place in the raw input: ResultPath. f->raw is then what the state gives. */
static int place(struct frame *f, bool discards, const struct path *p, struct err *e)
{
    if (discards) {
        return 0;
    }
    if (!p) {
        if (!f->result_is_input || f->has_input) {
            own_result(f);
            swap(&f->raw, &f->result);
        }
        return 0;
    }
    buf_reset(&f->spare);
    struct span result = f->result_is_input ? frame_input(f) : buf_span(&f->result);
    if (graft(buf_span(&f->raw), p, result, &f->spare, e) < 0) {
        return -1;
    }
    swap(&f->raw, &f->spare);
    return 0;
}

/* CloudFlow: OutputConstructor sees $Global as it was before GlobalConstructor (1.9). */
static int produce(struct frame *f, struct err *e)
{
    const struct state *s = f->state;
    struct buf made = {0};
    int rc = s->produce ? play(f, s->produce, frame_input(f), &made, e) : 0;
    if (rc == 0 && s->globals) {
        rc = add_globals(f, s->globals, e);
    }
    if (rc == 0 && s->produce) {
        swap(&f->result, &made);
        f->result_is_input = false;
    }
    buf_release(&made);
    return rc;
}

/* ResultPath, and OutputPath after it: where that fails the raw input is as before, for Catch. */
static int place_and_leave(struct frame *f, struct err *e)
{
    const struct state *s = f->state;
    struct buf was = {0};
    struct buf made = {0};
    buf_add_span(&was, buf_span(&f->raw));
    int rc = place(f, s->discards, s->result_path, e);
    rc = rc < 0 ? rc : play(f, s->leave, buf_span(&f->raw), &made, e);
    swap(&f->raw, rc < 0 ? &was : &made);
    buf_release(&was);
    buf_release(&made);
    return rc;
}

int data_leave(struct frame *f, struct err *e)
{
    const struct state *s = f->state;
    if (s->no_output) {
        set(&f->raw, SPAN_LIT("{}"));
        return 0;
    }
    if (s->pick) {
        struct span result = f->result_is_input ? frame_input(f) : buf_span(&f->result);
        if (play(f, s->pick, result, &f->spare, e) < 0) {
            return -1;
        }
        swap(&f->result, &f->spare);
        f->result_is_input = false;
    }
    if ((s->produce || s->globals) && produce(f, e) < 0) {
        return -1;
    }
    return s->leave ? place_and_leave(f, e) : place(f, s->discards, s->result_path, e);
}

int data_catch(struct frame *f, const struct catcher *k, struct err *e)
{
    f->result_is_input = false;
    if (f->engine->machine->dialect == DIALECT_CLOUDFLOW) {
        if (!k->output) {
            return 0; /* nothing took the place of the input */
        }
        if (play(f, k->output, frame_input(f), &f->spare, e) < 0) {
            return -1;
        }
        swap(&f->raw, &f->spare);
        return 0;
    }
    buf_reset(&f->result);
    buf_add_byte(&f->result, '{');
    members_text(&f->result, "Error", buf_span(&f->code));
    members_text(&f->result, "Cause", buf_span(&f->cause));
    buf_add_byte(&f->result, '}');
    return place(f, k->discards, k->result_path, e);
}
