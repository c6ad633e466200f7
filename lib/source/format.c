#include "source/format.h"

#include "base/span.h"
#include "json/scan.h"

#include <string.h>
#include <strings.h>

const char *const format_names[] = {"auto", "json", "jsonl", "csv", "tsv", "lines", "nul", NULL};

enum format format_of_name(const char *name)
{
    static const struct {
        const char *end;
        enum format format;
    } ends[] = {
        {".json", FORMAT_JSON}, {".jsonl", FORMAT_JSONL}, {".ndjson", FORMAT_JSONL},
        {".csv", FORMAT_CSV},   {".tsv", FORMAT_TSV},     {".tab", FORMAT_TSV},
        {".txt", FORMAT_LINES},
    };
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i].end);
        if (len > n && strcasecmp(name + len - n, ends[i].end) == 0) {
            return ends[i].format;
        }
    }
    return FORMAT_AUTO;
}

int format_delimiter(const char *text, char *delimiter, struct err *e)
{
    static const struct {
        const char *name;
        char delimiter;
    } names[] = {{"tab", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'}, {"space", ' '}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcasecmp(text, names[i].name) == 0) {
            *delimiter = names[i].delimiter;
            return 0;
        }
    }
    if (!text[0] || text[1] || (unsigned char)text[0] >= 0x80 || strchr("\"\r\n", text[0])) {
        return err_set(e, ERR_USAGE,
                       "--delimiter: '%s' is neither tab, comma, semicolon, pipe or space nor one"
                       " ASCII character that can stand between fields",
                       text);
    }
    *delimiter = text[0];
    return 0;
}

/* Have more than SEEN bytes at hand. 1; 0 if there are no more, or more than we want to see; -1. */
static int peek(struct reader *r, size_t seen, struct err *e)
{
    while (reader_bytes(r).len <= seen) {
        int got = seen < FORMAT_PEEK ? reader_fill(r, e) : 0;
        if (got <= 0) {
            return got;
        }
    }
    return 1;
}

/* The first byte that is no white space, in *C. 1, 0 if there is none, -1. */
static int first_byte(struct reader *r, char *c, struct err *e)
{
    for (size_t i = 0;; i++) {
        int got = peek(r, i, e);
        if (got <= 0) {
            return got;
        }
        char byte = reader_bytes(r).at[i];
        if (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n') {
            *c = byte;
            return 1;
        }
    }
}

/* Scan the first line, blank ones apart. 1: a value ends on it; 0: none does; -1 with E filled. */
static int value_on_line(struct reader *r, struct scan *s, struct err *e)
{
    for (size_t seen = 0;;) {
        int got = peek(r, seen, e);
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            return r->at_end ? 1
                             : err_set(e, ERR_DATA,
                                       "%s: no line of it ends within %zu bytes, so it may be a"
                                       " JSON document or JSON lines: say which, -f json or"
                                       " -f jsonl",
                                       r->name, FORMAT_PEEK);
        }
        struct span all = reader_bytes(r);
        const char *at = all.at + seen;
        enum scan_event event = scan_next(s, &at, all.at + all.len);
        if (event == SCAN_BEGIN) {
            s->watch = SCAN_NO_EVENTS; /* the lines before it were blank */
            s->line = 1;
        } else if (s->line > 1) {
            return 0;
        } else if (event != SCAN_MORE) {
            return 1; /* a value, or a fault, which its reader will tell */
        }
        seen = (size_t)(at - all.at);
    }
}

int format_of_content(struct reader *r, uint64_t max_depth, enum format *format, struct err *e)
{
    char c = '[';
    int got = first_byte(r, &c, e);
    if (got < 0) {
        return -1;
    }
    if (c == '[') {
        *format = FORMAT_JSON;
        return 0;
    }
    if (c != '{') {
        return err_set(e, ERR_DATA,
                       "%s: its format can't be told from its name or beginning: say it with -f"
                       " (json, jsonl, csv, tsv, lines, nul)",
                       r->name);
    }
    struct scan s;
    scan_init(&s, max_depth);
    s.watch = 0;
    int lines = value_on_line(r, &s, e);
    scan_release(&s);
    if (lines >= 0) {
        *format = lines ? FORMAT_JSONL : FORMAT_JSON;
    }
    return lines < 0 ? -1 : 0;
}
