#include "object/ini.h"

#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

int ini_load(const char *path, struct buf *out, struct err *e)
{
    buf_reset(out);
    int fd = path && *path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        bool there = path && *path && errno != ENOENT && errno != ENOTDIR;
        return there ? err_set(e, ERR_USAGE, "cannot read %s: %s", path, strerror(errno)) : 0;
    }
    struct reader r;
    reader_init(&r, fd, path, NULL);
    r.owned = true;
    int got;
    while ((got = reader_fill(&r, e)) > 0) {
        struct span bytes = reader_bytes(&r);
        buf_add_span(out, bytes);
        reader_take(&r, bytes.len);
    }
    reader_release(&r);
    if (got < 0) {
        e->code = ERR_USAGE;
    }
    return got;
}

static struct span trim(struct span s)
{
    while (s.len > 0 && strchr(" \t\r", s.at[0])) {
        s = span_of(s.at + 1, s.len - 1);
    }
    while (s.len > 0 && strchr(" \t\r", s.at[s.len - 1])) {
        s.len--;
    }
    return s;
}

/* The next line of TEXT, which is shortened by it, without its end. False: there is none. */
static bool next_line(struct span *text, struct span *line)
{
    if (text->len == 0) {
        return false;
    }
    const char *end = memchr(text->at, '\n', text->len);
    size_t len = end ? (size_t)(end - text->at) : text->len;
    *line = span_of(text->at, len);
    len += end != NULL;
    *text = span_of(text->at + len, text->len - len);
    return true;
}

/* Is LINE "[NAME]", blanks allowed?  *HEADER says if it names any section. */
static bool names_section(struct span line, const char *name, bool *header)
{
    line = trim(line);
    const char *close = line.len > 0 ? memchr(line.at, ']', line.len) : NULL;
    *header = close && line.at[0] == '[';
    return *header &&
           span_equal(trim(span_of(line.at + 1, (size_t)(close - line.at) - 1)), span_text(name));
}

bool ini_has(struct span text, const char *name)
{
    struct span line;
    bool header;
    while (next_line(&text, &line)) {
        if (names_section(line, name, &header)) {
            return true;
        }
    }
    return false;
}

/* Is KEY "OUTER.INNER"? */
static bool is_key(const char *key, struct span outer, struct span inner)
{
    size_t len = strlen(key);
    if (outer.len == 0) {
        return span_equal(inner, span_of(key, len));
    }
    return len == outer.len + 1 + inner.len && memcmp(key, outer.at, outer.len) == 0 &&
           key[outer.len] == '.' && memcmp(key + outer.len + 1, inner.at, inner.len) == 0;
}

struct span ini_get(struct span text, const char *name, const char *key)
{
    struct span line;
    struct span found = {0};
    struct span outer = {0}; /* the key that holds indented ones */
    bool inside = false;
    bool header;
    while (next_line(&text, &line)) {
        bool ours = names_section(line, name, &header);
        struct span bare = trim(line);
        const char *equals = bare.len > 0 ? memchr(bare.at, '=', bare.len) : NULL;
        if (header) {
            inside = ours;
            outer = (struct span){0};
        } else if (inside && equals && bare.at[0] != '#' && bare.at[0] != ';') {
            bool indented = line.at[0] == ' ' || line.at[0] == '\t';
            struct span left = trim(span_of(bare.at, (size_t)(equals - bare.at)));
            struct span value =
                trim(span_of(equals + 1, (size_t)(bare.at + bare.len - equals - 1)));
            outer = indented ? outer : (struct span){0};
            if (is_key(key, outer, left)) {
                found = value;
            }
            outer = !indented && value.len == 0 ? left : outer;
        }
    }
    return found;
}
