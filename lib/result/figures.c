#include "result/figures.h"

#include "base/clock.h"

#define MINUTE (60 * CLOCK_SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

void figures_count(struct buf *b, uint64_t n)
{
    char digits[20];
    size_t len = buf_digits(digits, n);
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            buf_add_byte(b, ',');
        }
        buf_add_byte(b, digits[i]);
    }
}

void figures_number(struct buf *b, double n)
{
    if (n >= 99.95) {
        figures_count(b, (uint64_t)(n + 0.5));
    } else {
        buf_printf(b, n >= 0.9995 || n == 0 ? "%.3g" : "%.3f", n);
    }
}

/* "3 min 20 s": whole units, the second one left out where it is 0. */
static void add_two(struct buf *b, int64_t ns, int64_t unit, const char *name, int64_t part,
                    const char *part_name)
{
    int64_t parts = (ns + part / 2) / part;
    buf_printf(b, "%lld %s", (long long)(parts / (unit / part)), name);
    if (parts % (unit / part) > 0) {
        buf_printf(b, " %lld %s", (long long)(parts % (unit / part)), part_name);
    }
}

void figures_duration(struct buf *b, int64_t ns)
{
    if (ns < CLOCK_SECOND - CLOCK_MILLI / 2) {
        figures_number(b, (double)ns / (double)CLOCK_MILLI);
        buf_add_text(b, " ms");
    } else if (ns < MINUTE - CLOCK_SECOND / 20) {
        figures_number(b, (double)ns / (double)CLOCK_SECOND);
        buf_add_text(b, " s");
    } else if (ns < HOUR - CLOCK_SECOND / 2) {
        add_two(b, ns, MINUTE, "min", CLOCK_SECOND, "s");
    } else if (ns < 2 * DAY) {
        add_two(b, ns, HOUR, "h", MINUTE, "min");
    } else {
        add_two(b, ns, DAY, "d", HOUR, "h");
    }
}

void figures_share(struct buf *b, uint64_t part, uint64_t whole)
{
    double percent = whole > 0 ? 100.0 * (double)part / (double)whole : 0;
    if (part > 0 && percent < 0.1) {
        buf_add_text(b, "< 0.1");
    } else if (part < whole && percent > 99.9) {
        buf_add_text(b, "> 99.9");
    } else {
        buf_printf(b, percent == (double)(int)percent ? "%.0f" : "%.1f", percent);
    }
    buf_add_text(b, " %");
}

void figures_size(struct buf *b, uint64_t bytes)
{
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double size = (double)bytes / 1000;
    size_t unit = 0;
    if (bytes < 1000) {
        buf_printf(b, bytes == 1 ? "%llu byte" : "%llu bytes", (unsigned long long)bytes);
        return;
    }
    for (; size >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++) {
        size /= 1000;
    }
    figures_number(b, size);
    buf_printf(b, " %s", units[unit]);
}
