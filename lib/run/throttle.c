#include "run/throttle.h"

#include "base/units.h"
#include "io/fd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CATCH_UP                                                                                   \
    (20 * CLOCK_MILLI) /* by which starts of --rate may be late and still made up for */

#define NUMBER_MAX 1e6 /* the highest rate or load that means anything */

static int read_number(struct span text, double *out)
{
    return units_number(text, out, NULL) < 0 || !(*out > 0 && *out <= NUMBER_MAX) ? -1 : 0;
}

int throttle_rate(struct span text, int64_t *interval, struct err *e)
{
    static const struct {
        struct span name;
        int64_t time;
    } units[] = {{{"/s", 2}, CLOCK_SECOND},
                 {{"/min", 4}, 60 * CLOCK_SECOND},
                 {{"/m", 2}, 60 * CLOCK_SECOND},
                 {{"/h", 2}, 3600 * CLOCK_SECOND}};
    struct span number = text;
    int64_t time = CLOCK_SECOND;
    double n;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct span unit = units[i].name;
        if (text.len > unit.len && memcmp(text.at + text.len - unit.len, unit.at, unit.len) == 0) {
            number.len = text.len - unit.len;
            time = units[i].time;
            break;
        }
    }
    if (read_number(number, &n) < 0) {
        return err_set(e, ERR_USAGE, "'%.*s' is no rate, such as 5/s or 100/min", (int)text.len,
                       text.at);
    }
    *interval = (int64_t)((double)time / n);
    return 0;
}

int throttle_load(struct span text, int64_t processors, double *load, struct err *e)
{
    struct span number = text;
    bool percent = text.len > 0 && text.at[text.len - 1] == '%';
    number.len -= percent;
    if (read_number(number, load) < 0) {
        return err_set(e, ERR_USAGE, "'%.*s' is no load, such as 1.5 or 80%%", (int)text.len,
                       text.at);
    }
    *load *= percent ? (double)processors / 100 : 1;
    return 0;
}

/* The beginning of FILE in the folder, as text in OUT. False: it cannot be read. */
static bool read_file(const struct throttle *t, const char *file, char *out, size_t size)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", t->folder, file);
    ssize_t n = fd_read_file(path, out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* What stands behind NAME in FILE, a number; OTHERWISE where it is not there. */
static double find_number(const struct throttle *t, const char *file, const char *name,
                          double otherwise)
{
    char text[4096];
    const char *at = read_file(t, file, text, sizeof text) ? strstr(text, name) : NULL;
    return at ? strtod(at + strlen(name), NULL) : otherwise;
}

static bool is_busy(const struct throttle *t)
{
    return t->load > 0 && find_number(t, "loadavg", "", 0) > t->load;
}

/*
 * Is there too little memory?  What is available is an estimate of the kernel; that processes had
 * to wait for memory is a fact, where the kernel keeps account of it (PSI).
 */
static bool is_short(const struct throttle *t)
{
    return t->memory > 0 &&
           (find_number(t, "meminfo", "MemAvailable:", HUGE_VAL) < (double)(t->memory / 1024) ||
            find_number(t, "pressure/memory", "some avg10=", 0) > THROTTLE_PRESSURE);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t throttle_take(struct throttle *t, int64_t now)
{
    int64_t at = later(later(t->rate_next, t->delay_next), t->look_next);
    if (at > now) {
        return at;
    }
    if (is_busy(t) || is_short(t)) {
        t->look_next = now + THROTTLE_LOOK;
        return t->look_next;
    }
    t->rate_next = t->interval > 0 ? later(t->rate_next, now - CATCH_UP) + t->interval : 0;
    t->delay_next = t->delay > 0 ? now + t->delay : 0;
    return 0;
}
