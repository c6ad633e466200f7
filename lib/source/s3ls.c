/*
 * What `aws s3 ls` prints: a line for each object, its date, time and size, and its key, which may
 * have blanks anywhere.  Lines of prefixes, which have PRE instead, are no objects.
 */
#include "source/split.h"
#include "source/texts.h"
#include "json/text.h"

#include <string.h>

/* Is TEXT as long as PATTERN and of its form?  In that a '0' stands for any digit. */
static bool is_like(struct span text, const char *pattern)
{
    if (text.len != strlen(pattern)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        bool digit = text.at[i] >= '0' && text.at[i] <= '9';
        if (pattern[i] == '0' ? !digit : text.at[i] != pattern[i]) {
            return false;
        }
    }
    return true;
}

/* The parts of a line. */
struct listed {
    struct span date;
    struct span time;
    struct span size;
    struct span key;
};

/* Take the line apart: date, blank, time, blanks, size, one blank, key. */
static bool take_apart(struct span line, struct listed *l)
{
    static const char stamp[] = "0000-00-00 00:00:00";
    size_t at = sizeof stamp - 1;
    if (line.len < at || !is_like(span_of(line.at, at), stamp)) {
        return false;
    }
    while (at < line.len && line.at[at] == ' ') {
        at++;
    }
    size_t from = at;
    while (at < line.len && line.at[at] >= '0' && line.at[at] <= '9') {
        at++;
    }
    *l = (struct listed){.date = span_of(line.at, 10),
                         .time = span_of(line.at + 11, 8),
                         .size = span_of(line.at + from, at - from)};
    bool zero_first = l->size.len > 1 && l->size.at[0] == '0';
    if (l->size.len == 0 || zero_first || line.len < at + 2 || line.at[at] != ' ') {
        return false;
    }
    l->key = span_of(line.at + at + 1, line.len - at - 1);
    return true;
}

/* Is LINE the one of a prefix? "                           PRE sub/" */
static bool is_prefix(struct span line)
{
    size_t at = 0;
    while (at < line.len && line.at[at] == ' ') {
        at++;
    }
    return span_starts(span_of(line.at + at, line.len - at), SPAN_LIT("PRE "));
}

static int put_line(struct split *s, struct span line, struct err *e)
{
    struct listed l;
    struct writer *w = s->emit.out;
    if (line.len == 0 || is_prefix(line)) {
        return 0;
    }
    if (!take_apart(line, &l)) {
        return err_set(e, ERR_DATA,
                       "this is no line of 'aws s3 ls', which has a date, a time, a size in bytes"
                       " and a key");
    }
    emit_begin(&s->emit);
    writer_put_span(w, SPAN_LIT("{\"Key\":"));
    text_put(w, l.key);
    writer_put_span(w, SPAN_LIT(",\"Size\":"));
    writer_put_span(w, l.size);
    writer_put_span(w, SPAN_LIT(",\"LastModified\":\""));
    writer_put_span(w, l.date);
    writer_put_byte(w, 'T');
    writer_put_span(w, l.time);
    writer_put_span(w, SPAN_LIT("\"}"));
    return emit_end(&s->emit, SCAN_OBJECT, e);
}

static int split_s3ls(struct split *s, struct reader *r, struct err *e)
{
    return texts_split(s, r, '\n', put_line, e);
}

const struct format format_s3ls = {
    .name = "s3ls", .options = OPTION_RECODE, .split_text = split_s3ls};
