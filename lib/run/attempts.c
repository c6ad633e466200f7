#include "run/attempts.h"

#include "base/clock.h"
#include "io/fd.h"
#include "json/members.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int attempts_open(struct attempts *log, const char *file, struct span run, struct err *e)
{
    *log = (struct attempts){.fd = -1, .run = run};
    if (file) {
        log->fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (log->fd < 0) {
            return err_system(e, errno, "cannot open the log %s", file);
        }
    }
    return 0;
}

static void put_end(struct buf *b, const struct attempt *a)
{
    members_text(b, "Status", outcome_status_name(a->status));
    if (a->code.len > 0) {
        members_json(b, "ErrorCode", a->code);
    }
    if (a->exit_code >= 0) {
        members_count(b, "ExitCode", (uint64_t)a->exit_code);
    }
    if (a->signal > 0) {
        const char *name = sigabbrev_np(a->signal);
        members_text(b, "Signal", span_text(name ? name : "RT"));
    }
}

void attempts_put(struct attempts *log, const struct attempt *a)
{
    struct buf *b = &log->line;
    if (log->fd < 0) {
        return;
    }
    buf_reset(b);
    buf_add_byte(b, '{');
    members_text(b, "Run", log->run);
    members_count(b, "Index", a->index);
    members_count(b, "Attempt", a->number);
    members_count(b, "Slot", a->slot);
    if (a->fallback) {
        members_json(b, "Fallback", SPAN_LIT("true"));
    }
    put_end(b, a);
    members_stamp(b, "StartedTime", a->started);
    members_stamp(b, "StoppedTime", a->stopped);
    members_count(b, "Milliseconds",
                  a->stopped > a->started ? (uint64_t)((a->stopped - a->started) / CLOCK_MILLI)
                                          : 0);
    members_count(b, "OutputBytes", a->output);
    if (a->retry >= 0) {
        members_count(b, "RetryMilliseconds", (uint64_t)(a->retry / CLOCK_MILLI));
    }
    buf_add_text(b, "}\n");
    if (log->number == 0 && fd_write(log->fd, buf_span(b)) < 0) {
        log->number = errno;
    }
}

int attempts_close(struct attempts *log, struct err *e)
{
    int number = log->number;
    if (log->fd >= 0 && close(log->fd) < 0 && number == 0) {
        number = errno;
    }
    log->fd = -1;
    buf_release(&log->line);
    return number ? err_system(e, number, "cannot write the log") : 0;
}
