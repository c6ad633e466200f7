/* batcher: group items into batches. */
#include "base/buf.h"
#include "batch/batch.h"
#include "cli/stream.h"
#include "expr/bound.h"

struct options {
    struct cli_stream stream;
    int64_t max_items;
    uint64_t max_bytes;
    const char *batch_input;
    const char *input;
    int oversize;
    int count;
};

enum oversize { OVERSIZE_FAIL, OVERSIZE_ALONE, OVERSIZE_REJECT };

static const char *const oversize_names[] = {"fail", "alone", "reject", NULL};
static const char *const count_names[] = {"cloudflow", "exact", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'n',
     .name = "max-items",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_items),
     .min = 1,
     .max = INT64_MAX,
     .help = "at most N items in a batch"},
    {.letter = 'b',
     .name = "max-bytes",
     .argument = "SIZE",
     .type = CLI_SIZE,
     .offset = offsetof(struct options, max_bytes),
     .help = "at most SIZE bytes in a batch, as --count counts them"},
    {.name = "batch-input",
     .argument = "TEMPLATE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, batch_input),
     .help = "give each batch this BatchInput; @FILE reads it"},
    {.letter = 'i',
     .name = "input",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, input),
     .help = "the document that $Input stands for"},
    {.name = "oversize",
     .argument = "POLICY",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, oversize),
     .choices = oversize_names,
     .help = "an item too large: fail (default), alone, reject"},
    {.name = "count",
     .argument = "RULE",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, count),
     .choices = count_names,
     .help = "how bytes are counted: cloudflow (default), exact"},
};

static const struct cli_program program = {
    .name = "batcher",
    .summary = "Group items into batches",
    .usage = "",
    .example = "  $ printf '1\\n2\\n3\\n' | batcher -n 2\n"
               "  {\"Items\":[1,2]}\n"
               "  {\"Items\":[3]}",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STREAM_TABLE(struct options)},
};

static int check_options(const struct options *o, struct err *e)
{
    if (o->max_items == 0 && o->max_bytes == 0) {
        return err_set(e, ERR_USAGE, "a limit is needed: --max-items or --max-bytes");
    }
    if (o->oversize == OVERSIZE_REJECT && !o->stream.rejects) {
        return err_set(e, ERR_USAGE, "--oversize=reject needs --rejects=FILE");
    }
    if (o->oversize != OVERSIZE_FAIL && o->max_bytes == 0) {
        return err_set(e, ERR_USAGE, "--oversize has no effect without --max-bytes");
    }
    if (o->input && !o->batch_input) {
        return err_set(e, ERR_USAGE, "--input has no effect without --batch-input");
    }
    return 0;
}

/* The text of BatchInput: the same for every batch, for it knows nothing of the items. */
static int make_input(const struct options *o, struct buf *text, struct err *e)
{
    if (!o->batch_input) {
        return 0;
    }
    struct bound t;
    struct template_item nothing = {.item = SPAN_LIT("null")};
    int rc = bound_load(&t, o->batch_input, o->input, false, (uint64_t)o->stream.max_depth, e);
    if (rc == 0 &&
        (template_uses(t.template, PATH_ITEM) || template_uses(t.template, PATH_CONTEXT))) {
        rc = err_set(e, ERR_USAGE, "--batch-input can use $Input only");
    }
    if (rc == 0) {
        rc = template_render(t.template, &nothing, text, e);
    }
    bound_release(&t);
    return rc;
}

static int run(struct batch *b, struct lines_in *in, struct progress *progress,
               const struct options *o, struct err *e)
{
    struct span item;
    int got;
    while ((got = lines_next(in, &item, e)) > 0) {
        progress_count(progress, in->items);
        if (batch_add(b, item, e) == 0) {
            continue;
        }
        if (o->oversize != OVERSIZE_REJECT) {
            lines_position(in, 1, e);
            return -1;
        }
        if (lines_refuse(in, e) < 0) {
            return -1;
        }
    }
    return got;
}

static int filter(const struct options *o, struct span input, struct err *e)
{
    struct cli_stream_io io;
    if (cli_stream_open(&io, &program, &o->stream, e) < 0) {
        return cli_fail(&program, e);
    }
    struct batch_rules rules = {
        .max_items = (uint64_t)o->max_items,
        .max_bytes = o->max_bytes,
        .count = (enum batch_count)o->count,
        .oversize = o->oversize == OVERSIZE_ALONE ? BATCH_ALONE : BATCH_FAIL,
        .input = input,
    };
    struct lines_in in;
    struct batch b;
    lines_open(&in, &io.reader, &io.rules);
    batch_init(&b, &rules, &io.out);
    int rc = run(&b, &in, &io.progress, o, e);
    batch_close(&b);
    int status = cli_stream_close(&io, rc, e, b.batches, &in);
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
    struct buf input = {0};
    bool ready = check_options(&o, &e) == 0 && make_input(&o, &input, &e) == 0;
    status = ready ? filter(&o, buf_span(&input), &e) : cli_fail(&program, &e);
    buf_release(&input);
    return status;
}
