#include "flow/rule.h"

#include "base/mem.h"
#include "flow/comparison.h"
#include "flow/tell.h"

#include <stdlib.h>

enum combination { ALL, ANY, NEITHER, TEST };

struct rule {
    enum combination kind;
    struct rule *child; /* the first one */
    struct rule *next;  /* its next sibling */
    /* of a TEST */
    const struct comparison *comparison;
    struct path variable;
    struct span value; /* JSON; lies in the tree */
    struct path other; /* where by_path is set, instead of the value */
    bool by_path;
};

/* What a map has that may be a rule. */
struct parts {
    const struct node *combination; /* And, Or or Not */
    const struct node *variable;
    const struct node *comparison;
};

static bool is_remark(struct span name, bool is_outer)
{
    static const char *const outer[] = {"Next", "Assign", "Output"};
    for (size_t i = 0; is_outer && i < sizeof outer / sizeof *outer; i++) {
        if (span_equal(name, span_text(outer[i]))) {
            return true;
        }
    }
    return span_equal(name, SPAN_LIT("Comment"));
}

static bool is_combination(struct span name)
{
    return span_equal(name, SPAN_LIT("And")) || span_equal(name, SPAN_LIT("Or")) ||
           span_equal(name, SPAN_LIT("Not"));
}

static void tell_unknown(struct faults *f, const struct node *n)
{
    if (span_equal(n->key, SPAN_LIT("Next"))) {
        tell_name(f, n, "only the outermost rule has Next");
        return;
    }
    struct near near = near_to(n->key);
    comparison_offer(&near);
    near_offer(&near, SPAN_LIT("Variable"));
    near_offer(&near, SPAN_LIT("And"));
    if (near.best.len > 0) {
        tell_name(f, n, "there is no comparison '%.*s'; did you mean '%.*s'?", TELL(n->key),
                  TELL(near.best));
    } else {
        tell_name(f, n, "there is no comparison '%.*s'", TELL(n->key));
    }
}

/* Sort the members of MAP into PARTS; what there is too much of is a fault. */
static void find_parts(const struct node *map, bool is_outer, struct parts *parts, struct faults *f)
{
    bool by_path;
    for (const struct node *n = map->child; n; n = n->next) {
        const struct node **part = is_combination(n->key)                     ? &parts->combination
                                   : span_equal(n->key, SPAN_LIT("Variable")) ? &parts->variable
                                   : comparison_find(n->key, &by_path)        ? &parts->comparison
                                                                              : NULL;
        if (!part) {
            if (!is_remark(n->key, is_outer)) {
                tell_unknown(f, n);
            }
        } else if (*part && !span_equal((*part)->key, n->key)) {
            tell_name(f, n, "a rule has one of %.*s and %.*s, not both", TELL((*part)->key),
                      TELL(n->key));
        } else {
            *part = n;
        }
    }
}

static int compile_path(struct path *p, const struct node *n, struct faults *f)
{
    struct err e = {0};
    if (n->kind != NODE_STRING) {
        tell_value(f, n, "%.*s must be a path in a string, not %s", TELL(n->key),
                   node_kind_name(n->kind));
        return -1;
    }
    if (path_parse(p, n->text, &e) < 0) {
        tell_text(f, n, &e);
        return -1;
    }
    if (p->root == PATH_HERE) {
        tell_value(f, n, "%.*s must be a path that begins with $", TELL(n->key));
        return -1;
    }
    return 0;
}

static void compile_test(struct rule *r, const struct parts *parts, const struct node *map,
                         struct faults *f)
{
    if (!parts->variable || !parts->comparison) {
        tell_value(f, map,
                   !parts->variable ? "a rule must have a Variable, or And, Or or Not"
                                    : "a rule with a Variable must have a comparison");
        return;
    }
    const struct node *n = parts->comparison;
    r->kind = TEST;
    r->comparison = comparison_find(n->key, &r->by_path);
    compile_path(&r->variable, parts->variable, f);
    if (r->by_path) {
        compile_path(&r->other, n, f);
        return;
    }
    const char *wanted = comparison_refuses(r->comparison, n);
    if (wanted) {
        tell_value(f, n, "%.*s takes %s", TELL(n->key), wanted);
    }
    r->value = n->json;
}

static struct rule *compile(const struct node *n, bool is_outer, struct faults *f);

static void compile_combination(struct rule *r, const struct node *n, struct faults *f)
{
    r->kind = n->key.at[0] == 'A' ? ALL : n->key.at[0] == 'O' ? ANY : NEITHER;
    if (r->kind == NEITHER) {
        r->child = compile(n, false, f);
        return;
    }
    if (n->kind != NODE_LIST || n->count == 0) {
        tell_value(f, n, "%.*s takes a list of rules", TELL(n->key));
        return;
    }
    struct rule **end = &r->child;
    for (const struct node *child = n->child; child; child = child->next) {
        *end = compile(child, false, f);
        end = &(*end)->next;
    }
}

/* Never NULL: what is wrong is left out, and told. */
static struct rule *compile(const struct node *n, bool is_outer, struct faults *f)
{
    struct rule *r = mem_new(1, sizeof *r);
    if (n->kind != NODE_MAP) {
        tell_value(f, n, "a rule must be a map, not %s", node_kind_name(n->kind));
        return r;
    }
    struct parts parts = {0};
    find_parts(n, is_outer, &parts, f);
    const struct node *extra = parts.variable ? parts.variable : parts.comparison;
    if (parts.combination && extra) {
        tell_name(f, extra, "a rule with %.*s has no %.*s", TELL(parts.combination->key),
                  TELL(extra->key));
    }
    if (parts.combination) {
        compile_combination(r, parts.combination, f);
    } else {
        compile_test(r, &parts, n, f);
    }
    return r;
}

struct rule *rule_compile(const struct node *n, struct faults *f)
{
    size_t before = f->count;
    struct rule *r = compile(n, true, f);
    if (f->count > before) {
        rule_free(r);
        return NULL;
    }
    return r;
}

static bool find(const struct path *p, const struct span *roots, struct span *value)
{
    return roots[p->root].at && path_find(p, roots[p->root], value);
}

static int test(const struct rule *r, const struct span *roots, struct arena *a, struct err *e)
{
    struct span value = {0};
    struct span other = r->value;
    bool may_miss = r->comparison->relation == RELATION_IS && r->comparison->operand == OPERAND_ANY;
    if (!find(&r->variable, roots, &value) && !may_miss) {
        return err_set(e, ERR_DATA, "there is no %s for %s", r->variable.text, r->comparison->name);
    }
    if (r->by_path && !find(&r->other, roots, &other)) {
        return err_set(e, ERR_DATA, "there is no %s for %sPath", r->other.text,
                       r->comparison->name);
    }
    return comparison_holds(r->comparison, value, other, a);
}

int rule_holds(const struct rule *r, const struct span *roots, struct arena *a, struct err *e)
{
    if (r->kind == TEST) {
        return test(r, roots, a, e);
    }
    bool decides = r->kind != ALL; /* the value of a child after which no other is asked */
    for (const struct rule *child = r->child; child; child = child->next) {
        int holds = rule_holds(child, roots, a, e);
        if (holds < 0) {
            return -1;
        }
        if (holds == decides) {
            return r->kind == ANY;
        }
    }
    return r->kind != ANY;
}

bool rule_uses(const struct rule *r, enum path_root root)
{
    if (r->kind == TEST) {
        return r->variable.root == root || (r->by_path && r->other.root == root);
    }
    for (const struct rule *child = r->child; child; child = child->next) {
        if (rule_uses(child, root)) {
            return true;
        }
    }
    return false;
}

void rule_free(struct rule *r)
{
    while (r) {
        struct rule *next = r->next;
        rule_free(r->child);
        path_release(&r->variable);
        path_release(&r->other);
        free(r);
        r = next;
    }
}
