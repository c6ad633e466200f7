#include "flow/trace.h"

#include "io/fd.h"
#include "json/members.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int trace_open(struct trace *t, const char *file, struct err *e)
{
    *t = (struct trace){.fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)};
    return t->fd < 0 ? err_system(e, errno, "cannot open %s", file) : 0;
}

void trace_put(struct trace *t, const struct trace_entry *entry)
{
    struct buf *b = &t->line;
    buf_reset(b);
    buf_add_byte(b, '{');
    members_text(b, "State", entry->state);
    members_text(b, "Type", entry->type);
    members_text(b, "Execution", entry->execution);
    if (entry->item >= 0) {
        members_count(b, "Item", (uint64_t)entry->item);
    }
    members_json(b, "Input", entry->input);
    if (entry->output.len > 0) {
        members_json(b, "Output", entry->output);
    }
    if (entry->code.len > 0) {
        members_json(b, "ErrorCode", entry->code);
        members_text(b, "Cause", entry->cause);
    }
    members_stamp(b, "EnteredTime", entry->entered);
    members_stamp(b, "ExitedTime", entry->exited);
    members_count(b, "Attempts", entry->attempts);
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
