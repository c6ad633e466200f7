#include "source/split.h"

#include "base/uuid.h"
#include "io/unpack.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- before the first source ---- */

static int check_columns(const struct rows_rules *r, struct err *e)
{
    bool names = r->columns != NULL;
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
    if (check_path(r->path, e) < 0 || check_columns(&r->rows, e) < 0) {
        return -1;
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

static int read_source(struct split *s, struct reader *r, struct err *e)
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
