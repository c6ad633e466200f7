/* maprun_options.h: the options of maprun, a table. Included by maprun.c only. */
#ifndef FANLINE_MAPRUN_OPTIONS_H
#define FANLINE_MAPRUN_OPTIONS_H

#include "base/tolerance.h"
#include "cli/stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODE_EXPRESS, MODE_STANDARD };
enum { WORKER_NONE, WORKER_LINES, WORKER_ANSWERS };

struct options {
    struct cli_stream stream;
    const char *concurrency;
    int64_t max_items;
    int64_t total;
    struct tolerance tolerance;
    int tolerate_by;
    bool finish_all;
    int stop;
    bool keep_order;
    bool no_replace;
    const char *mark;
    const char *shell;
    const char *run_name;
    const char *flow_name;
    const char *folder;
    int format;
    int items;
    int emit;
    struct cli_list retries;
    const char *policy;
    struct cli_list catches;
    const char *timeout;
    int64_t heartbeat;
    int64_t kill_after;
    const char *control;
    const char *rate;
    int64_t delay;
    const char *load;
    uint64_t memory;
    int worker;
    int64_t window;
    bool window_given;
    int mode;
    const char *journal;
    bool force;
    bool line_buffer;
    bool tag;
    bool dry;
    const char *log;
};

static const char *const format_names[] = {"auto", "json", "text", "none", NULL};
static const char *const items_names[] = {"auto", "one", "batch", NULL};
static const char *const emit_names[] = {"record", "output", NULL};

static const char *const tolerate_names[] = {"executions", "items", NULL};
static const char *const stop_names[] = {"abort", "now", "drain", NULL};
static const char *const worker_names[] = {"none", "lines", "answers", NULL};
static const char *const mode_names[] = {"express", "standard", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'j',
     .name = "max-concurrency",
     .argument = "N",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, concurrency),
     .env = "FANLINE_MAX_CONCURRENCY",
     .help = "run N, +N or N% of the processors (default) at a time"},
    {.name = "control",
     .argument = "FILE",
     .file = CLI_READS,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, control),
     .help = "take settings from FILE whenever it changes"},
    {.name = "rate",
     .argument = "N/s",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, rate),
     .help = "start at most N a second (/min, /h)"},
    {.name = "delay",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, delay),
     .help = "wait so long between two starts"},
    {.name = "load",
     .argument = "MAX",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, load),
     .help = "start nothing while the load is higher (1.5, 80%)"},
    {.name = "memfree",
     .argument = "SIZE",
     .type = CLI_SIZE,
     .offset = offsetof(struct options, memory),
     .help = "start nothing while less memory is available"},
    {.letter = 'k',
     .name = "keep-order",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, keep_order),
     .help = "write records in the order of the items"},
    {.letter = 'n',
     .name = "max-items",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_items),
     .help = "stop reading after N items (0: no limit)"},
    {.name = "total",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, total),
     .help = "there will be N items: judge percentages early"},
    {.name = "tolerated-failure-count",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, tolerance.count),
     .given_offset = offsetof(struct options, tolerance.has_count),
     .help = "up to N failures are fine"},
    {.name = "tolerated-failure-percentage",
     .argument = "P",
     .type = CLI_PERCENT,
     .offset = offsetof(struct options, tolerance.percent_millionths),
     .given_offset = offsetof(struct options, tolerance.has_percent),
     .help = "up to P percent of failures are fine"},
    {.name = "tolerate-by",
     .argument = "WHAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, tolerate_by),
     .choices = tolerate_names,
     .help = "count failed executions (default), or items"},
    {.name = "stop",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, stop),
     .choices = stop_names,
     .help = "too many failures: abort (default), now, drain"},
    {.name = "finish-all",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, finish_all),
     .help = "run all items, however many fail"},
    {.name = "retry",
     .argument = "RULE",
     .type = CLI_LIST,
     .offset = offsetof(struct options, retries),
     .help = "ERRORS:MaxAttempts=3,IntervalSeconds=1,BackoffRate=2,..."},
    {.name = "retry-policy",
     .argument = "FILE",
     .file = CLI_READS,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, policy),
     .help = "rules as flow definitions have them (Retry)"},
    {.name = "catch",
     .argument = "ERRORS=COMMAND",
     .bytes = true,
     .type = CLI_LIST,
     .offset = offsetof(struct options, catches),
     .help = "run a shell COMMAND for what failed for good"},
    {.name = "timeout",
     .argument = "DURATION",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, timeout),
     .help = "end what takes longer: 10s, or 200% of the median"},
    {.name = "heartbeat",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, heartbeat),
     .help = "end what writes nothing to descriptor 3 for so long"},
    {.name = "kill-after",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, kill_after),
     .env = "FANLINE_KILL_AFTER",
     .help = "from TERM to KILL (default 5s)"},
    {.letter = 'I',
     .name = "replace",
     .argument = "TOKEN",
     .bytes = true,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, mark),
     .help = "what stands for the item in an ARG (default {})"},
    {.name = "no-replace",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, no_replace),
     .help = "take every ARG as it is"},
    {.name = "shell",
     .argument = "STRING",
     .bytes = true,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, shell),
     .help = "run sh -c STRING; operands become $1, $2..."},
    {.name = "output-format",
     .argument = "FORMAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, format),
     .choices = format_names,
     .help = "what commands print: auto (default), json, text, none"},
    {.name = "emit",
     .argument = "WHAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, emit),
     .choices = emit_names,
     .help = "write the record (default) or just the output"},
    {.name = "items",
     .argument = "WHAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, items),
     .choices = items_names,
     .help = "what a line is: auto (default), one item, a batch"},
    {.name = "worker",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, worker),
     .choices = worker_names,
     .help = "lines: commands stay, a line for a line; answers: marked"},
    {.name = "window",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, window),
     .given_offset = offsetof(struct options, window_given),
     .min = 1,
     .max = 100000,
     .help = "items that a worker has at a time (default 1)"},
    {.name = "mode",
     .argument = "MODE",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, mode),
     .choices = mode_names,
     .help = "express (default), or standard: with a journal"},
    {.name = "journal",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, journal),
     .help = "keep what has ended; a rerun goes on from there"},
    {.name = "force",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, force),
     .help = "go on with the journal of another command"},
    {.name = "line-buffer",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, line_buffer),
     .help = "pass on lines as they come instead of records"},
    {.name = "tag",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, tag),
     .help = "with --line-buffer: the item and a TAB before each line"},
    {.name = "dry-run",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, dry),
     .help = "write the command lines and run nothing"},
    {.name = "log",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, log),
     .help = "append a line of JSON to FILE for each attempt"},
    {.name = "run-name",
     .argument = "NAME",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, run_name),
     .help = "the name of the run (default: a UUID)"},
    {.name = "flow-name",
     .argument = "NAME",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, flow_name),
     .help = "FlowName of the records (default: empty)"},
    {.name = "temp-dir",
     .argument = "FOLDER",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, folder),
     .file = CLI_FOLDERS,
     .bytes = true,
     .env = "TMPDIR",
     .help = "where large outputs are kept (default /tmp)"},
};

#endif
