/*
 * nifi_trigger.h: one trigger of a Wait.
 *
 * Inside the room signal only: the part of nifi_wait.c that decides.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_NIFI_TRIGGER_H
#define FANLINE_SIGNAL_NIFI_TRIGGER_H

#include "base/buf.h"
#include "signal/nifi_wait.h"

struct nifi_line {
    struct nifi_line *next;
    struct buf item;
    struct buf id; /* evaluated, if `named` */
    bool named;
    uint64_t sweep; /* in which it was taken last; 0: never */
};

/* Do undecided lines keep their place, to be taken again by the next trigger? */
static inline bool nifi_keeps_place(const struct nifi_wait *w)
{
    return w->rules.triggers > 0 && !w->rules.pass;
}

/*
 * Run a trigger.  NIFI_DONE: *TOOK is how many lines it took, and they have been written or put
 * back.  Otherwise it is undone, as E says; the queue is as before.
 */
enum nifi_end nifi_trigger(struct nifi_wait *w, size_t *took, struct err *e);

/* Until when ID is set aside (ms since 1970), 0 if it is not. */
int64_t nifi_penalty(const struct nifi_wait *w, struct span id);

void nifi_penalise(struct nifi_wait *w, struct span id, int64_t until);

/* The id of LINE, which is evaluated if need be. 0, or -1 with E filled. */
int nifi_name(struct nifi_wait *w, struct nifi_line *line, struct err *e);

/* Write LINE to OUT, with a note if its id is set aside. */
void nifi_line_put(struct nifi_wait *w, struct nifi_line *line, struct writer *out);

void nifi_line_free(struct nifi_line *line);

#endif
