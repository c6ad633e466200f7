#include "run/control.h"

#include "base/units.h"
#include "io/fd.h"
#include "run/throttle.h"

#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 4096 };

int control_concurrency(struct span text, int64_t processors, int64_t *slots, struct err *e)
{
    bool percent = text.len > 1 && text.at[text.len - 1] == '%';
    bool relative = text.len > 1 && (text.at[0] == '+' || text.at[0] == '-') && !percent;
    int64_t n;
    text.len -= percent;
    if (units_integer(text, relative ? -CONCURRENCY_MAX : 1, CONCURRENCY_MAX, &n, e) < 0) {
        return -1;
    }
    n = relative ? processors + n : percent ? processors * n / 100 : n;
    *slots = n < 1 ? 1 : n > CONCURRENCY_MAX ? CONCURRENCY_MAX : n;
    return 0;
}

int control_set(struct settings *s, struct span text, int64_t processors, struct err *e)
{
    const char *equals = memchr(text.at, '=', text.len);
    struct span name = span_of(text.at, equals ? (size_t)(equals - text.at) : 0);
    struct span value = equals ? span_of(equals + 1, text.len - name.len - 1) : text;
    if (!equals || span_equal(name, SPAN_LIT("max-concurrency"))) {
        return control_concurrency(value, processors, &s->slots, e);
    }
    if (span_equal(name, SPAN_LIT("rate"))) {
        return throttle_rate(value, &s->interval, e);
    }
    if (span_equal(name, SPAN_LIT("delay"))) {
        return units_duration(value, &s->delay, e);
    }
    if (span_equal(name, SPAN_LIT("tolerated-failure-count"))) {
        s->tolerance.has_count = true;
        return units_integer(value, 0, INT64_MAX, &s->tolerance.count, e);
    }
    if (span_equal(name, SPAN_LIT("tolerated-failure-percentage"))) {
        s->tolerance.has_percent = true;
        return units_percent(value, &s->tolerance.percent_millionths, e);
    }
    return err_set(e, ERR_USAGE, "'%.*s' is nothing that can be set", (int)name.len, name.at);
}

static void set_all(struct settings *s, struct span text, int64_t processors, struct err *e)
{
    while (text.len > 0) {
        const char *lf = memchr(text.at, '\n', text.len);
        struct span line = span_of(text.at, lf ? (size_t)(lf - text.at) : text.len);
        size_t taken = line.len + (lf ? 1 : 0);
        if (line.len > 0 && line.at[0] != '#') {
            (void)control_set(s, line, processors, e);
        }
        text = span_of(text.at + taken, text.len - taken);
    }
}

/* Is it another file, or another state of it, than was read last? */
static bool has_changed(struct control *c, const struct stat *st)
{
    bool same = st->st_mtim.tv_sec == c->changed.tv_sec &&
                st->st_mtim.tv_nsec == c->changed.tv_nsec && st->st_size == c->size &&
                st->st_ino == c->inode;
    c->changed = st->st_mtim;
    c->size = st->st_size;
    c->inode = st->st_ino;
    return !same;
}

bool control_look(struct control *c, bool anyway, struct settings *s, struct err *e)
{
    struct stat st;
    char text[FILE_MAX];
    if (!c->file || stat(c->file, &st) < 0 || !S_ISREG(st.st_mode) ||
        !(has_changed(c, &st) || anyway)) {
        return false;
    }
    ssize_t n = fd_read_file(c->file, text, sizeof text);
    if (n > 0) {
        set_all(s, span_of(text, (size_t)n), c->processors, e);
    }
    return n > 0;
}
