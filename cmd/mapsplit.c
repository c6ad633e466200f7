/* mapsplit: turn a data set into items. */
#include "cli/side.h"
#include "cli/stream.h"
#include "source/split.h"

struct options {
    struct cli_stream stream;
    int format;
    int64_t max_items;
    const char *items_path;
    bool require_array;
    const char *delimiter;
    const char *csv_headers;
    int header;
    int ragged;
    bool dedupe_header;
    bool empty_names;
    struct cli_list types;
    bool backslash;
    int encoding;
    int invalid;
    const char *fragment;
    const char *original;
    bool context;
    bool require_items;
};

static const char *const header_names[] = {"auto", "first", "none", "skip", NULL};
static const char *const ragged_names[] = {"fail", "pad", "cut", "divert", NULL};
static const char *const encoding_names[] = {"utf-8", "latin1", NULL};
static const char *const invalid_names[] = {"fail", "replace", NULL};

static const struct cli_option item_options[] = {
    {.letter = 'f',
     .name = "format",
     .argument = "FORMAT",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, format),
     .choices = format_names,
     .help = "what the sources are (default auto: by name or content)"},
    {.letter = 'n',
     .name = "max-items",
     .argument = "N",
     .type = CLI_INTEGER,
     .offset = offsetof(struct options, max_items),
     .help = "stop after N items (0: no limit)"},
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

static const struct cli_option text_options[] = {
    {.letter = 'p',
     .name = "items-path",
     .argument = "PATH",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, items_path),
     .help = "json: where the items are, $Input.Items or /Items"},
    {.name = "require-array",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, require_array),
     .help = "json: make no items of the members of an object"},
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
    {.name = "ragged",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, ragged),
     .choices = ragged_names,
     .help = "csv: rows of another length: fail, pad, cut, divert"},
    {.name = "dedupe-header",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, dedupe_header),
     .help = "csv: name columns a, a_2 and by number where need be"},
    {.name = "empty-names",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, empty_names),
     .help = "csv: let a column have no name"},
    {.name = "types",
     .argument = "NAME:TYPE,...",
     .type = CLI_LIST,
     .offset = offsetof(struct options, types),
     .help = "csv: no strings: int, number, bool, json; int? may be empty"},
    {.name = "backslash",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, backslash),
     .help = "csv: a backslash escapes, as in AWS Step Functions"},
    {.name = "encoding",
     .argument = "NAME",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, encoding),
     .choices = encoding_names,
     .help = "csv, lines, nul: utf-8 (default) or latin1"},
    {.name = "invalid",
     .argument = "HOW",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, invalid),
     .choices = invalid_names,
     .help = "csv, lines, nul: fail at bytes that are not UTF-8, or replace"},
};

static const struct cli_program program = {
    .name = "mapsplit",
    .summary = "Turn a data set into items, one JSON text a line",
    .usage = "[SOURCE...]",
    .example = "  $ echo '{\"Items\":[{\"a\":1},{\"a\":2}]}' | mapsplit -p '$Input.Items'\n"
               "  {\"a\":1}\n"
               "  {\"a\":2}",
    .tables = {{item_options, sizeof item_options / sizeof *item_options, 0},
               {text_options, sizeof text_options / sizeof *text_options, 0},
               CLI_STREAM_TABLE(struct options)},
    .max_operands = -1,
};

/* The items path, a path or a JSON Pointer. */
static int parse_path(const char *text, struct path *p, struct err *e)
{
    bool pointer = !*text || *text == '/';
    return (pointer ? path_parse_pointer : path_parse)(p, span_text(text), e);
}

/* What the options say of tables. 0, or -1 with E filled. */
static int make_row_rules(const struct options *o, struct rows_rules *rules, struct err *e)
{
    *rules = (struct rows_rules){
        .columns = o->csv_headers,
        .header = (enum rows_header)o->header,
        .ragged = (enum rows_ragged)o->ragged,
        .names = {.dedupe = o->dedupe_header, .empty = o->empty_names},
        .backslash = o->backslash,
    };
    if (o->delimiter && format_delimiter(o->delimiter, &rules->delimiter, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < o->types.count; i++) {
        if (types_parse(&rules->types, span_text(o->types.items[i]), e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int make_recode(const struct options *o, enum recode *recode, struct err *e)
{
    bool latin1 = o->encoding != 0;
    bool replace = o->invalid != 0;
    if (latin1 && replace) {
        return err_set(e, ERR_USAGE,
                       "--invalid=replace has no effect with --encoding=latin1, in which every"
                       " byte is valid");
    }
    *recode = latin1 ? RECODE_LATIN1 : replace ? RECODE_INVALID : RECODE_NOTHING;
    return 0;
}

/* What the options say; path and types are to be released in any case. 0, or -1 with E filled. */
static int make_rules(const struct options *o, int sources, struct path *path,
                      struct split_rules *rules, struct err *e)
{
    *rules = (struct split_rules){
        .format = format_table[o->format],
        .path = o->items_path ? path : NULL,
        .require_array = o->require_array,
        .max_items = (uint64_t)o->max_items,
        .fragment = o->fragment != NULL,
        .run = o->fragment,
        .original = o->original,
        .context = o->context,
        .single = sources <= 1,
    };
    if (make_row_rules(o, &rules->rows, e) < 0 || make_recode(o, &rules->recode, e) < 0) {
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

/* Where records go that are put aside: to the rejects, or else to standard error. */
static int open_aside(struct cli_side *aside, struct cli_stream_io *io, struct split_rules *rules,
                      struct err *e)
{
    if (rules->rows.ragged != ROWS_RAGGED_DIVERT || io->rules.rejects) {
        rules->rows.diverted = io->rules.rejects;
        return 0;
    }
    int rc = cli_side_open(aside, NULL, e);
    rules->rows.diverted = aside->out;
    return rc;
}

/* Open everything that the split writes to. 0, or -1 with E filled and nothing written. */
static int start(const struct options *o, struct split_rules *rules, struct cli_stream_io *io,
                 struct cli_side *aside, struct split *s, struct err *e)
{
    if (cli_stream_open(io, &program, &o->stream, e) < 0) {
        return -1;
    }
    rules->lines = io->rules;
    rules->follow = rules->single ? follow : follow_one_of_many;
    rules->counted = counted;
    rules->watcher = &io->progress;
    if (open_aside(aside, io, rules, e) < 0 || split_open(s, rules, &io->out, e) < 0) {
        progress_close(&io->progress);
        outfile_abort(&io->rejects);
        return -1;
    }
    return 0;
}

/* All has been read, or RC < 0 and E says why not. Returns the exit status. */
static int finish(struct cli_stream_io *io, struct cli_side *aside, const struct split *s, int rc,
                  struct err *e)
{
    struct lines_in read = {
        .items = s->emit.count, .rejected = s->emit.rejected, .mark.rejected = s->emit.upstream};
    struct err late = {0};
    if (aside->out && cli_side_close(aside, rc < 0 ? &late : e) < 0) {
        rc = -1;
    }
    return cli_stream_close(io, rc, e, s->emit.count, &read);
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
    struct cli_side aside = {0};
    struct split s = {0};
    if (make_rules(&o, operands.count, &path, &rules, &e) < 0 ||
        start(&o, &rules, &io, &aside, &s, &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        status = finish(&io, &aside, &s, run(&s, &operands, o.require_items, &e), &e);
    }
    cli_side_abort(&aside);
    split_close(&s);
    types_release(&rules.rows.types);
    path_release(&path);
    cli_list_release(&o.types);
    return status;
}
