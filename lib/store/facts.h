/*
 * facts.h: all that a store knows of a signal, for people who look after it.
 *
 * What is told here need not be of one moment.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_FACTS_H
#define FANLINE_STORE_FACTS_H

#include "base/arena.h"
#include "store/store.h"

/* Lines that wait for a signal, as their holder told of them. */
struct store_waiting {
    struct span who;     /* HOST:PID */
    struct span counter; /* of the first line; empty: the total */
    int64_t target;      /* of the first line; STORE_STATED_TARGET */
    int64_t lines;
    int64_t since; /* when the first line came (ms since 1970) */
};

/* Owns its memory; zero-initialised it is empty and legal to release. */
struct store_facts {
    bool found;               /* there is an entry */
    struct store_entry entry; /* counters (no book-keeping among them) and attributes */
    int64_t total;
    int64_t target;  /* as stated, or STORE_NO_TARGET */
    int64_t tickets; /* of all kinds */
    int64_t leased;  /* waiters that are being released */
    int64_t once;    /* idempotency keys that are known */
    /* ms since 1970; 0: not known, or never */
    int64_t made, changed, expires, released;
    struct span notifier; /* who changed it last; empty: not known */
    struct store_waiting *waiting;
    size_t waiting_count, waiting_cap;
    struct arena texts;
};

/* TELL is called for each id that there is an entry of, or that somebody waits for, once, in the
 * order of their bytes.  Returns 0, or -1 with E filled. */
int store_list(struct store *s, void (*tell)(void *context, struct span id), void *context,
               struct err *e);

/*
 * What is known of ID into OUT, which is released first.  Returns 0, or -1 with E filled: ERR_DATA
 * where it is in no form that is known.
 */
int store_describe(struct store *s, struct span id, struct store_facts *out, struct err *e);

void store_facts_release(struct store_facts *f);

/* That lines wait: to be told again before VALID (ns) is over. */
struct store_note {
    struct span id;
    struct span run; /* names the holder: a later note replaces an earlier one */
    struct span counter;
    int64_t target;
    int64_t lines; /* 0: they wait no longer */
    int64_t since; /* ms since 1970 */
    int64_t valid; /* ns */
};

/* Returns 0, or -1 with E filled. */
int store_tell_waiting(struct store *s, const struct store_note *notes, size_t count,
                       struct err *e);

/* Remove all that there is of ID. Returns 0, or -1 with E filled. */
int store_purge(struct store *s, struct span id, struct err *e);

/* Remove what has outlived its time, where the store does not do so by itself. 0 or -1 with E. */
int store_sweep(struct store *s, struct err *e);

#endif
