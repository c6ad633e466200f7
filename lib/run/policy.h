/*
 * policy.h: retry rules from a file, as flow definitions have them.
 *
 * The file is JSON: a list of rules, or an object whose member Retry is one.  A rule of CloudFlow
 * has Errors, MaxAttempts, IntervalSeconds and may have BackoffRate (without it the interval
 * stays) and MaxBackoffSeconds (reference/distributed-map.md 1.9); one of the States Language has
 * ErrorEquals and may have the same, MaxDelaySeconds and JitterStrategy (2.10).
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_POLICY_H
#define FANLINE_RUN_POLICY_H

#include "base/err.h"
#include "run/retry.h"

/* Add the rules of FILE to P, in order. Returns 0, or -1 with E filled (ERR_USAGE). */
int policy_read(struct retry_policy *p, const char *file, struct err *e);

/* Add the rules that RULES, the JSON text of a list, states. Returns as policy_read. */
int policy_add(struct retry_policy *p, struct span rules, struct err *e);

#endif
