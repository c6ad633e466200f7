/*
 * wake_log.h: how processes that share a file tell each other which signals have changed.
 *
 * Beside the store lies a small file to which each change appends the ids it concerned; those who
 * wait are woken by inotify and read on.  It holds hints only: what a killed process did not
 * append, or what was in a file that was begun anew meanwhile, is found by looking without being
 * told.
 *
 * Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_WAKE_LOG_H
#define FANLINE_STORE_WAKE_LOG_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct wake_log {
    char *path;
    int mouth;             /* for appending; -1: not open */
    struct buf saying;     /* to be appended */
    int ears;              /* for reading; -1: not open */
    int bell;              /* inotify; -1: there is none */
    uint64_t heard;        /* bytes read */
    struct buf unfinished; /* the beginning of a record whose end is not there yet */
};

/* For the store at PATH. Nothing is opened yet. */
void wake_log_init(struct wake_log *l, const char *path);

void wake_log_release(struct wake_log *l);

/* ID has changed. */
void wake_log_say(struct wake_log *l, struct span id);

/* Append what was said. That it fails does not matter. */
void wake_log_send(struct wake_log *l);

/* Begin to listen. False: that is not possible here. */
bool wake_log_listen(struct wake_log *l);

/* Readable when there is something to hear; -1: not listening. */
int wake_log_fd(const struct wake_log *l);

/*
 * Hear what was said since the last time.  Never waits.  Returns 0, or 1 if something may have been
 * missed.
 */
int wake_log_hear(struct wake_log *l, void (*tell)(void *context, struct span id), void *context);

#endif
