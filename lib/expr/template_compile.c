#include "expr/template_parts.h"

#include "base/mem.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEMPLATE_DEPTH_MAX = 200 }; /* compile() recurses; templates are written by people */

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
    return there ? template_origins[p->root] : ORIGINS;
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
