/*
 * retry.h: which failures are tried again, how often, and after what time.
 *
 * A policy is a list of rules.  The first rule that names an error owns it: when its
 * retries are used up, no later rule is asked (reference/distributed-map.md 2.10).  Each rule
 * counts its own retries of an item.
 *
 * Floor: engines.  Pure: no clock, no chance of its own.
 */
#ifndef FANLINE_RUN_RETRY_H
#define FANLINE_RUN_RETRY_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct retry_rule {
    struct span errors;   /* names, separated by commas; borrowed */
    uint32_t max_retries; /* MaxAttempts: tries after the first; default 3 */
    int64_t interval;     /* IntervalSeconds before the first retry, in nanoseconds; default 1 s */
    int64_t max_delay;    /* MaxDelaySeconds, in nanoseconds; -1: no limit */
    double rate;          /* BackoffRate: each delay is that many times the one before; default 2 */
    bool jitter;          /* any time up to the delay instead of the delay itself */
    char *owned;          /* what `errors` lies in, if it is the rule's own; else NULL */
};

struct retry_policy {
    struct retry_rule *rules;
    size_t count;
    size_t cap;
};

#define RETRY_NONE SIZE_MAX

/*
 * Add the rule TEXT, which is borrowed: "ERROR[,ERROR…][:NAME=VALUE,…]" with MaxAttempts,
 * IntervalSeconds, BackoffRate, MaxDelaySeconds and Jitter (full or none).  The errors "*",
 * "FnF.ALL" and "States.ALL" stand for any.  Returns 0, or -1 with E filled (ERR_USAGE).
 */
int retry_add(struct retry_policy *p, struct span text, struct err *e);

/* As retry_add, for a text that P owns from now on and frees, whatever comes. */
int retry_add_owned(struct retry_policy *p, char *text, struct err *e);

/*
 * Does the list ERRORS name the error CODE?  States.Timeout and States.HeartbeatTimeout stand for
 * our names of these, States.TaskFailed for any error but a timeout; neither this nor States.ALL
 * for States.Runtime (reference/distributed-map.md 2.10).
 */
bool retry_names(struct span errors, struct span code);

/*
 * A name in ERRORS that looks like a wildcard and is none, such as State.ALL; empty if there is
 * none.
 */
struct span retry_typo(struct span errors);

/* The rule that owns the error CODE, or RETRY_NONE. */
size_t retry_owner(const struct retry_policy *p, struct span code);

/* Nanoseconds to wait before the retry NUMBER, from 1. CHANCE, any number, decides the jitter. */
int64_t retry_delay(const struct retry_rule *r, uint32_t number, uint64_t chance);

/*
 * An item has failed with the error CODE, a JSON string with its quotes; RETRIES counts, by rule,
 * how often it was tried again.  Returns the nanoseconds until its next try, which is counted, or
 * -1 if there is none.
 */
int64_t retry_again(const struct retry_policy *p, struct span code, uint32_t *retries,
                    uint64_t chance);

void retry_release(struct retry_policy *p);

#endif
