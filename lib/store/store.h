/*
 * store.h: signals, kept where processes and machines meet.
 *
 * A store holds one entry per signal id: counters (a name and a signed 64-bit number each), their
 * total, attributes (texts), a stated target, tickets and leases.  notify adds to an entry, wait
 * takes from it.  An entry is there from its first notice until what it counted has been taken
 * and confirmed, or until its time to live is over.  An id is any bytes, not empty.
 *
 * Every operation on an entry is one atomic step where the entry lives, and may be repeated with
 * the same arguments after a failure (ERR_LATER): what was done already is not done twice.
 *
 * Release (reference/wait-notify.md 2.4 and 6.3): `target` signals of a counter, or of the total,
 * make one pass, and a pass is worth `releasable` tickets, each good for one waiter.  Only as many
 * passes are taken out of the counter as the waiters at hand need; tickets that a pass leaves over
 * are kept for waiters of the same counter and target.  What is granted is leased: it is gone for
 * good when the lease is confirmed, and flows back when it is given back or its time runs out, so
 * that a waiter which dies in between costs nothing.
 *
 * Backends are chosen by URL and behave alike: redis:// and its like, sqlite:.  Redis can also hold
 * entries in the form that NiFi gives them (url.h); of these only fetch, replace and remove are
 * possible.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_STORE_H
#define FANLINE_STORE_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STORE_COUNT_MAX      INT64_MAX   /* counters and totals lie between -this and this */
#define STORE_WAITERS_MAX    INT32_MAX   /* most that one call asks for */
#define STORE_RELEASABLE_MAX INT32_MAX   /* as in NiFi, reference/wait-notify.md 1.1 */
#define STORE_NO_TARGET      INT64_C(-1) /* a notice that states none */
#define STORE_STATED_TARGET  INT64_C(-1) /* an asker that takes the one that was stated */
#define STORE_GATE           INT64_C(0)  /* as releasable: all pass, nothing is taken */

struct store;

/* A name and a text, or a name and a number. Any bytes. */
struct store_attribute {
    struct span name;
    struct span value;
};

struct store_counter {
    struct span name;
    int64_t value;
};

/*
 * Open the store at URL (see url.h for the forms).  No connection is made before the first
 * operation; a file is opened and, if it is not there, made (mode 0600).  Returns 0, or -1 with E
 * filled: ERR_USAGE if it is no store that can be opened.
 */
int store_open(struct store **out, const char *url, struct err *e);

/* Where it is, without any secret; borrowed from S. */
const char *store_shown(const struct store *s);

/* Are its entries in NiFi's form? */
bool store_is_foreign(const struct store *s);

/* From now on waiting for the store ends with ERR_LATER when the descriptor STOP is readable. */
void store_stop_at(struct store *s, int stop);

/*
 * TELL is called once, when the store was first reached, with each sentence about what there
 * endangers signals.
 */
void store_concerns(struct store *s, void (*tell)(void *context, const char *text), void *context);

/* Legal on NULL. Leases that were neither confirmed nor given back run out by themselves. */
void store_close(struct store *s);

/* ---- notify ---- */

/* One line's worth of notification. Spans are borrowed for the call. */
struct store_notice {
    struct span id;
    struct span counter; /* not empty */
    int64_t delta;       /* within STORE_COUNT_MAX; 0 changes no counter and makes none */
    bool clear;          /* the counter becomes 0, and is made if need be; delta does not matter */
    int64_t target;      /* states the target of the signal, from 0 on; STORE_NO_TARGET */
    struct span once;    /* idempotency key: a second notice with it does nothing; empty: none */
    const struct store_attribute *attributes; /* merged in, the later value wins */
    size_t attribute_count;
};

enum store_verdict {
    STORE_COUNTED = 'c',
    STORE_REPEATED = 'r', /* its key was known: nothing was changed */
    STORE_OVERFLOW = 'o'  /* the counter or the total would leave 64 bits: nothing was changed */
};

struct store_batch {
    const struct store_notice *notices;
    size_t count;
    int64_t ttl;     /* entries live at least this long from now (ns); 0: for ever */
    uint64_t number; /* from 1 on, another one for each batch; the same to repeat one */
    int64_t repeat;  /* it may be repeated for so long (ns); 0: for a minute */
};

/*
 * Apply the notices of a batch, those of one id in order and in one step, and say in
 * VERDICTS[i] what became of notice I.  Time to live is only ever lengthened.  A key of `once` is
 * remembered for at least `ttl`, also when the entry has gone before.  Returns 0, or -1 with E
 * filled; after ERR_LATER parts of the batch may be done: repeat it.
 */
int store_notify(struct store *s, const struct store_batch *batch, enum store_verdict *verdicts,
                 struct err *e);

/* ---- take ---- */

struct store_ask {
    struct span id;
    struct span counter; /* empty: the total of all counters */
    int64_t target;      /* signals a pass takes, from 0 on, or STORE_STATED_TARGET */
    int64_t releasable;  /* waiters a pass releases, or STORE_GATE */
    int64_t wanted;      /* waiters there are; 0 only looks and changes nothing at all */
    struct span lease;   /* name of this lease, another one for each ask; not needed to look */
    int64_t lease_time;  /* after this long it flows back (ns) */
    int64_t keep;        /* an entry that is there lives at least this long from now (ns) */
    bool once;           /* the id is released only once: with target > 0, no gate, wanted 1 */
};

/* What came of an ask. Owns its memory; zero-initialised it is empty and legal to release. */
struct store_grant {
    bool found;      /* there is an entry */
    int64_t granted; /* waiters that may go, the first ones; settle the lease if target > 0 */
    bool leased;     /* something was taken and store_settle is due */
    int64_t frees; /* not all were granted: the first lease of others ends in so many ns; 0: none */
    bool done;     /* a release that may happen only once has happened */
    int64_t count; /* of the counter or total asked for, as it was before */
    int64_t total; /* as it was before */
    int64_t target;                 /* as stated by a notice, or STORE_NO_TARGET */
    struct store_counter *counters; /* as they were before */
    size_t counter_count;
    struct store_attribute *attributes;
    size_t attribute_count;
    size_t counter_cap, attribute_cap;
};

/*
 * Ask for COUNT ids at once; GRANTS[i] (empty, or of an earlier call) is replaced by what came
 * of ASKS[i].  A target of 0 grants all without an entry and takes nothing; with STORE_GATE an
 * entry must be there, and all pass while the count is at least the target.  A count below 0
 * grants nothing.  Returns 0, or -1 with E filled.
 */
int store_take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
               size_t count, struct err *e);

void store_grant_release(struct store_grant *g);

/* ---- settle ---- */

enum store_verb {
    STORE_CONFIRM, /* the waiters have gone: forget the lease; remove the entry if it is used up */
    STORE_GIVE_BACK, /* they have not: as if nothing had been taken */
    STORE_RENEW      /* they are about to go: the lease lasts longer */
};

struct store_settlement {
    struct span id;
    struct span lease;
    enum store_verb verb;
    int64_t back;       /* STORE_CONFIRM: the last so many have not gone; theirs is given back */
    int64_t lease_time; /* STORE_RENEW: from now on (ns) */
    bool known;         /* result: false if there was no such lease (any more) */
};

/* Settle COUNT leases. Returns 0, or -1 with E filled. */
int store_settle(struct store *s, struct store_settlement *settlements, size_t count,
                 struct err *e);

/* ---- an entry as NiFi sees it ---- */

/*
 * Counters, attributes, and tickets that are for anybody (reference/wait-notify.md 2.1).  What was
 * taken from the total alone is a counter "consumed" below 0, and tickets of all kinds are one
 * number.
 */
struct store_entry {
    struct store_counter *counters;
    size_t counter_count, counter_cap;
    struct store_attribute *attributes;
    size_t attribute_count, attribute_cap;
    int64_t tickets;
    bool ancient;        /* in the form of NiFi 1.1, which had attributes only */
    struct buf revision; /* changes with the entry; any bytes, not empty */
};

/*
 * The entry of ID into OUT, which is released first.  Returns 1, 0 if there is none, -1 with E
 * filled: ERR_DATA where it is in no form that is known.
 */
int store_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e);

#define STORE_TTL_KEEP INT64_C(-1)

/*
 * Put ENTRY (but its revision) in the place of the one whose revision is EXPECTED, or, if that is
 * empty, where there is none.  With ENTRY NULL nothing takes its place: it is removed.  TTL is as
 * in store_batch, or STORE_TTL_KEEP.  Returns 1, 0 if
 * somebody else has changed it meanwhile, -1 with E filled.
 */
int store_replace(struct store *s, struct span id, const struct store_entry *entry,
                  struct span expected, int64_t ttl, struct err *e);

/* Remove the entry of ID, whatever it is by now. Returns 0, or -1 with E filled. */
int store_remove(struct store *s, struct span id, struct err *e);

/* Add to an entry; texts are copied. */
void store_entry_counter(struct store_entry *entry, struct span name, int64_t value);
void store_entry_attribute(struct store_entry *entry, struct span name, struct span value);

/* Put them in the order of their names. */
void store_entry_sort(struct store_entry *entry);

/* OUT, which is released first, becomes a copy of FROM. */
void store_entry_copy(struct store_entry *out, const struct store_entry *from);

void store_entry_release(struct store_entry *entry);

/* ---- wake-up ---- */

/*
 * Wake-ups are hints that an entry may have changed; the truth is in the entries, so whoever
 * waits also looks now and then without being told.
 */
struct store_wake {
    int fd;     /* readable when there is something to hear; -1: none */
    int64_t at; /* ask store_changed at this time (clock_now) in any case; CLOCK_NEVER */
};

/* Begin to listen, if that has not been done yet. Returns 0, or -1 with E filled. */
int store_watch(struct store *s, struct err *e);

struct store_wake store_wake(struct store *s);

/*
 * Hear what has changed: TELL is called for each id, perhaps more than once.  Never waits.  Returns
 * 0; 1 if any entry may have changed; -1 with E filled if the connection is gone: the next call
 * tries to make it again.
 */
int store_changed(struct store *s, void (*tell)(void *context, struct span id), void *context,
                  struct err *e);

#endif
