/* Bytes as a file of a time zone: if they are one, clocks go by it at any moment, and back. */
#include "expr/zone.h"

#include <assert.h>
#include <string.h>

#define FAR INT64_C(9223372036854775) /* what milliseconds of 64 bits can tell */

enum { DAYS = 7 * 24 * 60 * 60 }; /* the widest offset that a rule can name */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_moment(const struct zone *z, int64_t moment)
{
    struct zone_time t = zone_at(z, moment);
    int64_t back = zone_to_utc(z, moment + t.offset);
    assert(t.offset > -DAYS - 3600 && t.offset < DAYS + 3600);
    assert(memchr(t.name, '\0', sizeof t.name));
    assert(back - moment < 2 * DAYS + 7200 && moment - back < 2 * DAYS + 7200);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    const struct zone *z = zone_read(&a, span_of((const char *)data, size));
    for (int64_t moment = -FAR; z && moment < FAR / 2; moment += FAR / 40 + 86399) {
        check_moment(z, moment);
    }
    for (int64_t moment = -3000000000; z && moment < 6000000000; moment += 12345678) {
        check_moment(z, moment);
    }
    arena_release(&a);
    return 0;
}
