#include "source/split.h"

#include "base/uuid.h"
#include "io/unpack.h"
#include "json/text.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- before the first source ---- */

static int check_table(const struct rows_rules *r, struct err *e)
{
    bool names = r->columns != NULL;
    if (r->backslash && r->delimiter == '\\') {
        return err_set(e, ERR_USAGE, "with --backslash a backslash can't be the delimiter");
    }
    if (!names && (r->header == ROWS_HEADER_NONE || r->header == ROWS_HEADER_SKIP)) {
        return err_set(e, ERR_USAGE, "--header=%s needs the columns' names in --csv-headers",
                       r->header == ROWS_HEADER_NONE ? "none" : "skip");
    }
    if (names && r->header == ROWS_HEADER_FIRST) {
        return err_set(e, ERR_USAGE,
                       "--csv-headers and --header=first both name the columns (to pass over"
                       " the first row say --header=skip)");
    }
    return 0;
}

static int check_path(const struct path *p, struct err *e)
{
    if (p && p->root != PATH_INPUT && p->root != PATH_HERE) {
        return err_set(e, ERR_USAGE, "items path '%s': it begins with $Input, the document",
                       p->text);
    }
    return 0;
}

/* What no source can change. 0, or -1 with E filled. */
static int check_rules(const struct split_rules *r, struct err *e)
{
    if (check_path(r->path, e) < 0 || check_table(&r->rows, e) < 0) {
        return -1;
    }
    if (r->version && (r->load || !r->single)) {
        return err_set(e, ERR_USAGE, "--object-version is of one object, which is read");
    }
    if (r->load && r->format && r->format->split_place) {
        return err_set(e, ERR_USAGE, "--load has no effect on the format %s", r->format->name);
    }
    return r->format ? option_check(r, r->format, e) : 0;
}

/* The identifier of this split, in s->identifier. */
static void choose_identifier(struct split *s)
{
    char uuid[UUID_TEXT_MAX];
    const char *run = s->rules.run;
    text_encode_lossy(&s->identifier, span_text(run && *run ? run : uuid_make(uuid)));
    if (s->rules.fragment) {
        buf_add_text(&s->emit.fragment, "\"fragment.identifier\":");
        buf_add_span(&s->emit.fragment, buf_span(&s->identifier));
        buf_add_text(&s->emit.fragment, ",\"fragment.index\":");
    }
}

int split_open(struct split *s, const struct split_rules *rules, struct writer *out, struct err *e)
{
    *s = (struct split){.rules = *rules};
    s->emit = (struct emit){.out = out,
                            .rules = &s->rules.lines,
                            .max_items = rules->max_items,
                            .context = rules->context,
                            .counted = rules->counted,
                            .watcher = rules->watcher};
    s->original.file.out.fd = -1;
    const struct rows_rules *rows = &rules->rows;
    if (check_rules(rules, e) < 0 ||
        (rows->columns &&
         columns_parse(&s->columns, span_text(rows->columns), &rows->names, &rows->types, e) < 0)) {
        return -1;
    }
    choose_identifier(s);
    return rules->original ? outfile_open(&s->original.file, rules->original, e) : 0;
}

/* ---- a source ---- */

int split_open_text(struct split *s, const char *place, struct reader *r, struct err *e)
{
    struct stat st;
    if (s->rules.version) {
        return object_read_version(s->rules.client, place, s->rules.version, r, s->emit.out, e);
    }
    if (strcmp(place, "-") != 0) {
        return object_read(s->rules.client, place, r, s->emit.out, e);
    }
    *r = (struct reader){.fd = -1};
    if (fstat(STDIN_FILENO, &st) == 0 && S_ISDIR(st.st_mode)) {
        return err_set(e, ERR_IO, "cannot read standard input: it is a folder");
    }
    reader_init(r, STDIN_FILENO, "standard input", s->emit.out);
    return 0;
}

/*
 * The format of the source at hand: as told, by name, by an option that belongs to one, by content.
 * NULL with E filled.
 */
static const struct format *find_format(const struct split *s, struct reader *r, struct err *e)
{
    const struct split_rules *rules = &s->rules;
    if (rules->format) {
        return rules->format;
    }
    const struct format *f = format_of_name(r->name);
    f = f ? f : option_format(rules);
    f = f ? f : format_of_content(r, rules->lines.max_depth, e);
    return f && option_check(rules, f, e) == 0 ? f : NULL;
}

/* Split the text R. 0, or -1 with E filled. */
static int split_text(struct split *s, struct reader *r, struct err *e)
{
    if (reader_unpack(r, e) < 0 || reader_skip_bom(r, e) < 0) {
        return -1;
    }
    const struct format *f = find_format(s, r, e);
    if (!f) {
        return -1;
    }
    if (s->rules.recode != RECODE_NOTHING) {
        recode_reader(r, s->rules.recode);
    }
    return f->split_text(s, r, e);
}

void split_follow(const struct split *s, struct reader *r, size_t of)
{
    if (s->rules.follow) {
        s->rules.follow(s->rules.watcher, r, s->rules.single && of == 1);
    }
}

int split_place(struct split *s, const char *place, size_t of, struct err *e)
{
    struct reader r;
    emit_source(&s->emit, place);
    int rc = split_open_text(s, place, &r, e);
    if (rc == 0) {
        split_follow(s, &r, of);
        rc = split_text(s, &r, e);
        split_follow(s, NULL, of);
    }
    reader_release(&r);
    return rc;
}

int split_source(struct split *s, const char *place, struct err *e)
{
    if (emit_full(&s->emit)) {
        return 0;
    }
    if (s->rules.load) {
        return split_load(s, place, e);
    }
    const struct format *f = s->rules.format ? s->rules.format : format_of_place(place);
    if (f && f->split_place && f != &format_inventory && s->rules.version) {
        return err_set(e, ERR_USAGE, "--object-version has no effect on the format %s", f->name);
    }
    if (f && f->split_place) {
        emit_source(&s->emit, place);
        return option_check(&s->rules, f, e) < 0 ? -1 : f->split_place(s, place, e);
    }
    return split_place(s, place, 1, e);
}

int split_finish(struct split *s, struct err *e)
{
    if (s->counted && s->emit.count != s->total) {
        return err_set(e, ERR_DATA,
                       "the sources have changed: %llu items were counted and %llu have left",
                       (unsigned long long)s->total, (unsigned long long)s->emit.count);
    }
    if (!outfile_is_open(&s->original.file)) {
        return 0;
    }
    if (writer_flush(s->emit.out, e) < 0) {
        return -1; /* what the file would count has not all been written */
    }
    return original_finish(&s->original, buf_span(&s->identifier), s->emit.count,
                           s->rules.lines.end_mark, e);
}

void split_close(struct split *s)
{
    outfile_abort(&s->original.file);
    emit_release(&s->emit);
    columns_release(&s->columns);
    buf_release(&s->identifier);
    *s = (struct split){0};
}
