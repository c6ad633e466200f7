/* tunnelget: serve a tunnel: read its channels, hand batches on, remember how far. */
#include "cli/object_option.h"
#include "cli/store_option.h"

#include "base/clock.h"
#include "proc/signals.h"
#include "tunnel/tunnel.h"

#include <limits.h>
#include <strings.h>
#include <unistd.h>

struct options {
    struct cli_store store;
    const char *to;
    int64_t interval, timeout, checkpoint, close_limit;
    bool close_given, jobs_given, attempts_given, poison_given;
    const char *tag;
    int64_t max_channels;
    int64_t batch;
    int64_t jobs;
    const char *on_open, *on_shutdown;
    int worker;
    bool worker_given;
    int poison;
    int64_t attempts;
    bool drain;
    bool quiet;
    bool verbose;
};

static const char *const worker_names[] = {"lines", NULL};
static const char *const poison_names[] = {"stop", "dlq", "skip", NULL};

static const struct cli_option option_table[] = {
    {.name = "to",
     .argument = "STREAM",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, to),
     .help = "append outputs there, with the checkpoint: exactly once"},
    {.letter = 'n',
     .name = "batch",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, batch),
     .min = 1,
     .max = 100000,
     .help = "at most N lines at a time (100)"},
    {.letter = 'j',
     .name = "max-concurrency",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, jobs),
     .given_offset = offsetof(struct options, jobs_given),
     .min = 1,
     .max = 1000,
     .help = "at most N commands at a time (16)"},
    {.name = "worker",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, worker),
     .given_offset = offsetof(struct options, worker_given),
     .choices = worker_names,
     .help = "lines: commands stay and answer each line with one"},
    {.name = "max-channels",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_channels),
     .env = "FANLINE_MAX_CHANNELS",
     .min = 1,
     .max = INT_MAX,
     .help = "take at most N channels (no limit)"},
    {.name = "heartbeat-interval",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, interval),
     .env = "FANLINE_HEARTBEAT_INTERVAL",
     .help = "tell the service so often that we live (5s)"},
    {.name = "heartbeat-timeout",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, timeout),
     .env = "FANLINE_HEARTBEAT_TIMEOUT",
     .help = "others take over after this silence (45s)"},
    {.name = "checkpoint-interval",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, checkpoint),
     .env = "FANLINE_CHECKPOINT_INTERVAL",
     .help = "remember so often how far each channel is (5s)"},
    {.name = "close-limit",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, close_limit),
     .given_offset = offsetof(struct options, close_given),
     .help = "a batch may hold up a hand-over so long (the timeout)"},
    {.name = "client-tag",
     .argument = "TAG",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, tag),
     .env = "FANLINE_CLIENT_TAG",
     .help = "what tunnelctl shows of us (the host's name)"},
    {.name = "on-open",
     .argument = "CMD",
     .bytes = true,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, on_open),
     .help = "run this by the shell before a channel is read"},
    {.name = "on-shutdown",
     .argument = "CMD",
     .bytes = true,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, on_shutdown),
     .help = "run this by the shell when a channel was given up"},
    {.name = "poison",
     .argument = "POLICY",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, poison),
     .given_offset = offsetof(struct options, poison_given),
     .choices = poison_names,
     .help = "a line that fails: stop (default), dlq, skip"},
    {.name = "attempts",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, attempts),
     .given_offset = offsetof(struct options, attempts_given),
     .min = 1,
     .max = 1000,
     .help = "tries for a line before that (3)"},
    {.name = "drain",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, drain),
     .help = "end when nothing is left to read"},
    {.letter = 'q',
     .name = "quiet",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, quiet),
     .help = "say nothing about what is survived"},
    {.letter = 'v',
     .name = "verbose",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, verbose),
     .help = "say at the end how many lines were delivered"},
};

static const struct cli_program program = {
    .name = "tunnelget",
    .summary = "Read the channels of a tunnel, together with others",
    .usage = "NAME [[--] COMMAND [ARG...]]",
    .example = "  tunnelget bills --to=results -- ./work",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_REDIS_TABLE(struct options)},
    .stop_at_operand = true,
    .max_operands = -1,
};

static int check_options(const struct options *o, const char *name, bool command, struct err *e)
{
    if (!name) {
        return err_set(e, ERR_USAGE, "no tunnel is named");
    }
    if (o->interval < 10 * CLOCK_MILLI) {
        return err_set(e, ERR_USAGE, "--heartbeat-interval: 10ms is the least");
    }
    if (o->timeout < 3 * o->interval) {
        return err_set(e, ERR_USAGE,
                       "--heartbeat-timeout must be at least three times the interval");
    }
    const char *idle = o->worker_given     ? "worker"
                       : o->jobs_given     ? "max-concurrency"
                       : o->attempts_given ? "attempts"
                       : o->poison_given   ? "poison"
                                           : NULL;
    if (!command && idle) {
        return err_set(e, ERR_USAGE, "--%s has no effect without a COMMAND", idle);
    }
    return 0;
}

static void tell(void *context, const char *text)
{
    const struct options *o = context;
    if (!o->quiet) {
        cli_warn(&program, "%s", text);
    }
}

static int serve(struct options *o, struct service *s, struct object_client *objects,
                 const char *name, char **command, struct err *e)
{
    struct writer out, messages;
    struct tunnel_report report;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    writer_init(&out, STDOUT_FILENO, "standard output");
    writer_init(&messages, STDERR_FILENO, "standard error");
    struct tunnel_rules rules = {.name = name,
                                 .tag = o->tag ? o->tag : host,
                                 .interval = o->interval,
                                 .timeout = o->timeout,
                                 .checkpoint_interval = o->checkpoint,
                                 .close_limit = o->close_given ? o->close_limit : o->timeout,
                                 .max_channels = o->max_channels,
                                 .batch = (size_t)o->batch,
                                 .jobs = (size_t)o->jobs,
                                 .command = (const char *const *)command,
                                 .envp = (const char *const *)environ,
                                 .workers = o->worker_given,
                                 .to = o->to,
                                 .objects = objects,
                                 .poison = (enum poison)o->poison,
                                 .attempts = o->attempts,
                                 .on_open = o->on_open,
                                 .on_shutdown = o->on_shutdown,
                                 .drain = o->drain,
                                 .out = &out,
                                 .messages = &messages,
                                 .tell = tell,
                                 .context = o};
    int rc = tunnel_serve(s, &rules, &report, e);
    writer_release(&out);
    writer_release(&messages);
    if (o->verbose) {
        cli_warn(&program, "%llu lines delivered, %llu set aside",
                 (unsigned long long)report.records, (unsigned long long)report.set_aside);
    }
    if (report.signal) {
        signals_die(report.signal);
    }
    return rc < 0 ? cli_fail(&program, e) : 0;
}

/* The name of the tunnel may stand before the options: take it out.  NULL: it does not. */
static const char *take_name(int *argc, char ***argv)
{
    if (*argc < 2 || (*argv)[1][0] == '-') {
        return NULL;
    }
    const char *name = (*argv)[1];
    (*argv)[1] = (*argv)[0];
    ++*argv;
    --*argc;
    return name;
}

/* Of OPERANDS: the NAME, where it did not stand before the options, and the COMMAND. */
static int take_operands(const struct cli_operands *operands, const char **name, char ***command,
                         struct err *e)
{
    char **rest = operands->at, **end = operands->at + operands->count;
    if (!*name && rest < end) {
        *name = *rest++;
        if (rest < end && strcmp(*rest, "--") == 0) {
            rest++;
        } else if (rest < end && **rest == '-') {
            return err_set(e, ERR_USAGE,
                           "'%s' stands where the command begins; options come before %s, or all "
                           "of them behind it",
                           *rest, *name);
        }
    }
    *command = rest < end ? rest : NULL;
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.interval = 5 * CLOCK_SECOND,
                        .timeout = 45 * CLOCK_SECOND,
                        .checkpoint = 5 * CLOCK_SECOND,
                        .max_channels = INT_MAX,
                        .batch = 100,
                        .jobs = 16,
                        .attempts = 3};
    struct cli_operands operands;
    struct service service = {0};
    struct cli_object objects = {0};
    struct buf url = {0};
    struct err e = {0};
    const char *name = take_name(&argc, &argv);
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    char **command = NULL;
    if (take_operands(&operands, &name, &command, &e) < 0 ||
        check_options(&o, name, command != NULL, &e) < 0 ||
        cli_object_open(&objects, &program, o.verbose, &e) < 0 ||
        cli_store_url(&url, &o.store, &e) < 0 || service_open(&service, buf_text(&url), &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        status = serve(&o, &service, objects.client, name, command, &e);
    }
    if (url.at) {
        explicit_bzero(url.at, url.cap);
    }
    buf_release(&url);
    service_close(&service);
    cli_object_close(&objects);
    return status;
}
