#include "result/record.h"

#include "result/number.h"
#include "json/walk.h"

#include <stddef.h>
#include <string.h>

static const struct span status_names[RECORD_STATUSES] = {
    [RECORD_SUCCEEDED] = {"Succeeded", 9}, [RECORD_FAILED] = {"Failed", 6},
    [RECORD_TIMED_OUT] = {"TimedOut", 8},  [RECORD_ABORTED] = {"Aborted", 7},
    [RECORD_PENDING] = {"Pending", 7},
};

/* The members that matter here, as they came; empty where the line has none. */
struct members {
    struct record record;
    struct span index;
    struct span item_count;
    struct span failed_items;
    struct span attempts;
    struct span redrives;
};

struct member {
    struct span name;
    size_t offset; /* of its span in struct members */
    bool is_text;
};

#define TEXT(name, field)                                                                          \
    {                                                                                              \
        {name, sizeof(name) - 1}, offsetof(struct members, field), true                            \
    }
#define VALUE(name, field)                                                                         \
    {                                                                                              \
        {name, sizeof(name) - 1}, offsetof(struct members, field), false                           \
    }

enum {
    INDEX,
    INPUT,
    CAUSE,
    STATUS,
    OUTPUT,
    FLOW,
    ATTEMPTS,
    ITEM_COUNT,
    FAILED_ITEMS,
    ERROR,
    STARTED,
    STOPPED,
    REDRIVES,
    NAME,
    KNOWN_COUNT
};

static const struct member known[KNOWN_COUNT] = {
    [INDEX] = VALUE("Index", index),
    [INPUT] = VALUE("Input", record.input),
    [CAUSE] = VALUE("Cause", record.cause),
    [STATUS] = TEXT("Status", record.status),
    [OUTPUT] = VALUE("Output", record.output),
    [FLOW] = TEXT("FlowName", record.flow),
    [ATTEMPTS] = VALUE("Attempts", attempts),
    [ITEM_COUNT] = VALUE("ItemCount", item_count),
    [FAILED_ITEMS] = VALUE("FailedItems", failed_items),
    [ERROR] = VALUE("ErrorCode", record.error),
    [STARTED] = TEXT("StartedTime", record.started),
    [STOPPED] = TEXT("StoppedTime", record.stopped),
    [REDRIVES] = VALUE("RedriveCount", redrives),
    [NAME] = TEXT("ExecutionName", record.name),
};

static struct span *place_of(struct members *m, const struct member *k)
{
    return (struct span *)(void *)((char *)m + k->offset);
}

/* Is NAME the member NUMBER?  Its length is known to be right. */
#define IS(name, text, number) (memcmp((name).at, text, sizeof(text) - 1) == 0 ? (number) : -1)
#define EITHER(a, b)           ((a) >= 0 ? (a) : (b))

/* Which known member NAME is, -1 if it is none: one or two comparisons of a fixed length. */
static inline int number_of(struct span name)
{
    switch (name.len) {
    case 5:
        return EITHER(IS(name, "Index", INDEX),
                      EITHER(IS(name, "Input", INPUT), IS(name, "Cause", CAUSE)));
    case 6:
        return EITHER(IS(name, "Output", OUTPUT), IS(name, "Status", STATUS));
    case 8:
        return EITHER(IS(name, "FlowName", FLOW), IS(name, "Attempts", ATTEMPTS));
    case 9:
        return EITHER(IS(name, "ItemCount", ITEM_COUNT), IS(name, "ErrorCode", ERROR));
    case 11:
        return EITHER(
            IS(name, "StartedTime", STARTED),
            EITHER(IS(name, "StoppedTime", STOPPED), IS(name, "FailedItems", FAILED_ITEMS)));
    case 12:
        return IS(name, "RedriveCount", REDRIVES);
    case 13:
        return IS(name, "ExecutionName", NAME);
    default:
        return -1;
    }
}

/* The known member that KEY names, NULL if it is none. */
static const struct member *find(struct span key)
{
    struct span inner = record_inner(key);
    int number = number_of(inner);
    if (number >= 0) {
        return &known[number];
    }
    for (size_t i = 0; memchr(inner.at, '\\', inner.len) && i < KNOWN_COUNT; i++) {
        if (walk_key_is(key, known[i].name)) {
            return &known[i];
        }
    }
    return NULL;
}

/* Of several members of one name the last counts. */
static void collect(struct members *m, struct span line, struct seams_view seams)
{
    struct walk w = walk_along(line, seams);
    while (walk_next(&w)) {
        const struct member *k = find(w.key);
        if (k) {
            *place_of(m, k) = w.value;
        }
    }
}

/* The strings are strings; those that may be missing become empty ones. */
static int check_texts(struct members *m, struct err *e)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        struct span *value = place_of(m, &known[i]);
        if (!known[i].is_text) {
            continue;
        }
        if (value->len == 0) {
            *value = SPAN_LIT("\"\"");
        } else if (value->at[0] != '"') {
            return err_set(e, ERR_DATA, "not a record: its %s is no string", known[i].name.at);
        }
    }
    return 0;
}

static int read_status(struct record *r, struct err *e)
{
    for (int i = 0; i < RECORD_STATUSES; i++) {
        if (walk_key_is(r->status, status_names[i])) {
            r->kind = (enum record_status)i;
            return 0;
        }
    }
    return err_set(e, ERR_DATA,
                   "the Status %.*s is none of Succeeded, Failed, TimedOut, Aborted, Pending",
                   (int)(r->status.len > 80 ? 80 : r->status.len), r->status.at);
}

/* *N is the whole number that VALUE states, and stays what it is where there is no VALUE. */
static int read_number(struct span value, const char *name, uint64_t *n, struct err *e)
{
    if (value.len == 0 || number_read(value, n)) {
        return 0;
    }
    return err_set(e, ERR_DATA, "the %s %.*s is no whole number", name,
                   (int)(value.len > 80 ? 80 : value.len), value.at);
}

static int read_numbers(struct members *m, struct err *e)
{
    struct record *r = &m->record;
    r->has_index = r->states_index = m->index.len > 0;
    if (r->has_index && (!number_read(m->index, &r->index) || r->index > RECORD_INDEX_MAX)) {
        return err_set(e, ERR_DATA, "the Index %.*s is no whole number from 0 to %llu",
                       (int)(m->index.len > 80 ? 80 : m->index.len), m->index.at,
                       (unsigned long long)RECORD_INDEX_MAX);
    }
    r->item_count = 1;
    if (read_number(m->item_count, "ItemCount", &r->item_count, e) < 0 ||
        read_number(m->failed_items, "FailedItems", &r->failed_items, e) < 0) {
        return -1;
    }
    if (r->failed_items > r->item_count) {
        return err_set(e, ERR_DATA, "FailedItems is more than ItemCount");
    }
    (void)number_read(m->attempts, &r->attempts); /* nothing depends on it */
    return read_number(m->redrives, "RedriveCount", &r->redrives, e);
}

/*
 * An ExecutionName RUN:INDEX names the run, and the place of a record that does not state its
 * Index.  RUN stays empty where the name has no such form.
 */
static void read_name(struct record *r)
{
    struct span inner = record_inner(r->name);
    size_t colon = inner.len;
    while (colon > 0 && inner.at[colon - 1] != ':') {
        colon--;
    }
    uint64_t tail;
    struct span digits = span_of(inner.at + colon, inner.len - colon);
    if (colon < 2 || !number_read(digits, &tail) || tail > RECORD_INDEX_MAX ||
        (r->has_index && tail != r->index)) {
        return;
    }
    r->run = span_of(inner.at, colon - 1);
    r->index = tail;
    r->has_index = true;
}

static int missing(const char *name, struct err *e)
{
    return err_set(e, ERR_DATA, "not a record: it has no %s", name);
}

int record_read(struct record *r, struct span line, struct seams_view seams, struct err *e)
{
    struct members m = {0};
    if (walk_kind(line) != SCAN_OBJECT) {
        return err_set(e, ERR_DATA, "not a record: it is no object");
    }
    collect(&m, line, seams);
    if (m.record.status.len == 0) {
        return missing("Status", e);
    }
    if (check_texts(&m, e) < 0 || read_status(&m.record, e) < 0 || read_numbers(&m, e) < 0) {
        return -1;
    }
    if (m.record.input.len == 0) {
        return missing("Input", e);
    }
    if (m.record.output.len == 0) {
        if (m.record.kind != RECORD_PENDING) {
            return missing("Output", e);
        }
        m.record.output = SPAN_LIT("null");
    }
    read_name(&m.record);
    *r = m.record;
    return 0;
}
