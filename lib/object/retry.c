#include "object/retry.h"

#include "base/clock.h"
#include "base/units.h"
#include "base/uuid.h"

#include <string.h>
#include <time.h>

int64_t retry_date(struct span text)
{
    char copy[64];
    struct tm t = {0};
    if (text.len == 0 || text.len >= sizeof copy) {
        return -1;
    }
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    const char *end = strptime(copy, "%a, %d %b %Y %H:%M:%S GMT", &t);
    return end && !*end ? (int64_t)timegm(&t) * CLOCK_SECOND : -1;
}

/* Nanoseconds from now that a Retry-After header asks for; 0 if none. */
static int64_t asked_for(struct span after)
{
    int64_t seconds;
    if (after.len == 0) {
        return 0;
    }
    if (units_integer(after, 0, INT64_C(1000000000), &seconds, NULL) == 0) {
        return seconds * CLOCK_SECOND;
    }
    int64_t left = retry_date(after) - clock_real();
    return left > 0 ? left : 0;
}

/* Any length up to the limit that has been reached. */
static int64_t jittered(const struct retry *r)
{
    int64_t limit = r->settings->retry_base;
    for (int64_t i = 1; i < r->failures && limit < r->settings->retry_max; i++) {
        limit *= 2;
    }
    limit = limit < r->settings->retry_max ? limit : r->settings->retry_max;
    uint64_t random;
    uuid_random(&random, sizeof random);
    return (int64_t)(random % ((uint64_t)limit + 1));
}

static void tell(const struct retry *r, const struct err *e)
{
    if (r->settings->retrying) {
        struct err full = *e;
        err_prefix(&full, "cannot %s %s", r->verb, r->shown);
        r->settings->retrying(r->settings->context, &full);
    }
}

int retry_pause(struct retry *r, struct span after, struct writer *tied, struct err *e)
{
    if (e->code != ERR_LATER) {
        return -1;
    }
    int64_t pause = asked_for(after);
    r->failures++;
    if (r->failures >= r->settings->attempts) {
        return r->failures == 1
                   ? -1
                   : err_set(e, e->code, "%s (tried %lld times)", e->text, (long long)r->failures);
    }
    if (pause > r->settings->retry_after) {
        return err_set(e, e->code, "%s (the server asks to come back in %lld s)", e->text,
                       (long long)(pause / CLOCK_SECOND));
    }
    tell(r, e);
    if (tied && writer_backlog(tied) > 0 && writer_flush(tied, e) < 0) {
        return -1;
    }
    int64_t own = jittered(r);
    clock_sleep(clock_after(clock_now(), own > pause ? own : pause));
    return 0;
}
