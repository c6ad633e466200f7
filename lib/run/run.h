/*
 * run.h: run a command for each item, several at a time, and say what became of each.
 *
 * Items come from a stream of JSON lines and are read one by one as places become free, never
 * further ahead.  One loop waits for everything: input, children, their streams, signals, our
 * own output.  For every item that is read one record is written, whatever happens:
 * the sum of all states equals the number of items.
 *
 * The face of the room.  argv: the command line of an item; crew: the places; job: one item
 * on its way; worker, task: commands that stay; journal: ends on disk; throttle, control: when and
 * how many; streams, capture, tail: what a command writes; outcome: records; inorder: records in
 * item order; retry: which failures are tried again; fallback: what is run instead; attempts: the
 * log.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_RUN_H
#define FANLINE_RUN_RUN_H

#include "base/err.h"
#include "base/tolerance.h"
#include "io/writer.h"
#include "run/argv.h"
#include "run/control.h"
#include "run/fallback.h"
#include "run/retry.h"
#include "run/throttle.h"
#include "json/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_format {
    RUN_AUTO, /* the output is one JSON text, else a text */
    RUN_JSON, /* it must be one JSON text */
    RUN_TEXT, /* it is a text, whatever it looks like */
    RUN_NONE  /* it goes to /dev/null, and Output is null */
};

enum run_items { RUN_ITEMS_AUTO, RUN_ITEMS_ONE, RUN_ITEMS_BATCH };
enum run_emit {
    RUN_EMIT_RECORD,
    RUN_EMIT_OUTPUT, /* just the Output */
    RUN_EMIT_LINES   /* what commands print, line by line as it comes; no records */
};

/* What happens when more failed than is tolerated. */
enum run_stop {
    RUN_STOP_ABORT, /* end what runs, read on */
    RUN_STOP_NOW,   /* end what runs, read no more */
    RUN_STOP_DRAIN  /* let what runs finish, read on */
};

/* What has become of the items so far. */
struct run_counts {
    uint64_t items; /* read; the sum of all below, and of those that run */
    uint64_t succeeded;
    uint64_t failed;
    uint64_t timed_out;
    uint64_t aborted;
    uint64_t pending;
    uint64_t failed_items; /* in batches and alone: those of failures, and single failures */
    uint64_t all_items;    /* in all that was read */
};

struct attempts;
struct journal;

struct run_rules {
    const struct argv_template *command;
    const char *const *environment; /* of the commands; the variables of the item are added */
    const char *folder;             /* for large outputs */
    struct span name;               /* of the run: a text in UTF-8 */
    struct span flow;               /* FlowName: a text in UTF-8 */
    size_t slots;                   /* commands, or workers, at a time, from 1 */
    size_t window;                  /* items of a worker at a time; 0: no workers */
    bool answers;               /* a worker says what its lines are: {"Output":…} or an error */
    struct control *control;    /* what changes it while the run goes on; NULL: nothing */
    struct throttle *throttle;  /* when something may start; NULL: at any time */
    struct journal *journal;    /* NULL: nothing is kept on disk */
    uint64_t max_items;         /* stop reading after so many; 0: no limit */
    uint64_t total;             /* how many items there will be; 0: nobody knows */
    uint64_t max_output;        /* bytes of one output */
    uint64_t max_depth;         /* of JSON in an output */
    struct tolerance tolerance; /* of failed executions */
    bool by_items;              /* no: of failed items */
    enum run_stop stop;
    const struct retry_policy *retry;  /* NULL: none */
    const struct fallbacks *fallbacks; /* NULL: none */
    struct attempts *log;              /* of attempts; NULL: none */
    int64_t timeout;                   /* of one attempt, in nanoseconds; -1: none */
    uint64_t timeout_percent;          /* or this, of the median of those that succeeded; 0: none */
    int64_t heartbeat;                 /* most time between signs of life; -1: none are asked for */
    int64_t kill_after;                /* from TERM to KILL, in nanoseconds */
    enum run_format format;
    enum run_items items;
    enum run_emit emit;
    bool keep_order; /* records leave in item order */
    bool tag;        /* RUN_EMIT_LINES: the item and a TAB before each line */
    bool finish_all; /* too many failures do not stop the run, only fail it */

    /*
     * Looks at the counts when WATCH can be read and when it is due; returns when it is due next,
     * by clock_now.  NULL: nobody looks.
     */
    int64_t (*look)(void *context, const struct run_counts *counts);
    int watch; /* a descriptor, -1 for none */
    /* Told before something is written to ERRORS; may be NULL. */
    void (*speak)(void *context);
    /* Told once of something that people should know; may be NULL. */
    void (*notice)(void *context, const char *text);
    void *context;
};

struct run_report {
    struct run_counts counts;
    uint64_t written;  /* lines */
    uint64_t replayed; /* of these from the journal */
    int signal;        /* that ended the run; 0: none */
};

/* How much deeper an item, or an output, lies in what is written of it. */
uint64_t run_levels(const struct run_rules *r);

/*
 * Run the command of R for each item of IN, and write records to OUT, which writes to a descriptor
 * and is empty.  Standard error of the commands goes to the descriptor ERRORS.
 *
 * Returns 0 when all has been done and no more failed than tolerated.  Returns -1 with E filled:
 * ERR_FAILED: more failures than tolerated; what was running then has been ended (Aborted), the
 * rest of the input has been read and not run (Pending).  ERR_NO_FILE, ERR_NO_EXEC: the same,
 * because the command of all items cannot be started.  ERR_DATA: IN was refused; what ran has been
 * finished. ERR_IO, ERR_PIPE: OUT failed; what ran has been ended.  A signal (TERM, INT, HUP, QUIT)
 * ends what runs, and is in D->signal; the return value is -1 with ERR_FAILED.  In no case is a
 * child left.
 */
int run_lines(const struct run_rules *r, struct lines_in *in, struct writer *out, int errors,
              struct run_report *d, struct err *e);

#endif
