/*
 * wait.h: hold lines until their signals release them.
 *
 * Lines are read as they come and held, by signal id; the store is asked when a line
 * arrives, when the store tells that an entry may have changed, at a line's deadline, and now and
 * then as a net.  What the store grants is written and flushed, then confirmed; if that
 * fails it is given back (store.h tells about leases).  Lines of one id leave in the order in
 * which they came, and a line that is not released holds those behind it.
 *
 * Where `pass` is set there is one look instead: the input is read to its end, each id asked for
 * once, and what is not released stays for whoever runs the next pass.
 *
 * While the store is not reachable lines are held, and none expires before the store has been
 * asked about it once more.
 *
 * Floor: engines.  Templates, writers, the input and the store are borrowed.
 */
#ifndef FANLINE_SIGNAL_WAIT_H
#define FANLINE_SIGNAL_WAIT_H

#include "base/uuid.h"
#include "expr/attr.h"
#include "signal/failon.h"
#include "signal/intake.h"
#include "signal/outage.h"
#include "signal/spool.h"
#include "signal/waiters.h"
#include "store/facts.h"
#include "json/lines.h"

#include <stdbool.h>
#include <stdint.h>

/* While a line is being written its release is leased for so long, and longer if need be. */
#define WAIT_LEASE_DEFAULT (INT64_C(10) * 1000000000)

/* What becomes of lines when the store does not answer. */
enum wait_outage {
    WAIT_RETRY, /* they are held, and the store is tried again and again */
    WAIT_FAIL,  /* they go to the failure output */
    WAIT_EXIT   /* wait_run fails */
};

struct wait_rules {
    const struct attr_template *id;
    const struct attr_template *counter;    /* NULL or empty text: the total */
    const struct attr_template *target;     /* a number from 0 on, or "stated"; NULL: 1 */
    const struct attr_template *releasable; /* 0: gate; NULL: 1 */
    int64_t expire;                         /* from arrival on (ns); -1: never */
    size_t buffer;                          /* most lines of an id asked for at once; 0: all */
    bool replace;    /* attributes of the signal take the place of the line's own */
    bool counters;   /* lines get the counters of their signal as members */
    bool once;       /* an id is released only once; other lines of it are duplicates */
    bool pass;       /* one look */
    int64_t penalty; /* pass: an id of which nothing was released is set aside for so long (ns) */
    enum wait_outage outage;
    bool impatient; /* an unreachable store is an error at the deadline of the oldest line */
    int64_t lease;  /* WAIT_LEASE_DEFAULT */
    const struct fail_on *fail_on;
    size_t fail_on_count;
    bool mind_broken;   /* who waits for the total fails when the stream was cut short */
    const char *folder; /* for line bytes beyond `memory` */
    uint64_t memory;
    struct spool *spool; /* held lines survive in it; NULL: none */
    bool late; /* what goes to the three below is only kept when they are closed: wait_kept */
    struct writer *out, *expired, *failure,
        *duplicate; /* NULL: lines that go there are not written */
    void (*report)(void *context, const struct err *e); /* what does not end the run; may be NULL */
    void *context;
};

#define WAIT_LEASE_NAME_MAX (UUID_TEXT_MAX + 24)

/* A lease that has to be confirmed or given back. */
struct wait_lease {
    struct span id; /* owned */
    char name[WAIT_LEASE_NAME_MAX];
    enum store_verb verb;
    int64_t granted;
    int64_t back;  /* of STORE_CONFIRM */
    int64_t until; /* then it has run out by itself */
};

struct wait {
    struct wait_rules rules;
    struct store *store;
    struct intake intake; /* .in is NULL: there is no input, or no more */
    struct waiters held;
    struct buf id, counter, number, text;
    char run[UUID_TEXT_MAX]; /* in the names of leases */
    uint64_t asks;
    bool recalled;             /* what was in the spool is held */
    struct buf aside;          /* numbers of lines that are in the spool until wait_kept */
    struct buf unheld;         /* the line, as it came, that there was no room for */
    int64_t clock_lead;        /* of the real clock before the monotonic one (ns); 0: not known */
    struct wait_lease *leases; /* to be settled */
    size_t lease_count, lease_cap;
    int stop; /* readable when the run is to end; -1: none */
    struct outage outage;
    struct err why;                                /* it does not answer because */
    int64_t round_at;                              /* of the last look without being told */
    uint64_t released, expired, failed, failed_on; /* lines */
    uint64_t duplicates;
    struct err last; /* why the last line expired or failed */
};

/* What else the program looks after while it waits. */
struct wait_watch {
    int stop;  /* a descriptor that is readable when the program is to stop; -1: none */
    int other; /* one that makes LOOK worth calling; -1: none */
    /* Called in each turn with the number of lines released; returns when to call it at the latest.
     */
    int64_t (*look)(void *context, uint64_t released);
    void *context;
};

void wait_init(struct wait *w, struct store *store, const struct wait_rules *rules);

/* Hold a line: for a program that has no input but waits for one signal. ID is taken as it is. */
int wait_hold(struct wait *w, struct span id, struct span item, struct err *e);

/*
 * Read IN (may be NULL) and run until its end, and until no line is held, or with `pass` each id
 * has been looked at.  WATCH may be NULL.  Returns 0; 1 when told to stop; -1 with E filled.  Lines
 * may still be held in the last two cases, and after a pass.
 */
int wait_run(struct wait *w, struct lines_in *in, const struct wait_watch *watch, struct err *e);

/*
 * Write the lines that are still held, in the order in which they came, to OUT: as they came, or
 * after a pass with what the next one needs to know.  With a spool only those that are not in its
 * file.  Returns 0, or -1 with E filled: a line could not be read back; the others are written all
 * the same.
 */
int wait_put_held(struct wait *w, struct writer *out, struct err *e);

/*
 * The outputs for lines that were not released are closed: what they got is kept, and leaves the
 * spool.  Returns 0, or -1 with E filled.
 */
int wait_kept(struct wait *w, struct err *e);

void wait_release(struct wait *w);

#endif
