#include "signal/outage.h"

#include "base/clock.h"
#include "base/uuid.h"

#define PAUSE_FIRST   (100 * CLOCK_MILLI)
#define PAUSE_LONGEST (4 * CLOCK_SECOND)

bool outage_note(struct outage *o, bool at_once)
{
    int64_t now = clock_now(), longer = o->pause * 2;
    bool news = !o->told && (at_once || outage_is_on(o));
    uint8_t dice;
    o->since = outage_is_on(o) ? o->since : now;
    o->pause = o->pause == 0 ? PAUSE_FIRST : longer < PAUSE_LONGEST ? longer : PAUSE_LONGEST;
    uuid_random(&dice, sizeof dice);
    o->retry_at = clock_after(now, o->pause - o->pause / 512 * dice);
    o->told = o->told || news;
    return news;
}

bool outage_end(struct outage *o, struct err *e)
{
    bool news = o->told;
    if (news) {
        int64_t tenths = (clock_now() - o->since) / (CLOCK_SECOND / 10);
        err_set(e, ERR_LATER, "the store has answered, after %lld.%lld s", (long long)tenths / 10,
                (long long)tenths % 10);
    }
    *o = (struct outage){0};
    return news;
}
