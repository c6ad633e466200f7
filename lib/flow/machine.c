#include "flow/machine.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "flow/compile.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
    [STATE_PASS] = "Pass",         [STATE_CHOICE] = "Choice", [STATE_SUCCEED] = "Succeed",
    [STATE_FAIL] = "Fail",         [STATE_TASK] = "Task",     [STATE_WAIT] = "Wait",
    [STATE_PARALLEL] = "Parallel", [STATE_MAP] = "Map",
};

const char *state_type_name(enum state_type type)
{
    return type_names[type];
}

bool state_takes_raw(const struct state *s)
{
    return !s->no_input && !s->select && !s->construct;
}

bool state_gives_result(const struct state *s)
{
    return !s->pick && !s->produce && !s->globals && !s->discards && !s->result_path &&
           !s->no_output && !s->leave;
}

/* ---- scopes ---- */

static int take_type(const struct compile *c, struct state *s)
{
    const struct node *type = node_get(s->node, "Type");
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
        if (node_is(type, type_names[i])) {
            s->type = (enum state_type)i;
            return 0;
        }
    }
    return compile_fail(c, type ? type : s->node, "the state has no Type that is known");
}

/* The name of the state N: its member Name in a list, its key in a map. */
static int take_name(const struct compile *c, struct state *s)
{
    const struct node *name = node_get(s->node, "Name");
    bool listed = s->node->parent->kind == NODE_LIST;
    if (listed && (!name || name->kind != NODE_STRING)) {
        return compile_fail(c, name ? name : s->node, "the state has no Name");
    }
    s->name = listed ? name->text : s->node->key;
    return 0;
}

static int compare_names(const void *x, const void *y)
{
    const struct state *a = *(const struct state *const *)x;
    const struct state *b = *(const struct state *const *)y;
    int rc = span_compare(a->name, b->name);
    return rc ? rc : (a > b) - (a < b);
}

static int compare_name(const void *name, const void *state)
{
    return span_compare(*(const struct span *)name, (*(const struct state *const *)state)->name);
}

static const struct state *find_state(const struct scope *scope, struct span name)
{
    const struct state *const *found =
        bsearch(&name, scope->by_name, scope->count, sizeof *scope->by_name, compare_name);
    return found ? *found : NULL;
}

int compile_target(const struct compile *c, const struct scope *scope, const struct node *n,
                   const struct state **out)
{
    *out = n->kind == NODE_STRING ? find_state(scope, n->text) : NULL;
    return *out ? 0
                : compile_fail(c, n, "there is no state %.*s here",
                               n->text.len < 200 ? (int)n->text.len : 200, n->text.at);
}

/* Sort the states by their names, of which each must be the only one. */
static int sort_states(const struct compile *c, struct scope *scope)
{
    const struct state *second = NULL;
    scope->by_name = mem_new(scope->count, sizeof *scope->by_name);
    for (size_t i = 0; i < scope->count; i++) {
        scope->by_name[i] = &scope->states[i];
    }
    qsort(scope->by_name, scope->count, sizeof *scope->by_name, compare_names);
    for (size_t i = 1; i < scope->count; i++) {
        const struct state *s = scope->by_name[i];
        if (span_equal(scope->by_name[i - 1]->name, s->name) && (!second || s < second)) {
            second = s;
        }
    }
    return second ? compile_fail(c, second->node, "two states have this name") : 0;
}

static int name_states(const struct compile *c, struct scope *scope, const struct node *states)
{
    struct machine *m = c->machine;
    scope->states = mem_new(states->count, sizeof *scope->states);
    for (const struct node *n = states->child; n; n = n->next) {
        struct state *s = &scope->states[scope->count];
        *s = (struct state){.node = n, .in = scope};
        if (n->kind != NODE_MAP) {
            return compile_fail(c, n, "a state is needed, not %s", node_kind_name(n->kind));
        }
        if (take_name(c, s) < 0 || take_type(c, s) < 0) {
            return -1;
        }
        scope->count++;
        m->all = mem_grow(m->all, &m->cap, m->count, sizeof *m->all);
        m->all[m->count++] = s;
    }
    return sort_states(c, scope);
}

/* Does S wait for nothing, so that it is done as soon as it is begun? */
static bool is_quick(const struct state *s)
{
    bool quick = s->type != STATE_TASK && s->type != STATE_WAIT && !s->map.distributed &&
                 s->retry.count == 0;
    for (size_t i = 0; i < s->scope_count; i++) {
        quick = quick && s->scopes[i].quick;
    }
    return quick;
}

void compile_release_scope(struct scope *scope)
{
    free(scope->states);
    free(scope->by_name);
}

int compile_scope(const struct compile *c, struct scope *scope, const struct node *n,
                  const struct state *owner)
{
    const struct node *states = node_get(n, "States");
    const struct node *start = node_get(n, "StartAt");
    *scope = (struct scope){.owner = owner, .quick = true};
    if (!states || (states->kind != NODE_LIST && states->kind != NODE_MAP) || states->count == 0) {
        return compile_fail(c, states ? states : n, "States are needed");
    }
    if (!start) {
        return compile_fail(c, n, "StartAt is missing");
    }
    if (name_states(c, scope, states) < 0 || compile_target(c, scope, start, &scope->start) < 0) {
        return -1;
    }
    for (size_t i = 0; i < scope->count; i++) {
        if (compile_state(c, &scope->states[i]) < 0) {
            return -1;
        }
        scope->quick = scope->quick && is_quick(&scope->states[i]);
    }
    return 0;
}

/* ---- the machine ---- */

/* How long the whole may take: CloudFlow's Timeout, TimeoutSeconds. */
static int take_timeout(const struct compile *c, const struct node *root)
{
    const struct node *n = node_get(root, compile_is_cloudflow(c) ? "Timeout" : "TimeoutSeconds");
    int64_t seconds = 0;
    if (n && units_integer(n->text, 0, INT64_MAX / CLOCK_SECOND, &seconds, c->err) < 0) {
        return compile_place(c, n);
    }
    c->machine->timeout = seconds > 0 ? seconds * CLOCK_SECOND : -1;
    return 0;
}

int machine_compile(struct machine **out, const struct flow_tree *t, const char *source,
                    struct err *e)
{
    struct machine *m = mem_new(1, sizeof *m);
    struct compile c = {m, source, e};
    m->dialect = schema_dialect(t->root);
    const struct node *name = node_get(t->root, "Name");
    m->name = name && name->kind == NODE_STRING ? name->text : SPAN_LIT("");
    if (take_timeout(&c, t->root) < 0 || compile_scope(&c, &m->scope, t->root, NULL) < 0) {
        machine_free(m);
        return -1;
    }
    *out = m;
    return 0;
}

void machine_free(struct machine *m)
{
    if (!m) {
        return;
    }
    for (size_t i = m->count; i-- > 0;) {
        state_release(m->all[i]); /* frees scopes below it, whose states stand further on */
    }
    compile_release_scope(&m->scope);
    free(m->all);
    arena_release(&m->arena);
    free(m);
}

/* ---- finding states ---- */

/* How many states have NAME; the last of them in *FOUND. */
static size_t count_named(const struct machine *m, struct span name, const struct state **found)
{
    size_t count = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (span_equal(m->all[i]->name, name)) {
            *found = m->all[i];
            count++;
        }
    }
    return count;
}

static void add_path(const struct state *s, struct buf *out)
{
    const struct state *owner = s->in->owner;
    if (owner) {
        add_path(owner, out);
        buf_add_byte(out, '/');
        if (owner->type == STATE_PARALLEL) {
            buf_add_u64(out, (uint64_t)(s->in - owner->scopes));
            buf_add_byte(out, '/');
        }
    }
    buf_add_span(out, s->name);
}

void machine_path(const struct machine *m, const struct state *s, struct buf *out)
{
    const struct state *found;
    if (count_named(m, s->name, &found) == 1) {
        buf_add_span(out, s->name);
    } else {
        add_path(s, out);
    }
}

const struct state *machine_find(const struct machine *m, const char *name, struct err *e)
{
    const struct state *found = NULL;
    struct span text = span_text(name);
    size_t named = count_named(m, text, &found);
    struct buf path = {0};
    for (size_t i = 0; named != 1 && i < m->count; i++) {
        buf_reset(&path);
        add_path(m->all[i], &path);
        if (span_equal(buf_span(&path), text)) {
            found = m->all[i];
            named = 1;
        }
    }
    buf_release(&path);
    if (named > 1) {
        err_set(e, ERR_USAGE, "there are several states '%s': say which, as Outer/%s", name, name);
    } else if (named == 0) {
        err_set(e, ERR_USAGE, "there is no state '%s'", name);
    }
    return named == 1 ? found : NULL;
}
