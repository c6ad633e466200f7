/* maprun: run a command for each item. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "cli/stream.h"
#include "proc/signals.h"
#include "run/run.h"
#include "json/text.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
    struct cli_stream stream;
    int64_t slots;
    int64_t max_items;
    int64_t total;
    struct tolerance tolerance;
    bool finish_all;
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
    int64_t timeout;
    int64_t kill_after;
};

static const char *const format_names[] = {"auto", "json", "text", "none", NULL};
static const char *const items_names[] = {"auto", "one", "batch", NULL};
static const char *const emit_names[] = {"record", "output", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'j',
     .name = "max-concurrency",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, slots),
     .env = "FANLINE_MAX_CONCURRENCY",
     .min = 1,
     .max = 10000,
     .help = "run N commands at a time (default: processors)"},
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
    {.name = "finish-all",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, finish_all),
     .help = "run all items, however many fail"},
    {.name = "retry",
     .argument = "RULE",
     .type = CLI_LIST,
     .offset = offsetof(struct options, retries),
     .help = "ERRORS:MaxAttempts=3,IntervalSeconds=1,BackoffRate=2,..."},
    {.name = "timeout",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, timeout),
     .never = true,
     .help = "end a command that takes longer"},
    {.name = "kill-after",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, kill_after),
     .env = "FANLINE_KILL_AFTER",
     .help = "from TERM to KILL (default 5s)"},
    {.letter = 'I',
     .name = "replace",
     .argument = "TOKEN",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, mark),
     .help = "what stands for the item in an ARG (default {})"},
    {.name = "no-replace",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, no_replace),
     .help = "take every ARG as it is"},
    {.name = "shell",
     .argument = "STRING",
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
     .env = "TMPDIR",
     .help = "where large outputs are kept (default /tmp)"},
};

static const struct cli_program program = {
    .name = "maprun",
    .summary = "Run a command for each item or batch",
    .usage = "[--] COMMAND [ARG...]",
    .example = "  $ printf '1\\n2\\n' | maprun -k --emit=output -- sh -c 'echo $(($1 * 2))' sh {}\n"
               "  2\n"
               "  4",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STREAM_TABLE(struct options)},
    .stop_at_operand = true,
    .max_operands = -1,
};

static int64_t processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    return count > 0 ? count : 1;
}

static int check_name(const char *option, const char *name, struct err *e)
{
    size_t bad;
    return !name || text_is_utf8(span_text(name), &bad)
               ? 0
               : err_set(e, ERR_USAGE, "--%s is not UTF-8 at byte %zu", option, bad);
}

static int check_options(const struct options *o, const struct cli_operands *operands,
                         struct err *e)
{
    if (operands->count == 0 && !o->shell) {
        return err_set(e, ERR_USAGE, "a command is needed");
    }
    if (o->no_replace && o->mark) {
        return err_set(e, ERR_USAGE, "--replace has no effect with --no-replace");
    }
    if (o->run_name && !*o->run_name) {
        return err_set(e, ERR_USAGE, "--run-name is empty");
    }
    return check_name("run-name", o->run_name, e) < 0 ||
                   check_name("flow-name", o->flow_name, e) < 0
               ? -1
               : 0;
}

/* The command line: the operands, or those of a shell. The STRING of --shell has no marks. */
static int make_command(const struct options *o, const struct cli_operands *operands,
                        struct argv_template *t, struct err *e)
{
    static char shell[] = "/bin/sh", dash_c[] = "-c", name[] = "sh";
    const char *mark = o->no_replace ? NULL : o->mark ? o->mark : "{}";
    size_t count = (size_t)operands->count;
    if (!o->shell) {
        return argv_parse(t, operands->at, count, mark, e);
    }
    char **at = mem_new(count + 4, sizeof *at);
    at[0] = shell;
    at[1] = dash_c;
    at[2] = (char *)(uintptr_t)o->shell;
    at[3] = name;
    memcpy(at + 4, operands->at, count * sizeof *at);
    int rc = argv_parse(t, at, count + 4, mark, e);
    if (rc == 0) {
        t->args[2].fixed = o->shell;
    }
    free(at);
    return rc;
}

static int make_policy(const struct options *o, struct retry_policy *policy, struct err *e)
{
    for (size_t i = 0; i < o->retries.count; i++) {
        if (retry_add(policy, span_text(o->retries.items[i]), e) < 0) {
            err_prefix(e, "--retry");
            return -1;
        }
    }
    return 0;
}

static int64_t look(void *context, const struct run_counts *c)
{
    struct cli_stream_io *io = context;
    io->progress.items = c->succeeded + c->failed + c->timed_out + c->aborted + c->pending;
    progress_look(&io->progress);
    return io->progress.next;
}

static void speak(void *context)
{
    struct cli_stream_io *io = context;
    progress_clear(&io->progress);
}

static void show_notice(void *context, const char *text)
{
    speak(context);
    cli_warn(&program, "%s", text);
}

static struct run_rules make_rules(const struct options *o, const char *run_name,
                                   struct cli_stream_io *io)
{
    return (struct run_rules){
        .environment = (const char *const *)environ,
        .folder = o->folder,
        .name = span_text(run_name),
        .flow = span_text(o->flow_name ? o->flow_name : ""),
        .slots = (size_t)o->slots,
        .max_items = (uint64_t)o->max_items,
        .total = (uint64_t)o->total,
        .max_output = o->stream.max_item_bytes,
        .max_depth = (uint64_t)o->stream.max_depth,
        .tolerance = o->tolerance,
        .timeout = o->timeout,
        .kill_after = o->kill_after,
        .format = (enum run_format)o->format,
        .items = (enum run_items)o->items,
        .emit = (enum run_emit)o->emit,
        .keep_order = o->keep_order,
        .finish_all = o->finish_all,
        .look = look,
        .watch = io->progress.signals.fd,
        .speak = speak,
        .notice = show_notice,
        .context = io,
    };
}

/* The end. A signal decides the status before all, and refused input before failures. */
static int finish(struct cli_stream_io *io, int rc, struct err *e, struct lines_in *in,
                  const struct run_report *report)
{
    struct err refused = {0};
    if (report->signal) {
        *e = (struct err){0};
        if (writer_backlog(&io->out) == 0) {
            cli_stream_close(io, 128 + report->signal, e, report->written, in);
        }
        signals_die(report->signal);
        return 128 + report->signal;
    }
    int status = cli_stream_close(io, rc, e, report->written, in);
    if (e->code == ERR_FAILED && in->rejected > 0) {
        status = lines_status(in, &refused);
        cli_fail(&program, &refused);
    }
    return status;
}

/* What the options come to. */
struct plan {
    struct argv_template command;
    struct retry_policy policy;
};

static int make_plan(const struct options *o, const struct cli_operands *operands,
                     struct plan *plan, struct err *e)
{
    if (check_options(o, operands, e) < 0 || make_policy(o, &plan->policy, e) < 0) {
        return -1;
    }
    return make_command(o, operands, &plan->command, e);
}

static int run(const struct options *o, const struct plan *plan, struct cli_stream_io *io)
{
    char id[UUID_TEXT_MAX];
    struct err e = {0};
    struct lines_in in;
    struct run_report report;
    struct run_rules rules = make_rules(o, o->run_name ? o->run_name : uuid_make(id), io);
    rules.command = &plan->command;
    rules.retry = plan->policy.count > 0 ? &plan->policy : NULL;
    lines_open(&in, &io->reader, &io->rules);
    io->progress.total_items = (uint64_t)o->total;
    int rc = run_lines(&rules, &in, &io->out, STDERR_FILENO, &report, &e);
    int status = finish(io, rc, &e, &in, &report);
    lines_close(&in);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS,
                        .slots = processors(),
                        .folder = "/tmp",
                        .timeout = -1,
                        .kill_after = 5 * CLOCK_SECOND};
    struct cli_operands operands;
    struct cli_stream_io io;
    struct plan plan = {0};
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status == CLI_RUN) {
        status = make_plan(&o, &operands, &plan, &e) < 0 ||
                         cli_stream_open(&io, &program, &o.stream, &e) < 0
                     ? cli_fail(&program, &e)
                     : run(&o, &plan, &io);
    }
    argv_release(&plan.command);
    retry_release(&plan.policy);
    cli_list_release(&o.retries);
    return status;
}
