/*
 * wake_log.h: how processes that share a file tell each other which signals have changed.
 *
 * Who waits makes a small file beside the store, and each change appends the ids it concerned to
 * it; those who wait are woken by inotify and read on.  Where there is no such file nobody is
 * told.  It holds hints only: what a killed process did not append is found by looking without
 * being told.
 *
 * A file that has become large, or whose last record is not whole, is unlinked by who finds that;
 * those who listen make another one and look at everything.  So they do when it was taken away.
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

#define WAKE_LOG_MAX (16 << 20) /* bytes; then it is begun anew */

struct wake_log {
    char *store;           /* path */
    char *path;            /* of the log */
    int mouth;             /* for appending; -1: not open */
    struct buf saying;     /* to be appended */
    int ears;              /* for reading; -1: not open */
    int bell;              /* inotify; -1: there is none */
    uint64_t heard;        /* bytes read */
    struct buf unfinished; /* the beginning of a record whose end is not there yet */
};

/*
 * For the store at PATH, under the one name by which all know it: no link.  Nothing is opened
 * yet.
 */
void wake_log_init(struct wake_log *l, const char *path);

void wake_log_release(struct wake_log *l);

/* ID has changed. */
void wake_log_say(struct wake_log *l, struct span id);

/* Append what was said, if somebody listens. That it fails does not matter. */
void wake_log_send(struct wake_log *l);

/*
 * Begin to listen, making the log, with the permissions of the store, if it is not there.  False:
 * that is not possible here.
 */
bool wake_log_listen(struct wake_log *l);

/* Readable when there is something to hear; -1: not listening. */
int wake_log_fd(const struct wake_log *l);

/*
 * Hear what was said since the last time.  Never waits.  Returns 0, or 1 if something may have been
 * missed.  Afterwards it may be that nothing is listened to any more.
 */
int wake_log_hear(struct wake_log *l, void (*tell)(void *context, struct span id), void *context);

/*
 * Does the kernel tell of all changes to files on a file system of TYPE (statfs(2))?  It does not
 * of those that other machines make.
 */
bool wake_log_is_told(uint32_t type);

#endif
