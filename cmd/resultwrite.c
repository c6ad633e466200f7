/* resultwrite: collect what became of each execution, as one document or as files. */
#include "cli/cli.h"
#include "cli/object_option.h"
#include "cli/stop.h"
#include "cli/stream.h"
#include "result/result.h"

#include <unistd.h>

struct options {
    struct result_options result;
    int wrap;
    bool wrap_given;
    int records;
    int transform;
    int tolerate_by;
    bool transform_given;
    int type;
    int64_t max_items;
    struct cli_stream stream;
};

static const char *const wraps[] = {
    [OUTPUT_OBJECT] = "object", [OUTPUT_ARRAY] = "array", [OUTPUT_LINES] = "lines", NULL};
static const char *const forms[] = {
    [FORM_CLOUDFLOW] = "cloudflow", [FORM_FULL] = "full", [FORM_AWS] = "aws", NULL};
static const char *const tolerate_names[] = {"executions", "items", NULL};

static const char *const transforms[] = {
    [FORM_NONE] = "none", [FORM_COMPACT] = "compact", [FORM_FLATTEN] = "flatten", NULL};
static const char *const types[] = {"json", "jsonl", NULL};

static const struct cli_option options[] = {
    {.letter = 'o',
     .name = "output",
     .argument = "DEST",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.dest),
     .file = CLI_FOLDERS,
     .help = "write to DEST/RUN: a folder, s3:// or oss://BUCKET/PREFIX"},
    {.name = "run-name",
     .argument = "RUN",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.run_name),
     .help = "name of the run (default: that of the records)"},
    {.name = "append-run",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, result.append),
     .help = "add to the results of that run if there are any"},
    {.name = "redrive",
     .argument = "MANIFEST",
     .file = CLI_READS,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.redrive),
     .help = "merge with a run: what failed there and came again"},
    {.name = "expect",
     .argument = "N|FILE",
     .file = CLI_READS,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.expect),
     .help = "fail unless N items come, or as many as FILE states"},
    {.name = "tolerated-failure-count",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, result.tolerance.count),
     .given_offset = offsetof(struct options, result.tolerance.has_count),
     .help = "exit 4 only if more executions failed"},
    {.name = "tolerated-failure-percentage",
     .argument = "P",
     .type = CLI_PERCENT,
     .offset = offsetof(struct options, result.tolerance.percent_millionths),
     .given_offset = offsetof(struct options, result.tolerance.has_percent),
     .help = "exit 4 only if a larger part of them failed"},
    {.name = "tolerate-by",
     .argument = "WHAT",
     .type = CLI_CHOICE,
     .choices = tolerate_names,
     .offset = offsetof(struct options, tolerate_by),
     .help = "count failed executions (default), or the items in them"},
    {.name = "wrap",
     .argument = "FORM",
     .type = CLI_CHOICE,
     .choices = wraps,
     .offset = offsetof(struct options, wrap),
     .given_offset = offsetof(struct options, wrap_given),
     .help = "without -o: object (default), array or lines"},
    {.name = "records",
     .argument = "FORM",
     .type = CLI_CHOICE,
     .choices = forms,
     .offset = offsetof(struct options, records),
     .given_offset = offsetof(struct options, result.has_records),
     .help = "form of records: cloudflow (default), full or aws"},
    {.name = "transform",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .choices = transforms,
     .offset = offsetof(struct options, transform),
     .given_offset = offsetof(struct options, transform_given),
     .help = "none: records; compact: outputs; flatten: their elements"},
    {.name = "type",
     .argument = "TYPE",
     .type = CLI_CHOICE,
     .choices = types,
     .offset = offsetof(struct options, type),
     .given_offset = offsetof(struct options, result.has_type),
     .help = "type of files: json (default) or jsonl"},
    {.name = "max-file-bytes",
     .argument = "SIZE",
     .type = CLI_SIZE,
     .offset = offsetof(struct options, result.files.max_bytes),
     .help = "begin another file before one grows larger"},
    {.name = "max-file-items",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_items),
     .help = "begin another file after N records"},
    {.name = "summary",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .implied = "-",
     .dash = true,
     .offset = offsetof(struct options, result.summary),
     .help = "tell the run in numbers, on standard output or in FILE"},
    {.name = "report",
     .argument = "FILE",
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.report),
     .help = "draw the run: one HTML page that needs nothing else"},
    {.name = "temp-dir",
     .argument = "FOLDER",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.temp),
     .file = CLI_FOLDERS,
     .bytes = true,
     .env = "TMPDIR",
     .help = "for outputs that come too early (default /tmp)"},
};

static const struct cli_program program = {
    .name = "resultwrite",
    .summary = "Collect records: the output of a Map state, or result files with a manifest",
    .usage = "",
    .example = "  maprun --run-name r1 -- ./work <items | resultwrite -o results/ --expect=5",
    .tables = {{options, sizeof options / sizeof *options, 0}, CLI_STREAM_TABLE(struct options)},
};

/* What the options come to. Returns 0, or -1 with E filled: one could have no effect. */
static int settle(struct options *o, struct err *e)
{
    struct result_options *r = &o->result;
    bool to_files = r->dest || r->redrive;
    if (to_files && o->wrap_given) {
        return err_set(e, ERR_USAGE, "--wrap has no effect with --%s",
                       r->dest ? "output" : "redrive");
    }
    r->wrap = (enum output_wrap)o->wrap;
    r->by_items = o->tolerate_by != 0;
    r->files.form.records = (enum form_records)o->records;
    r->files.form.transform = o->transform_given ? (enum form_transform)o->transform
                              : to_files         ? FORM_NONE
                                                 : FORM_COMPACT;
    r->files.form.lines = o->type == 1;
    r->files.max_items = (uint64_t)o->max_items;
    r->summary_table = isatty(STDOUT_FILENO);
    return result_check(r, e);
}

static int passed(void *watcher, uint64_t items, struct err *e)
{
    struct cli_stop *stop = watcher;
    progress_count(&stop->io->progress, items);
    return (items & 1023) == 0 ? cli_stop_look(stop, e) : 0;
}

/* The end. Returns the exit status; does not return where the signal STOPPED is to decide it. */
static int finish(struct cli_stream_io *io, int rc, const struct result_outcome *outcome,
                  int stopped, struct lines_in *in, struct err *e)
{
    if (stopped) {
        *e = (struct err){0};
        if (writer_backlog(&io->out) == 0) {
            cli_stream_close(io, 128 + stopped, e, outcome->lines, in);
        }
        signals_die(stopped);
        return 128 + stopped;
    }
    if (rc == 0 && outcome->verdict.code != ERR_NONE) {
        if (in->rejected > 0) { /* bad data decides the exit status */
            cli_complain(&program, &outcome->verdict);
        } else {
            *e = outcome->verdict;
            rc = cli_status(e->code);
        }
    }
    return cli_stream_close(io, rc, e, outcome->lines, in);
}

/* The filter itself. Returns the exit status. */
static int collect(struct options *o, struct err *e)
{
    struct cli_stream_io io;
    struct cli_stop stop;
    struct lines_in in;
    struct result_outcome outcome = {0};
    if (cli_stream_open(&io, &program, &o->stream, e) < 0 || cli_stop_open(&stop, &io, e) < 0) {
        return cli_fail(&program, e);
    }
    lines_open(&in, &io.reader, &io.rules);
    lines_note(&in);
    o->result.passed = passed;
    o->result.watcher = &stop;
    int rc = result_run(&in, &o->result, &io.out, &outcome, e);
    int status = finish(&io, rc, &outcome, cli_stop_close(&stop), &in, e);
    lines_close(&in);
    return status;
}

static int run(struct options *o, struct err *e)
{
    struct cli_object objects;
    if (cli_object_open(&objects, &program, o->stream.verbose, e) < 0) {
        return cli_fail(&program, e);
    }
    o->result.client = objects.client;
    int status = collect(o, e);
    cli_object_close(&objects);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.result.temp = "/tmp", .stream = CLI_STREAM_DEFAULTS};
    struct cli_operands operands;
    struct err e = {0};
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    return settle(&o, &e) < 0 ? cli_fail(&program, &e) : run(&o, &e);
}
