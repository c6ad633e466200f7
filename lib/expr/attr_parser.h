/*
 * attr_parser.h: the parser of attribute templates, between its two files.
 *
 * attr_parse.c reads texts and expressions, attr_call.c functions and their arguments.
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_PARSER_H
#define FANLINE_EXPR_ATTR_PARSER_H

#include "expr/attr_node.h"

/* Where parsing stands. */
struct parser {
    struct attr_template *t;
    const char *at;
    const char *end;
    const char *base; /* of the template's text, or NULL in a string taken out of it … */
    size_t fixed;     /* … which stands here in it */
    int nesting;
    struct err *e;
};

/* Fill the error, "expression 'TEXT': … at character N", for the offset AT or for where P stands.
 */
int parser_refuse_at(const struct parser *p, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int parser_refuse(const struct parser *p, const char *what);

/* The offset in the template's text where P stands. */
size_t parser_position(const struct parser *p);

/* The next character, NUL at the end; what is left. */
char parser_peek(const struct parser *p);
struct span parser_rest(const struct parser *p);

/* Pass white space, and comments: '#' to the end of the line. */
void parser_skip_blanks(struct parser *p);

struct attr_node *parser_node(struct parser *p, enum attr_kind kind);
struct attr_node *parser_constant(struct parser *p, struct datum value);

/*
 * The pieces of TEXT, which is P's or of a string in it (QUOTED), at *FIRST, as NiFi's own scanner
 * has them (attr_nifi.c). 0 or -1.
 */
int parser_pieces_nifi(struct parser *p, struct span text, bool quoted, struct attr_node **first);

/* "{…}": an expression. */
int parser_braced(struct parser *p, struct attr_node **out);

/* A quoted string: a constant, or ATTR_JOIN where expressions are in it. */
int parser_string(struct parser *p, struct attr_node **out);

/* A string or "${…}", or else what parser_word takes. */
int parser_argument(struct parser *p, struct attr_node **out);

/*
 * NAME(arguments), a step for *CHAIN, which becomes longer by it or, where all is constant, a
 * constant.  BEGINS: it begins an expression, and *CHAIN is an empty ATTR_CHAIN.
 */
int parser_call(struct parser *p, bool begins, struct attr_node **chain);

/* Steps over several values must come to one: by being true or false, or by a reducing function. */
int parser_check_over(struct parser *p, const struct attr_node *n);

#endif
