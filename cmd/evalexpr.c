/* evalexpr: try an expression on each line. */
#include "base/buf.h"
#include "cli/documents.h"
#include "cli/expression.h"
#include "cli/stream.h"
#include "expr/bound.h"
#include "json/text.h"

struct options {
    struct cli_stream stream;
    struct cli_documents documents;
    bool attributes;
    bool null_input;
    bool nifi;
};

static const struct cli_option option_table[] = {
    {.name = "attributes",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, attributes),
     .help = "EXPR is a text with ${...} in it, even if it has none"},
    {.name = "null-input",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, null_input),
     .help = "read nothing: evaluate once, $Item being null"},
    {.name = "nifi",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, nifi),
     .help = "evaluate ${...} exactly as NiFi does"},
};

static const struct cli_program program = {
    .name = "evalexpr",
    .summary = "Try an expression on each line",
    .usage = "EXPR",
    .example = "  $ echo '{\"id\":\"a7\",\"n\":5}' | evalexpr '$Item.n > 4'\n"
               "  true\n"
               "  $ echo '{\"id\":\"a7\",\"n\":5}' | evalexpr 'run-${id:toUpper()}'\n"
               "  \"run-A7\"",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_DOCUMENTS_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
    .texts = true,
    .max_operands = 1,
};

/* An expression of either notation, ready for lines; zero-initialised it can be released. */
struct setup {
    struct attr_template *attributes; /* NULL: `bound` is the expression */
    struct bound bound;
    struct buf context;
    struct buf text;
};

static int check_options(const struct options *o, bool attributes, struct err *e)
{
    if (attributes && (o->documents.input || o->documents.context)) {
        return err_set(e, ERR_USAGE, "--input and --context have no effect on ${...}");
    }
    if (!attributes && o->nifi) {
        return err_set(e, ERR_USAGE, "--nifi has no effect without ${...}");
    }
    return 0;
}

static int prepare(struct setup *s, const struct options *o, const char *text, struct err *e)
{
    struct attr_rules rules = {.nifi = o->nifi};
    uint64_t max_depth = (uint64_t)o->stream.max_depth;
    bool attributes = o->attributes || strstr(text, "${");
    if (check_options(o, attributes, e) < 0) {
        return -1;
    }
    if (attributes) {
        return cli_expression_with(&s->attributes, "EXPR", text, &rules, e);
    }
    if (bound_context(o->documents.context, max_depth, &s->context, e) < 0 ||
        bound_load_expression(&s->bound, text, o->documents.input, max_depth, e) < 0) {
        return -1;
    }
    return bound_check_context(&s->bound, o->documents.context, e);
}

/* The value for LINE, item number INDEX from 0, as JSON. */
static int evaluate(struct setup *s, uint64_t max_depth, struct span line, uint64_t index,
                    struct buf *json, struct err *e)
{
    buf_reset(json);
    if (!s->attributes) {
        struct template_item item = {
            .item = line, .index = index, .context = buf_span(&s->context)};
        return template_render(s->bound.template, &item, json, e) < 0
                   ? -1
                   : lines_check_made(buf_span(json), max_depth, e);
    }
    if (attr_eval(s->attributes, line, &s->text, NULL, e) < 0) {
        return -1;
    }
    text_encode_lossy(json, buf_span(&s->text));
    return 0;
}

static void put(struct cli_stream_io *io, const struct buf *json, uint64_t *written)
{
    writer_put_span(&io->out, buf_span(json));
    writer_put_byte(&io->out, '\n');
    writer_commit(&io->out);
    progress_count(&io->progress, ++*written);
}

static int run(struct setup *s, struct lines_in *in, struct cli_stream_io *io, uint64_t *written,
               struct err *e)
{
    struct buf json = {0};
    struct span line;
    int got;
    while ((got = lines_next(in, &line, e)) > 0) {
        if (evaluate(s, in->rules.max_depth, line, in->items + in->rejected - 1, &json, e) == 0) {
            put(io, &json, written);
        } else if (lines_refuse(in, e) < 0) {
            got = -1;
            break;
        }
    }
    buf_release(&json);
    return got;
}

/* Evaluate once, for no line. */
static int run_once(struct setup *s, struct cli_stream_io *io, uint64_t *written, struct err *e)
{
    struct buf json = {0};
    int rc = evaluate(s, io->rules.max_depth, SPAN_LIT("null"), 0, &json, e);
    if (rc == 0) {
        put(io, &json, written);
    }
    buf_release(&json);
    return rc;
}

static int filter(struct setup *s, const struct options *o, struct err *e)
{
    struct cli_stream_io io;
    if (cli_stream_open(&io, &program, &o->stream, e) < 0) {
        return cli_fail(&program, e);
    }
    struct lines_in in;
    uint64_t written = 0;
    lines_open(&in, &io.reader, &io.rules);
    int rc = o->null_input ? run_once(s, &io, &written, e) : run(s, &in, &io, &written, e);
    int status = cli_stream_close(&io, rc, e, written, o->null_input ? NULL : &in);
    lines_close(&in);
    return status;
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
    struct setup s = {0};
    if (operands.count == 0) {
        err_set(&e, ERR_USAGE, "an expression is needed");
    } else {
        prepare(&s, &o, operands.at[0], &e);
    }
    status = e.code ? cli_fail(&program, &e) : filter(&s, &o, &e);
    attr_free(s.attributes);
    bound_release(&s.bound);
    buf_release(&s.context);
    buf_release(&s.text);
    return status;
}
