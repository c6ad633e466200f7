#include "cli/stop.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>

int cli_stop_look(struct cli_stop *s, struct err *e)
{
    if (s->number == 0) {
        s->number = signals_next(&s->signals);
        if (s->number == 0) {
            return 0;
        }
        signals_close(&s->signals);
    }
    return err_set(e, ERR_IO, "stopped by signal %d", s->number);
}

/* Wait for input, or a signal, and look after the progress meanwhile. */
static int wait_for_input(void *context, struct err *e)
{
    struct cli_stop *s = context;
    struct progress *p = &s->io->progress;
    for (;;) {
        progress_look(p);
        if (cli_stop_look(s, e) < 0) {
            return -1;
        }
        struct pollfd fds[] = {
            {.fd = s->io->reader.fd, .events = POLLIN},
            {.fd = s->signals.fd, .events = POLLIN},
            {.fd = p->signals.fd, .events = POLLIN},
        };
        if (poll(fds, 3, clock_poll(p->next)) < 0 && errno != EINTR) {
            return 0; /* the read that follows reports what is wrong */
        }
        if (fds[0].revents) {
            return 0;
        }
    }
}

int cli_stop_open(struct cli_stop *s, struct cli_stream_io *io, struct err *e)
{
    static const int list[] = {SIGTERM, SIGINT, SIGHUP};
    *s = (struct cli_stop){.signals.fd = -1, .io = io};
    if (signals_open(&s->signals, list, sizeof list / sizeof *list, e) < 0) {
        return -1;
    }
    if (!io->reader.regular) {
        io->reader.wait = wait_for_input;
        io->reader.waiter = s;
    }
    return 0;
}

int cli_stop_close(struct cli_stop *s)
{
    if (s->number == 0 && s->signals.fd >= 0) {
        s->number = signals_next(&s->signals);
    }
    signals_close(&s->signals);
    return s->number;
}
