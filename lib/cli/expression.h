/*
 * expression.h: options whose argument is an attribute expression.
 *
 * Names in it that are no attributes of the line are looked up in the environment.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_EXPRESSION_H
#define FANLINE_CLI_EXPRESSION_H

#include "base/err.h"
#include "expr/attr.h"

/*
 * Compile TEXT, the argument of OPTION ("--signal"), into *OUT, which attr_free frees; NULL stays
 * NULL.  Returns 0, or -1 with E filled (ERR_USAGE).
 */
int cli_expression(struct attr_template **out, const char *option, const char *text, struct err *e);

/* The same under RULES: those of --nifi. */
int cli_expression_with(struct attr_template **out, const char *option, const char *text,
                        const struct attr_rules *rules, struct err *e);

#endif
