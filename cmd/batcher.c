/* batcher: group items into batches. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/units.h"
#include "batch/batch.h"
#include "cli/documents.h"
#include "cli/stream.h"
#include "expr/attr.h"
#include "expr/bound.h"
#include "json/text.h"
#include "json/walk.h"

struct options {
    struct cli_stream stream;
    const char *max_items;
    const char *max_bytes;
    const char *batch_input;
    struct cli_documents documents;
    int oversize;
    int count;
    int64_t max_wait;
};

enum oversize { OVERSIZE_FAIL, OVERSIZE_ALONE, OVERSIZE_REJECT };

static const char *const oversize_names[] = {"fail", "alone", "reject", NULL};
static const char *const count_names[] = {"cloudflow", "exact", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'n',
     .name = "max-items",
     .argument = "N",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, max_items),
     .help = "at most N items in a batch; N may be an expression"},
    {.letter = 'b',
     .name = "max-bytes",
     .argument = "SIZE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, max_bytes),
     .help = "at most SIZE bytes in a batch; may be an expression"},
    {.name = "batch-input",
     .argument = "TEMPLATE",
     .file = CLI_READS_AT,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, batch_input),
     .help = "give each batch this BatchInput; @FILE reads it"},
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
    {.name = "max-wait",
     .argument = "DURATION",
     .type = CLI_DURATION,
     .offset = offsetof(struct options, max_wait),
     .help = "let a batch that is not full leave after this long"},
};

static const struct cli_program program = {
    .name = "batcher",
    .summary = "Group items into batches",
    .usage = "",
    .example = "  $ printf '1\\n2\\n3\\n' | batcher -n 2\n"
               "  {\"Items\":[1,2]}\n"
               "  {\"Items\":[3]}",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_DOCUMENTS_TABLE(struct options),
               CLI_STREAM_TABLE(struct options)},
};

static bool is_expression(const char *text)
{
    return text && text[0] == '$';
}

static int check_options(const struct options *o, struct err *e)
{
    if (!o->max_items && !o->max_bytes) {
        return err_set(e, ERR_USAGE, "a limit is needed: --max-items or --max-bytes");
    }
    if (o->oversize == OVERSIZE_REJECT && !o->stream.rejects) {
        return err_set(e, ERR_USAGE, "--oversize=reject needs --rejects=FILE");
    }
    if (o->oversize != OVERSIZE_FAIL && !o->max_bytes) {
        return err_set(e, ERR_USAGE, "--oversize has no effect without --max-bytes");
    }
    if (o->count != BATCH_CLOUDFLOW && !o->max_bytes) {
        return err_set(e, ERR_USAGE, "--count has no effect without --max-bytes");
    }
    return 0;
}

static int read_count(struct span text, uint64_t *out, struct err *e)
{
    int64_t n = 0;
    int rc = units_integer(text, 1, INT64_MAX, &n, e);
    *out = (uint64_t)n;
    return rc;
}

static int read_size(struct span text, uint64_t *out, struct err *e)
{
    int rc = units_size(text, out, e);
    return rc == 0 && *out == 0 ? err_set(e, ERR_USAGE, "it must be more than 0") : rc;
}

/* The limit that the option NAME states: TEXT itself, or its value in VALUES under KEY. */
static int read_limit(const char *name, const char *text, struct span values, const char *key,
                      int (*read)(struct span, uint64_t *, struct err *), uint64_t *out,
                      struct err *e)
{
    if (!text) {
        return 0;
    }
    struct span number = span_text(text);
    struct buf decoded = {0};
    if (is_expression(text) && walk_member(values, span_text(key), &number)) {
        attr_value(number, &decoded); /* a number, or a number in a string */
        number = buf_span(&decoded);
    }
    int rc = read(number, out, e);
    if (rc < 0) {
        err_prefix(e, "--%s", name);
    }
    buf_release(&decoded);
    return rc;
}

static void add_limit(struct buf *template, const char *key, const char *text)
{
    buf_printf(template, "\"%s.$\":", key);
    text_encode(template, span_text(is_expression(text) ? text : "null"));
    buf_add_byte(template, ',');
}

/* Add the template of BatchInput, which must be right by itself, so that a fault is where it says.
 */
static int add_batch_input(struct buf *template, const char *text, struct err *e)
{
    struct buf own = {0};
    struct template *t = NULL;
    int rc = bound_read_text(text, &own, e);
    if (rc == 0) {
        rc = template_compile(&t, buf_span(&own), false, e);
        template_free(t);
    }
    buf_add_span(template, buf_span(&own));
    buf_release(&own);
    return rc;
}

/* Render what was bound, for no item. 0, or -1 with E filled. */
static int render(const struct options *o, struct bound *b, struct buf *values, struct err *e)
{
    struct buf context = {0};
    int rc = bound_check_context(b, o->documents.context, e);
    if (rc == 0 && template_uses_item(b->template)) {
        rc = err_set(e, ERR_USAGE, "limits and --batch-input know no item: $Input, $Context only");
    }
    if (rc == 0) {
        rc = bound_context(o->documents.context, (uint64_t)o->stream.max_depth, &context, e);
    }
    if (rc == 0) {
        struct template_item nothing = {.item = SPAN_LIT("null"), .context = buf_span(&context)};
        rc = template_render(b->template, &nothing, values, e);
    }
    buf_release(&context);
    return rc;
}

/*
 * Everything that may ask for $Input or $Context, rendered as one template, so that documents are
 * read once: they may be pipes.  Leaves {"n":…,"b":…,"BatchInput":…} in VALUES.
 */
static int evaluate(const struct options *o, struct buf *values, struct err *e)
{
    struct buf template = {0};
    struct bound b = {0};
    buf_add_byte(&template, '{');
    add_limit(&template, "n", o->max_items);
    add_limit(&template, "b", o->max_bytes);
    buf_add_text(&template, "\"BatchInput\":");
    int rc = add_batch_input(&template, o->batch_input ? o->batch_input : "null", e);
    buf_add_byte(&template, '}');
    if (rc == 0) {
        rc = bound_load(&b, buf_text(&template), o->documents.input, false,
                        (uint64_t)o->stream.max_depth, e);
    }
    rc = rc < 0 ? rc : render(o, &b, values, e);
    bound_release(&b);
    buf_release(&template);
    return rc;
}

/* What the options come to; the spans of RULES lie in VALUES. */
static int make_rules(const struct options *o, struct buf *values, struct batch_rules *rules,
                      struct err *e)
{
    if (check_options(o, e) < 0 || evaluate(o, values, e) < 0) {
        return -1;
    }
    *rules = (struct batch_rules){
        .count = (enum batch_count)o->count,
        .oversize = o->oversize == OVERSIZE_ALONE ? BATCH_ALONE : BATCH_FAIL,
    };
    if (o->batch_input) {
        walk_member(buf_span(values), SPAN_LIT("BatchInput"), &rules->input);
    }
    if (lines_check_room(rules->input, 1, (uint64_t)o->stream.max_depth, e) < 0) {
        return err_set(e, ERR_DATA,
                       "--batch-input is nested deeper in a batch than the limit"
                       " (--max-depth)");
    }
    struct span all = buf_span(values);
    int rc = read_limit("max-items", o->max_items, all, "n", read_count, &rules->max_items, e);
    return rc < 0
               ? rc
               : read_limit("max-bytes", o->max_bytes, all, "b", read_size, &rules->max_bytes, e);
}

/* The wait is over: the batch leaves as it is. */
static void close_early(void *batch)
{
    batch_close(batch);
}

static int run(struct batch *b, struct lines_in *in, struct progress *progress,
               const struct options *o, struct err *e)
{
    struct span item;
    int got;
    while ((got = lines_next(in, &item, e)) > 0) {
        progress_count(progress, in->items);
        if (lines_check_room(item, BATCH_LEVELS, in->rules.max_depth, e) < 0) {
            if (lines_refuse(in, e) < 0) {
                return -1;
            }
            continue;
        }
        if (batch_add(b, item, e) == 0) {
            bool first = o->max_wait > 0 && b->items == 1;
            progress->alarm.at = first ? clock_after(clock_now(), o->max_wait) : progress->alarm.at;
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

static int filter(const struct options *o, const struct batch_rules *rules, struct err *e)
{
    struct cli_stream_io io;
    if (cli_stream_open(&io, &program, &o->stream, e) < 0) {
        return cli_fail(&program, e);
    }
    struct lines_in in;
    struct batch b;
    lines_open(&in, &io.reader, &io.rules);
    batch_init(&b, rules, &io.out);
    io.progress.alarm = (struct progress_alarm){.ring = close_early, .context = &b};
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
    struct buf values = {0};
    struct batch_rules rules;
    status =
        make_rules(&o, &values, &rules, &e) < 0 ? cli_fail(&program, &e) : filter(&o, &rules, &e);
    buf_release(&values);
    return status;
}
