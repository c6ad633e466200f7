/* mapflow_options.h: the options of mapflow, a table. Included by mapflow.c only. */
#ifndef FANLINE_MAPFLOW_OPTIONS_H
#define FANLINE_MAPFLOW_OPTIONS_H

#include "cli/stream.h"

struct options {
    struct cli_stream stream;
    const char *input;
    const char *actions;
    const char *bucket_root;
    const char *trace;
    const char *from;
    const char *state;
    const char *name;
    const char *journals;
    const char *folder;
    bool answers;
    int format;
};

enum { FORMAT_TEXT, FORMAT_JSON };

static const char *const format_names[] = {"text", "json", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'f',
     .name = "format",
     .argument = "FORMAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, format),
     .choices = format_names,
     .help = "check: faults as lines of text (default) or of json"},
    {.letter = 'i',
     .name = "input",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, input),
     .file = CLI_READS,
     .dash = true,
     .help = "run, plan: the input, JSON (default {}); - reads it"},
    {.name = "actions",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, actions),
     .file = CLI_READS,
     .dash = true, /* refused, with the reason */
     .help = "the command of each action of a Task, YAML or JSON"},
    {.name = "bucket-root",
     .argument = "FOLDER",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, bucket_root),
     .file = CLI_FOLDERS,
     .bytes = true,
     .env = "FANLINE_BUCKET_ROOT",
     .help = "buckets are the folders in FOLDER"},
    {.name = "from",
     .argument = "STATE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, from),
     .help = "run: begin with STATE, whose input INPUT is"},
    {.name = "state",
     .argument = "STATE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, state),
     .help = "which Map (default: the only one); enter, leave: state"},
    {.name = "name",
     .argument = "NAME",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, name),
     .help = "run: the name of the execution (default: a UUID)"},
    {.name = "journals",
     .argument = "FOLDER",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, journals),
     .file = CLI_FOLDERS,
     .bytes = true,
     .help = "run: keep journals of Standard Maps in FOLDER/NAME"},
    {.name = "trace",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, trace),
     .file = CLI_WRITES,
     .help = "append a line of JSON to FILE for each state"},
    {.name = "temp-dir",
     .argument = "FOLDER",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, folder),
     .file = CLI_FOLDERS,
     .bytes = true,
     .env = "TMPDIR",
     .help = "where large values are kept (default /tmp)"},
    {.name = "answers",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, answers),
     .help = "processor: answer as maprun --worker=answers has it"},
};

#endif
