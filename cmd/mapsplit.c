/* mapsplit: turn a data set into items. */
#include "cli/object_option.h"
#include "cli/side.h"
#include "cli/stream.h"
#include "source/count.h"
#include "source/results.h"
#include "source/split.h"
#include "json/text.h"

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
    const char *version;
    bool etag;
    bool follow;
    bool load;
    int listing;
    bool raw_keys;
    const char *status;
    const char *fragment;
    const char *original;
    int context;
    bool count;
    bool require_items;
};

static const char *const context_names[] = {"none", "plain", "aws", NULL};
static const char *const listing_names[] = {"cloudflow", "aws", NULL};
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
     .help = "json jsonl csv tsv lines nul objects inventory results s3ls"},
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
     .file = CLI_WRITES,
     .type = CLI_TEXT,
     .offset = offsetof(struct options, original),
     .help = "write the rest of the document and the count to FILE"},
    {.name = "context",
     .argument = "FORM",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, context),
     .choices = context_names,
     .implied = "plain",
     .help = "wrap items as {\"Index\":...,\"Source\":...,\"Value\":...} or aws"},
    {.name = "count",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, count),
     .help = "read regular files twice, to state the count at once"},
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
     .help = "csv, lines, nul: bytes that are not UTF-8: fail or replace"},
};

static const struct cli_option place_options[] = {
    {.name = "object-version",
     .argument = "ID",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, version),
     .help = "read this version of the object in a bucket"},
    {.name = "etag",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, etag),
     .help = "objects: read the files of a folder for the MD5 of each"},
    {.name = "follow",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, follow),
     .help = "objects: follow symbolic links in folders"},
    {.name = "load",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, load),
     .help = "read the objects under a prefix instead of listing them"},
    {.name = "listing",
     .argument = "FORM",
     .type = CLI_CHOICE,
     .offset = offsetof(struct options, listing),
     .choices = listing_names,
     .help = "objects: form of the records: cloudflow (default), aws"},
    {.name = "raw-keys",
     .type = CLI_FLAG,
     .offset = offsetof(struct options, raw_keys),
     .help = "inventory: leave keys URL-encoded"},
    {.name = "status",
     .argument = "STATUS,...",
     .type = CLI_TEXT,
     .offset = offsetof(struct options, status),
     .help = "results: which records (default: all but Succeeded)"},
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
               {place_options, sizeof place_options / sizeof *place_options, 0},
               CLI_STREAM_TABLE(struct options)},
    .sources = true,
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

/* A split, and all that it needs. Zero-initialised it is legal to release. */
struct work {
    struct options options;
    struct cli_operands operands;
    struct path path;
    struct split_rules rules;
    struct cli_stream_io io;
    struct cli_side aside; /* records that are put aside, where there is no file for them */
    struct cli_object objects;
    struct split split;
};

/* With --context the names of the sources go into the items: they have to be texts. */
static int check_names(const struct cli_operands *operands, struct err *e)
{
    size_t bad;
    for (int i = 0; i < operands->count; i++) {
        if (!text_is_utf8(span_text(operands->at[i]), &bad)) {
            return err_set(e, ERR_USAGE, "--context: the name %s is not UTF-8 at byte %zu",
                           operands->at[i], bad);
        }
    }
    return 0;
}

static int make_rules(struct work *w, struct err *e)
{
    const struct options *o = &w->options;
    if (o->context && check_names(&w->operands, e) < 0) {
        return -1;
    }
    w->rules = (struct split_rules){
        .format = format_table[o->format],
        .path = o->items_path ? &w->path : NULL,
        .require_array = o->require_array,
        .version = o->version,
        .etag = o->etag,
        .follow_links = o->follow,
        .load = o->load,
        .listing = (enum split_listing)o->listing,
        .raw_keys = o->raw_keys,
        .max_items = (uint64_t)o->max_items,
        .fragment = o->fragment != NULL,
        .run = o->fragment,
        .original = o->original,
        .context = (enum emit_context)o->context,
        .single = w->operands.count <= 1 && !o->load,
    };
    if (make_row_rules(o, &w->rules.rows, e) < 0 || make_recode(o, &w->rules.recode, e) < 0 ||
        (o->status && results_statuses(o->status, &w->rules.statuses, e) < 0)) {
        return -1;
    }
    return o->items_path ? parse_path(o->items_path, &w->path, e) : 0;
}

/* ---- running ---- */

/* Say, before any item leaves, how many there are. 0, or -1 with E filled. */
static int count(struct work *w, const char *const *places, size_t number, struct err *e)
{
    if (split_count(&w->split, places, number, e) < 0) {
        return -1;
    }
    w->io.progress.total_items = w->split.total;
    if (!w->rules.fragment && !w->rules.original) {
        progress_clear(&w->io.progress);
        cli_warn(&program, "%llu items", (unsigned long long)w->split.total);
    }
    return 0;
}

static int run(struct work *w, struct err *e)
{
    static const char *const standard[] = {"-"};
    bool none = w->operands.count == 0;
    const char *const *places = none ? standard : (const char *const *)w->operands.at;
    size_t number = none ? 1 : (size_t)w->operands.count;
    if (w->options.count && count(w, places, number, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < number; i++) {
        if (split_source(&w->split, places[i], e) < 0) {
            return -1;
        }
    }
    if (w->options.require_items && w->split.emit.count == 0) {
        return err_set(e, ERR_DATA, "there are no items");
    }
    return split_finish(&w->split, e);
}

static void counted(void *progress, uint64_t items)
{
    progress_count(progress, items);
}

static void follow(void *progress, struct reader *r, bool whole)
{
    struct progress *p = progress;
    progress_follow(p, r);
    if (!whole) {
        p->total_bytes = 0; /* of one of many it would tell nothing of the others */
    }
}

/* Where records go that are put aside: to the rejects, or else to standard error. */
static int open_aside(struct work *w, struct err *e)
{
    struct writer *rejects = w->io.rules.rejects;
    if (w->rules.rows.ragged != ROWS_RAGGED_DIVERT || rejects) {
        w->rules.rows.diverted = rejects;
        return 0;
    }
    int rc = cli_side_open(&w->aside, &program, NULL, e);
    w->rules.rows.diverted = w->aside.out;
    return rc;
}

/* Open everything that the split writes to and reads from. 0, or -1 with E filled. */
static int start(struct work *w, struct err *e)
{
    const struct cli_stream *stream = &w->options.stream;
    if (cli_object_open(&w->objects, &program, stream->verbose, e) < 0 ||
        cli_stream_open(&w->io, &program, stream, e) < 0) {
        return -1;
    }
    w->rules.client = w->objects.client;
    w->rules.lines = w->io.rules;
    w->rules.follow = follow;
    w->rules.counted = counted;
    w->rules.watcher = &w->io.progress;
    if (open_aside(w, e) < 0 || split_open(&w->split, &w->rules, &w->io.out, e) < 0) {
        progress_close(&w->io.progress);
        cli_side_abort(&w->io.rejects);
        return -1;
    }
    return 0;
}

/* All has been read, or RC < 0 and E says why not. Returns the exit status. */
static int finish(struct work *w, int rc, struct err *e)
{
    const struct emit *m = &w->split.emit;
    struct lines_in read = {
        .items = m->count, .rejected = m->rejected, .mark.rejected = m->upstream};
    struct err late = {0};
    if (cli_side_close(&w->aside, rc < 0 ? &late : e) < 0) {
        rc = -1;
    }
    return cli_stream_close(&w->io, rc, e, m->count, &read);
}

static void release(struct work *w)
{
    cli_side_abort(&w->aside);
    split_close(&w->split);
    cli_object_close(&w->objects);
    types_release(&w->rules.rows.types);
    path_release(&w->path);
    cli_list_release(&w->options.types);
}

int main(int argc, char **argv)
{
    struct work w = {.options = {.stream = CLI_STREAM_DEFAULTS}};
    struct err e = {0};
    int status = cli_parse(&program, &w.options, argc, argv, &w.operands);
    if (status != CLI_RUN) {
        return status;
    }
    if (make_rules(&w, &e) < 0 || start(&w, &e) < 0) {
        status = cli_fail(&program, &e);
    } else {
        status = finish(&w, run(&w, &e), &e);
    }
    release(&w);
    return status;
}
