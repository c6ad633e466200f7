/*
 * tell.h: faults of values of a tree.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_TELL_H
#define FANLINE_FLOW_TELL_H

#include "flow/tree.h"

/* The value N is at fault. */
void tell_value(struct faults *f, const struct node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The name of N, a member of a map, is at fault; of anything else the value. */
void tell_name(struct faults *f, const struct node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The expression, path or template that the string N is was refused with E: the fault lies where E
 * says, if the text stands in the file as it is.
 */
void tell_text(struct faults *f, const struct node *n, const struct err *e);

/* The first bytes of TEXT, for "%.*s". */
#define TELL(text) (int)((text).len > 100 ? 100 : (text).len), (text).at

#endif
