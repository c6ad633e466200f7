/* resultwrite: collect what became of each execution, as one document or as files. */
#include "cli/cli.h"
#include "cli/stream.h"
#include "result/result.h"

struct options {
    struct result_options result;
    int wrap;
    bool wrap_given;
    int form;
    bool form_given;
    struct cli_stream stream;
};

static const char *const wraps[] = {
    [OUTPUT_OBJECT] = "object", [OUTPUT_ARRAY] = "array", [OUTPUT_LINES] = "lines", NULL};
static const char *const forms[] = {[FILES_CLOUDFLOW] = "cloudflow", [FILES_FULL] = "full", NULL};

static const struct cli_option options[] = {
    {.letter = 'o',
     .name = "output",
     .argument = "DIR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.dest),
     .help = "write files into the folder DIR/RUN, with a manifest"},
    {.name = "run-name",
     .argument = "RUN",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.run_name),
     .help = "name of that folder (default: the run of the records)"},
    {.name = "expect",
     .argument = "N|FILE",
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
     .offset = offsetof(struct options, form),
     .given_offset = offsetof(struct options, form_given),
     .help = "with -o: cloudflow (default) or full"},
    {.name = "temp-dir",
     .argument = "DIR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, result.temp),
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

/* An option that could have no effect is an error. */
static int check(const struct options *o, struct err *e)
{
    if (o->result.dest && o->wrap_given) {
        return err_set(e, ERR_USAGE, "--wrap has no effect with --output");
    }
    if (!o->result.dest && (o->result.run_name || o->form_given)) {
        return err_set(e, ERR_USAGE, "--%s has no effect without --output",
                       o->form_given ? "records" : "run-name");
    }
    return result_check(&o->result, e);
}

static int run(const struct options *o, struct err *e)
{
    struct cli_stream_io io;
    struct lines_in in;
    struct result_summary summary;
    if (cli_stream_open(&io, &program, &o->stream, e) < 0) {
        return cli_fail(&program, e);
    }
    lines_open(&in, &io.reader, &io.rules);
    int rc = result_run(&in, &o->result, &io.out, &summary, e);
    if (rc == 0 && summary.verdict.code != ERR_NONE) {
        if (in.rejected > 0) { /* bad data decides the exit status */
            cli_complain(&program, &summary.verdict);
        } else {
            *e = summary.verdict;
            rc = cli_status(e->code);
        }
    }
    int status = cli_stream_close(&io, rc, e, summary.lines, &in);
    lines_close(&in);
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
    o.result.wrap = (enum output_wrap)o.wrap;
    o.result.form = (enum files_form)o.form;
    if (check(&o, &e) < 0) {
        return cli_fail(&program, &e);
    }
    return run(&o, &e);
}
