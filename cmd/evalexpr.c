/* evalexpr: try an expression on each line. */
#include "base/buf.h"
#include "cli/expression.h"
#include "cli/stream.h"
#include "json/text.h"

struct options {
    struct cli_stream stream;
    bool attributes;
    bool nifi;
};

static const struct cli_option option_table[] = {
    {.letter = 'a',
     .name = "attributes",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, attributes),
     .help = "EXPR is a text with ${...} in it, even if it has none"},
    {.name = "nifi",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, nifi),
     .help = "evaluate ${...} exactly as NiFi does"},
};

static const struct cli_program program = {
    .name = "evalexpr",
    .summary = "Try an expression on each line",
    .usage = "EXPR",
    .example = "  $ echo '{\"id\":\"a7\"}' | evalexpr 'run-${id:toUpper()}'\n"
               "  \"run-A7\"",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STREAM_TABLE(struct options)},
    .max_operands = 1,
};

static int run(const struct attr_template *t, struct lines_in *in, struct writer *out,
               uint64_t *written, struct err *e)
{
    struct buf text = {0};
    struct buf json = {0};
    struct span line;
    int got;
    while ((got = lines_next(in, &line, e)) > 0) {
        buf_reset(&json);
        if (attr_eval(t, line, &text, NULL, e) == 0) {
            text_encode_lossy(&json, buf_span(&text));
            writer_put_span(out, buf_span(&json));
            writer_put_byte(out, '\n');
            writer_commit(out);
            ++*written;
        } else if (lines_refuse(in, e) < 0) {
            got = -1;
            break;
        }
    }
    buf_release(&text);
    buf_release(&json);
    return got;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS};
    struct cli_operands operands;
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status != CLI_RUN) {
        return status;
    }
    struct err e = {0};
    struct attr_rules rules = {.nifi = o.nifi};
    struct attr_template *t = NULL;
    struct cli_stream_io io;
    if (operands.count == 0) {
        err_set(&e, ERR_USAGE, "an expression is needed");
        return cli_fail(&program, &e);
    }
    if (cli_expression_with(&t, "EXPR", operands.at[0], &rules, &e) < 0 ||
        cli_stream_open(&io, &program, &o.stream, &e) < 0) {
        attr_free(t);
        return cli_fail(&program, &e);
    }
    struct lines_in in;
    uint64_t written = 0;
    lines_open(&in, &io.reader, &io.rules);
    int rc = run(t, &in, &io.out, &written, &e);
    status = cli_stream_close(&io, rc, &e, written, &in);
    lines_close(&in);
    attr_free(t);
    return status;
}
