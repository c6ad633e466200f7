#include "result/record.h"

#include "result/number.h"
#include "json/walk.h"

#include <stddef.h>

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

static const struct member known[] = {
    TEXT("ExecutionName", record.name),  TEXT("FlowName", record.flow),
    TEXT("Status", record.status),       TEXT("StartedTime", record.started),
    TEXT("StoppedTime", record.stopped), VALUE("Input", record.input),
    VALUE("Output", record.output),      VALUE("Index", index),
    VALUE("ItemCount", item_count),
};

#define KNOWN_COUNT (sizeof known / sizeof *known)

static struct span *place_of(struct members *m, const struct member *k)
{
    return (struct span *)(void *)((char *)m + k->offset);
}

/* Of several members of one name the last counts. */
static void collect(struct members *m, struct span line)
{
    struct walk w = walk_into(line);
    while (walk_next(&w)) {
        for (size_t i = 0; i < KNOWN_COUNT; i++) {
            if (walk_key_is(w.key, known[i].name)) {
                *place_of(m, &known[i]) = w.value;
                break;
            }
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
        } else if (walk_kind(*value) != SCAN_STRING) {
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

static int read_numbers(struct members *m, struct err *e)
{
    struct record *r = &m->record;
    r->has_index = m->index.len > 0;
    if (r->has_index && (!number_read(m->index, &r->index) || r->index > RECORD_INDEX_MAX)) {
        return err_set(e, ERR_DATA, "the Index %.*s is no whole number from 0 to %llu",
                       (int)(m->index.len > 80 ? 80 : m->index.len), m->index.at,
                       (unsigned long long)RECORD_INDEX_MAX);
    }
    r->item_count = 1;
    if (m->item_count.len > 0 && !number_read(m->item_count, &r->item_count)) {
        return err_set(e, ERR_DATA, "the ItemCount %.*s is no whole number",
                       (int)(m->item_count.len > 80 ? 80 : m->item_count.len), m->item_count.at);
    }
    return 0;
}

/*
 * An ExecutionName RUN:INDEX names the run, and the place of a record that does not state its
 * Index.  RUN stays empty where the name has no such form.
 */
static void read_name(struct record *r)
{
    struct span inner = span_of(r->name.at + 1, r->name.len - 2);
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

int record_read(struct record *r, struct span line, struct err *e)
{
    struct members m = {0};
    if (walk_kind(line) != SCAN_OBJECT) {
        return err_set(e, ERR_DATA, "not a record: it is no object");
    }
    collect(&m, line);
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
