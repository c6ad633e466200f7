/* mapsplit: turn a data set into items. */
#include "cli/stream.h"
#include "source/split.h"

struct options {
    struct cli_stream stream;
    int format;
    const char *items_path;
    int64_t max_items;
    const char *delimiter;
    const char *csv_headers;
    int header;
    const char *fragment;
    const char *original;
    bool context;
    bool require_items;
};

static const char *const header_names[] = {"auto", "first", "none", "skip", NULL};

static const struct cli_option option_table[] = {
    {.letter = 'f',
     .name = "format",
     .argument = "FORMAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, format),
     .choices = format_names,
     .help = "auto (default), json, jsonl, csv, tsv, lines, nul"},
    {.letter = 'p',
     .name = "items-path",
     .argument = "PATH",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, items_path),
     .help = "json: where the items are, $Input.Items or /Items"},
    {.letter = 'n',
     .name = "max-items",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_items),
     .help = "stop after N items (0: no limit)"},
    {.name = "delimiter",
     .argument = "CHAR",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, delimiter),
     .help = "csv: one character, or tab, semicolon, pipe, space"},
    {.name = "csv-headers",
     .argument = "NAMES",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, csv_headers),
     .help = "csv: the names of the columns, A,B,C"},
    {.name = "header",
     .argument = "ROW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, header),
     .choices = header_names,
     .help = "csv: first row is names (first), data (none), nothing (skip)"},
    {.name = "fragment",
     .argument = "ID",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, fragment),
     .implied = "",
     .help = "add fragment.identifier (default: a UUID), fragment.index"},
    {.name = "original",
     .argument = "FILE",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, original),
     .help = "write the rest of the document and the count to FILE"},
    {.name = "context",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, context),
     .help = "wrap items as {\"Index\":...,\"Source\":...,\"Value\":...}"},
    {.name = "require-items",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, require_items),
     .help = "fail (exit 1) if there are no items"},
};

static const struct cli_program program = {
    .name = "mapsplit",
    .summary = "Turn a data set into items, one JSON text a line",
    .usage = "[SOURCE...]",
    .example = "  $ echo '{\"Items\":[{\"a\":1},{\"a\":2}]}' | mapsplit -p '$Input.Items'\n"
               "  {\"a\":1}\n"
               "  {\"a\":2}",
    .tables = {{option_table, sizeof option_table / sizeof *option_table, 0},
               CLI_STREAM_TABLE(struct options)},
    .max_operands = -1,
};

/* The items path, a path or a JSON Pointer. */
static int parse_path(const char *text, struct path *p, struct err *e)
{
    bool pointer = !*text || *text == '/';
    return (pointer ? path_parse_pointer : path_parse)(p, span_text(text), e);
}

static int make_rules(const struct options *o, int sources, struct path *path,
                      struct split_rules *rules, struct err *e)
{
    *rules = (struct split_rules){
        .format = (enum format)o->format,
        .path = o->items_path ? path : NULL,
        .columns = o->csv_headers,
        .header = (enum split_header)o->header,
        .max_items = (uint64_t)o->max_items,
        .fragment = o->fragment != NULL,
        .run = o->fragment,
        .original = o->original,
        .context = o->context,
        .single = sources <= 1,
    };
    if (o->delimiter && format_delimiter(o->delimiter, &rules->delimiter, e) < 0) {
        return -1;
    }
    return o->items_path ? parse_path(o->items_path, path, e) : 0;
}

static int read_sources(struct split *s, const struct cli_operands *operands, struct err *e)
{
    if (operands->count == 0) {
        return split_source(s, "-", e);
    }
    for (int i = 0; i < operands->count; i++) {
        if (split_source(s, operands->at[i], e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int run(struct split *s, const struct cli_operands *operands, bool require_items,
               struct err *e)
{
    if (read_sources(s, operands, e) < 0) {
        return -1;
    }
    if (require_items && s->emit.count == 0) {
        return err_set(e, ERR_DATA, "there are no items");
    }
    return split_finish(s, e);
}

static void counted(void *progress, uint64_t items)
{
    progress_count(progress, items);
}

static void follow(void *progress, struct reader *r)
{
    progress_follow(progress, r);
}

static void follow_one_of_many(void *progress, struct reader *r)
{
    struct progress *p = progress;
    progress_follow(p, r);
    p->total_bytes = 0; /* of one source it would tell nothing of the others */
}

/* Open everything that the split writes to. 0, or -1 with E filled and nothing written. */
static int start(const struct options *o, struct split_rules *rules, struct cli_stream_io *io,
                 struct split *s, struct err *e)
{
    if (cli_stream_open(io, &program, &o->stream, e) < 0) {
        return -1;
    }
    rules->lines = io->rules;
    rules->follow = rules->single ? follow : follow_one_of_many;
    rules->counted = counted;
    rules->watcher = &io->progress;
    if (split_open(s, rules, &io->out, e) < 0) {
        progress_close(&io->progress);
        outfile_abort(&io->rejects);
        return -1;
    }
    return 0;
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
    struct path path = {0};
    struct split_rules rules;
    struct cli_stream_io io;
    struct split s = {0};
    if (make_rules(&o, operands.count, &path, &rules, &e) < 0 ||
        start(&o, &rules, &io, &s, &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        int rc = run(&s, &operands, o.require_items, &e);
        struct lines_in read = {
            .items = s.emit.count, .rejected = s.emit.rejected, .mark.rejected = s.emit.upstream};
        status = cli_stream_close(&io, rc, &e, s.emit.count, &read);
    }
    split_close(&s);
    path_release(&path);
    return status;
}
