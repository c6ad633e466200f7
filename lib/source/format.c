#include "source/format.h"

#include "base/span.h"
#include "object/object.h"
#include "json/scan.h"

#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* All formats: a format_NAME for each. */
#define FORMATS(ROW)                                                                               \
    ROW(json)                                                                                      \
    ROW(jsonl)                                                                                     \
    ROW(csv)                                                                                       \
    ROW(tsv)                                                                                       \
    ROW(lines)                                                                                     \
    ROW(nul)                                                                                       \
    ROW(objects)                                                                                   \
    ROW(inventory)                                                                                 \
    ROW(results)                                                                                   \
    ROW(s3ls)

#define DECLARE_IT(name) extern const struct format format_##name;
#define NAME_OF(name)    #name,
#define ADDRESS_OF(name) &format_##name,

FORMATS(DECLARE_IT)

const char *const format_names[] = {"auto", FORMATS(NAME_OF) NULL};
const struct format *const format_table[] = {NULL, FORMATS(ADDRESS_OF)};

enum { FORMATS_COUNT = sizeof format_table / sizeof *format_table };

/* NAME, of LEN bytes, without what a compressing program has put behind it. */
static size_t before_packing(const char *name, size_t len)
{
    static const char *const packings[] = {".gz", ".zst"};
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        size_t n = strlen(packings[i]);
        if (len > n && strncasecmp(name + len - n, packings[i], n) == 0) {
            return len - n;
        }
    }
    return len;
}

/* Does NAME, of LEN bytes, end in one of ENDINGS, which are separated by blanks? */
static bool ends_in(const char *name, size_t len, const char *endings)
{
    while (*endings) {
        size_t n = strcspn(endings, " ");
        if (len > n && strncasecmp(name + len - n, endings, n) == 0) {
            return true;
        }
        endings += n + (endings[n] == ' ');
    }
    return false;
}

static bool is_web(const char *place)
{
    return object_is_url(place) && strncasecmp(place, "http", 4) == 0;
}

/* Is the URL a bucket, or the beginning of keys? */
static bool is_prefix(const char *url)
{
    const char *bucket = strstr(url, "://") + 3;
    return !is_web(url) && (!strchr(bucket, '/') || url[strlen(url) - 1] == '/');
}

const struct format *format_of_place(const char *place)
{
    struct stat st;
    bool folder =
        object_is_url(place) ? is_prefix(place) : stat(place, &st) == 0 && S_ISDIR(st.st_mode);
    return folder ? &format_objects : NULL;
}

/* The length of NAME without the query that an address of the web may have. */
static size_t before_query(const char *name)
{
    return is_web(name) ? strcspn(name, "?#") : strlen(name);
}

const struct format *format_of_name(const char *name)
{
    size_t len = before_packing(name, before_query(name));
    for (size_t i = 1; i < FORMATS_COUNT; i++) {
        const char *endings = format_table[i]->endings;
        if (endings && ends_in(name, len, endings)) {
            return format_table[i];
        }
    }
    return NULL;
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

/* An object begins R: an item among others, or a document? */
static const struct format *format_of_object(struct reader *r, uint64_t max_depth, struct err *e)
{
    struct scan s;
    scan_init(&s, max_depth);
    s.watch = 0;
    int lines = value_on_line(r, &s, e);
    scan_release(&s);
    if (lines == 0) {
        err_set(e, ERR_DATA,
                "%s: it is an object over several lines: say with -p where in it the items are,"
                " or -f json to make an item of each of its members",
                r->name);
    }
    return lines > 0 ? &format_jsonl : NULL;
}

const struct format *format_of_content(struct reader *r, uint64_t max_depth, struct err *e)
{
    char c = '[';
    if (first_byte(r, &c, e) < 0) {
        return NULL;
    }
    if (c == '[') {
        return &format_json;
    }
    if (c == '{') {
        return format_of_object(r, max_depth, e);
    }
    err_set(e, ERR_DATA,
            "%s: its format can't be told from its name or beginning: say it with -f (json, jsonl,"
            " csv, tsv, lines, nul, ...)",
            r->name);
    return NULL;
}
