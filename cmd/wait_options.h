/* wait_options.h: the options of wait: the table, and what does not go together. Included by wait.c
 * only. */
#ifndef FANLINE_WAIT_OPTIONS_H
#define FANLINE_WAIT_OPTIONS_H

#include "base/clock.h"
#include "cli/nifi_option.h"
#include "cli/store_option.h"
#include "cli/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WAIT_LEASE_LEAST CLOCK_SECOND

enum { MODE_HOLD, MODE_PASS };

struct options {
    struct cli_stream stream;
    struct cli_store store;
    struct cli_nifi nifi;
    const char *signal;
    const char *count;
    const char *counter;
    int64_t buffer;
    const char *releasable;
    int64_t expire;
    int copy;
    bool copy_given;
    bool print;
    const char *expired;
    const char *waiting;
    const char *failure;
    const char *duplicate;
    struct cli_list fail_on;
    bool counters;
    bool release_once;
    int mode;
    int64_t penalty;
    int outage;
    bool outage_given;
    const char *spool;
    uint64_t memory;
    const char *folder;
    int64_t lease;
};

static const char *const copy_names[] = {"keep", "replace", NULL};
static const char *const mode_names[] = {"hold", "pass", NULL};
static const char *const outage_names[] = {"retry", "failure", "exit", NULL};

static const struct cli_option option_table[] = {
    {.letter = 's',
     .name = "signal",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, signal),
     .help = "hold each line of standard input for this id"},
    {.letter = 'n',
     .name = "count",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, count),
     .help = "wait for so many signals (default 1), or stated"},
    {.letter = 'c',
     .name = "counter",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, counter),
     .help = "look at this counter (default: the total)"},
    {.letter = 'B',
     .name = "buffer",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, buffer),
     .min = 1,
     .max = STORE_WAITERS_MAX,
     .help = "ask for at most N lines of an id at once (all)"},
    {.letter = 'r',
     .name = "releasable",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, releasable),
     .help = "release so many lines each time (1); 0: a gate"},
    {.letter = 'x',
     .name = "expire",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, expire),
     .env = "FANLINE_EXPIRE",
     .never = true,
     .help = "wait at most so long (default 10 min), or never"},
    {.name = "copy",
     .argument = "MODE",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, copy),
     .given_offset = offsetof(struct options, copy_given),
     .choices = copy_names,
     .help = "members the line has: keep (default) or replace"},
    {.name = "print",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, print),
     .help = "write the signal's attributes as one JSON line"},
    {.name = "expired",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, expired),
     .help = "put lines that expire into FILE"},
    {.name = "waiting",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, waiting),
     .help = "put lines still held at the end into FILE"},
    {.name = "failure",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, failure),
     .help = "put lines that cannot wait into FILE"},
    {.name = "fail-on",
     .argument = "COUNTER>=N",
     .type = CLI_LIST,
     .offset = offsetof(struct options, fail_on),
     .help = "give up as soon as this is true (exit 4)"},
    {.name = "counters",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, counters),
     .help = "add the counters as members wait.counter.NAME"},
    {.name = "release-once",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, release_once),
     .help = "release each id only once, whoever waits for it"},
    {.name = "duplicate",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, duplicate),
     .help = "put lines whose id was released before into FILE"},
    {.name = "mode",
     .argument = "MODE",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, mode),
     .choices = mode_names,
     .help = "hold lines until decided (default), or pass: one look"},
    {.name = "penalty",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, penalty),
     .help = "after a look in vain leave an id alone for so long"},
    {.name = "store-failure",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, outage),
     .given_offset = offsetof(struct options, outage_given),
     .choices = outage_names,
     .help = "if the store is away: retry (default), failure, exit"},
    {.name = "spool",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, spool),
     .help = "keep held lines in FILE, for the next run to go on with"},
    {.name = "max-memory",
     .argument = "SIZE",
     .type = CLI_SIZE,
     .offset = offsetof(struct options, memory),
     .env = "FANLINE_MAX_MEMORY",
     .help = "bytes of held lines in memory (default 256MiB)"},
    {.name = "temp-dir",
     .argument = "FOLDER",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, folder),
     .file = CLI_FOLDERS,
     .bytes = true,
     .env = "TMPDIR",
     .help = "for bytes of held lines beyond that (default /tmp)"},
    {.name = "lease",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, lease),
     .help = "what a killed wait took comes back after (10s)"},
};

/* ---- what does not go together ---- */

static int check_form(const struct options *o, int operands, struct err *e)
{
    if (!o->signal && operands == 0) {
        return err_set(e, ERR_USAGE, "no signal is named");
    }
    if (o->signal && operands > 0) {
        return err_set(e, ERR_USAGE, "a SIGNAL and --signal exclude each other");
    }
    if (o->signal && o->print) {
        return err_set(e, ERR_USAGE, "--print has no effect with --signal: lines get attributes");
    }
    const char *idle = o->buffer           ? "buffer"
                       : o->copy_given     ? "copy"
                       : o->expired        ? "expired"
                       : o->waiting        ? "waiting"
                       : o->failure        ? "failure"
                       : o->duplicate      ? "duplicate"
                       : o->mode           ? "mode"
                       : o->spool          ? "spool"
                       : o->stream.rejects ? "rejects"
                                           : NULL;
    if (!o->signal && idle) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --signal", idle);
    }
    if (o->counters && !o->signal && !o->print) {
        return err_set(e, ERR_USAGE, "--counters has no effect without --signal or --print");
    }
    return 0;
}

/* What NiFi does not have, and what only it has. */
static int check_nifi(const struct options *o, struct err *e)
{
    const char *beyond = o->fail_on.count  ? "fail-on"
                         : o->counters     ? "counters: they are always added"
                         : o->release_once ? "release-once"
                         : o->duplicate    ? "duplicate"
                         : o->outage_given ? "store-failure"
                         : o->spool        ? "spool"
                                           : NULL;
    if (o->nifi.on && beyond) {
        return err_set(e, ERR_USAGE, "--nifi has no --%s", beyond);
    }
    return cli_nifi_check(&o->nifi, o->signal != NULL, e);
}

static int check_effect(const struct options *o, struct err *e)
{
    if (o->penalty && !o->nifi.on && o->mode != MODE_PASS) {
        return err_set(e, ERR_USAGE, "--penalty has no effect without --mode=pass or --nifi");
    }
    if (o->duplicate && !o->release_once) {
        return err_set(e, ERR_USAGE, "--duplicate has no effect without --release-once");
    }
    if (o->spool && (o->mode == MODE_PASS || o->waiting)) {
        return err_set(e, ERR_USAGE, "with --spool lines stay in its file: no --%s",
                       o->waiting ? "waiting" : "mode=pass");
    }
    if (o->lease < WAIT_LEASE_LEAST) {
        return err_set(e, ERR_USAGE, "--lease: a second is the least");
    }
    return 0;
}

static int check_options(const struct options *o, int operands, struct err *e)
{
    return check_form(o, operands, e) < 0 || check_nifi(o, e) < 0 ? -1 : check_effect(o, e);
}

#endif
