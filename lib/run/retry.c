#include "run/retry.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define RETRIES_MAX 99999999 /* reference/distributed-map.md 2.10 */

/* TEXT up to the first STOP, which is taken away from it too. */
static struct span cut(struct span *text, char stop)
{
    const char *hit = text->len ? memchr(text->at, stop, text->len) : NULL;
    size_t len = hit ? (size_t)(hit - text->at) : text->len;
    struct span head = span_of(text->at, len);
    size_t taken = hit ? len + 1 : len;
    *text = span_of(text->at + taken, text->len - taken);
    return head;
}

/* Seconds as a decimal number, in nanoseconds. */
static int read_seconds(struct span value, int64_t *out, struct err *e)
{
    char text[40];
    int n = snprintf(text, sizeof text, "%.*ss", value.len > 30 ? 30 : (int)value.len, value.at);
    if (value.len > 30 || units_duration(span_of(text, (size_t)n), out, e) < 0) {
        return err_set(e, ERR_USAGE, "'%.*s' is no number of seconds", n - 1, text);
    }
    return 0;
}

static int read_rate(struct span value, double *out, struct err *e)
{
    double rate = 0;
    if (units_number(value, &rate, NULL) < 0 || !(rate >= 1 && rate <= 1000)) {
        return err_set(e, ERR_USAGE, "'%.*s' is no number from 1 to 1000",
                       value.len > 30 ? 30 : (int)value.len, value.at);
    }
    *out = rate;
    return 0;
}

static int read_jitter(struct span value, bool *out, struct err *e)
{
    *out = span_equal(value, SPAN_LIT("full")) || span_equal(value, SPAN_LIT("FULL"));
    if (*out || span_equal(value, SPAN_LIT("none")) || span_equal(value, SPAN_LIT("NONE"))) {
        return 0;
    }
    return err_set(e, ERR_USAGE, "'%.*s' is neither full nor none", (int)value.len, value.at);
}

static int read_setting(struct retry_rule *r, struct span name, struct span value, struct err *e)
{
    int64_t n;
    if (span_equal(name, SPAN_LIT("MaxAttempts"))) {
        if (units_integer(value, 0, RETRIES_MAX, &n, e) < 0) {
            return -1;
        }
        r->max_retries = (uint32_t)n;
        return 0;
    }
    if (span_equal(name, SPAN_LIT("IntervalSeconds"))) {
        return read_seconds(value, &r->interval, e);
    }
    if (span_equal(name, SPAN_LIT("MaxDelaySeconds"))) {
        return read_seconds(value, &r->max_delay, e);
    }
    if (span_equal(name, SPAN_LIT("BackoffRate"))) {
        return read_rate(value, &r->rate, e);
    }
    if (span_equal(name, SPAN_LIT("Jitter"))) {
        return read_jitter(value, &r->jitter, e);
    }
    return err_set(e, ERR_USAGE,
                   "'%.*s' is none of MaxAttempts, IntervalSeconds, BackoffRate, MaxDelaySeconds, "
                   "Jitter",
                   (int)name.len, name.at);
}

int retry_add(struct retry_policy *p, struct span text, struct err *e)
{
    struct span rest = text;
    struct retry_rule r = {.errors = cut(&rest, ':'),
                           .max_retries = 3,
                           .interval = CLOCK_SECOND,
                           .max_delay = -1,
                           .rate = 2};
    if (r.errors.len == 0) {
        return err_set(e, ERR_USAGE, "'%.*s' names no error", (int)text.len, text.at);
    }
    while (rest.len > 0) {
        struct span value = cut(&rest, ',');
        struct span name = cut(&value, '=');
        if (read_setting(&r, name, value, e) < 0) {
            err_prefix(e, "'%.*s'", (int)text.len, text.at);
            return -1;
        }
    }
    p->rules = mem_grow(p->rules, &p->cap, p->count, sizeof *p->rules);
    p->rules[p->count++] = r;
    return 0;
}

int retry_add_owned(struct retry_policy *p, char *text, struct err *e)
{
    if (retry_add(p, span_text(text), e) < 0) {
        free(text);
        return -1;
    }
    p->rules[p->count - 1].owned = text;
    return 0;
}

static bool is_wildcard(struct span name)
{
    return span_equal(name, SPAN_LIT("*")) || span_equal(name, SPAN_LIT("FnF.ALL")) ||
           span_equal(name, SPAN_LIT("States.ALL"));
}

/* What the States Language calls our errors, which may have its name for timeouts already. */
static bool is_synonym(struct span name, struct span code)
{
    struct span states = SPAN_LIT("States.");
    struct span ours =
        span_starts(code, states) ? span_of(code.at + states.len, code.len - states.len) : code;
    bool beat = span_equal(ours, SPAN_LIT("HeartbeatTimeout"));
    bool timeout = beat || span_equal(ours, SPAN_LIT("Timeout"));
    return (timeout && span_equal(name, SPAN_LIT("States.Timeout"))) ||
           (beat && span_equal(name, SPAN_LIT("States.HeartbeatTimeout"))) ||
           (!timeout && span_equal(name, SPAN_LIT("States.TaskFailed")));
}

/* What a States.ALL does not stand for: nothing can come of trying it again. */
static bool is_beyond(struct span name, struct span code)
{
    return span_equal(code, SPAN_LIT("States.Runtime")) && span_starts(name, SPAN_LIT("States."));
}

bool retry_names(struct span errors, struct span code)
{
    while (errors.len > 0) {
        struct span name = cut(&errors, ',');
        bool stands_for = is_wildcard(name) || is_synonym(name, code);
        if (span_equal(name, code) || (stands_for && !is_beyond(name, code))) {
            return true;
        }
    }
    return false;
}

struct span retry_typo(struct span errors)
{
    while (errors.len > 0) {
        struct span name = cut(&errors, ',');
        if (!is_wildcard(name) && name.len >= 3 &&
            strncasecmp(name.at + name.len - 3, "all", 3) == 0 &&
            (name.len == 3 || name.at[name.len - 4] == '.')) {
            return name;
        }
    }
    return (struct span){0};
}

size_t retry_owner(const struct retry_policy *p, struct span code)
{
    for (size_t i = 0; i < p->count; i++) {
        if (retry_names(p->rules[i].errors, code)) {
            return i;
        }
    }
    return RETRY_NONE;
}

int64_t retry_delay(const struct retry_rule *r, uint32_t number, uint64_t chance)
{
    double most = r->max_delay >= 0 ? (double)r->max_delay : (double)(INT64_MAX / 2);
    double delay = (double)r->interval;
    for (uint32_t i = 1; i < number && delay < most && r->rate > 1; i++) {
        delay *= r->rate;
    }
    if (delay > most) {
        delay = most;
    }
    if (r->jitter) {
        delay *= (double)(chance >> 11) / (double)(UINT64_C(1) << 53);
    }
    return (int64_t)delay;
}

int64_t retry_again(const struct retry_policy *p, struct span code, uint32_t *retries,
                    uint64_t chance)
{
    size_t owner = retry_owner(p, span_of(code.at + 1, code.len - 2));
    if (owner == RETRY_NONE || retries[owner] >= p->rules[owner].max_retries) {
        return -1;
    }
    return retry_delay(&p->rules[owner], ++retries[owner], chance);
}

void retry_release(struct retry_policy *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free(p->rules[i].owned);
    }
    free(p->rules);
    *p = (struct retry_policy){0};
}
