#include "expr/attr.h"

#include "base/mem.h"
#include "expr/attr_functions.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>

int attr_compile_with(struct attr_template **out, struct span text, const struct attr_rules *rules,
                      struct err *e)
{
    struct attr_template *t = mem_new(1, sizeof *t);
    t->text = mem_copy(text.at, text.len);
    t->len = text.len;
    t->rules = *rules;
    t->scratch = mem_new(1, sizeof *t->scratch);
    if (attr_parse(t, e) < 0) {
        attr_free(t);
        return -1;
    }
    *out = t;
    return 0;
}

int attr_compile(struct attr_template **out, const char *text, struct err *e)
{
    static const struct attr_rules ours = {0};
    return attr_compile_with(out, span_text(text), &ours, e);
}

void attr_outside(struct attr_template *t, attr_outside_fn *fn, void *context)
{
    t->outside = fn;
    t->context = context;
}

bool attr_is_constant(const struct attr_template *t)
{
    for (const struct attr_node *n = t->pieces; n; n = n->next) {
        if (n->kind != ATTR_CONSTANT) {
            return false;
        }
    }
    return true;
}

bool attr_value(struct span value, struct buf *out)
{
    switch (walk_kind(value)) {
    case SCAN_NULL:
        return false;
    case SCAN_STRING:
        text_decode(out, value);
        return true;
    default:
        buf_add_span(out, value);
        return true;
    }
}

int attr_eval(const struct attr_template *t, struct span line, struct buf *out, bool *missing,
              struct err *e)
{
    bool some = false;
    struct attr_run run = {
        .t = t, .line = line, .arena = &t->scratch->arena, .buf = &t->scratch->buf, .err = e};
    buf_reset(out);
    arena_reset(run.arena);
    int rc = attr_pieces_eval(&run, out, &some);
    if (missing) {
        *missing = some;
    }
    return rc;
}

/* evaluateELString: the subject is a template; its values come from the same line. */
int attr_fn_evaluate(struct attr_call *c, struct datum *v)
{
    struct attr_run *outer = c->run;
    struct span text = attr_subject(c, v);
    struct attr_template *t;
    struct buf out = {0};
    struct err e = {0};
    bool missing;
    if (!text.at) {
        return 0;
    }
    if (outer->depth >= ATTR_EVALUATE_MAX) {
        return attr_fail(c, "texts evaluate each other too deep");
    }
    if (attr_compile_with(&t, text, &outer->t->rules, &e) < 0) {
        return attr_fail(c, "%s", e.text);
    }
    attr_outside(t, outer->t->outside, outer->t->context);
    struct attr_run run = *outer;
    run.t = t;
    run.err = &e;
    run.depth++;
    int rc = attr_pieces_eval(&run, &out, &missing);
    if (rc == 0) {
        *v = datum_text(arena_copy(outer->arena, buf_span(&out)));
    }
    attr_free(t);
    buf_release(&out);
    /* of several in each other the innermost is told, as part of the outermost */
    return rc == 0            ? 0
           : outer->depth > 0 ? err_set(outer->err, ERR_DATA, "%s", e.text)
                              : attr_fail(c, "%s", e.text);
}

void attr_free(struct attr_template *t)
{
    if (!t) {
        return;
    }
    for (size_t i = 0; i < t->regex_count; i++) {
        regex_free(t->regexes[i]);
    }
    free(t->regexes);
    free(t->text);
    arena_release(&t->nodes);
    arena_release(&t->scratch->arena);
    buf_release(&t->scratch->buf);
    free(t->scratch);
    free(t);
}
