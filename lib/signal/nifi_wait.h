/*
 * nifi_wait.h: a Wait as NiFi runs it, trigger by trigger (reference/wait-notify.md 2.3).
 *
 * Lines stand in a queue.  A trigger takes lines of one signal id only, the id of the first line
 * that is not set aside; the first of them whose numbers can be read decides for all; what the
 * store conflicts with is undone as a whole.  Lines that are not decided stay (they go to the end
 * of the queue, as by NiFi's loop from `wait` back to its input) and carry what was copied to them.
 * Where triggers are counted the whole input is read first, and undecided lines keep their place.
 *
 * What a filter adds: between rounds of all lines it sleeps until the store tells of a change, a
 * line falls due, or a second has passed.  What NiFi repeats for ever because of the data ends the
 * run.
 *
 * Floor: engines.  Templates, writers, the input and the store are borrowed.
 */
#ifndef FANLINE_SIGNAL_NIFI_WAIT_H
#define FANLINE_SIGNAL_NIFI_WAIT_H

#include "expr/attr.h"
#include "signal/ids.h"
#include "signal/intake.h"
#include "signal/nifi_entry.h"
#include "signal/wait.h"

#include <stdbool.h>
#include <stdint.h>

struct nifi_wait_rules {
    const struct attr_template *id; /* NULL: `literal` */
    struct span literal;
    const struct attr_template *counter;    /* NULL: the total */
    const struct attr_template *target;     /* NULL: 1 */
    const struct attr_template *releasable; /* NULL: 1 */
    size_t buffer;                          /* lines of one id in a trigger, from 1 on */
    int64_t expire;                         /* ns; -1: never */
    int64_t penalty;                        /* ns; 0: none */
    bool replace;                           /* copied attributes take the place of the line's own */
    bool pass;                              /* each line is taken once at most */
    uint64_t triggers;                      /* so many and no more; 0: no limit */
    struct writer *out, *expired, *failure; /* NULL: not written */
    struct writer *waiting;                 /* pass: lines that were taken and wait */
    void (*report)(void *context, const struct err *e);
    void *context;
};

struct nifi_line;

struct nifi_wait {
    struct nifi_wait_rules rules;
    struct store *store;
    struct intake intake;
    struct nifi_line *first, **end; /* the queue */
    size_t count;
    uint64_t sweep;    /* number of this round of all lines */
    uint64_t triggers; /* so far */
    struct ids penalties;
    int64_t next_due;  /* when a line that was taken expires (ms since 1970) */
    struct err failed; /* of the last trigger, if it was undone */
    struct outage outage;
    uint64_t released, expired_lines, failed_lines, waiting_lines;
};

void nifi_wait_init(struct nifi_wait *w, struct store *store, const struct nifi_wait_rules *rules);

/* Put ITEM, valid compact JSON, at the end of the queue. */
void nifi_wait_add(struct nifi_wait *w, struct span item);

/*
 * Read IN (may be NULL) and run until its end and until no line is left, or, with `pass`, each was
 * taken, or the number of triggers is reached.  Returns 0; 1 when told to stop; -1 with E filled:
 * the last trigger was undone, or the input or an output is at fault.  Lines may be left.
 */
int nifi_wait_run(struct nifi_wait *w, struct lines_in *in, const struct wait_watch *watch,
                  struct err *e);

/* Write the lines that are left: those that were ever taken to WAITING, the others to LEFT. */
void nifi_wait_put_left(struct nifi_wait *w, struct writer *waiting, struct writer *left);

/* Tell of each id that is set aside, and until when (ms since 1970). */
void nifi_wait_penalties(const struct nifi_wait *w,
                         void (*tell)(void *context, struct span id, int64_t until), void *context);

void nifi_wait_release(struct nifi_wait *w);

#endif
