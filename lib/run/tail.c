#include "run/tail.h"

#include <errno.h>
#include <unistd.h>

enum { PIECE = 16 * 1024 };

/* Does what is passed on next begin a line? */
static bool at_line_start(const struct tail *t)
{
    return t->passed > 0 ? t->text.at[t->passed - 1] == '\n' : !t->cut;
}

/* Put TEXT, each line of it with the tag. */
static void put_tagged(const struct tail *t, struct span text, struct writer *out)
{
    bool starts = at_line_start(t);
    while (text.len > 0) {
        const char *lf = memchr(text.at, '\n', text.len);
        size_t len = lf ? (size_t)(lf - text.at) + 1 : text.len;
        if (starts) {
            writer_put_span(out, t->tag);
        }
        writer_put(out, text.at, len);
        starts = true;
        text = span_of(text.at + len, text.len - len);
    }
}

/* Pass on up to END of the text. */
static void pass_on(struct tail *t, size_t end, struct writer *out)
{
    if (end > t->passed) {
        struct span text = span_of(t->text.at + t->passed, end - t->passed);
        if (t->tag.len > 0) {
            put_tagged(t, text, out);
        } else {
            writer_put_span(out, text);
        }
        writer_commit(out);
        t->passed = end;
    }
}

/* Forget what is not wanted any more. */
static void shorten(struct tail *t)
{
    size_t waits = t->text.len - t->passed;
    size_t kept = waits >= TAIL_KEPT ? waits + 1 : TAIL_KEPT;
    if (t->text.len <= 2 * kept) {
        return;
    }
    size_t gone = t->text.len - kept;
    memmove(t->text.at, t->text.at + gone, kept);
    t->text.len = kept;
    t->passed -= gone;
    t->cut = true;
}

bool tail_read(struct tail *t, int fd, struct writer *out, bool *more)
{
    ssize_t n = read(fd, buf_room(&t->text, PIECE), PIECE);
    *more = n > 0;
    if (n <= 0) {
        return n < 0 && (errno == EAGAIN || errno == EINTR);
    }
    t->text.len += (size_t)n;
    t->size += (uint64_t)n;
    const char *fresh = t->text.at + t->passed;
    const char *lf = memrchr(fresh, '\n', t->text.len - t->passed);
    if (lf) {
        pass_on(t, (size_t)(lf - t->text.at) + 1, out);
    }
    if (t->text.len - t->passed > TAIL_LINE_MAX) {
        pass_on(t, t->text.len, out); /* a line too long to wait for */
    }
    shorten(t);
    return true;
}

void tail_finish(struct tail *t, struct writer *out)
{
    if (t->text.len > t->passed) {
        pass_on(t, t->text.len, out);
    }
    if (t->text.len > 0 && t->text.at[t->text.len - 1] != '\n') {
        writer_put_byte(out, '\n');
        writer_commit(out);
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct span tail_kept(const struct tail *t)
{
    struct span s = buf_span(&t->text);
    bool cut = t->cut || s.len > TAIL_KEPT;
    if (s.len > TAIL_KEPT) {
        s = span_of(s.at + s.len - TAIL_KEPT, TAIL_KEPT);
    }
    while (s.len > 0 && is_space(s.at[s.len - 1])) {
        s.len--;
    }
    const char *lf = cut && s.len > 0 ? memchr(s.at, '\n', s.len / 2) : NULL;
    return lf ? span_of(lf + 1, (size_t)(s.at + s.len - lf - 1)) : s;
}

void tail_reset(struct tail *t)
{
    buf_reset(&t->text);
    t->passed = 0;
    t->size = 0;
    t->cut = false;
}

void tail_release(struct tail *t)
{
    buf_release(&t->text);
}
