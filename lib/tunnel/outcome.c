#include "tunnel/client.h"

#include "base/clock.h"

#include <string.h>

#define RETRY_FIRST   (100 * CLOCK_MILLI)
#define RETRY_LONGEST (30 * CLOCK_SECOND)

/* The records in hand, or the first of them, are behind us. */
static void pass(struct channel *ch, size_t n)
{
    struct parcel *b = &ch->batches[0];
    b->done += n;
    b->given = 0;
    ch->done = b->records[b->done - 1].token;
    ch->done_count += n;
    ch->alone = ch->alone > n ? ch->alone - n : 0;
    ch->attempts = 0;
    ch->retry_at = 0;
    ch->delivering = false;
}

static void add_line(struct outputs *o, struct span line)
{
    for (size_t i = 0; i < line.len; i++) {
        char c = line.at[i];
        buf_add_byte(&o->text, c == '\n' ? ' ' : c);
    }
    buf_add_byte(&o->text, '\n');
    o->count++;
}

static void add_output(struct outputs *o, struct span output)
{
    const char *at = output.at, *stop = at + output.len;
    while (at < stop) {
        const char *lf = memchr(at, '\n', (size_t)(stop - at));
        const char *line_end = lf ? lf : stop;
        if (line_end > at) {
            add_line(o, span_of(at, (size_t)(line_end - at)));
        }
        at = line_end + 1;
    }
}

void channel_delivered(struct channel *ch, struct span output)
{
    size_t n = ch->batches[0].given;
    if (ch->client->rules->to) {
        add_output(&ch->outputs, output);
    }
    ch->client->report->records += n;
    ch->client->told_stuck = false;
    pass(ch, n);
}

/* One record cannot be delivered: what was asked for in that case. */
static void give_up(struct channel *ch, const char *why)
{
    struct client *c = ch->client;
    struct span line = parcel_lines(&ch->batches[0], ch->batches[0].done, 1);
    struct buf token = {0};
    token_put(&token, ch->batches[0].records[ch->batches[0].done].token, ch->is_stream);
    switch (c->rules->poison) {
    case POISON_STOP:
        channel_fail(ch, why);
        break;
    case POISON_DLQ:
        add_line(&ch->dead, span_of(line.at, line.len - 1));
        add_line(&ch->dead, buf_span(&token));
        add_line(&ch->dead, span_text(why));
        client_tell(c, "channel %s: the record at %s goes to the dead letters: %s", ch->id,
                    buf_text(&token), why);
        break;
    case POISON_SKIP:
        client_tell(c, "channel %s: the record at %s is skipped: %s", ch->id, buf_text(&token),
                    why);
        break;
    }
    if (c->rules->poison != POISON_STOP) {
        c->report->set_aside++;
        pass(ch, 1);
    }
    buf_release(&token);
}

void channel_refused(struct channel *ch, const char *why)
{
    size_t given = ch->batches[0].given;
    ch->batches[0].given = 0;
    ch->delivering = false;
    if (given > 1) { /* which of them is it? */
        ch->alone = given;
        ch->retry_at = clock_now() + RETRY_FIRST;
        return;
    }
    if (++ch->attempts >= ch->client->rules->attempts) {
        give_up(ch, why);
        return;
    }
    int64_t delay = RETRY_FIRST << (ch->attempts < 20 ? ch->attempts - 1 : 20);
    ch->retry_at = clock_now() + (delay < RETRY_LONGEST ? delay : RETRY_LONGEST);
}
