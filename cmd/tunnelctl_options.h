/* tunnelctl_options.h: the options of tunnelctl, a table. Included by tunnelctl.c only. */
#ifndef FANLINE_TUNNELCTL_OPTIONS_H
#define FANLINE_TUNNELCTL_OPTIONS_H

#include "cli/format_option.h"
#include "cli/store_option.h"

#define RANGE_DEFAULT (UINT64_C(64) << 20)

enum { PARTITIONS_MAX = 4096 };

enum kind { KIND_NONE, KIND_BASE, KIND_STREAM, KIND_BOTH };

static const char *const kind_names[] = {"none", "base", "stream", "base-and-stream", NULL};

struct options {
    struct cli_store store;
    int kind;
    const char *stream;
    int64_t partitions;
    struct cli_list base;
    uint64_t range;
    const char *from;
    const char *until;
    int64_t max_age;
    int64_t max_length;
    int64_t limit;
    int64_t watch;
    struct cli_format format;
    bool kind_given, partitions_given, range_given, age_given, length_given, limit_given,
        watch_given;
};

static const struct cli_option option_table[] = {
    {.name = "type",
     .argument = "TYPE",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, kind),
     .choices = kind_names + 1,
     .given_offset = offsetof(struct options, kind_given),
     .help = "create: base, stream or base-and-stream"},
    {.letter = 'S',
     .name = "stream",
     .argument = "STREAM",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, stream),
     .help = "create: the stream that it reads"},
    {.name = "partitions",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, partitions),
     .given_offset = offsetof(struct options, partitions_given),
     .min = 1,
     .max = PARTITIONS_MAX,
     .help = "create: make the stream with N if it is not there"},
    {.name = "base",
     .argument = "PLACE",
     .file = CLI_READS,
     .type = CLI_LIST,
     .offset = offsetof(struct options, base),
     .help = "create: read this file or object first; may be repeated"},
    {.name = "base-range",
     .argument = "SIZE",
     .type = CLI_SIZE,
     .offset = offsetof(struct options, range),
     .given_offset = offsetof(struct options, range_given),
     .help = "create: a place is cut in channels of SIZE (64MiB)"},
    {.name = "from",
     .argument = "WHERE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, from),
     .help = "create, seek: latest (default), earliest, or a time"},
    {.name = "until",
     .argument = "WHERE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, until),
     .help = "create: where the stream ends for it: latest, or a time"},
    {.name = "max-age",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, max_age),
     .given_offset = offsetof(struct options, age_given),
     .help = "trim: also what is older, read or not"},
    {.name = "max-length",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_length),
     .given_offset = offsetof(struct options, length_given),
     .min = 1,
     .max = INT64_MAX,
     .help = "trim: also all but N lines of each partition"},
    {.letter = 'n',
     .name = "limit",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, limit),
     .given_offset = offsetof(struct options, limit_given),
     .min = 1,
     .max = 10000,
     .help = "events: the last N (100)"},
    {.name = "watch",
     .argument = "INTERVAL",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, watch),
     .given_offset = offsetof(struct options, watch_given),
     .implied = "2s",
     .help = "list, describe, clients, events: again and again"},
};

#endif
