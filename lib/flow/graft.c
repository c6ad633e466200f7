#include "flow/graft.h"

#include "json/text.h"
#include "json/walk.h"

static int put(struct span root, const struct path *p, size_t step, struct span value,
               struct buf *out, struct err *e);

static void put_comma(struct buf *out)
{
    char last = out->at[out->len - 1];
    if (last != '{' && last != '[') {
        buf_add_byte(out, ',');
    }
}

static void put_member(struct span key, struct buf *out)
{
    put_comma(out);
    buf_add_span(out, key);
    buf_add_byte(out, ':');
}

/* ROOT, an object or nothing, with the member that STEP names. */
static int put_into_object(struct span root, const struct path *p, size_t step, struct span value,
                           struct buf *out, struct err *e)
{
    struct span name = p->steps[step].name;
    struct span old = {0};
    (void)walk_member(root, name, &old);
    buf_add_byte(out, '{');
    struct walk w = walk_into(root);
    bool done = false;
    while (walk_next(&w)) {
        if (!walk_key_is(w.key, name)) {
            put_member(w.key, out);
            buf_add_span(out, w.value);
        } else if (!done) {
            put_member(w.key, out);
            done = true;
            if (put(old, p, step + 1, value, out, e) < 0) {
                return -1;
            }
        }
    }
    if (!done) {
        put_comma(out);
        text_encode(out, name);
        buf_add_byte(out, ':');
        if (put(old, p, step + 1, value, out, e) < 0) {
            return -1;
        }
    }
    buf_add_byte(out, '}');
    return 0;
}

static int put_into_array(struct span root, const struct path *p, size_t step, struct span value,
                          struct buf *out, struct err *e)
{
    buf_add_byte(out, '[');
    bool done = false;
    struct walk w = walk_into(root);
    for (uint64_t i = 0; walk_next(&w); i++) {
        put_comma(out);
        if (i != p->steps[step].index) {
            buf_add_span(out, w.value);
        } else if (put(w.value, p, step + 1, value, out, e) < 0) {
            return -1;
        } else {
            done = true;
        }
    }
    buf_add_byte(out, ']');
    return done ? 0 : err_set(e, ERR_DATA, "'%s' leads to no element of the input", p->text);
}

/* Recurses once a step, of which a path has PATH_STEPS_MAX at most. */
static int put(struct span root, const struct path *p, size_t step, struct span value,
               struct buf *out, struct err *e)
{
    if (step == p->count) {
        buf_add_span(out, value);
        return 0;
    }
    bool indexed = p->steps[step].kind == PATH_INDEX;
    if (root.len > 0 && walk_kind(root) != (indexed ? SCAN_ARRAY : SCAN_OBJECT)) {
        return err_set(e, ERR_DATA, "'%s' leads through what is no %s", p->text,
                       indexed ? "array" : "object");
    }
    return indexed ? put_into_array(root, p, step, value, out, e)
                   : put_into_object(root, p, step, value, out, e);
}

int graft(struct span root, const struct path *p, struct span value, struct buf *out, struct err *e)
{
    return put(root, p, 0, value, out, e);
}

void graft_merge(struct span old, struct span new, struct buf *out)
{
    struct span unused;
    struct buf name = {0};
    buf_add_byte(out, '{');
    for (struct walk w = walk_into(old); walk_next(&w);) {
        buf_reset(&name);
        text_decode(&name, w.key);
        if (!walk_member(new, buf_span(&name), &unused)) {
            put_member(w.key, out);
            buf_add_span(out, w.value);
        }
    }
    for (struct walk w = walk_into(new); walk_next(&w);) {
        put_member(w.key, out);
        buf_add_span(out, w.value);
    }
    buf_add_byte(out, '}');
    buf_release(&name);
}
