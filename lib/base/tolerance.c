#include "base/tolerance.h"

/* A hundred percent, in millionths of a percent. */
#define WHOLE 100000000

static bool has_count(const struct tolerance *t)
{
    return t->has_count && t->count > 0;
}

static bool has_percent(const struct tolerance *t)
{
    return t->has_percent && t->percent_millionths > 0;
}

static bool beyond_count(const struct tolerance *t, uint64_t failed)
{
    if (!has_count(t) && !has_percent(t)) {
        return failed > 0;
    }
    return has_count(t) && failed > (uint64_t)t->count;
}

/* failed / total > percent / 100, multiplied out: both sides fit 128 bits. */
static bool beyond_percent(const struct tolerance *t, uint64_t failed, uint64_t total)
{
    unsigned __int128 have = (unsigned __int128)failed * WHOLE;
    unsigned __int128 allowed = (unsigned __int128)total * (uint64_t)t->percent_millionths;
    return has_percent(t) && have > allowed;
}

bool tolerance_exceeded(const struct tolerance *t, uint64_t failed, uint64_t total)
{
    return beyond_count(t, failed) || beyond_percent(t, failed, total);
}

bool tolerance_hopeless(const struct tolerance *t, uint64_t failed, uint64_t final_total)
{
    return beyond_count(t, failed) || (final_total > 0 && beyond_percent(t, failed, final_total));
}
