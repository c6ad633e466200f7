/*
 * actions.h: which command an action is.
 *
 * A table of names, those of Action or Resource, and command lines, in YAML or JSON:
 *
 *     FC:InvokeFunction: [./invoke, "{.function}"]
 *     arn:aws:states:::lambda:invoke: [./invoke]
 *
 * Marks in the arguments are those of maprun (run/argv.h).
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_ACTIONS_H
#define FANLINE_FLOW_ACTIONS_H

#include "base/err.h"
#include "base/span.h"

struct actions;

/* Read the table FILE. Returns 0 and *OUT, which actions_free frees, or -1 with E filled. */
int actions_read(struct actions **out, const char *file, struct err *e);

/* The command line of ACTION, NULL-terminated, owned by A; NULL: it has none, or A is NULL. */
char *const *actions_find(const struct actions *a, struct span action);

void actions_free(struct actions *a);

#endif
