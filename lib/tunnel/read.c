#include "tunnel/client.h"

#include "base/clock.h"
#include "base/units.h"

#include <stdio.h>

/* ---- asking ---- */

static void ask_facts(struct channel *ch, enum due_what what)
{
    struct command *command = &ch->client->command;
    command_start(command, "XINFO");
    command_add_text(command, "STREAM");
    command_key(command, buf_span(&ch->key));
    wire_put(ch->client, what, ch->serial);
}

static void ask_entries(struct channel *ch)
{
    struct command *command = &ch->client->command;
    struct buf place = {0};
    command_start(command, "XRANGE");
    command_key(command, buf_span(&ch->key));
    buf_add_byte(&place, '(');
    token_put(&place, ch->read, true);
    command_add(command, buf_span(&place));
    buf_reset(&place);
    if (ch->ends) {
        token_put(&place, ch->stop, true);
    } else {
        buf_add_byte(&place, '+');
    }
    command_add(command, buf_span(&place));
    command_add_text(command, "COUNT");
    command_add_number(command, (int64_t)ch->client->rules->batch);
    wire_put(ch->client, DUE_ENTRIES, ch->serial);
    buf_release(&place);
}

/*
 * Not as a transaction: a Redis that is full refuses those, and it is reading that lets it run
 * empty.  The order does as well.  What is trimmed only grows: if at the end nothing was missing,
 * nothing was at the entries.  And what the end of a stream looked like before the entries holds
 * for them.
 */
void read_ask(struct channel *ch)
{
    if (ch->ends) {
        ask_facts(ch, DUE_LAST);
        command_start(&ch->client->command, "TIME");
        wire_put(ch->client, DUE_TIME, ch->serial);
    }
    ask_entries(ch);
    ask_facts(ch, DUE_FACTS);
    ch->reading = true;
}

void read_forget(struct channel *ch)
{
    parcel_reset(&ch->fresh);
    ch->reading = false;
}

/* ---- what there was before ---- */

static const struct reply *find_fact(const struct reply *facts, const char *name)
{
    for (size_t i = 0; i + 1 < facts->count; i += 2) {
        if (span_equal(facts->items[i].text, span_text(name))) {
            return &facts->items[i + 1];
        }
    }
    return NULL;
}

static int64_t fact(const struct reply *facts, const char *name)
{
    const struct reply *value = find_fact(facts, name);
    return value ? value->number : 0;
}

static bool take_last(struct channel *ch, const struct reply *facts)
{
    const struct reply *last = find_fact(facts, "last-generated-id");
    return last && token_parse(last->text, &ch->stream_last);
}

static bool take_time(struct channel *ch, const struct reply *time)
{
    return time->count == 2 &&
           units_integer(time->items[0].text, 0, INT64_MAX / 1000, &ch->stream_time, NULL) == 0;
}

/* ---- entries ---- */

static bool take_entries(struct channel *ch, const struct reply *entries)
{
    for (size_t i = 0; i < entries->count; i++) {
        const struct reply *entry = &entries->items[i];
        struct token token;
        if (entry->count != 2 || !token_parse(entry->items[0].text, &token)) {
            return false;
        }
        const struct reply *fields = &entry->items[1];
        bool is_line = fields->count == 2 && span_equal(fields->items[0].text, SPAN_LIT("d"));
        if (!is_line) {
            channel_fail(ch, "an entry of the stream is not tunnelput's");
            return true;
        }
        parcel_add(&ch->fresh, fields->items[1].text, token);
    }
    return true;
}

/* ---- what there was after ---- */

/* How many records that were to be read next are not there any more. */
static int64_t lost_before(const struct channel *ch, const struct reply *facts)
{
    int64_t trimmed = fact(facts, "entries-added") - fact(facts, "length");
    bool beyond = ch->ends && ch->last >= 0 && trimmed > ch->last;
    return (beyond ? ch->last : trimmed) - (int64_t)ch->read_count;
}

/* Was something trimmed away that was to be read?  Then nothing behind it is. */
static bool has_gap(struct channel *ch, const struct reply *facts)
{
    char why[120];
    int64_t lost = lost_before(ch, facts);
    if (lost <= 0) {
        return false;
    }
    if (ch->ends && ch->last < 0) { /* or is that behind the end? */
        ch->at_tail = true;
        ch->look_at = clock_now() + ch->client->rules->interval;
        return true;
    }
    snprintf(why, sizeof why, "expired: %lld records were trimmed unread", (long long)lost);
    client_tell(ch->client, "channel %s: %s; see tunnelctl seek", ch->id, why);
    channel_fail(ch, why);
    return true;
}

/*
 * Nothing was there up to the end of the stream: is that because it has been reached?  Then an
 * entry behind it is there, or its time is over by Redis's clock; no id is given twice, or out of
 * order.
 */
static void look_for_end(struct channel *ch)
{
    const struct token *last = &ch->stream_last;
    bool passed =
        last->at > ch->stop.at || (last->at == ch->stop.at && last->minor >= ch->stop.minor);
    int64_t left = (int64_t)(ch->stop.at / 1000) + 1 - ch->stream_time;
    if (passed || left <= 0) {
        ch->read_all = true;
        ch->at_tail = false;
    } else {
        ch->look_at = clock_now() + left * CLOCK_SECOND;
    }
}

/* All of the read has come: its entries are the next batch, or the one after it. */
static void keep_fresh(struct channel *ch)
{
    struct parcel *b =
        ch->batches[0].count == 0 && !ch->delivering ? &ch->batches[0] : &ch->batches[1];
    struct parcel empty = *b;
    *b = ch->fresh;
    ch->fresh = empty;
    ch->at_tail = b->count == 0;
    if (b->count > 0) {
        ch->read = b->records[b->count - 1].token;
        ch->read_count += b->count;
    } else {
        ch->client->wake = ch->client->listening;
    }
    if (ch->ends && b->count == 0) {
        look_for_end(ch);
    }
}

static void take_facts(struct channel *ch, const struct reply *facts)
{
    ch->reading = false;
    ch->client->wire_pause = 0;
    if (ch->phase == PHASE_WORKING && !ch->silent && ch->why[0] == '\0' && !has_gap(ch, facts)) {
        keep_fresh(ch);
    }
    parcel_reset(&ch->fresh);
}

int read_take(struct channel *ch, enum due_what what, const struct reply *r, struct err *e)
{
    bool missing = reply_is_error(r, "ERR no such key") || reply_is_error(r, "WRONGTYPE");
    if (r->kind == REPLY_ERROR && !missing) {
        return link_refused(ch->client->data, r, e);
    }
    bool fits = r->kind == REPLY_LIST;
    if (fits && what == DUE_FACTS) {
        take_facts(ch, r);
        return 0;
    }
    fits = fits && (what == DUE_LAST   ? take_last(ch, r)
                    : what == DUE_TIME ? take_time(ch, r)
                                       : take_entries(ch, r));
    if (!fits) {
        channel_fail(ch, missing ? "the stream is gone, or something else is in its place"
                                 : "the stream makes no sense");
    }
    if (!fits && what == DUE_FACTS) {
        read_forget(ch);
    }
    return 0;
}
