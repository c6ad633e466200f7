#include "signal/wait_tell.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/wait_round.h"

#include <stdlib.h>

#define TELL_AFTER CLOCK_SECOND        /* most lines leave sooner */
#define TELL_EVERY (20 * CLOCK_SECOND) /* and again, at the most */

enum {
    TELL_MAX = 500, /* notes of one call */
    END_TRIES = 2   /* at the end: the answer of a connection that is cut may have been the last */
};

/* How long a note is good: until the round has come by again, with room to spare. */
static int64_t valid_time(const struct wait *w)
{
    return 2 * (TELL_EVERY + wait_round_time(w));
}

static struct store_note note_of(const struct wait *w, const struct queue *q)
{
    const struct demand *d = &q->first->demand->demand;
    return (struct store_note){.id = q->node.id,
                               .run = span_text(w->run),
                               .counter = d->counter,
                               .target = d->target,
                               .lines = (int64_t)q->count,
                               .since = q->since / CLOCK_MILLI,
                               .valid = valid_time(w)};
}

/* Notes of queues in the list of those that are due. */
static size_t add_waiting(struct wait *w, struct store_note *notes, size_t count)
{
    int64_t now = clock_now(), real = clock_real();
    for (struct queue *q = w->held.first_due; q && count < TELL_MAX; q = q->next_due) {
        bool told = q->told_at && now - q->told_at < TELL_EVERY;
        if (!told && real - q->since >= TELL_AFTER) {
            waiters_told(&w->held, q, now);
            notes[count++] = note_of(w, q);
        }
    }
    return count;
}

/* Notes of ids that are gone; *USED is how much of their list that takes. */
static size_t add_gone(const struct wait *w, struct store_note *notes, size_t *used)
{
    const struct buf *list = &w->held.told_of;
    size_t count = 0;
    *used = 0;
    while (*used < list->len && count < TELL_MAX) {
        size_t len;
        memcpy(&len, list->at + *used, sizeof len);
        notes[count++] = (struct store_note){.id = span_of(list->at + *used + sizeof len, len),
                                             .run = span_text(w->run),
                                             .valid = valid_time(w)};
        *used += sizeof len + len;
    }
    return count;
}

/*
 * Tell what there is to tell, queues only if WAITING.  How many notes that was; -1: it failed, and
 * ids that are gone are told of again the next time.
 */
static int tell(struct wait *w, bool waiting)
{
    struct store_note *notes = mem_new(TELL_MAX, sizeof *notes);
    struct err ignored;
    size_t used;
    size_t count = add_gone(w, notes, &used);
    count = waiting ? add_waiting(w, notes, count) : count;
    bool fine = store_tell_waiting(w->store, notes, count, &ignored) == 0;
    struct buf *list = &w->held.told_of;
    if (fine && used > 0) {
        memmove(list->at, list->at + used, list->len - used);
        list->len -= used;
    }
    free(notes);
    return fine ? (int)count : -1;
}

void wait_tell(struct wait *w)
{
    while ((w->held.told_of.len > 0 || w->held.first_due) && tell(w, true) == TELL_MAX) {
    }
}

void wait_tell_end(struct wait *w)
{
    struct queue *q = w->held.round;
    for (size_t i = 0; i < w->held.ids.count; i++, q = q->after) {
        if (q->told_at) {
            struct buf *list = &w->held.told_of;
            buf_add(list, (const char *)&q->node.id.len, sizeof q->node.id.len);
            buf_add_span(list, q->node.id);
            waiters_told(&w->held, q, 0);
        }
    }
    int tries = END_TRIES;
    while (w->held.told_of.len > 0 && tries > 0 && !outage_is_on(&w->outage)) {
        tries -= tell(w, false) < 0;
    }
}
