#include "run/tail.h"

#include <errno.h>
#include <unistd.h>

enum { PIECE = 16 * 1024 };

/* Pass on up to END of the text. */
static void pass_on(struct tail *t, size_t end, struct writer *out)
{
    if (end > t->passed) {
        writer_put(out, t->text.at + t->passed, end - t->passed);
        writer_commit(out);
        t->passed = end;
    }
}

/* Forget what is not wanted any more. */
static void shorten(struct tail *t)
{
    if (t->text.len <= 2 * TAIL_KEPT) {
        return;
    }
    size_t gone = t->text.len - TAIL_KEPT;
    memmove(t->text.at, t->text.at + gone, TAIL_KEPT);
    t->text.len = TAIL_KEPT;
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
    const char *fresh = t->text.at + t->passed;
    const char *lf = memrchr(fresh, '\n', t->text.len - t->passed);
    if (lf) {
        pass_on(t, (size_t)(lf - t->text.at) + 1, out);
    }
    if (t->text.len - t->passed > TAIL_KEPT) {
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
    t->cut = false;
}

void tail_release(struct tail *t)
{
    buf_release(&t->text);
}
