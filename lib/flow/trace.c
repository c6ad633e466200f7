#include "flow/trace.h"

#include "base/clock.h"
#include "io/fd.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int trace_open(struct trace *t, const char *file, struct err *e)
{
    *t = (struct trace){.fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)};
    return t->fd < 0 ? err_system(e, errno, "cannot open %s", file) : 0;
}

static void put_member(struct buf *b, const char *name, struct span json)
{
    buf_add_text(b, b->len > 1 ? ",\"" : "\"");
    buf_add_text(b, name);
    buf_add_text(b, "\":");
    buf_add_span(b, json);
}

static void put_text(struct buf *b, const char *name, struct span text)
{
    put_member(b, name, (struct span){"", 0});
    text_encode_lossy(b, text);
}

static void put_time(struct buf *b, const char *name, int64_t real)
{
    char stamp[CLOCK_STAMP_MAX];
    put_text(b, name, span_text(clock_stamp(real, stamp)));
}

static void put_number(struct buf *b, const char *name, uint64_t n)
{
    put_member(b, name, (struct span){"", 0});
    buf_add_u64(b, n);
}

void trace_put(struct trace *t, const struct trace_entry *entry)
{
    struct buf *b = &t->line;
    buf_reset(b);
    buf_add_byte(b, '{');
    put_text(b, "State", entry->state);
    put_text(b, "Type", entry->type);
    put_text(b, "Execution", entry->execution);
    if (entry->item >= 0) {
        put_number(b, "Item", (uint64_t)entry->item);
    }
    put_member(b, "Input", entry->input);
    if (entry->output.len > 0) {
        put_member(b, "Output", entry->output);
    }
    if (entry->code.len > 0) {
        put_member(b, "ErrorCode", entry->code);
        put_text(b, "Cause", entry->cause);
    }
    put_time(b, "EnteredTime", entry->entered);
    put_time(b, "ExitedTime", entry->exited);
    put_number(b, "Attempts", entry->attempts);
    buf_add_text(b, "}\n");
    if (t->number == 0 && fd_write(t->fd, buf_span(b)) < 0) {
        t->number = errno;
    }
}

int trace_close(struct trace *t, struct err *e)
{
    int number = t->number;
    if (t->fd >= 0 && close(t->fd) < 0 && number == 0) {
        number = errno;
    }
    buf_release(&t->line);
    *t = (struct trace){.fd = -1};
    return number ? err_system(e, number, "cannot write the trace") : 0;
}
