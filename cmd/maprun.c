/* maprun: run a command for each item. */
#include "maprun_options.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/uuid.h"
#include "cli/stream.h"
#include "proc/signals.h"
#include "run/attempts.h"
#include "run/control.h"
#include "run/dry.h"
#include "run/fallback.h"
#include "run/journal.h"
#include "run/policy.h"
#include "run/run.h"
#include "run/throttle.h"
#include "run/timeout.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

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

/* With --line-buffer there are no records. */
static int check_lines(const struct options *o, struct err *e)
{
    if (o->tag && !o->line_buffer) {
        return err_set(e, ERR_USAGE, "--tag has no effect without --line-buffer");
    }
    if (!o->line_buffer) {
        return 0;
    }
    if (o->keep_order || o->emit || o->format || o->worker || o->journal || o->stream.end_mark) {
        return err_set(e, ERR_USAGE,
                       "--line-buffer writes no records: --keep-order, --emit, --output-format, "
                       "--worker, --journal and --end-mark have no effect");
    }
    return 0;
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
    if (o->window_given && !o->worker) {
        return err_set(e, ERR_USAGE, "--window has no effect without --worker");
    }
    if (o->worker && o->format == RUN_NONE) {
        return err_set(e, ERR_USAGE, "--output-format=none: a worker has to answer");
    }
    if ((o->mode == MODE_STANDARD) != (o->journal != NULL)) {
        return err_set(e, ERR_USAGE, "--mode=standard and --journal=FILE belong together");
    }
    if (o->force && !o->journal) {
        return err_set(e, ERR_USAGE, "--force has no effect without --journal");
    }
    if (o->run_name && !*o->run_name) {
        return err_set(e, ERR_USAGE, "--run-name is empty");
    }
    return check_lines(o, e);
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

/* A worker is started before there is an item. */
static int check_marks(const struct argv_template *t, struct err *e)
{
    for (size_t i = 0; i < t->part_count; i++) {
        if (t->parts[i].kind != ARGV_TEXT && t->parts[i].kind != ARGV_SLOT) {
            return err_set(e, ERR_USAGE,
                           "a worker has no item in its arguments (--no-replace takes them as they "
                           "are)");
        }
    }
    return 0;
}

/* A rule that was meant for any error would match none. */
static void warn_of_typos(struct span errors)
{
    struct span typo = retry_typo(errors);
    if (typo.len > 0) {
        cli_warn(&program, "'%.*s' is the name of an error, not a wildcard such as States.ALL",
                 (int)typo.len, typo.at);
    }
}

static int make_policy(const struct options *o, struct retry_policy *policy, struct err *e)
{
    for (size_t i = 0; i < o->retries.count; i++) {
        if (retry_add(policy, span_text(o->retries.items[i]), e) < 0) {
            err_prefix(e, "--retry");
            return -1;
        }
    }
    if (o->policy && policy_read(policy, o->policy, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < policy->count; i++) {
        warn_of_typos(policy->rules[i].errors);
    }
    return 0;
}

static int make_fallbacks(const struct options *o, struct fallbacks *f, struct err *e)
{
    for (size_t i = 0; i < o->catches.count; i++) {
        if (fallback_add(f, o->catches.items[i], e) < 0) {
            err_prefix(e, "--catch");
            return -1;
        }
        warn_of_typos(f->at[i].errors);
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

/* What the options come to. */
struct plan {
    struct argv_template command;
    struct retry_policy policy;
    struct fallbacks fallbacks;
    struct control control;
    struct throttle throttle;
    struct attempts log;
    struct journal journal;
    int64_t slots;
    int64_t timeout;
    uint64_t timeout_percent;
    char fresh_name[UUID_TEXT_MAX];
    const char *run_name;
};

static struct run_rules make_rules(const struct options *o, struct plan *plan,
                                   struct cli_stream_io *io)
{
    return (struct run_rules){
        .command = &plan->command,
        .environment = (const char *const *)environ,
        .folder = o->folder,
        .name = span_text(plan->run_name),
        .flow = span_text(o->flow_name ? o->flow_name : ""),
        .slots = (size_t)plan->slots,
        .window = o->worker ? (size_t)o->window : 0,
        .answers = o->worker == WORKER_ANSWERS,
        .control = &plan->control,
        .throttle = &plan->throttle,
        .journal = o->journal ? &plan->journal : NULL,
        .max_items = (uint64_t)o->max_items,
        .total = (uint64_t)o->total,
        .max_output = o->stream.max_item_bytes,
        .max_depth = (uint64_t)o->stream.max_depth,
        .tolerance = o->tolerance,
        .by_items = o->tolerate_by != 0,
        .stop = (enum run_stop)o->stop,
        .retry = plan->policy.count > 0 ? &plan->policy : NULL,
        .fallbacks = &plan->fallbacks,
        .log = o->log ? &plan->log : NULL,
        .timeout = plan->timeout,
        .timeout_percent = plan->timeout_percent,
        .heartbeat = o->heartbeat > 0 ? o->heartbeat : -1,
        .kill_after = o->kill_after,
        .format = (enum run_format)o->format,
        .items = (enum run_items)o->items,
        .emit = o->line_buffer ? RUN_EMIT_LINES : (enum run_emit)o->emit,
        .keep_order = o->keep_order,
        .tag = o->tag,
        .finish_all = o->finish_all,
        .look = look,
        .watch = io->progress.signals.fd,
        .speak = speak,
        .notice = show_notice,
        .context = io,
    };
}

/* -v: what became of all. */
static void show_summary(const struct run_report *report)
{
    const struct run_counts *c = &report->counts;
    cli_warn(&program,
             "%llu items: %llu succeeded (%llu of them before), %llu failed, %llu timed out, "
             "%llu aborted, %llu pending",
             (unsigned long long)c->items, (unsigned long long)c->succeeded,
             (unsigned long long)report->replayed, (unsigned long long)c->failed,
             (unsigned long long)c->timed_out, (unsigned long long)c->aborted,
             (unsigned long long)c->pending);
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

static int make_pace(const struct options *o, struct plan *plan, struct err *e)
{
    int64_t count = processors();
    plan->slots = count;
    plan->control = (struct control){.file = o->control, .processors = count};
    plan->throttle = (struct throttle){.folder = "/proc", .delay = o->delay, .memory = o->memory};
    if (o->concurrency &&
        control_concurrency(span_text(o->concurrency), count, &plan->slots, e) < 0) {
        err_prefix(e, "--max-concurrency");
        return -1;
    }
    if (o->rate && throttle_rate(span_text(o->rate), &plan->throttle.interval, e) < 0) {
        err_prefix(e, "--rate");
        return -1;
    }
    if (o->load && throttle_load(span_text(o->load), count, &plan->throttle.load, e) < 0) {
        err_prefix(e, "--load");
        return -1;
    }
    if (timeout_parse(span_text(o->timeout), &plan->timeout, &plan->timeout_percent, e) < 0) {
        err_prefix(e, "--timeout");
        return -1;
    }
    return 0;
}

static int make_plan(const struct options *o, const struct cli_operands *operands,
                     struct plan *plan, struct err *e)
{
    if (check_options(o, operands, e) < 0 || make_policy(o, &plan->policy, e) < 0 ||
        make_fallbacks(o, &plan->fallbacks, e) < 0 || make_pace(o, plan, e) < 0 ||
        make_command(o, operands, &plan->command, e) < 0) {
        return -1;
    }
    return o->worker ? check_marks(&plan->command, e) : 0;
}

/* What a journal knows the command by: its words. */
static void put_command(const struct options *o, const struct cli_operands *operands,
                        struct buf *out)
{
    const char *mark = o->no_replace ? "" : o->mark ? o->mark : "{}";
    const char *const words[] = {o->shell ? "sh -c" : "exec", mark, o->shell ? o->shell : ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        buf_printf(out, "%s%c", words[i], '\0');
    }
    for (int i = 0; i < operands->count; i++) {
        buf_printf(out, "%s%c", operands->at[i], '\0');
    }
}

/* The files of the run, and its name. */
static int open_plan(const struct options *o, const struct cli_operands *operands,
                     struct plan *plan, struct err *e)
{
    struct buf command = {0};
    int rc = 0;
    uuid_make(plan->fresh_name);
    plan->run_name = o->run_name ? o->run_name : plan->fresh_name;
    if (o->journal && !o->dry) {
        put_command(o, operands, &command);
        rc = journal_open(&plan->journal, o->journal, buf_span(&command), o->force, o->run_name,
                          plan->fresh_name, e);
        buf_release(&command);
        plan->run_name = rc == 0 ? plan->journal.run_name.at : plan->run_name;
    }
    return rc < 0 ? rc : attempts_open(&plan->log, o->log, span_text(plan->run_name), e);
}

static int run_dry(const struct run_rules *rules, struct cli_stream_io *io)
{
    struct err e = {0};
    struct lines_in in;
    uint64_t written = 0;
    lines_open(&in, &io->reader, &io->rules);
    int rc = dry_lines(rules, &in, &io->out, &written, &e);
    int status = cli_stream_close(io, rc, &e, written, &in);
    lines_close(&in);
    return status;
}

static int run(const struct options *o, struct plan *plan, struct cli_stream_io *io)
{
    struct err e = {0};
    struct lines_in in;
    struct run_report report;
    struct run_rules rules = make_rules(o, plan, io);
    if (o->dry) {
        return run_dry(&rules, io);
    }
    lines_open(&in, &io->reader, &io->rules);
    io->progress.total_items = (uint64_t)o->total;
    int rc = run_lines(&rules, &in, &io->out, STDERR_FILENO, &report, &e);
    if (attempts_close(&plan->log, rc < 0 ? NULL : &e) < 0 && rc == 0) {
        rc = -1;
    }
    journal_close(&plan->journal);
    if (o->stream.verbose) {
        progress_clear(&io->progress);
        show_summary(&report);
    }
    int status = finish(io, rc, &e, &in, &report);
    lines_close(&in);
    return status;
}

static void release_plan(struct plan *plan)
{
    argv_release(&plan->command);
    retry_release(&plan->policy);
    fallback_release(&plan->fallbacks);
    journal_close(&plan->journal);
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS,
                        .folder = "/tmp",
                        .timeout = "never",
                        .heartbeat = -1,
                        .window = 1,
                        .kill_after = 5 * CLOCK_SECOND};
    struct cli_operands operands;
    struct cli_stream_io io;
    struct plan plan = {.log.fd = -1};
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status == CLI_RUN) {
        status = make_plan(&o, &operands, &plan, &e) < 0 ||
                         open_plan(&o, &operands, &plan, &e) < 0 ||
                         cli_stream_open(&io, &program, &o.stream, &e) < 0
                     ? cli_fail(&program, &e)
                     : run(&o, &plan, &io);
    }
    release_plan(&plan);
    cli_list_release(&o.retries);
    cli_list_release(&o.catches);
    return status;
}
