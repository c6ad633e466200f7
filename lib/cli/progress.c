#include "cli/progress.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINE_MAX_TEXT = 160 };

static const int64_t redraw_every = CLOCK_SECOND / 5;
static const int64_t log_every = 10 * CLOCK_SECOND;

static bool is_terminal(void)
{
    const char *term = getenv("TERM");
    return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
}

/* Lines that are redrawn and lines of output would spoil each other on one terminal. */
static bool is_wanted(enum progress_when when, bool terminal)
{
    return when == PROGRESS_ALWAYS || (when == PROGRESS_AUTO && terminal && !isatty(STDOUT_FILENO));
}

/* N with a unit, as people read it: 999, 1.2 k, 3.4 M. */
static void show_count(char *out, size_t size, double n, const char *unit)
{
    static const char prefixes[] = " kMGTPE";
    int i = 0;
    while (n >= 1000 && prefixes[i + 1]) {
        n /= 1000;
        i++;
    }
    if (i == 0) {
        snprintf(out, size, "%.0f%s%s", n, *unit ? " " : "", unit);
    } else {
        snprintf(out, size, "%.1f %c%s", n, prefixes[i], unit);
    }
}

/* The part of the work that is done, from 0 to 1; negative if that is not known. */
static double part_done(const struct progress *p)
{
    if (p->total_items > 0) {
        return (double)p->items / (double)p->total_items;
    }
    if (p->total_bytes > 0) {
        return (double)p->bytes / (double)p->total_bytes;
    }
    return -1;
}

static void show_line(const struct progress *p, char out[LINE_MAX_TEXT])
{
    double seconds = (double)(clock_now() - p->started) / (double)CLOCK_SECOND;
    double rate = seconds > 0 ? (double)p->items / seconds : 0;
    double part = part_done(p);
    char bytes[32] = "";
    char speed[32];
    show_count(speed, sizeof speed, rate, "");
    if (p->follows) {
        show_count(bytes, sizeof bytes, (double)p->bytes, "B");
    }
    int n = snprintf(out, LINE_MAX_TEXT, "%s: %llu items%s%s, %s/s, %.0f s", p->name,
                     (unsigned long long)p->items, *bytes ? ", " : "", bytes, speed, seconds);
    if (part > 0 && n > 0 && n < LINE_MAX_TEXT) {
        double left = part < 1 ? seconds / part - seconds : 0;
        snprintf(out + n, LINE_MAX_TEXT - (size_t)n, ", %.0f %%, about %.0f s left", part * 100,
                 left);
    }
}

/* One whole line, as an answer or for a log. */
static void write_line(struct progress *p)
{
    char line[LINE_MAX_TEXT];
    show_line(p, line);
    progress_clear(p);
    fprintf(stderr, "%s\n", line);
}

static void redraw(struct progress *p)
{
    char line[LINE_MAX_TEXT];
    show_line(p, line);
    fprintf(stderr, "\r%s\033[K", line);
    p->drawn = true;
}

static void ring(struct progress *p)
{
    if (p->alarm.at > 0 && clock_now() >= p->alarm.at) {
        p->alarm.at = 0;
        p->alarm.ring(p->alarm.context);
    }
}

void progress_look(struct progress *p)
{
    ring(p);
    while (signals_next(&p->signals) > 0) {
        write_line(p);
    }
    if (p->next == CLOCK_NEVER) {
        return;
    }
    int64_t now = clock_now();
    if (now < p->next) {
        return;
    }
    p->next = now + p->every;
    if (p->terminal) {
        redraw(p);
    } else {
        write_line(p);
    }
}

/* When there is something to do, whether input comes or not. */
static int64_t next_deadline(const struct progress *p)
{
    return p->alarm.at > 0 && p->alarm.at < p->next ? p->alarm.at : p->next;
}

/* What an alarm has made ready leaves now: we are about to wait again. */
static int flush_output(const struct progress *p, struct err *e)
{
    return p->tied && p->tied->ready > 0 ? writer_flush(p->tied, e) : 0;
}

/* Wait for input, and for what else may happen meanwhile. */
static int wait_for_input(void *context, struct err *e)
{
    struct progress *p = context;
    for (;;) {
        progress_look(p);
        if (flush_output(p, e) < 0) {
            return -1;
        }
        struct pollfd fds[] = {
            {.fd = p->fd, .events = POLLIN},
            {.fd = p->signals.fd, .events = POLLIN},
        };
        if (poll(fds, 2, clock_poll(next_deadline(p))) < 0 && errno != EINTR) {
            return 0; /* the read that follows reports what is wrong */
        }
        if (fds[0].revents) {
            return 0;
        }
    }
}

/* More of the input has been read.  Where no descriptor is waited for, this is the time to look. */
static void count_input(void *tapper, struct span bytes)
{
    struct progress *p = tapper;
    p->bytes += bytes.len;
    if (p->fd < 0) {
        progress_look(p);
    }
}

void progress_follow(struct progress *p, struct reader *reader)
{
    struct stat st;
    p->follows = reader != NULL;
    p->fd = -1;
    p->bytes = p->total_bytes = 0;
    if (!reader) {
        return;
    }
    p->fd = reader->fd;
    p->tied = reader->tied;
    p->bytes = reader->offset + reader_bytes(reader).len;
    reader->tap = count_input;
    reader->tapper = p;
    if (reader->regular && fstat(reader->fd, &st) == 0) {
        p->total_bytes = (uint64_t)st.st_size;
    }
    if (!reader->regular) {
        reader->wait = wait_for_input;
        reader->waiter = p;
    }
}

void progress_open(struct progress *p, const char *name, enum progress_when when,
                   struct reader *reader)
{
    struct err unimportant = {0};
    const int asks = SIGUSR1;
    *p = (struct progress){.name = name, .started = clock_now(), .next = CLOCK_NEVER};
    p->terminal = is_terminal();
    p->every = p->terminal ? redraw_every : log_every;
    if (is_wanted(when, p->terminal)) {
        p->next = p->started + p->every;
    }
    if (signals_open(&p->signals, &asks, 1, &unimportant) < 0) {
        p->signals.fd = -1; /* then nobody can ask */
    }
    progress_follow(p, reader);
}

void progress_clear(struct progress *p)
{
    if (p->drawn) {
        fprintf(stderr, "\r\033[K");
        p->drawn = false;
    }
}

void progress_close(struct progress *p)
{
    progress_clear(p);
    if (p->signals.fd >= 0) {
        signals_close(&p->signals);
    }
}
