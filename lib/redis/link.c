#include "redis/link.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/fd.h"
#include "redis/dial.h"
#include "redis/tls.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_TIME (3 * CLOCK_SECOND) /* then the server counts as not reachable */
#define REPLY_TIME                                                                                 \
    (10 * CLOCK_SECOND) /* a script takes microseconds; a server that saves may pause */

enum {
    CHUNK = 64 * 1024,
    EARLY = 16 * 1024 /* so much is sent before anybody waits: the server begins meanwhile */
};

struct link {
    int fd;
    bool broken;
    struct tls *tls; /* NULL: none */
    struct replies replies;
    struct buf out; /* to be sent, before encryption */
    size_t sent;
    const char *shown;
    int stop;
    char chunk[CHUNK];
};

/* ---- errors ---- */

static bool mentions(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strstr(text, *words)) {
            return true;
        }
    }
    return false;
}

int link_refused(const struct link *l, const struct reply *r, struct err *e)
{
    static const char *const later[] = {
        "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN",           "TRYAGAIN",  "BUSY",
        "OOM ",    "MISCONF",  "NOREPLICAS", "max number of clients", "UNBLOCKED", NULL};
    static const char *const usage[] = {"NOAUTH",    "WRONGPASS", "NOPERM",
                                        "WRONGTYPE", "DENIED",    "invalid password",
                                        "AUTH",      "DB index",  "user executing the script",
                                        NULL};
    enum err_code code = mentions(r->text.at, later)   ? ERR_LATER
                         : mentions(r->text.at, usage) ? ERR_USAGE
                                                       : ERR_IO;
    /* how a server puts it when the first command has many words */
    bool stranger = strstr(r->text.at, "unauthenticated multibulk") != NULL;
    return err_set(e, stranger ? ERR_USAGE : code, "store %s: %s", l->shown,
                   stranger ? "NOAUTH it asks for a password" : r->text.at);
}

/* The link has failed, as E says. */
static int lost(struct link *l, struct err *e)
{
    l->broken = true;
    err_prefix(e, "store %s", l->shown);
    return -1;
}

/* ---- bytes ---- */

static struct span outgoing(struct link *l)
{
    return l->tls ? tls_outgoing(l->tls) : span_of(l->out.at + l->sent, l->out.len - l->sent);
}

static void took(struct link *l, size_t n)
{
    if (l->tls) {
        tls_sent(l->tls, n);
        return;
    }
    l->sent += n;
    if (l->sent == l->out.len) {
        l->sent = 0;
        buf_reset(&l->out);
    }
}

/* Encrypt what was put. */
static int wrap(struct link *l, struct err *e)
{
    int rc = l->tls && l->out.len > 0 ? tls_put(l->tls, buf_span(&l->out), e) : 0;
    if (l->tls) {
        buf_reset(&l->out);
    }
    return rc;
}

/* Send what the socket takes. 1: something is left. */
static int send_some(struct link *l, struct err *e)
{
    struct span rest;
    while ((rest = outgoing(l)).len > 0) {
        ssize_t n = send(l->fd, rest.at, rest.len, MSG_NOSIGNAL);
        if (n < 0 && errno == EAGAIN) {
            return 1;
        }
        if (n < 0 && errno != EINTR) {
            return dial_failed(errno, e);
        }
        took(l, n > 0 ? (size_t)n : 0);
    }
    return 0;
}

/* Read what has come, once, into the chunk. Its length; 0: nothing yet; -1 with E filled. */
static ssize_t receive(struct link *l, struct err *e)
{
    for (;;) {
        ssize_t n = recv(l->fd, l->chunk, sizeof l->chunk, 0);
        if (n > 0) {
            return n;
        }
        if (n == 0) {
            return err_set(e, ERR_LATER, "the server closed the connection");
        }
        if (errno == EAGAIN) {
            return 0;
        }
        if (errno != EINTR) {
            return dial_failed(errno, e);
        }
    }
}

/* Bytes that have come, to the reader of replies. 1: there were some; 0: none; -1 with E filled. */
static int take_in(struct link *l, struct err *e)
{
    ssize_t n = receive(l, e);
    if (n <= 0 || !l->tls) {
        replies_feed(&l->replies, span_of(l->chunk, n > 0 ? (size_t)n : 0));
        return n < 0 ? -1 : n > 0;
    }
    tls_feed(l->tls, span_of(l->chunk, (size_t)n));
    int got;
    while ((got = tls_get(l->tls, l->chunk, sizeof l->chunk, e)) > 0) {
        replies_feed(&l->replies, span_of(l->chunk, (size_t)got));
    }
    return got < 0 ? -1 : 1;
}

/* ---- replies ---- */

void link_put(struct link *l, const struct command *c)
{
    struct err ignored; /* it comes again when the reply is asked for */
    buf_add_byte(&l->out, '*');
    buf_add_u64(&l->out, c->count);
    buf_add(&l->out, "\r\n", 2);
    buf_add_span(&l->out, buf_span(&c->body));
    if (l->out.len - l->sent >= EARLY && wrap(l, &ignored) == 0) {
        (void)send_some(l, &ignored);
    }
}

/* The next complete reply. 1, 0 or -1 with E filled. */
static int next(struct link *l, const struct reply **out, struct err *e)
{
    const char *why = NULL;
    int got = replies_next(&l->replies, out, &why);
    return got < 0 ? err_set(e, ERR_LATER, "no answer of a Redis: %s", why) : got;
}

/* Send and read until there is a reply, or nothing has moved for the time LIMIT. */
static const struct reply *await(struct link *l, int64_t limit, int64_t deadline, struct err *e)
{
    const struct reply *r;
    int got, left = wrap(l, e);
    while (left >= 0 && (left = send_some(l, e)) >= 0) {
        if ((got = next(l, &r, e)) != 0) {
            return got > 0 ? r : NULL;
        }
        int64_t until = limit ? clock_after(clock_now(), limit) : deadline;
        short events = left ? POLLIN | POLLOUT : POLLIN;
        if (dial_wait(l->fd, events, until, l->stop, e) < 0 || take_in(l, e) < 0) {
            return NULL;
        }
    }
    return NULL;
}

const struct reply *link_reply(struct link *l, struct err *e)
{
    const struct reply *r = await(l, REPLY_TIME, 0, e);
    if (!r) {
        lost(l, e);
    }
    return r;
}

const struct reply *link_reply_by(struct link *l, int64_t deadline, struct err *e)
{
    const struct reply *r = await(l, 0, deadline, e);
    if (!r) {
        lost(l, e);
    }
    return r;
}

int link_heard(struct link *l, const struct reply **out, struct err *e)
{
    if (wrap(l, e) < 0 || send_some(l, e) < 0) {
        return lost(l, e);
    }
    for (;;) {
        int got = next(l, out, e);
        if (got == 0) {
            got = take_in(l, e);
            if (got > 0) {
                continue;
            }
        }
        return got < 0 ? lost(l, e) : got;
    }
}

const struct reply *link_demand(struct link *l, const struct command *c, struct err *e)
{
    link_put(l, c);
    const struct reply *r = link_reply(l, e);
    if (r && r->kind == REPLY_ERROR) {
        link_refused(l, r, e);
        return NULL;
    }
    return r;
}

/* ---- opening ---- */

static int shake_hands(struct link *l, int64_t deadline, struct err *e)
{
    int done;
    while ((done = tls_shake(l->tls, e)) >= 0) {
        int left = send_some(l, e);
        if (left < 0 || (done && !left)) {
            return left;
        }
        if (dial_wait(l->fd, left ? POLLIN | POLLOUT : POLLIN, deadline, l->stop, e) < 0) {
            return -1;
        }
        ssize_t n = receive(l, e);
        if (n < 0) {
            return -1;
        }
        tls_feed(l->tls, span_of(l->chunk, (size_t)n));
    }
    struct err ignored;
    (void)send_some(l, &ignored); /* tell the server why */
    return -1;
}

static int connect_link(struct link *l, const struct link_plan *plan, struct err *e)
{
    int64_t deadline = clock_after(clock_now(), CONNECT_TIME);
    const struct address *a = plan->address;
    l->fd = dial(plan->to, deadline, plan->stop, e);
    if (l->fd < 0) {
        return -1;
    }
    if (!a->tls || plan->to->path) {
        return 0;
    }
    if (tls_open(&l->tls, a, a->name ? a->name : plan->to->host, e) < 0) {
        return -1;
    }
    return shake_hands(l, deadline, e);
}

/* Log in and choose the database. */
static int greet(struct link *l, const struct link_plan *plan, struct err *e)
{
    struct command c = {0};
    bool fine = true;
    if (plan->login->password) {
        command_start(&c, "AUTH");
        if (plan->login->user) {
            command_add_text(&c, plan->login->user);
        }
        command_add_text(&c, plan->login->password);
        fine = link_demand(l, &c, e) != NULL;
        explicit_bzero(c.body.at, c.body.len);
    }
    if (fine && plan->database != 0) {
        command_start(&c, "SELECT");
        command_add_number(&c, plan->database);
        fine = link_demand(l, &c, e) != NULL;
    }
    command_release(&c);
    return fine ? 0 : -1;
}

int link_open(struct link **out, const struct link_plan *plan, struct err *e)
{
    struct link *l = mem_new(1, sizeof *l);
    l->shown = plan->address->shown;
    l->stop = plan->stop;
    replies_init(&l->replies);
    int rc = connect_link(l, plan, e);
    if (rc < 0) {
        lost(l, e);
    } else {
        rc = greet(l, plan, e);
    }
    if (rc < 0) {
        link_close(l);
        return -1;
    }
    *out = l;
    return 0;
}

void link_close(struct link *l)
{
    if (!l) {
        return;
    }
    fd_close(&l->fd);
    tls_close(l->tls);
    replies_release(&l->replies);
    if (l->out.at) {
        explicit_bzero(l->out.at, l->out.cap); /* a password went through it */
    }
    buf_release(&l->out);
    free(l);
}

bool link_is_broken(const struct link *l)
{
    return l->broken;
}

int link_fd(const struct link *l)
{
    return l->fd;
}
