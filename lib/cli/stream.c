#include "cli/stream.h"

#include <string.h>
#include <unistd.h>

static const char *const when_names[] = {"auto", "always", "never", NULL};

const struct cli_option cli_stream_options[] = {
    {.name = "end-mark",
     .type = CLI_FLAG,
     .offset = offsetof(struct cli_stream, end_mark),
     .env = "FANLINE_END_MARK",
     .help = "end the output with an end mark, demand one of the input"},
    {.name = "rejects",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct cli_stream, rejects),
     .help = "put refused lines into FILE and go on (exit 1 at the end)"},
    {.name = "max-depth",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct cli_stream, max_depth),
     .env = "FANLINE_MAX_DEPTH",
     .min = 1,
     .max = INT64_C(1) << 40,
     .help = "refuse JSON nested deeper (default 10000)"},
    {.name = "max-item-bytes",
     .argument = "SIZE",
     .type = CLI_SIZE,
     .offset = offsetof(struct cli_stream, max_item_bytes),
     .env = "FANLINE_MAX_ITEM_BYTES",
     .help = "refuse larger items (default 256MiB)"},
    {.name = "strict",
     .type = CLI_FLAG,
     .offset = offsetof(struct cli_stream, strict),
     .env = "FANLINE_STRICT",
     .help = "refuse objects that have two members of one name"},
    {.letter = 'q',
     .name = "quiet",
     .type = CLI_FLAG,
     .offset = offsetof(struct cli_stream, quiet),
     .help = "say nothing about single refused lines"},
    {.letter = 'v',
     .name = "verbose",
     .type = CLI_FLAG,
     .offset = offsetof(struct cli_stream, verbose),
     .help = "show all messages, and at the end what was done"},
    {.name = "progress",
     .argument = "WHEN",
     .type = CLI_CHOICE,
     .offset = offsetof(struct cli_stream, progress),
     .env = "FANLINE_PROGRESS",
     .choices = when_names,
     .help = "show progress: auto (default: on a terminal), always, never"},
};

_Static_assert(sizeof cli_stream_options / sizeof *cli_stream_options == CLI_STREAM_COUNT,
               "the table and its count in stream.h");

/* Of messages about single lines not all are shown; a store that is away is not one of them. */
static void report(void *context, const struct err *e)
{
    struct cli_stream_io *io = context;
    bool all = io->verbose || e->code == ERR_LATER;
    enum kinds_verdict verdict = all ? KINDS_SHOW : kinds_add(&io->kinds, e->text);
    if (verdict == KINDS_COUNT) {
        return;
    }
    progress_clear(&io->progress);
    if (verdict == KINDS_FIRST) {
        cli_warn(io->program, "more messages of this kind are only counted (-v shows all)");
    } else {
        cli_complain(io->program, e);
    }
}

/* How many messages were not shown. */
static void report_hidden(const struct cli_stream_io *io)
{
    for (size_t i = 0; i < io->kinds.count; i++) {
        const char *text = io->kinds.at[i].text;
        uint64_t hidden = kinds_hidden(&io->kinds, i);
        if (hidden > 0) {
            cli_warn(io->program, "and %llu more: %s", (unsigned long long)hidden,
                     *text ? text : "other faults");
        }
    }
}

int cli_stream_open(struct cli_stream_io *io, const struct cli_program *p,
                    const struct cli_stream *o, struct err *e)
{
    *io = (struct cli_stream_io){.program = p, .verbose = o->verbose};
    writer_init(&io->out, STDOUT_FILENO, "standard output");
    reader_init(&io->reader, STDIN_FILENO, "standard input", &io->out);
    io->rules = (struct lines_rules){
        .max_depth = (uint64_t)o->max_depth,
        .max_item_bytes = o->max_item_bytes,
        .strict = o->strict,
        .end_mark = o->end_mark,
        .report = o->quiet ? NULL : report,
        .context = io,
    };
    if (o->rejects) {
        if (cli_side_open(&io->rejects, p, o->rejects, e) < 0) {
            return -1;
        }
        io->rejects.early = true; /* what was refused is not lost with a process that is ended */
        io->rules.rejects = io->rejects.out;
        io->rules.trouble = &io->rejects.trouble;
    }
    progress_open(&io->progress, p->name, (enum progress_when)o->progress, &io->reader);
    return 0;
}

/* A failure at the end, told unless it is the one that ended the run; the status is the first
 * one's. */
static int also(const struct cli_program *p, int status, const struct err *first,
                const struct err *late)
{
    bool told = strcmp(first->text, late->text) == 0;
    int other = told ? cli_status(late->code) : cli_fail(p, late);
    return status ? status : other;
}

static void put_mark(struct cli_stream_io *io, int status, uint64_t items,
                     const struct lines_in *in)
{
    struct lines_mark mark = {.status = status, .items = items};
    mark.rejected = in ? in->mark.rejected + in->rejected : 0;
    lines_put_mark(&io->out, &mark);
}

int cli_stream_close(struct cli_stream_io *io, int rc, struct err *e, uint64_t items,
                     struct lines_in *in)
{
    const struct cli_program *p = io->program;
    struct err late = {0};
    progress_close(&io->progress);
    report_hidden(io);
    int status = rc < 0 ? cli_status(e->code) : rc;
    int mark = rc == 0 && in ? in->mark.status : status;
    if (rc == 0 && in) {
        status = lines_status(in, e);
    }
    int kept = cli_side_close(&io->rejects, &late);
    if (e->code == ERR_PIPE) {
        return cli_fail(p, e);
    }
    writer_rollback(&io->out);
    if (kept < 0) {
        mark = status = also(p, status, e, &late);
    }
    if (io->rules.end_mark) {
        put_mark(io, mark, items, in);
    }
    late = (struct err){0};
    if (writer_flush(&io->out, &late) < 0) {
        status = also(p, status, e, &late);
    }
    cli_fail(p, e);
    if (io->verbose) {
        cli_warn(p, "%llu items written", (unsigned long long)items);
    }
    writer_release(&io->out);
    reader_release(&io->reader);
    return status;
}
