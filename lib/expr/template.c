#include "expr/template.h"

#include "base/mem.h"
#include "expr/expr.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEMPLATE_DEPTH_MAX = 200 }; /* compile() recurses; templates are written by people */

/* Where the value of an expression comes from. */
enum origin {
    FROM_INPUT,
    FROM_ITEM,
    FROM_CONTEXT,
    FROM_OUTPUT,
    FROM_GLOBAL,
    FROM_CONTEXT_ITEM, /* of $Context what is about the item at hand; in no scene */
    ORIGINS
};

static const enum origin origins[TEMPLATE_ROOTS] = {[PATH_INPUT] = FROM_INPUT,
                                                    [PATH_ITEM] = FROM_ITEM,
                                                    [PATH_CONTEXT] = FROM_CONTEXT,
                                                    [PATH_OUTPUT] = FROM_OUTPUT,
                                                    [PATH_GLOBAL] = FROM_GLOBAL};

/* Where a path's value is found: values[origin][slot]. */
struct source {
    enum origin origin;
    size_t slot;
};

/* Literal text, and behind it the value of an expression. */
struct piece {
    size_t literal; /* offset and length in template.literals */
    size_t literal_len;
    struct expr *expr;      /* NULL in the last piece */
    bool bare;              /* it is a path and nothing else */
    struct source *sources; /* one for each path of the expression */
};

struct template
{
    struct buf literals;
    size_t pending; /* where the literal text that belongs to no piece yet begins */
    struct piece *pieces;
    size_t count;
    size_t cap;
    bool sort_keys;
    unsigned scene; /* the roots of a template for scenes, as bits; 0: it is none */
    struct select selects[ORIGINS];
    struct span *values[ORIGINS]; /* a slot each; of FROM_INPUT, but for scenes, template_bind's */
    struct buf scratch;
    struct arena arena; /* for what is computed for one item */
};

/* ---- compiling ---- */

static struct piece *add_piece(struct template *t)
{
    t->pieces = mem_grow(t->pieces, &t->cap, t->count, sizeof *t->pieces);
    struct piece *p = &t->pieces[t->count++];
    *p = (struct piece){.literal = t->pending, .literal_len = t->literals.len - t->pending};
    t->pending = t->literals.len;
    return p;
}

static bool step_is(const struct path *p, size_t i, struct span name)
{
    return i < p->count && p->steps[i].kind == PATH_MEMBER && span_equal(p->steps[i].name, name);
}

/*
 * $Context.Item.x is about the item at hand: an origin of its own.  $$.Map.Item.x, as the Amazon
 * States Language spells it, is the same: *SKIP is then the number of steps to leave out.
 */
static enum origin origin_of(const struct path *p, size_t *skip)
{
    *skip = 0;
    switch (p->root) {
    case PATH_INPUT:
        return FROM_INPUT;
    case PATH_ITEM:
        return FROM_ITEM;
    case PATH_CONTEXT:
        break;
    default:
        return ORIGINS;
    }
    *skip = step_is(p, 0, SPAN_LIT("Map")) && step_is(p, 1, SPAN_LIT("Item"));
    return step_is(p, *skip, SPAN_LIT("Item")) ? FROM_CONTEXT_ITEM : FROM_CONTEXT;
}

/* "path '…': $Input or $Context expected", as the roots of T are. Returns -1. */
static int strange_root(const struct template *t, const struct path *p, struct err *e)
{
    static const char *const names[TEMPLATE_ROOTS] = {[PATH_INPUT] = "$Input",
                                                      [PATH_ITEM] = "$Item",
                                                      [PATH_CONTEXT] = "$Context",
                                                      [PATH_OUTPUT] = "$Output",
                                                      [PATH_GLOBAL] = "$Global"};
    char list[80] = "";
    unsigned left = t->scene ? t->scene : 1U << PATH_INPUT | 1U << PATH_ITEM | 1U << PATH_CONTEXT;
    for (unsigned i = 0; left; i++) {
        unsigned bit = 1U << i;
        if (left & bit) {
            left &= ~bit;
            const char *between = !*list ? "" : left ? ", " : " or ";
            size_t len = strlen(list);
            snprintf(list + len, sizeof list - len, "%s%s", between, names[i]);
        }
    }
    return err_set(e, ERR_USAGE, "path '%s': %s expected", p->text, list);
}

/* The same as origin_of in a template for scenes, in which $Context is a document like others. */
static enum origin origin_in_scene(const struct template *t, const struct path *p)
{
    bool there = p->root < TEMPLATE_ROOTS && (t->scene & 1U << p->root);
    return there ? origins[p->root] : ORIGINS;
}

/* Say where each path of X gets its value from. */
static int find_sources(struct template *t, const struct expr *x, struct source *sources,
                        struct err *e)
{
    for (size_t i = 0; i < expr_path_count(x); i++) {
        const struct path *p = expr_path(x, i);
        size_t skip = 0;
        enum origin origin = t->scene ? origin_in_scene(t, p) : origin_of(p, &skip);
        if (origin == ORIGINS) {
            return strange_root(t, p, e);
        }
        struct path steps = {.steps = skip ? p->steps + skip : p->steps, .count = p->count - skip};
        sources[i] = (struct source){origin, select_add(&t->selects[origin], &steps)};
    }
    return 0;
}

/* The expression TEXT takes the place of a value. */
static int add_expression(struct template *t, struct span text, struct err *e)
{
    struct expr *x;
    if (expr_compile(&x, text, e) < 0) {
        return -1;
    }
    struct piece *p = add_piece(t);
    p->expr = x;
    p->bare = expr_is_path(x);
    p->sources = mem_new(expr_path_count(x), sizeof *p->sources);
    return find_sources(t, x, p->sources, e);
}

struct member {
    struct span key; /* with quotes */
    struct span value;
    struct buf name; /* decoded, as it leaves: for sorting */
};

/* By name, and those of the same name as they stand in the template. */
static int compare_members(const void *a, const void *b)
{
    const struct member *m = a;
    const struct member *n = b;
    size_t shorter = m->name.len < n->name.len ? m->name.len : n->name.len;
    int order = shorter > 0 ? memcmp(m->name.at, n->name.at, shorter) : 0;
    if (order == 0) {
        order = (m->name.len > n->name.len) - (m->name.len < n->name.len);
    }
    return order ? order : (m->key.at > n->key.at) - (m->key.at < n->key.at);
}

static int compile(struct template *t, struct span value, int depth, struct err *e);

/* Does KEY, a JSON string, end in ".$"? */
static bool ends_in_suffix(struct span key)
{
    return key.len >= 4 && memcmp(key.at + key.len - 3, ".$\"", 3) == 0;
}

static int compile_member(struct template *t, const struct member *m, int depth, struct err *e)
{
    if (!ends_in_suffix(m->key)) {
        buf_add_span(&t->literals, m->key);
        buf_add_byte(&t->literals, ':');
        return compile(t, m->value, depth + 1, e);
    }
    if (walk_kind(m->value) != SCAN_STRING) {
        return err_set(e, ERR_USAGE,
                       "template: the value of %.*s must be an expression in a string",
                       (int)(m->key.len > 100 ? 100 : m->key.len), m->key.at);
    }
    buf_add(&t->literals, m->key.at, m->key.len - 3);
    buf_add_text(&t->literals, "\":");
    struct buf text = {0};
    text_decode(&text, m->value);
    int rc = add_expression(t, buf_span(&text), e);
    buf_release(&text);
    return rc;
}

/* The members of OBJECT, sorted if asked for; the caller frees them with free_members. */
static struct member *list_members(const struct template *t, struct span object, size_t *count)
{
    struct member *members = NULL;
    size_t cap = 0;
    struct walk w = walk_into(object);
    for (*count = 0; walk_next(&w); ++*count) {
        members = mem_grow(members, &cap, *count, sizeof *members);
        members[*count] = (struct member){.key = w.key, .value = w.value};
        text_decode(&members[*count].name, w.key);
        if (ends_in_suffix(w.key)) {
            members[*count].name.len -= 2;
        }
    }
    if (t->sort_keys && *count > 1) {
        qsort(members, *count, sizeof *members, compare_members);
    }
    return members;
}

static void free_members(struct member *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_release(&members[i].name);
    }
    free(members);
}

static int compare_places(const void *a, const void *b)
{
    return compare_members(*(const struct member *const *)a, *(const struct member *const *)b);
}

/* An expression's member may not become a second one of its name, once the suffix is dropped. */
static int check_names(const struct member *members, size_t count, struct err *e)
{
    const struct member **sorted = mem_new(count, sizeof *sorted);
    int rc = 0;
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &members[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_places);
    for (size_t i = 1; i < count && rc == 0; i++) {
        const struct member *m = sorted[i];
        const struct member *before = sorted[i - 1];
        bool computed = ends_in_suffix(m->key) || ends_in_suffix(before->key);
        if (computed && span_equal(buf_span(&m->name), buf_span(&before->name))) {
            rc = err_set(e, ERR_USAGE, "template: %.*s and %.*s become two members of one name",
                         (int)(before->key.len > 100 ? 100 : before->key.len), before->key.at,
                         (int)(m->key.len > 100 ? 100 : m->key.len), m->key.at);
        }
    }
    free(sorted);
    return rc;
}

static int compile_object(struct template *t, struct span object, int depth, struct err *e)
{
    size_t count;
    struct member *members = list_members(t, object, &count);
    int rc = check_names(members, count, e);
    buf_add_byte(&t->literals, '{');
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (i > 0) {
            buf_add_byte(&t->literals, ',');
        }
        rc = compile_member(t, &members[i], depth, e);
    }
    buf_add_byte(&t->literals, '}');
    free_members(members, count);
    return rc;
}

static int compile_array(struct template *t, struct span array, int depth, struct err *e)
{
    struct walk w = walk_into(array);
    buf_add_byte(&t->literals, '[');
    for (size_t i = 0; walk_next(&w); i++) {
        if (i > 0) {
            buf_add_byte(&t->literals, ',');
        }
        if (compile(t, w.value, depth + 1, e) < 0) {
            return -1;
        }
    }
    buf_add_byte(&t->literals, ']');
    return 0;
}

/* Compile VALUE, compact and valid; recurses once a container. */
static int compile(struct template *t, struct span value, int depth, struct err *e)
{
    if (depth > TEMPLATE_DEPTH_MAX) {
        return err_set(e, ERR_USAGE, "template: nested deeper than %d", TEMPLATE_DEPTH_MAX);
    }
    switch (walk_kind(value)) {
    case SCAN_OBJECT:
        return compile_object(t, value, depth, e);
    case SCAN_ARRAY:
        return compile_array(t, value, depth, e);
    default:
        buf_add_span(&t->literals, value);
        return 0;
    }
}

/* Check TEXT and leave it compact in COMPACT. */
static int make_compact(struct span text, struct buf *compact, struct err *e)
{
    struct scan s;
    size_t len = 0;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    int rc = scan_compact(&s, text.at, text.len, buf_room(compact, text.len + 1), &len);
    if (rc < 0) {
        struct err_pos pos = {.line = s.line, .column = s.offset - s.line_at + 1, .byte = s.offset};
        err_set(e, ERR_USAGE, "%s", s.fault);
        err_pos_source(&pos, "template");
        err_at(e, &pos);
    }
    compact->len = len;
    scan_release(&s);
    return rc;
}

/* What both kinds of template need at the end of compiling, RC being how that went. */
static int finish(struct template *t, int rc, struct template **out)
{
    if (rc < 0) {
        template_free(t);
        return -1;
    }
    add_piece(t);
    for (int i = t->scene ? 0 : FROM_ITEM; i < ORIGINS; i++) {
        t->values[i] = mem_new(t->selects[i].slots, sizeof **t->values);
    }
    *out = t;
    return 0;
}

static int compile_text(struct template *t, struct span text, struct template **out, struct err *e)
{
    struct buf compact = {0};
    int rc = make_compact(text, &compact, e);
    if (rc == 0) {
        rc = compile(t, buf_span(&compact), 0, e);
    }
    buf_release(&compact);
    return finish(t, rc, out);
}

int template_compile(struct template **out, struct span text, bool sort_keys, struct err *e)
{
    struct template *t = mem_new(1, sizeof *t);
    t->sort_keys = sort_keys;
    return compile_text(t, text, out, e);
}

int template_compile_expression(struct template **out, struct span text, struct err *e)
{
    struct template *t = mem_new(1, sizeof *t);
    return finish(t, add_expression(t, text, e), out);
}

int template_compile_scene(struct template **out, struct span text, unsigned roots, struct err *e)
{
    struct template *t = mem_new(1, sizeof *t);
    t->scene = roots;
    return compile_text(t, text, out, e);
}

int template_compile_scene_expression(struct template **out, struct span text, unsigned roots,
                                      struct err *e)
{
    struct template *t = mem_new(1, sizeof *t);
    t->scene = roots;
    return finish(t, add_expression(t, text, e), out);
}

/* ---- using ---- */

const struct select *template_input(const struct template *t)
{
    return &t->selects[FROM_INPUT];
}

bool template_uses(const struct template *t, enum path_root root)
{
    size_t about_item = root == PATH_CONTEXT ? t->selects[FROM_CONTEXT_ITEM].slots : 0;
    return root < TEMPLATE_ROOTS && t->selects[origins[root]].slots + about_item > 0;
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
        enum origin from = origins[i];
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
