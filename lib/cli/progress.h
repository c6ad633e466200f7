/*
 * progress.h: how far a filter is, for a person who watches or asks.
 *
 * On a terminal that standard output does not share, one line is redrawn a few times a
 * second; with --progress=always whole lines are written every ten seconds, for logs;
 * SIGUSR1 asks for one line at any time.  Percent and time left are shown where the total
 * is known: the input is a regular file, or the number of items was stated.
 *
 *     progress_open(&p, "batcher", PROGRESS_AUTO, &reader);
 *     while (…) progress_count(&p, items);
 *     progress_close(&p);
 *
 * Floor: programs. Only cmd/ and the room cli include it.
 */
#ifndef FANLINE_CLI_PROGRESS_H
#define FANLINE_CLI_PROGRESS_H

#include "base/err.h"
#include "io/reader.h"
#include "proc/signals.h"

#include <stdbool.h>
#include <stdint.h>

enum progress_when { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER };

/* Something else that falls due while input is awaited. */
struct progress_alarm {
    int64_t at; /* deadline of the monotonic clock; 0: none */
    void (*ring)(void *context);
    void *context;
};

struct progress {
    const char *name;
    bool follows;         /* an input, whose bytes tell how far we are */
    int fd;               /* of that input; -1: it is no descriptor's */
    struct writer *tied;  /* to that input */
    uint64_t bytes;       /* of it that were read, packed as they may be */
    uint64_t total_bytes; /* of a regular input, else 0 */
    uint64_t total_items; /* if known, else 0; may be set at any time */
    uint64_t items;
    int64_t started;
    int64_t next;  /* when the next line is due; CLOCK_NEVER: none unless asked for */
    int64_t every; /* between lines */
    bool terminal;
    struct progress_alarm alarm; /* of the filter; it rings once, then at is 0 */
    bool drawn;                  /* a line stands on the terminal that the next one replaces */
    struct signals signals;
};

/*
 * Begin.  READER may be NULL; if it is given, waiting for its input listens to SIGUSR1 and the
 * clock too.  From here on SIGUSR1 no longer ends the process.
 */
void progress_open(struct progress *p, const char *name, enum progress_when when,
                   struct reader *reader);

/*
 * The input is READER from now on, one of several sources or, if NULL, none.  Bytes, and percent of
 * a regular file, are told of this one.  Takes its tap, and its wait.  READER may then be unpacked
 * (io/unpack.h): what is counted, and waited for, is what lies below.
 */
void progress_follow(struct progress *p, struct reader *reader);

/* What is due now: a line that was asked for, or the next one; the filter's alarm. */
void progress_look(struct progress *p);

/* ITEMS have been done. Cheap: looks at the clock and for signals once in 1024 items. */
static inline void progress_count(struct progress *p, uint64_t items)
{
    p->items = items;
    if ((items & 1023) == 0) {
        progress_look(p);
    }
}

/* Wipe the line from the terminal: before a message, and at the end. */
void progress_clear(struct progress *p);

void progress_close(struct progress *p);

#endif
