/* itemconstruct: reshape each item by a template. */
#include "base/buf.h"
#include "cli/documents.h"
#include "cli/stream.h"
#include "expr/bound.h"

struct options {
    struct cli_stream stream;
    const char *template;
    struct cli_list entries;
    struct cli_documents documents;
    bool sort_keys;
    int64_t explain;
};

static const struct cli_option option_table[] = {
    {.letter = 't',
     .name = "template",
     .argument = "TEMPLATE",
     .file = CLI_READS_AT,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, template),
     .help = "the shape of the new item, JSON; @FILE reads it"},
    {.letter = 'e',
     .name = "entry",
     .argument = "NAME=VALUE",
     .type = CLI_LIST,
     .offset = offsetof(struct options, entries),
     .help = "one member of it: 'Key.$=$Item.Key' or 'kind=\"x\"'"},
    {.name = "sort-keys",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, sort_keys),
     .help = "write members sorted by name, not as in the template"},
    {.name = "explain",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, explain),
     .min = 1,
     .max = INT64_MAX,
     .help = "show on standard error how item N (from 1) is made"},
};

static const struct cli_program program = {
    .name = "itemconstruct",
    .summary = "Reshape each item by a template",
    .usage = "",
    .example =
        "  $ echo '{\"id\":7,\"x\":1.10}' | itemconstruct -t '{\"Key.$\":\"$Item.id\",\"v\":1}'\n"
        "  {\"Key\":7,\"v\":1}",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_DOCUMENTS_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
};

/* The template text: -t as it is, or the entries put together. */
static int template_text(const struct options *o, struct buf *text, struct err *e)
{
    if ((o->template != NULL) == (o->entries.count > 0)) {
        return err_set(e, ERR_USAGE, "a template is needed: either --template or --entry");
    }
    if (o->template) {
        buf_add_text(text, o->template);
        return 0;
    }
    for (size_t i = 0; i < o->entries.count; i++) {
        buf_add_byte(text, i > 0 ? ',' : '{');
        if (bound_add_entry(text, o->entries.items[i], e) < 0) {
            return -1;
        }
    }
    buf_add_byte(text, '}');
    return 0;
}

/* What a run needs; zero-initialised it can be released. */
struct setup {
    struct buf text;
    struct buf context;
    struct bound bound;
};

/* Show the item, each expression and what was made of them. */
static void explain(struct setup *s, const struct lines_in *in, struct span line, struct span made)
{
    struct buf out = {0};
    buf_printf(&out, "item %llu: ", (unsigned long long)(in->items + in->rejected));
    buf_add_span(&out, line);
    buf_add_byte(&out, '\n');
    template_explain(s->bound.template, &out);
    buf_add_text(&out, "  result: ");
    buf_add_span(&out, made);
    cli_note(buf_span(&out));
    buf_release(&out);
}

static int run(struct setup *s, const struct options *o, struct lines_in *in,
               struct cli_stream_io *io, uint64_t *written, struct err *e)
{
    struct buf made = {0};
    struct span line;
    int got;
    while ((got = lines_next(in, &line, e)) > 0) {
        uint64_t number = in->items + in->rejected;
        struct template_item item = {
            .item = line,
            .seams = lines_seams(in),
            .index = number - 1,
            .context = buf_span(&s->context),
        };
        buf_reset(&made);
        bool ok = template_render(s->bound.template, &item, &made, e) == 0 &&
                  lines_check_made(buf_span(&made), in->rules.max_depth, e) == 0;
        if ((uint64_t)o->explain == number) {
            explain(s, in, line, ok ? buf_span(&made) : span_text(e->text));
        }
        if (ok) {
            writer_put_span(&io->out, buf_span(&made));
            writer_put_byte(&io->out, '\n');
            writer_commit(&io->out);
            progress_count(&io->progress, ++*written);
        } else if (lines_refuse(in, e) < 0) {
            got = -1;
            break;
        }
    }
    buf_release(&made);
    return got;
}

static int prepare(struct setup *s, const struct options *o, struct err *e)
{
    uint64_t max_depth = (uint64_t)o->stream.max_depth;
    if (template_text(o, &s->text, e) < 0 ||
        bound_context(o->documents.context, max_depth, &s->context, e) < 0) {
        return -1;
    }
    if (bound_load(&s->bound, buf_text(&s->text), o->documents.input, o->sort_keys, max_depth, e) <
        0) {
        return -1;
    }
    return bound_check_context(&s->bound, o->documents.context, e);
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
    lines_note(&in);
    int rc = run(s, o, &in, &io, &written, e);
    int status = cli_stream_close(&io, rc, e, written, &in);
    lines_close(&in);
    return status;
}

int main(int argc, char **argv)
{
    struct options o = {.stream = CLI_STREAM_DEFAULTS};
    struct cli_operands operands;
    int status = cli_parse(&program, &o, argc, argv, &operands);
    if (status == CLI_RUN) {
        struct err e = {0};
        struct setup s = {0};
        status = prepare(&s, &o, &e) < 0 ? cli_fail(&program, &e) : filter(&s, &o, &e);
        bound_release(&s.bound);
        buf_release(&s.text);
        buf_release(&s.context);
    }
    cli_list_release(&o.entries);
    return status;
}
