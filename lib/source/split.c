#include "source/split.h"

#include "base/uuid.h"
#include "source/carve.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- before the first source ---- */

static bool is_table(enum format f)
{
    return f == FORMAT_CSV || f == FORMAT_TSV;
}

static int check_columns(const struct split_rules *r, struct err *e)
{
    bool names = r->columns != NULL;
    if (!names && (r->header == SPLIT_HEADER_NONE || r->header == SPLIT_HEADER_SKIP)) {
        return err_set(e, ERR_USAGE, "--header=%s needs the columns' names in --csv-headers",
                       r->header == SPLIT_HEADER_NONE ? "none" : "skip");
    }
    if (names && r->header == SPLIT_HEADER_FIRST) {
        return err_set(e, ERR_USAGE,
                       "--csv-headers and --header=first both name the columns (to pass over"
                       " the first row say --header=skip)");
    }
    return 0;
}

/* An option that would have no effect is an error. */
static int check_rules(const struct split_rules *r, enum format f, struct err *e)
{
    bool table = r->columns || r->delimiter || r->header != SPLIT_HEADER_DEFAULT;
    if (r->path && f != FORMAT_JSON) {
        return err_set(e, ERR_USAGE, "--items-path has no effect on the format %s",
                       format_names[f]);
    }
    if (table && !is_table(f)) {
        return err_set(e, ERR_USAGE,
                       "--delimiter, --csv-headers and --header have no effect on the format %s",
                       format_names[f]);
    }
    if (r->delimiter && f == FORMAT_TSV) {
        return err_set(e, ERR_USAGE, "--delimiter has no effect on the format tsv");
    }
    return check_columns(r, e);
}

static int check_path(const struct path *p, struct err *e)
{
    if (p && p->root != PATH_INPUT && p->root != PATH_HERE) {
        return err_set(e, ERR_USAGE, "items path '%s': it begins with $Input, the document",
                       p->text);
    }
    return 0;
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
    if (check_path(rules->path, e) < 0 ||
        (rules->format != FORMAT_AUTO && check_rules(rules, rules->format, e) < 0)) {
        return -1;
    }
    if (rules->columns && columns_parse(&s->columns, span_text(rules->columns), e) < 0) {
        return -1;
    }
    choose_identifier(s);
    return rules->original ? outfile_open(&s->original.file, rules->original, e) : 0;
}

/* ---- a source ---- */

/* A descriptor for OPERAND, and its name for messages. -1 with E filled. */
static int open_source(const char *operand, const char **name, struct err *e)
{
    struct stat st;
    bool standard = strcmp(operand, "-") == 0;
    *name = standard ? "standard input" : operand;
    int fd = standard ? STDIN_FILENO : open(operand, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return err_system(e, errno, "cannot open %s", operand);
    }
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        if (!standard) {
            close(fd);
        }
        return err_set(e, ERR_IO, "cannot read %s: it is a directory", *name);
    }
    return fd;
}

/* The format of the source at hand: as told, by name, by an option that belongs to one, by content.
 */
static int find_format(const struct split *s, struct reader *r, enum format *f, struct err *e)
{
    const struct split_rules *rules = &s->rules;
    *f = rules->format;
    if (*f != FORMAT_AUTO) {
        return 0;
    }
    *f = format_of_name(r->name);
    if (*f == FORMAT_AUTO && rules->path) {
        *f = FORMAT_JSON;
    } else if (*f == FORMAT_AUTO &&
               (rules->columns || rules->delimiter || rules->header != SPLIT_HEADER_DEFAULT)) {
        *f = FORMAT_CSV;
    } else if (*f == FORMAT_AUTO && format_of_content(r, rules->lines.max_depth, f, e) < 0) {
        return -1;
    }
    return check_rules(rules, *f, e);
}

static int read_source(struct split *s, struct reader *r, struct err *e)
{
    enum format f;
    if (reader_skip_bom(r, e) < 0 || find_format(s, r, &f, e) < 0) {
        return -1;
    }
    switch (f) {
    case FORMAT_JSONL:
        return split_jsonl(s, r, e);
    case FORMAT_CSV:
        return split_rows(s, r, s->rules.delimiter, e);
    case FORMAT_TSV:
        return split_rows(s, r, '\t', e);
    case FORMAT_LINES:
        return split_texts(s, r, '\n', e);
    case FORMAT_NUL:
        return split_texts(s, r, '\0', e);
    default:
        return split_json(s, r, e);
    }
}

static void follow(const struct split *s, struct reader *r)
{
    if (s->rules.follow) {
        s->rules.follow(s->rules.watcher, r);
    }
}

int split_source(struct split *s, const char *operand, struct err *e)
{
    const char *name;
    struct reader r;
    if (emit_full(&s->emit)) {
        return 0;
    }
    int fd = open_source(operand, &name, e);
    if (fd < 0) {
        return -1;
    }
    reader_init(&r, fd, name, s->emit.out);
    emit_source(&s->emit, operand);
    follow(s, &r);
    int rc = read_source(s, &r, e);
    follow(s, NULL);
    reader_release(&r);
    if (fd != STDIN_FILENO) {
        close(fd);
    }
    return rc;
}

int split_json(struct split *s, struct reader *r, struct err *e)
{
    struct carve c;
    bool members = s->rules.single && outfile_is_open(&s->original.file);
    carve_open(&c, &s->emit, s->rules.path, members ? &s->original : NULL, r->name, r->offset);
    int rc = 0;
    int got = 1;
    while (rc == 0 && got > 0) {
        struct span chunk = reader_bytes(r);
        rc = carve_feed(&c, chunk, e);
        reader_take(r, chunk.len);
        got = rc == 0 ? reader_fill(r, e) : 0;
    }
    if (rc == 0) {
        rc = got < 0 ? -1 : carve_finish(&c, e);
    }
    carve_close(&c);
    return rc < 0 ? -1 : 0;
}

int split_finish(struct split *s, struct err *e)
{
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
