/* notify_options.h: the options of notify: the table, and what does not go together. Included by
 * notify.c only. */
#ifndef FANLINE_NOTIFY_OPTIONS_H
#define FANLINE_NOTIFY_OPTIONS_H

#include "cli/nifi_option.h"
#include "cli/store_option.h"
#include "cli/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OUTAGE_RETRY, OUTAGE_FAILURE, OUTAGE_EXIT };

struct options {
    struct cli_stream stream;
    struct cli_store store;
    struct cli_nifi nifi;
    const char *signal;
    const char *counter;
    const char *delta;
    bool clear;
    int64_t buffer;
    bool buffer_given;
    const char *attributes;
    struct cli_list set;
    const char *once;
    const char *of;
    bool no_signal;
    int64_t ttl;
    bool ttl_given;
    const char *failure;
    int outage;
    bool outage_given;
};

static const char *const outage_names[] = {"retry", "failure", "exit", NULL};

static const struct cli_option option_table[] = {
    {.letter = 's',
     .name = "signal",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, signal),
     .help = "signal this id for each line of standard input"},
    {.letter = 'c',
     .name = "counter",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, counter),
     .help = "count on this counter (default: default)"},
    {.letter = 'd',
     .name = "delta",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, delta),
     .help = "add this whole number (default 1)"},
    {.name = "clear",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, clear),
     .help = "set the counter to 0 instead"},
    {.letter = 'B',
     .name = "buffer",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, buffer),
     .given_offset = offsetof(struct options, buffer_given),
     .min = 1,
     .max = 100000,
     .help = "at most N lines in one call of the store (100)"},
    {.letter = 'a',
     .name = "attributes",
     .argument = "REGEX",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, attributes),
     .help = "keep the line's attributes of such names"},
    {.name = "set",
     .argument = "NAME=VALUE",
     .type = CLI_LIST,
     .offset = offsetof(struct options, set),
     .help = "keep this attribute; may be given several times"},
    {.name = "once",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, once),
     .help = "count each of these keys only once per signal"},
    {.name = "of",
     .argument = "EXPR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, of),
     .help = "state the target that `wait -n stated` waits for"},
    {.name = "no-signal",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, no_signal),
     .help = "only state the target or the attributes"},
    {.name = "ttl",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, ttl),
     .given_offset = offsetof(struct options, ttl_given),
     .env = "FANLINE_TTL",
     .never = true,
     .help = "signals live so long (default 24h; 0: for ever)"},
    {.name = "failure",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, failure),
     .help = "put lines that cannot signal into FILE"},
    {.name = "store-failure",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, outage),
     .given_offset = offsetof(struct options, outage_given),
     .choices = outage_names,
     .help = "if the store is away: retry (default, 30 s), failure, exit"},
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
    const char *idle = o->buffer_given     ? "buffer"
                       : o->attributes     ? "attributes"
                       : o->failure        ? "failure"
                       : o->outage_given   ? "store-failure"
                       : o->stream.rejects ? "rejects"
                                           : NULL;
    if (!o->signal && idle) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --signal", idle);
    }
    return 0;
}

/* What NiFi does not have, and what only it has. */
static int check_nifi(const struct options *o, struct err *e)
{
    const char *beyond = o->clear          ? "clear"
                         : o->once         ? "once"
                         : o->of           ? "of"
                         : o->outage_given ? "store-failure"
                                           : NULL;
    if (o->nifi.on && (beyond || o->no_signal)) {
        return err_set(e, ERR_USAGE, "--nifi has no --%s", beyond ? beyond : "no-signal");
    }
    return cli_nifi_check(&o->nifi, o->signal != NULL, e);
}

static int check_effect(const struct options *o, struct err *e)
{
    if (o->clear && o->delta) {
        return err_set(e, ERR_USAGE, "--clear and --delta exclude each other");
    }
    if (o->no_signal && (o->clear || o->delta || o->counter)) {
        return err_set(e, ERR_USAGE, "--no-signal leaves counters alone: no --%s",
                       o->clear   ? "clear"
                       : o->delta ? "delta"
                                  : "counter");
    }
    if (o->no_signal && !o->of && !o->attributes && o->set.count == 0) {
        return err_set(e, ERR_USAGE, "--no-signal needs something else to tell: --of or --set");
    }
    return 0;
}

static int check_options(const struct options *o, int operands, struct err *e)
{
    return check_form(o, operands, e) < 0 || check_effect(o, e) < 0 ? -1 : check_nifi(o, e);
}

#endif
