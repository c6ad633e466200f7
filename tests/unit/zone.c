/* expr/zone: what the C library makes of the same rules, and files that are none. */
#include "expr/zone.h"
#include "base/buf.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A file of version 2 with one kind of time and no moments, and FOOTER. */
static void make_file(struct buf *file, const char *footer)
{
    buf_reset(file);
    for (int block = 0; block < 2; block++) {
        static const unsigned char header[44] = {'T', 'Z', 'i', 'f', '2', [39] = 1, [43] = 4};
        static const unsigned char body[10] = {0, 0, 0, 0, 0, 0, 'O', 'N', 'E', 0};
        buf_add(file, (const char *)header, sizeof header);
        buf_add(file, (const char *)body, sizeof body);
    }
    buf_printf(file, "\n%s\n", footer);
}

static void same_as_libc(const char *rule)
{
    struct arena a = {0};
    struct buf file = {0};
    make_file(&file, rule);
    const struct zone *z = zone_read(&a, buf_span(&file));
    cr_assert_not_null(z, "%s", rule);
    cr_assert_eq(setenv("TZ", rule, 1), 0);
    tzset();
    /* The library does not apply such rules before 1970. */
    for (int64_t t = 40000000; t < INT64_C(8000000000); t += 12345 * 6) {
        time_t moment = (time_t)t;
        struct tm tm;
        struct zone_time ours = zone_at(z, t);
        localtime_r(&moment, &tm);
        cr_assert(ours.offset == tm.tm_gmtoff && strcmp(ours.name, tm.tm_zone) == 0,
                  "%s at %lld: %d %s, not %ld %s", rule, (long long)t, ours.offset, ours.name,
                  tm.tm_gmtoff, tm.tm_zone);
    }
    buf_release(&file);
    arena_release(&a);
}

Test(zone, rules, .timeout = 60)
{
    same_as_libc("CET-1CEST,M3.5.0,M10.5.0/3");
    same_as_libc("EST5EDT,M3.2.0,M11.1.0");
    same_as_libc("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0");
    same_as_libc("<-02>2<-01>,M3.5.0/-1,M10.5.0/0");
    same_as_libc("IST-2IDT,M3.4.4/26,M10.5.0");
    same_as_libc("AAA3BBB,J60,J300/1:30:15");
    same_as_libc("AAA-3BBB,J59/0,J301");
    same_as_libc("AAA3BBB2,59/3,300/0");
    same_as_libc("AAA-3BBB,300,60");
    same_as_libc("<+0330>-3:30");
}

Test(zone, local_times)
{
    /* Java: of 2:30 on 25 October 2026 in Berlin the first, and 2:30 on 29 March is 3:30. */
    struct arena a = {0};
    struct buf file = {0};
    make_file(&file, "CET-1CEST,M3.5.0,M10.5.0/3");
    const struct zone *z = zone_read(&a, buf_span(&file));
    cr_assert_not_null(z);
    cr_expect_eq(zone_to_utc(z, 1792895400), 1792888200, "02:30 on the 25th: 00:30 in UTC");
    cr_expect_eq(zone_to_utc(z, 1792899000), 1792895400, "03:30 is there once");
    cr_expect_eq(zone_to_utc(z, 1792891800), 1792884600, "01:30");
    cr_expect_eq(zone_to_utc(z, 1774751400), 1774747800, "02:30 on 29 March: 01:30 in UTC");
    cr_expect_eq(zone_to_utc(z, 1774747800), 1774744200, "01:30");
    cr_expect_eq(zone_to_utc(z, 1774755000), 1774747800, "03:30: the same as 02:30");
    buf_release(&file);
    arena_release(&a);
}

Test(zone, files_that_are_none)
{
    static const char *const rules[] = {"CET",
                                        "CET-1CEST",
                                        "CET-1CEST,M3.5.0",
                                        "CET-1CEST,M13.5.0,M10.5.0",
                                        "CET-1CEST,M3.6.0,M10.5.0",
                                        "CET-1CEST,M3.5.7,M10.5.0",
                                        "CET-1CEST,J0,J366",
                                        "CET-1CEST,366,1",
                                        "CET-168",
                                        "CET-1:60",
                                        "<CET-1",
                                        "CET-1CEST,M3.5.0,M10.5.0/3x",
                                        "Aaaaaaaaaaaaaaaaaaaaaaaa-1",
                                        "CET-99999999999"};
    struct arena a = {0};
    struct buf file = {0};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        make_file(&file, rules[i]);
        cr_expect_null(zone_read(&a, buf_span(&file)), "%s", rules[i]);
    }
    make_file(&file, "CET-1CEST,M3.5.0,M10.5.0/3");
    for (size_t len = 0; len < file.len; len++) {
        cr_expect_null(zone_read(&a, span_of(file.at, len)), "the first %zu bytes", len);
    }
    file.at[28 + 3] = 1; /* a leap second */
    cr_expect_null(zone_read(&a, buf_span(&file)));
    buf_release(&file);
    arena_release(&a);
}
