/*
 * waiters.h: lines that are held, in queues by signal id.
 *
 * Within an id lines stand in the order in which they came, and leave in it.  A line costs 96
 * bytes besides its own; an id about 250 besides its name.  The bytes of lines beyond a limit lie
 * in a file (shelf.h).  Lines that expire stand in a heap by their time.
 *
 * Floor: engines.  Owns its memory.
 */
#ifndef FANLINE_SIGNAL_WAITERS_H
#define FANLINE_SIGNAL_WAITERS_H

#include "signal/ids.h"
#include "signal/shelf.h"
#include "signal/timers.h"

#include <stdbool.h>
#include <stdint.h>

/* What a line asks of its signal. */
struct demand {
    struct span counter; /* empty: the total */
    int64_t target;
    int64_t releasable;
};

/* A demand and how many lines make it. */
struct shared_demand {
    struct id_node node; /* first: its bytes are its id */
    struct demand demand;
    size_t lines;
};

struct queue;

/* A held line. */
struct waiter {
    struct waiter *before, *after; /* in its queue */
    struct queue *queue;
    struct shared_demand *demand;
    struct timer deadline; /* numbered in the order of arrival */
    uint64_t offset;       /* in the file, if in_file */
    size_t item_len;       /* of the compact line */
    size_t raw_len;        /* of the line as it came, behind it; 0: the same bytes */
    bool in_file;
    bool marked;  /* it has members of ours: line.h */
    char bytes[]; /* of the line, if not in_file */
};

static inline uint64_t waiter_number(const struct waiter *x)
{
    return x->deadline.number;
}

/* The lines of one id; there is no empty queue. */
struct queue {
    struct id_node node; /* first: the table of ids finds it */
    struct waiter *first, *last;
    size_t count;
    size_t run; /* of lines at the front that ask the same; 0: not counted yet */
    bool due;   /* in the list of queues to be looked at */
    struct queue *next_due, *last_due;
    struct queue *before, *after; /* in the round of all queues */
    struct timer look;            /* at it, at a time that is known beforehand */
    int64_t looked_at;            /* when the store was asked last (clock_now); 0: never */
    int64_t since;                /* when its first line came (clock_real) */
    int64_t told_at;              /* when the store was told last that lines wait; 0: never */
    int64_t set_aside;            /* not to be looked at before (clock_real) */
    uint64_t ask;                 /* number of an ask whose answer is missing; 0: none */
    int64_t seen;                 /* count at the last look, for messages */
    size_t budget;                /* lines that may still be asked for, where that is limited */
    bool moved;                   /* a line was released */
};

struct waiters {
    struct ids ids;
    struct ids demands;
    struct shelf shelf;
    struct timers deadlines; /* of lines */
    struct timers looks;     /* at queues */
    struct queue *round;     /* first of the round of queues; it is a ring */
    struct queue *first_due, *last_due;
    size_t count;  /* of lines */
    size_t untold; /* queues that the store was not told of */
    uint64_t numbers;
    struct buf told_of; /* ids that the store was told of and that are gone, each with its length */
};

/* A line that is to be held; borrowed. */
struct arrival {
    struct span id;
    struct demand demand;
    struct span item; /* compact */
    struct span raw;  /* as it came; the same bytes where there is no difference */
    int64_t deadline; /* CLOCK_NEVER: none */
    bool marked;
};

/* FOLDER (borrowed) is where line bytes go beyond MEMORY bytes. */
void waiters_init(struct waiters *w, const char *folder, uint64_t memory);

/* Hold a line. A queue becomes due with its first one. Returns it, or NULL with E filled. */
struct waiter *waiters_add(struct waiters *w, const struct arrival *a, struct err *e);

struct queue *waiters_find(const struct waiters *w, struct span id);

/* Q is to be looked at. */
void waiters_due(struct waiters *w, struct queue *q);

/* Q is not to be looked at, for now. */
void waiters_not_due(struct waiters *w, struct queue *q);

/* Take the first queue that is due off that list; NULL if none is. */
struct queue *waiters_next_due(struct waiters *w);

/* The next N queues of the round, or all if there are fewer, are to be looked at. */
void waiters_round(struct waiters *w, size_t n);

/* Q is to be looked at at the time AT; CLOCK_NEVER: at no certain time. */
void waiters_look_at(struct waiters *w, struct queue *q, int64_t at);

/* The first such time. */
int64_t waiters_next_look(const struct waiters *w);

/* The queues whose time is NOW or before are to be looked at. */
void waiters_due_by(struct waiters *w, int64_t now);

/* The store was told at AT that lines of Q wait; 0: that they do not. */
void waiters_told(struct waiters *w, struct queue *q, int64_t at);

/* How many lines at the front of Q ask the same. */
size_t waiters_run(struct queue *q);

/* The line that expires next; NULL if none does. */
struct waiter *waiters_next_expiring(const struct waiters *w);

/* Call VISIT for each line whose deadline is NOW or before. It must not let lines go. */
void waiters_each_expired(const struct waiters *w, int64_t now,
                          void (*visit)(void *context, struct waiter *x), void *context);

/*
 * The bytes of X: the compact line, or with RAW the line as it came; in SCRATCH if they lie in the
 * file. 0, or -1 with E filled.
 */
int waiters_text(const struct waiters *w, const struct waiter *x, bool raw, struct buf *scratch,
                 struct span *out, struct err *e);

/* Let X go, and with its last line its queue. */
void waiters_drop(struct waiters *w, struct waiter *x);

/* All lines in the order in which they came; the caller frees the list. */
struct waiter **waiters_list(const struct waiters *w);

/* Let go all lines. */
void waiters_release(struct waiters *w);

#endif
