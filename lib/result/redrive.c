#include "result/redrive.h"

#include "base/mem.h"
#include "result/fingerprint.h"
#include "json/walk.h"

#include <stdlib.h>

#define NO_INDEX UINT64_MAX

struct redrive_entry {
    struct fingerprint input;
    uint64_t index; /* NO_INDEX: it has none */
    size_t next;    /* entry with the same Input, plus 1; 0: none */
    bool taken;
};

void redrive_init(struct redrive *d, const char *folder)
{
    *d = (struct redrive){.spill.folder = folder};
}

int redrive_expect(struct redrive *d, const struct record *r, struct err *e)
{
    struct redrive_entry entry = {.index = r->has_index ? r->index : NO_INDEX};
    if (fingerprint_of(r->input, &entry.input, e) < 0) {
        return -1;
    }
    d->entries = mem_grow(d->entries, &d->cap, d->count, sizeof *d->entries);
    d->entries[d->count++] = entry;
    return 0;
}

/* The place in the table of what has this Input, or the free one where it belongs. */
static size_t *find_input(const struct redrive *d, const struct fingerprint *input)
{
    size_t at = (size_t)input->b & (d->table_cap - 1);
    while (d->by_input[at] != 0 &&
           !fingerprint_equal(&d->entries[d->by_input[at] - 1].input, input)) {
        at = (at + 1) & (d->table_cap - 1);
    }
    return &d->by_input[at];
}

/* Likewise of what has this Input and this Index. */
static size_t *find_place(const struct redrive *d, const struct fingerprint *input, uint64_t index)
{
    uint64_t hash = input->b ^ (index * UINT64_C(0x9E3779B97F4A7C15));
    size_t at = (size_t)(hash ^ hash >> 32) & (d->table_cap - 1);
    while (d->by_place[at] != 0) {
        const struct redrive_entry *entry = &d->entries[d->by_place[at] - 1];
        if (entry->index == index && fingerprint_equal(&entry->input, input)) {
            break;
        }
        at = (at + 1) & (d->table_cap - 1);
    }
    return &d->by_place[at];
}

/* From the last to the first, so that each list has the order of the entries. */
void redrive_ready(struct redrive *d)
{
    d->table_cap = 16;
    while (d->table_cap < d->count * 2) {
        d->table_cap *= 2;
    }
    d->by_input = mem_new(d->table_cap, sizeof *d->by_input);
    d->by_place = mem_new(d->table_cap, sizeof *d->by_place);
    for (size_t i = d->count; i-- > 0;) {
        struct redrive_entry *entry = &d->entries[i];
        size_t *first = find_input(d, &entry->input);
        entry->next = *first;
        *first = i + 1;
        if (entry->index != NO_INDEX) {
            *find_place(d, &entry->input, entry->index) = i + 1;
        }
    }
}

/* The number plus 1 of the entry whose turn it is for R; 0 if there is none left. */
static size_t choose(struct redrive *d, const struct record *r, const struct fingerprint *input)
{
    size_t same = r->has_index ? *find_place(d, input, r->index) : 0;
    if (same > 0 && !d->entries[same - 1].taken) {
        return same;
    }
    size_t *first = find_input(d, input);
    while (*first > 0 && d->entries[*first - 1].taken) {
        size_t next = d->entries[*first - 1].next;
        if (next == 0) {
            return 0;
        }
        *first = next; /* those before it need not be looked at again */
    }
    return *first;
}

int redrive_take(struct redrive *d, const struct record *r, struct span line, struct err *e)
{
    struct fingerprint input;
    if (fingerprint_of(r->input, &input, e) < 0) {
        return -1;
    }
    size_t chosen = choose(d, r, &input);
    if (chosen == 0) {
        return 0;
    }
    d->entries[chosen - 1].taken = true;
    if (r->kind == RECORD_PENDING) {
        return 1; /* it tells nothing new */
    }
    d->merged++;
    return spill_put(&d->spill, chosen - 1, line, e) < 0 ? -1 : 1;
}

/* ---- the line that results ---- */

static void add_member(struct buf *b, struct span name, struct span value)
{
    if (b->len > 1) {
        buf_add_byte(b, ',');
    }
    buf_add_span(b, name);
    buf_add_byte(b, ':');
    buf_add_span(b, value);
}

/* NOW with the name and the place of OLD, and one redrive more. */
static void merge(struct buf *b, const struct record *old, struct span now)
{
    char digits[20];
    struct span index = span_of(digits, buf_digits(digits, old->index));
    struct walk w = walk_into(now);
    bool placed = !old->has_index;
    buf_reset(b);
    buf_add_byte(b, '{');
    add_member(b, SPAN_LIT("\"ExecutionName\""), old->name);
    while (walk_next(&w)) {
        if (walk_key_is(w.key, SPAN_LIT("Index"))) {
            if (!placed) {
                add_member(b, w.key, index);
            }
            placed = true;
        } else if (!walk_key_is(w.key, SPAN_LIT("ExecutionName")) &&
                   !walk_key_is(w.key, SPAN_LIT("RedriveCount"))) {
            add_member(b, w.key, w.value);
        }
    }
    if (!placed) {
        add_member(b, SPAN_LIT("\"Index\""), index);
    }
    buf_add_span(b, SPAN_LIT(",\"RedriveCount\":"));
    buf_add_u64(b, old->redrives + 1);
    buf_add_byte(b, '}');
}

int redrive_result(struct redrive *d, const struct record *old, struct buf *line, struct err *e)
{
    int got = spill_take(&d->spill, d->at++, &d->taken, e);
    if (got > 0) {
        merge(line, old, buf_span(&d->taken));
    }
    return got;
}

void redrive_release(struct redrive *d)
{
    free(d->entries);
    free(d->by_input);
    free(d->by_place);
    spill_release(&d->spill);
    buf_release(&d->taken);
    *d = (struct redrive){0};
}
