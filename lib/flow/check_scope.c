#include "base/mem.h"
#include "base/near.h"
#include "flow/check_parts.h"

#include <stdlib.h>

enum { GUESSES_MAX = 1000 };

static bool is_type(const struct node *state, const char *type)
{
    return node_is(node_get(state, "Type"), type);
}

/* May the scope end with STATE?  Where that cannot be told it may: what is wrong is told anyway. */
static bool may_end(const struct node *state)
{
    const struct node *type = node_get(state, "Type");
    bool is_known = type && type->kind == NODE_STRING && schema_state(DIALECT_STATES, type->text);
    return !is_known || is_type(state, "Succeed") || is_type(state, "Fail") ||
           node_truth(node_get(state, "End"), false);
}

/* The name of STATE: in a list it has one, in a map it stands under it. */
static struct span name_of(const struct node *state)
{
    const struct node *name = state->parent->kind == NODE_MAP ? NULL : node_get(state, "Name");
    return state->parent->kind == NODE_MAP     ? state->key
           : name && name->kind == NODE_STRING ? name->text
                                               : span_of("", 0);
}

static void collect(struct scope *s, const struct node *states)
{
    bool has_states = states && (states->kind == NODE_LIST || states->kind == NODE_MAP);
    for (const struct node *n = has_states ? states->child : NULL; n; n = n->next) {
        scope_add(s, name_of(n), n);
    }
    scope_sort(s);
    for (size_t i = 0; i < s->count; i++) {
        s->states[i].ends = may_end(s->states[i].node);
    }
}

/* In a list names may stand twice; in a map the reader of the tree has said so. */
static void check_names(struct check *c, const struct scope *s)
{
    for (size_t i = 1; i < s->count; i++) {
        const struct scope_state *before = &s->states[i - 1];
        const struct scope_state *state = &s->states[i];
        if (state->name.len > 0 && span_equal(before->name, state->name) &&
            state->node->parent->kind == NODE_LIST) {
            struct place_at at = node_get(before->node, "Name")->at;
            tell_value(c->faults, node_get(state->node, "Name"),
                       "there is a state '%.*s' already, at %llu:%llu", TELL(state->name),
                       (unsigned long long)at.line, (unsigned long long)at.column);
        }
    }
}

/* Where a fault of the state as such is told: at its name. */
static void tell_state(struct check *c, const struct scope_state *s, const char *format)
{
    const struct node *name = node_get(s->node, "Name");
    if (s->node->parent->kind == NODE_LIST && name) {
        tell_value(c->faults, name, format, TELL(s->name));
    } else {
        tell_name(c->faults, s->node, format, TELL(s->name));
    }
}

/* Of those that can be reached and lead to no end, the first one in the definition. */
static const struct scope_state *find_trap(const struct scope *s)
{
    const struct scope_state *trap = NULL;
    for (size_t i = 0; i < s->count; i++) {
        const struct scope_state *state = &s->states[i];
        if (state->is_reached && !state->leads_to_end && (!trap || state->order < trap->order)) {
            trap = state;
        }
    }
    return trap;
}

/* A state that leads nowhere would have to be an end: that it is none has been told already. */
static void excuse_dead_ends(struct scope *s)
{
    bool *leads = mem_new(s->count, sizeof *leads);
    for (size_t i = 0; i < s->way_count; i++) {
        leads[s->ways[i].from] = true;
    }
    for (size_t i = 0; i < s->count; i++) {
        s->states[i].ends = s->states[i].ends || !leads[i];
    }
    free(leads);
}

static void check_ways(struct check *c, struct scope *s)
{
    excuse_dead_ends(s);
    scope_walk(s);
    bool told = s->start != SCOPE_NONE && !s->doubted;
    for (size_t i = 0; i < s->count && told; i++) {
        bool is_second = i > 0 && span_equal(s->states[i - 1].name, s->states[i].name);
        if (!s->states[i].is_reached && s->states[i].name.len > 0 && !is_second) {
            tell_state(c, &s->states[i], "no way leads to the state '%.*s'");
        }
    }
    const struct scope_state *trap = find_trap(s);
    if (trap) {
        tell_state(c, trap, "from the state '%.*s' no way leads to an end");
    }
}

void check_scope(struct check *c, const struct node *map, const struct table *t)
{
    struct scope s = {.start = SCOPE_NONE, .current = SCOPE_NONE, .outer = c->scope};
    collect(&s, node_get(map, "States"));
    struct scope *outer = c->scope;
    c->scope = &s;
    check_map(c, map, t);
    check_names(c, &s);
    check_ways(c, &s);
    c->scope = outer;
    scope_release(&s);
}

static void check_type(struct check *c, const struct node *type)
{
    struct near near = near_to(type->text);
    for (const char *const *name = schema_types(); *name; name++) {
        near_offer(&near, span_text(*name));
    }
    if (near.best.len > 0) {
        tell_value(c->faults, type, "there is no Type '%.*s'; did you mean '%.*s'?",
                   TELL(type->text), TELL(near.best));
    } else {
        tell_value(c->faults, type, "there is no Type '%.*s'", TELL(type->text));
    }
}

static void check_state(struct check *c, const struct node *state)
{
    if (state->kind != NODE_MAP) {
        tell_value(c->faults, state, "a state must be a map, not %s", node_kind_name(state->kind));
        return;
    }
    const struct node *type = node_get(state, "Type");
    bool named = type && check_kind(c, type, NODE_STRING);
    const struct table *t = named ? schema_state(c->dialect, type->text) : NULL;
    if (t) {
        check_map(c, state, t);
        return;
    }
    scope_doubt(c->scope); /* nobody knows where it leads */
    if (!type) {
        tell_value(c->faults, state, "a state must have Type");
    } else if (named) {
        check_type(c, type);
    }
}

void check_states(struct check *c, const struct node *states)
{
    enum node_kind wanted = c->dialect == DIALECT_CLOUDFLOW ? NODE_LIST : NODE_MAP;
    if (!check_kind(c, states, wanted)) {
        return;
    }
    if (states->count == 0) {
        tell_value(c->faults, states, "there is no state in States");
    }
    struct scope *s = c->scope;
    for (size_t i = 0; i < s->count; i++) {
        s->current = i;
        check_state(c, s->states[i].node);
    }
    s->current = SCOPE_NONE;
}

/* The scope around S that has a state NAME; NULL if none has. */
static struct scope *find_outside(const struct scope *s, struct span name)
{
    struct scope *around = s->outer;
    while (around && scope_find(around, name) == SCOPE_NONE) {
        around = around->outer;
    }
    return around;
}

void check_target(struct check *c, const struct node *n)
{
    struct scope *s = c->scope;
    if (!check_kind(c, n, NODE_STRING)) {
        scope_doubt(s);
        return;
    }
    size_t to = scope_find(s, n->text);
    if (to != SCOPE_NONE) {
        scope_lead(s, to);
        return;
    }
    if (s->count == 0) {
        return; /* that there are no states is told */
    }
    scope_excuse(s);
    scope_doubt(s);
    struct scope *outside = find_outside(s, n->text);
    if (outside) {
        scope_doubt(outside); /* that state is led to, though not from here */
        tell_value(c->faults, n, "the state '%.*s' lies outside, where no way leads from here",
                   TELL(n->text));
        return;
    }
    struct near near = near_to(n->text);
    for (size_t i = 0; i < s->count && c->faults->count < GUESSES_MAX; i++) {
        near_offer(&near, s->states[i].name);
    }
    if (near.best.len > 0) {
        tell_value(c->faults, n, "there is no state '%.*s'; did you mean '%.*s'?", TELL(n->text),
                   TELL(near.best));
        scope_lead(s, scope_find(s, near.best)); /* so that it is seen where that leads */
    } else {
        tell_value(c->faults, n, "there is no state '%.*s'", TELL(n->text));
    }
}
