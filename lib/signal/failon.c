#include "signal/failon.h"

#include "base/units.h"

int fail_on_parse(struct fail_on *out, const char *text, struct err *e)
{
    const char *sign = NULL;
    for (const char *at = strstr(text, ">="); at; at = strstr(at + 1, ">=")) {
        sign = at; /* a counter's name may hold one */
    }
    if (!sign) {
        return err_set(e, ERR_USAGE, "'%s' is no condition of the form COUNTER>=N", text);
    }
    out->counter = span_of(text, (size_t)(sign - text));
    return units_integer(span_text(sign + 2), 1, STORE_COUNT_MAX, &out->least, e);
}

static int64_t value_in(const struct store_grant *g, struct span counter)
{
    if (counter.len == 0) {
        return g->total;
    }
    for (size_t i = 0; i < g->counter_count; i++) {
        if (span_equal(g->counters[i].name, counter)) {
            return g->counters[i].value;
        }
    }
    return 0;
}

const struct fail_on *fail_on_met(const struct fail_on *list, size_t count,
                                  const struct store_grant *g)
{
    for (size_t i = 0; i < count; i++) {
        if (value_in(g, list[i].counter) >= list[i].least) {
            return &list[i];
        }
    }
    return NULL;
}
