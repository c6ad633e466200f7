#include "expr/template_parts.h"

#include "json/walk.h"

#include <stdlib.h>

const enum origin template_origins[TEMPLATE_ROOTS] = {[PATH_INPUT] = FROM_INPUT,
                                                      [PATH_ITEM] = FROM_ITEM,
                                                      [PATH_CONTEXT] = FROM_CONTEXT,
                                                      [PATH_OUTPUT] = FROM_OUTPUT,
                                                      [PATH_GLOBAL] = FROM_GLOBAL};

const struct select *template_input(const struct template *t)
{
    return &t->selects[FROM_INPUT];
}

bool template_uses(const struct template *t, enum path_root root)
{
    size_t about_item = root == PATH_CONTEXT ? t->selects[FROM_CONTEXT_ITEM].slots : 0;
    return root < TEMPLATE_ROOTS && t->selects[template_origins[root]].slots + about_item > 0;
}

bool template_uses_item(const struct template *t)
{
    return t->selects[FROM_ITEM].slots + t->selects[FROM_CONTEXT_ITEM].slots > 0;
}

int template_bind(struct template *t, const struct document *input, struct err *e)
{
    for (size_t i = 0; i < t->count; i++) {
        const struct piece *p = &t->pieces[i];
        if (!p->bare || p->sources[0].origin != FROM_INPUT) {
            continue;
        }
        const struct path *path = expr_path(p->expr, 0);
        if (!input->values[p->sources[0].slot].at && !path->optional) {
            return err_set(e, ERR_DATA, "there is no %s (write '?' behind it for null)",
                           path->text);
        }
    }
    t->values[FROM_INPUT] = input->values;
    return 0;
}

/* Does LINE have exactly the COUNT members NAMES, in this order? Their values go to VALUES. */
static bool has_exactly(struct span line, const struct span *names, size_t count,
                        struct span *values)
{
    size_t i = 0;
    if (walk_kind(line) != SCAN_OBJECT) {
        return false;
    }
    struct walk w = walk_into(line);
    for (; walk_next(&w); i++) {
        if (i == count || !walk_key_is(w.key, names[i])) {
            return false;
        }
        values[i] = w.value;
    }
    return i == count;
}

/* The object that $Context.Item stands for, as the member Item: paths begin above it. */
static void write_context_item(struct buf *out, const struct template_item *item)
{
    static const struct span wrapped[] = {{"Index", 5}, {"Source", 6}, {"Value", 5}};
    static const struct span keyed[] = {{"Index", 5}, {"Source", 6}, {"Key", 3}, {"Value", 5}};
    static const struct span member[] = {{"Key", 3}, {"Value", 5}};
    struct span v[4];
    buf_reset(out);
    buf_add_text(out, "{\"Item\":");
    if (has_exactly(item->item, wrapped, 3, v) || has_exactly(item->item, keyed, 4, v)) {
        buf_add_span(out, item->item);
    } else {
        buf_add_text(out, "{\"Index\":");
        buf_add_u64(out, item->index);
        struct span value = item->item;
        if (has_exactly(item->item, member, 2, v)) {
            buf_add_text(out, ",\"Key\":");
            buf_add_span(out, v[0]);
            value = v[1];
        }
        buf_add_text(out, ",\"Value\":");
        buf_add_span(out, value);
        buf_add_byte(out, '}');
    }
    buf_add_byte(out, '}');
}

/* Follow all paths that lead into the item or its context. */
static void find_values(struct template *t, const struct template_item *item)
{
    select_run(&t->selects[FROM_ITEM], item->item, item->seams, t->values[FROM_ITEM]);
    if (t->selects[FROM_CONTEXT].slots > 0) {
        select_run(&t->selects[FROM_CONTEXT], item->context, SEAMS_NONE, t->values[FROM_CONTEXT]);
    }
    if (t->selects[FROM_CONTEXT_ITEM].slots > 0) {
        write_context_item(&t->scratch, item);
        select_run(&t->selects[FROM_CONTEXT_ITEM], buf_span(&t->scratch), SEAMS_NONE,
                   t->values[FROM_CONTEXT_ITEM]);
    }
}

/* Add the value of P's expression to OUT. */
static int add_value(struct template *t, const struct piece *p, struct buf *out, struct err *e)
{
    if (p->bare) {
        struct span moved = t->values[p->sources[0].origin][p->sources[0].slot];
        if (moved.at) {
            buf_add_span(out, moved);
            return 0;
        }
    }
    size_t count = expr_path_count(p->expr);
    struct span *values = arena_take(&t->arena, count * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        values[i] = t->values[p->sources[i].origin][p->sources[i].slot];
    }
    struct span value;
    if (expr_eval(p->expr, values, &t->arena, &value, e) < 0) {
        return -1;
    }
    buf_add_span(out, value);
    return 0;
}

static int render(struct template *t, struct buf *out, struct err *e)
{
    arena_reset(&t->arena);
    for (size_t i = 0; i < t->count; i++) {
        const struct piece *p = &t->pieces[i];
        buf_add(out, t->literals.at + p->literal, p->literal_len);
        if (p->expr && add_value(t, p, out, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int template_render(struct template *t, const struct template_item *item, struct buf *out,
                    struct err *e)
{
    find_values(t, item);
    return render(t, out, e);
}

int template_play(struct template *t, const struct template_scene *s, struct buf *out,
                  struct err *e)
{
    for (int i = 0; i < TEMPLATE_ROOTS; i++) {
        enum origin from = template_origins[i];
        if (t->selects[from].slots > 0) {
            struct span root = s->roots[i].at ? s->roots[i] : SPAN_LIT("null");
            select_run(&t->selects[from], root, SEAMS_NONE, t->values[from]);
        }
    }
    return render(t, out, e);
}

void template_explain(struct template *t, struct buf *out)
{
    struct err e = {0};
    for (size_t i = 0; i < t->count; i++) {
        const struct piece *p = &t->pieces[i];
        if (!p->expr) {
            continue;
        }
        buf_printf(out, "  %s = ", expr_text(p->expr));
        if (add_value(t, p, out, &e) < 0) {
            buf_printf(out, "(%s)", e.text);
        }
        buf_add_byte(out, '\n');
    }
}

void template_free(struct template *t)
{
    if (!t) {
        return;
    }
    for (size_t i = 0; i < t->count; i++) {
        expr_free(t->pieces[i].expr);
        free(t->pieces[i].sources);
    }
    for (int i = 0; i < ORIGINS; i++) {
        select_release(&t->selects[i]);
        if (i != FROM_INPUT || t->scene) {
            free(t->values[i]); /* those of $Input are the document's */
        }
    }
    free(t->pieces);
    buf_release(&t->literals);
    buf_release(&t->scratch);
    arena_release(&t->arena);
    free(t);
}
