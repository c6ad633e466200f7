#include "tunnel/where.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/stamp.h"
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MILLIS_MAX (INT64_C(1) << 50) /* far beyond any year that a stream could state */

static int refuse(const char *text, const char *const *words, struct err *e)
{
    struct buf all = {0};
    for (size_t i = 0; words[i]; i++) {
        buf_printf(&all, "%s, ", words[i]);
    }
    err_set(e, ERR_USAGE,
            "'%s' is not %sa time like 2026-11-30T22:00:00Z, or milliseconds since 1970", text,
            buf_text(&all));
    buf_release(&all);
    return -1;
}

int where_read(const char *text, const char *const *words, char out[WHERE_MAX], struct err *e)
{
    int64_t real, millis = 0;
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            snprintf(out, WHERE_MAX, "%s", text);
            return 0;
        }
    }
    if (stamp_read(span_text(text), &real)) {
        millis = real / CLOCK_MILLI;
    } else if (units_integer(span_text(text), 1, MILLIS_MAX, &millis, NULL) < 0) {
        return refuse(text, words, e);
    }
    if (millis < 1) { /* 0 would be the beginning */
        return refuse(text, words, e);
    }
    snprintf(out, WHERE_MAX, "%" PRId64, millis);
    return 0;
}
