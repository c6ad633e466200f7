/*
 * crew.h: the places in which items are worked on.
 *
 * Each place has a command for one item after the other (job.h), or a worker that stays and has
 * several items at a time (worker.h); whoever gives items to the crew need not know which.
 * The number of places in use may change at any time: those beyond the limit finish what they
 * have and get nothing new.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_CREW_H
#define FANLINE_RUN_CREW_H

#include "base/span.h"
#include "run/job.h"
#include "run/worker.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crew {
    struct job_shared shared; /* filled by the owner before crew_open, but for what is crew's own */
    size_t window;            /* items of a worker at a time; 0: no workers, a command an item */
    size_t limit;             /* places that get something new */
    size_t most;              /* places there can be */
    size_t made;              /* places that have ever been used */
    size_t busy;              /* items that are being worked on */
    struct job **jobs;
    struct worker **workers;
    uint32_t *load; /* items, by place */
    /* as job_shared's, whose place it takes */
    void (*done)(void *owner, const struct outcome *o, const struct err *broken);
    void *owner;
};

/* How many commands can run at a time at MOST places: beside each worker there may be a fallback.
 */
size_t crew_places(size_t most, size_t window);

/* Make room for MOST places. C must not move from here on. */
void crew_open(struct crew *c, size_t most, const char *const *environment);

/* Use LIMIT places from now on, at least 1 and at most those there can be. */
void crew_limit(struct crew *c, size_t limit);

/* Is there a place for one more item? */
bool crew_has_room(const struct crew *c);

/* Work on FRESH (see job_begin); there must be room. */
void crew_begin(struct crew *c, const struct outcome *fresh);

/* What is due; when something is due next. */
void crew_tick(struct crew *c, int64_t now);
int64_t crew_deadline(const struct crew *c);

/*
 * Before waiting: send workers what was given to them; or only to those that are running out.  Go
 * on with outputs that were held back.
 */
void crew_flush(struct crew *c);
void crew_flush_due(struct crew *c);
void crew_resume(struct crew *c);

/* Let what runs finish, and nothing be tried again. */
void crew_drain(struct crew *c);

/* End everything: see job_abort. */
void crew_abort(struct crew *c, bool now);

void crew_pause(struct crew *c, bool stop, int64_t lost);

/* Nothing more will come. True once nothing is left of any worker. */
bool crew_finish(struct crew *c);

void crew_close(struct crew *c);

#endif
