/*
 * emit.h: items on their way out of a split: dressed, counted, limited.
 *
 * Whatever the format of the source, an item is put into the writer between emit_begin and
 * emit_end.  What --fragment and --context add is added here, and here it is decided that
 * enough items have left.  So is the fate of what is refused.
 *
 *     emit_begin(m); writer_put(m->out, …); if (emit_end(m, SCAN_OBJECT, &e) < 0) …
 *
 * Floor: engines, within lib/source. Borrows the writer and the rules.
 */
#ifndef FANLINE_SOURCE_EMIT_H
#define FANLINE_SOURCE_EMIT_H

#include "base/buf.h"
#include "base/err.h"
#include "io/writer.h"
#include "json/lines.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

/* What an item is wrapped in. */
enum emit_context {
    EMIT_BARE,
    EMIT_WRAPPED, /* {"Index":…,"Source":…,"Value":…} */
    EMIT_AWS /* the same as AWS has it (reference/distributed-map.md 2.3): a member of an object is
                {"Index":…,"Source":…,"Key":…,"Value":…}, a source S3://… or STATE_DATA */
};

struct emit {
    struct writer *out;
    const struct lines_rules *rules;
    uint64_t max_items; /* 0: no limit */
    enum emit_context context;
    /* "fragment.identifier":"…","fragment.index": where these are added, else empty */
    struct buf fragment;
    struct buf tail;   /* ,"fragment.count":N where that was counted before, else empty */
    struct buf source; /* the name of the source at hand, as a JSON string */

    /* Told of each item that has left, how many there are now; may be NULL. */
    void (*counted)(void *watcher, uint64_t items);
    void *watcher;

    struct unique unique; /* for strict rules */

    uint64_t count;    /* items that left, over all sources: the index of the next one */
    uint64_t rejected; /* refused, over all sources */
    uint64_t upstream; /* refused before, as end marks in the sources say */
    uint64_t taken;    /* items that left or were refused, of the source at hand */
};

/* Items come from SOURCE now: a place, or "-"; any bytes. */
void emit_source(struct emit *m, const char *source);

/* An item begins. Nothing uncommitted may be in the writer. */
void emit_begin(struct emit *m);

/*
 * The same of a member of an object, of which the name follows next, then ,"Value": and the value,
 * and emit_end_member before emit_end.
 */
void emit_begin_member(struct emit *m);
void emit_end_member(struct emit *m);

/*
 * The item is complete, and is of kind KIND; without white space between tokens, and one line.
 * Returns 0: it has left (is committed); or -1 with E filled (ERR_DATA, no position): it is of a
 * kind that can't get fragment members, or the rules do not allow it.  Then its bytes are still
 * pending.
 */
int emit_end(struct emit *m, enum scan_kind kind, struct err *e);

/* Have as many items left as are wanted? */
static inline bool emit_full(const struct emit *m)
{
    return m->max_items > 0 && m->count >= m->max_items;
}

/*
 * Something is refused for the reason in E, which has its position: an item, a line, a record.
 * Returns 0 if the run goes on (it has been reported; the caller puts its bytes into
 * m->rules->rejects); -1 if it ends here.  Rolls nothing back.
 */
int emit_refuse(struct emit *m, const struct err *e);

/* As emit_refuse, where the caller has a place for it of its own: the run goes on in any case. */
void emit_divert(struct emit *m, const struct err *e);

void emit_release(struct emit *m);

#endif
