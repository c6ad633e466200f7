#include "run/attempts.h"

#include "base/clock.h"
#include "io/fd.h"
#include "json/text.h"

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

static void put_name(struct buf *b, const char *name)
{
    buf_add_text(b, b->len > 1 ? ",\"" : "\"");
    buf_add_text(b, name);
    buf_add_text(b, "\":");
}

static void put_number(struct buf *b, const char *name, uint64_t n)
{
    put_name(b, name);
    buf_add_u64(b, n);
}

static void put_text(struct buf *b, const char *name, struct span text)
{
    put_name(b, name);
    text_encode(b, text);
}

static void put_stamp(struct buf *b, const char *name, int64_t time)
{
    char stamp[CLOCK_STAMP_MAX];
    put_text(b, name, span_text(clock_stamp(time, stamp)));
}

static void put_end(struct buf *b, const struct attempt *a)
{
    put_text(b, "Status", outcome_status_name(a->status));
    if (a->code.len > 0) {
        put_name(b, "ErrorCode");
        buf_add_span(b, a->code);
    }
    if (a->exit_code >= 0) {
        put_number(b, "ExitCode", (uint64_t)a->exit_code);
    }
    if (a->signal > 0) {
        const char *name = sigabbrev_np(a->signal);
        put_text(b, "Signal", span_text(name ? name : "RT"));
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
    put_text(b, "Run", log->run);
    put_number(b, "Index", a->index);
    put_number(b, "Attempt", a->number);
    put_number(b, "Slot", a->slot);
    if (a->fallback) {
        put_name(b, "Fallback");
        buf_add_text(b, "true");
    }
    put_end(b, a);
    put_stamp(b, "StartedTime", a->started);
    put_stamp(b, "StoppedTime", a->stopped);
    put_number(b, "Milliseconds",
               a->stopped > a->started ? (uint64_t)((a->stopped - a->started) / CLOCK_MILLI) : 0);
    put_number(b, "OutputBytes", a->output);
    if (a->retry >= 0) {
        put_number(b, "RetryMilliseconds", (uint64_t)(a->retry / CLOCK_MILLI));
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
