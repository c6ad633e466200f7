/*
 * rule.h: the Choice rules of the Amazon States Language.
 *
 *     {"And": [{"Variable": "$.n", "NumericGreaterThan": 4},
 *              {"Not": {"Variable": "$.s", "StringMatches": "log-*.txt"}}], "Next": "Big"}
 *
 * What the rules mean is the States Language Specification's "Choice State": a variable of another
 * kind than the comparison asks for makes it false; one that leads nowhere is an error of all but
 * IsPresent; And and Or look no further than they must.  Numbers are compared exactly, strings by
 * their code points, timestamps (RFC 3339, with upper case T and Z) as points in time.
 *
 * CloudFlow's conditions are expressions (expr.h) and have nothing to do with these.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_RULE_H
#define FANLINE_FLOW_RULE_H

#include "base/arena.h"
#include "base/err.h"
#include "expr/path.h"
#include "flow/tree.h"

#include <stdbool.h>

struct rule;

/*
 * Compile N, an element of Choices; of Next, Comment, Assign and Output, which it has besides,
 * takes no notice.  Returns the rule, which rule_free frees before the tree of N is released; or
 * NULL after adding everything that is wrong with it to F.
 */
struct rule *rule_compile(const struct node *n, struct faults *f);

/*
 * Does R hold?  ROOTS has what the roots of paths stand for, by enum path_root: valid JSON values,
 * a NULL pointer where there is none.  Returns 1 or 0; or -1 with E filled (ERR_DATA): a path leads
 * nowhere.  Takes scratch memory from A.
 */
int rule_holds(const struct rule *r, const struct span *roots, struct arena *a, struct err *e);

/* Does any path of R begin with ROOT? */
bool rule_uses(const struct rule *r, enum path_root root);

void rule_free(struct rule *r);

#endif
