#include "tunnel/client.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void worker_feed(struct slot *s)
{
    while (s->child.in >= 0 && s->fed < s->input.len) {
        ssize_t n = write(s->child.in, s->input.at + s->fed, s->input.len - s->fed);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && errno != EAGAIN) {
            proc_signal(&s->child, SIGKILL); /* it reads no more: it is of no use */
            s->fed = s->input.len;
        }
        if (n <= 0) {
            break;
        }
        s->fed += (size_t)n;
    }
    loop_change(&s->client->loop, &s->on_in, s->fed < s->input.len ? EPOLLOUT : 0);
}

static size_t count_lines(const struct buf *text)
{
    size_t n = 0;
    const char *at = buf_span(text).at, *end = at + text->len;
    while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        n++;
        at++;
    }
    return n;
}

void worker_heard(struct slot *s)
{
    struct channel *ch = s->channel;
    size_t answers = count_lines(&s->out);
    bool whole = s->out.len == 0 || s->out.at[s->out.len - 1] == '\n';
    if (s->use == SLOT_BATCH && answers == s->wanted && whole && s->fed == s->input.len) {
        s->use = SLOT_IDLE;
        s->channel = NULL;
        ch->slot = NULL;
        deliver_output(ch, buf_span(&s->out));
        buf_reset(&s->out);
    } else if ((s->use == SLOT_BATCH && answers > s->wanted) ||
               (s->use == SLOT_IDLE && s->out.len > 0)) {
        client_tell(s->client, "a worker answered more lines than it was given; it is ended");
        proc_signal(&s->child, SIGKILL);
    }
}

/* A worker that has nothing to do, or a new one. */
static struct slot *hire(struct client *c)
{
    struct slot *s = deliver_place(c, SLOT_IDLE);
    struct err e = {0};
    if (s && !s->child.ended) {
        return s;
    }
    s = deliver_place(c, SLOT_FREE);
    struct proc_command command = {
        .argv = c->rules->command, .envp = c->rules->envp, .stays = true};
    if (s && deliver_start_in(s, &command, &e) < 0) {
        if (e.code != ERR_LATER || proc_is_stuck(&c->proc)) {
            client_fail(c, &e);
        }
        s = NULL;
    }
    return s;
}

bool worker_give(struct channel *ch, struct span lines, size_t count)
{
    struct slot *s = hire(ch->client);
    if (!s) {
        return false;
    }
    buf_reset(&s->input);
    buf_add_span(&s->input, lines);
    s->fed = 0;
    s->wanted = count;
    s->use = SLOT_BATCH;
    s->channel = ch;
    ch->slot = s;
    worker_feed(s);
    return true;
}
