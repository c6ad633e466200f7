#include "flow/check.h"

#include "base/near.h"
#include "flow/check_parts.h"

enum { GUESSES_MAX = 1000 }; /* so many faults are read by nobody: no more guesses after them */

/* How a member spells a field. */
enum spelling { PLAIN, DYNAMIC, BY_PATH };

#define FIELDS_MAX 40

/* What was found in a map. */
struct found {
    const struct field *fields[FIELDS_MAX]; /* of the table */
    const struct node *members[FIELDS_MAX]; /* the first one that is this field; NULL: none */
    bool guessed[FIELDS_MAX];               /* an unknown name was probably meant to be it */
    size_t count;
};

static bool cut_end(struct span *name, struct span end)
{
    if (name->len <= end.len || memcmp(name->at + name->len - end.len, end.at, end.len) != 0) {
        return false;
    }
    name->len -= end.len;
    return true;
}

/* The field that NAME means in T, and how it spells it; NULL if there is none. */
static const struct field *find_field(const struct table *t, struct span name, enum spelling *how)
{
    *how = PLAIN;
    const struct field *f = table_find(t, name);
    if (!f && cut_end(&name, SPAN_LIT(".$"))) {
        *how = DYNAMIC;
        f = table_find(t, name);
        return f && f->flags & FIELD_DYNAMIC ? f : NULL;
    }
    if (!f && cut_end(&name, SPAN_LIT("Path"))) {
        *how = BY_PATH;
        f = table_find(t, name);
        return f && f->flags & FIELD_BY_PATH ? f : NULL;
    }
    return f;
}

static void list_fields(struct found *found, const struct table *t)
{
    for (size_t i = 0; i < TABLE_PARTS && t->parts[i]; i++) {
        for (const struct field *f = t->parts[i]; f->name && found->count < FIELDS_MAX; f++) {
            found->fields[found->count++] = f;
        }
    }
}

static size_t index_of(const struct found *found, const struct field *f)
{
    size_t i = 0;
    while (i < found->count && found->fields[i] != f) {
        i++;
    }
    return i;
}

static const char *dialect_name(enum dialect d)
{
    return d == DIALECT_CLOUDFLOW ? "CloudFlow" : "the Amazon States Language";
}

/*
 * The field NAME is no field here but one of the other dialect.  Returns what it is called here;
 * *KNOWN is false, and nothing returned, if it is not one of the other dialect either.
 */
static const char *translate(const struct table *t, struct span name, bool *known)
{
    enum spelling how;
    const struct field *there = t->other ? find_field(t->other, name, &how) : NULL;
    *known = there != NULL;
    const char *here = there ? there->other : NULL;
    here = there && !here ? there->name : here;
    bool is_place = here && strpbrk(here, " .");
    return here && (is_place || table_find(t, span_text(here))) ? here : NULL;
}

/* What is given by an expression or a path has an ending that differs: "MaxItems.$", MaxItemsPath.
 */
static bool tell_ending(struct check *c, const struct node *n, const struct table *t)
{
    bool ours = c->dialect == DIALECT_CLOUDFLOW;
    struct span base = n->key;
    if (!cut_end(&base, ours ? SPAN_LIT("Path") : SPAN_LIT(".$"))) {
        return false;
    }
    const struct field *f = table_find(t, base);
    if (!f || !(f->flags & (ours ? FIELD_DYNAMIC : FIELD_BY_PATH))) {
        return false;
    }
    tell_name(c->faults, n, "%s has no '%.*s'; in %s it is '%s%s'", t->what, TELL(n->key),
              dialect_name(c->dialect), f->name, ours ? ".$" : "Path");
    return true;
}

static void tell_foreign(struct check *c, const struct node *n, const char *here)
{
    enum dialect other = c->dialect == DIALECT_CLOUDFLOW ? DIALECT_STATES : DIALECT_CLOUDFLOW;
    if (here) {
        tell_name(c->faults, n, "'%.*s' is of %s; in %s it is %s", TELL(n->key),
                  dialect_name(other), dialect_name(c->dialect), here);
    } else {
        tell_name(c->faults, n, "'%.*s' is of %s; %s has nothing like it here", TELL(n->key),
                  dialect_name(other), dialect_name(c->dialect));
    }
}

/* Returns the field that was meant, NULL if that is anybody's guess. */
static const struct field *tell_unknown(struct check *c, const struct node *n,
                                        const struct table *t)
{
    if (tell_ending(c, n, t)) {
        return NULL;
    }
    bool is_foreign;
    const char *here = translate(t, n->key, &is_foreign);
    if (is_foreign) {
        tell_foreign(c, n, here);
        return here ? table_find(t, span_text(here)) : NULL;
    }
    struct near near = near_to(n->key);
    struct found all = {0};
    list_fields(&all, t);
    for (size_t i = 0; i < all.count && c->faults->count < GUESSES_MAX; i++) {
        near_offer(&near, span_text(all.fields[i]->name));
    }
    if (near.best.len == 0) {
        tell_name(c->faults, n, "%s has no '%.*s'", t->what, TELL(n->key));
        return NULL;
    }
    tell_name(c->faults, n, "%s has no '%.*s'; did you mean '%.*s'?", t->what, TELL(n->key),
              TELL(near.best));
    return table_find(t, near.best);
}

/* F, the INDEXth field, stands at N: does another one that excludes it stand before it? */
static void check_exclusion(struct check *c, const struct found *found, size_t index,
                            const struct node *n)
{
    char only = found->fields[index]->only;
    for (size_t i = 0; i < found->count; i++) {
        const struct node *before = found->members[i];
        bool excludes = i == index || (only && only == found->fields[i]->only);
        if (before && excludes && !span_equal(before->key, n->key)) {
            tell_name(c->faults, n, "%.*s and %.*s exclude each other", TELL(before->key),
                      TELL(n->key));
            return;
        }
    }
}

/* Could N, of a name that is unknown and was meant for GUESS, or NULL, lead to another state? */
static bool may_lead(const struct check *c, const struct node *n, const struct field *guess)
{
    if (guess) {
        return guess->kind == FIELD_STATE || guess->kind == FIELD_RULES ||
               guess->kind == FIELD_MAPS;
    }
    return n->kind == NODE_LIST || n->kind == NODE_MAP ||
           (n->kind == NODE_STRING && scope_find(c->scope, n->text) != SCOPE_NONE);
}

static void check_member(struct check *c, const struct node *n, const struct table *t,
                         struct found *found)
{
    enum spelling how;
    const struct field *f = find_field(t, n->key, &how);
    if (!f) {
        const struct field *guess = tell_unknown(c, n, t);
        size_t meant = index_of(found, guess);
        scope_excuse(c->scope);
        if (may_lead(c, n, guess)) {
            scope_doubt(c->scope);
        }
        if (meant < found->count) {
            found->guessed[meant] = true;
        }
        return;
    }
    size_t index = index_of(found, f);
    check_exclusion(c, found, index, n);
    if (!found->members[index]) {
        found->members[index] = n;
    }
    if (how == PLAIN) {
        check_value(c, n, f);
    } else {
        check_expression(c, n, f->roots ? f->roots : FIELD_ROOTS_IN);
    }
}

/* Is the field NAME there, or was something meant to be it? */
static bool has(const struct found *found, const char *name)
{
    for (size_t i = 0; i < found->count; i++) {
        if (strcmp(found->fields[i]->name, name) == 0) {
            return found->members[i] || found->guessed[i];
        }
    }
    return false;
}

static void check_needed(struct check *c, const struct node *map, const struct table *t,
                         const struct found *found)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct field *f = found->fields[i];
        if (f->flags & FIELD_NEEDED && !has(found, f->name)) {
            tell_value(c->faults, map, "%s must have %s", t->what, f->name);
        }
    }
    for (size_t i = 0; i < TABLE_NEEDS && t->needs[i][0]; i++) {
        const char *const *names = t->needs[i];
        if (!has(found, names[0]) && !has(found, names[1])) {
            tell_value(c->faults, map, "%s must have %s or %s", t->what, names[0], names[1]);
        }
    }
}

/* A state that is no end of itself says how it goes on. */
static void check_onward(struct check *c, const struct node *map, const struct table *t,
                         const struct found *found)
{
    if (!table_find(t, SPAN_LIT("Next")) || !table_find(t, SPAN_LIT("End"))) {
        return;
    }
    const struct node *end = node_get(map, "End");
    const struct node *next = node_get(map, "Next");
    if (next && node_truth(end, false)) {
        tell_name(c->faults, end, "a state has Next or End: true, not both");
    } else if (!has(found, "Next") && (end ? !node_truth(end, true) : !has(found, "End"))) {
        tell_value(c->faults, map, "%s must have Next or End: true", t->what);
    }
}

void check_map(struct check *c, const struct node *map, const struct table *t)
{
    if (map->kind != NODE_MAP) {
        tell_value(c->faults, map, "%s must be a map, not %s", t->what, node_kind_name(map->kind));
        return;
    }
    struct found found = {0};
    size_t before = c->faults->count;
    list_fields(&found, t);
    for (const struct node *n = map->child; n; n = n->next) {
        check_member(c, n, t, &found);
    }
    check_needed(c, map, t, &found);
    check_onward(c, map, t, &found);
    if (t->also) {
        c->faults_before = before;
        t->also(c, map);
    }
}

void check_definition(const struct node *root, struct faults *f)
{
    struct check c = {.dialect = schema_dialect(root), .faults = f};
    check_scope(&c, root, schema_definition(c.dialect));
}
