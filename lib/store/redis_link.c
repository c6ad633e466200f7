#include "store/redis_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/un.h>
#include <time.h>

enum {
    CONNECT_SECONDS = 3, /* then the server counts as not reachable */
    REPLY_SECONDS = 10   /* a script takes microseconds; a server that saves may pause */
};

/* ---- commands ---- */

void command_start(struct redis_command *c, const char *name)
{
    buf_reset(&c->body);
    c->count = 0;
    command_add_text(c, name);
}

void command_add(struct redis_command *c, struct span word)
{
    buf_add_byte(&c->body, '$');
    buf_add_u64(&c->body, word.len);
    buf_add(&c->body, "\r\n", 2);
    buf_add_span(&c->body, word);
    buf_add(&c->body, "\r\n", 2);
    c->count++;
}

void command_add_text(struct redis_command *c, const char *word)
{
    command_add(c, span_text(word));
}

void command_add_number(struct redis_command *c, int64_t number)
{
    char text[24];
    size_t sign = number < 0;
    text[0] = '-';
    uint64_t size = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    command_add(c, span_of(text, sign + buf_digits(text + sign, size)));
}

void command_release(struct redis_command *c)
{
    buf_release(&c->body);
}

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

int link_refused(const struct redis_link *l, const redisReply *r, struct err *e)
{
    static const char *const later[] = {
        "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN",           "TRYAGAIN", "BUSY",
        "OOM ",    "MISCONF",  "NOREPLICAS", "max number of clients", NULL};
    static const char *const usage[] = {"NOAUTH",    "WRONGPASS", "NOPERM",
                                        "WRONGTYPE", "DENIED",    "invalid password",
                                        "AUTH",      "DB index",  NULL};
    enum err_code code = mentions(r->str, later)   ? ERR_LATER
                         : mentions(r->str, usage) ? ERR_USAGE
                                                   : ERR_IO;
    return err_set(e, code, "store %s: %s", l->shown, r->str);
}

/* The link has failed: say why, and close it. */
static int lost(struct redis_link *l, struct err *e)
{
    bool by_errno = l->context->err == REDIS_ERR_IO;
    int number = by_errno ? errno : 0;
    bool forbidden = number == EACCES || number == EPERM;
    const char *why = by_errno && (number == EAGAIN || number == EINPROGRESS) ? "no answer in time"
                                                                              : l->context->errstr;
    err_set(e, forbidden ? ERR_USAGE : ERR_LATER, "store %s: %s", l->shown, why);
    link_close(l);
    return -1;
}

/* ---- sending and reading ---- */

/*
 * Writing to a server that has gone raises SIGPIPE in hiredis, which would end the program as if
 * its own reader had gone.  So it is held back meanwhile, and taken away if it came.
 */
static void hold_pipe_signal(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void release_pipe_signal(const sigset_t *before)
{
    sigset_t set;
    struct timespec none = {0};
    int number = errno;
    if (!sigismember(before, SIGPIPE)) {
        sigemptyset(&set);
        sigaddset(&set, SIGPIPE);
        while (sigtimedwait(&set, NULL, &none) < 0 && errno == EINTR) {
        }
        pthread_sigmask(SIG_SETMASK, before, NULL);
    }
    errno = number;
}

void link_put(struct redis_link *l, const struct redis_command *c)
{
    struct buf head = {0};
    buf_printf(&head, "*%zu\r\n", c->count);
    redisAppendFormattedCommand(l->context, head.at, head.len);
    redisAppendFormattedCommand(l->context, c->body.at, c->body.len);
    buf_release(&head);
}

redisReply *link_reply(struct redis_link *l, struct err *e)
{
    sigset_t before;
    void *reply = NULL;
    hold_pipe_signal(&before);
    errno = 0;
    int rc = redisGetReply(l->context, &reply);
    release_pipe_signal(&before);
    if (rc != REDIS_OK || !reply) {
        lost(l, e);
        return NULL;
    }
    return reply;
}

int link_heard(struct redis_link *l, redisReply **out, struct err *e)
{
    for (;;) {
        void *reply = NULL;
        if (redisGetReplyFromReader(l->context, &reply) != REDIS_OK) {
            return lost(l, e);
        }
        if (reply) {
            *out = reply;
            return 1;
        }
        struct pollfd p = {.fd = l->context->fd, .events = POLLIN};
        if (poll(&p, 1, 0) <= 0) {
            return 0;
        }
        errno = 0;
        if (redisBufferRead(l->context) != REDIS_OK) {
            return lost(l, e);
        }
    }
}

/* ---- opening ---- */

static redisContext *connect_to(const struct store_url *url)
{
    struct timeval limit = {.tv_sec = CONNECT_SECONDS};
    errno = 0;
    return url->scheme == STORE_REDIS_UNIX ? redisConnectUnixWithTimeout(url->path, limit)
                                           : redisConnectWithTimeout(url->host, url->port, limit);
}

/* Send C, which must succeed. */
static int demand(struct redis_link *l, const struct redis_command *c, struct err *e)
{
    link_put(l, c);
    redisReply *r = link_reply(l, e);
    if (!r) {
        return -1;
    }
    int rc = r->type == REDIS_REPLY_ERROR ? link_refused(l, r, e) : 0;
    freeReplyObject(r);
    return rc;
}

static int greet(struct redis_link *l, const struct store_url *url, struct err *e)
{
    struct redis_command c = {0};
    int rc = 0;
    if (url->password) {
        command_start(&c, "AUTH");
        if (url->user) {
            command_add_text(&c, url->user);
        }
        command_add_text(&c, url->password);
        rc = demand(l, &c, e);
        explicit_bzero(c.body.at, c.body.len);
    }
    if (rc == 0 && url->database != 0) {
        command_start(&c, "SELECT");
        command_add_number(&c, url->database);
        rc = demand(l, &c, e);
    }
    command_release(&c);
    return rc;
}

int link_open(struct redis_link *l, const struct store_url *url, struct err *e)
{
    struct sockaddr_un address;
    l->shown = url->shown;
    if (url->scheme == STORE_REDIS_UNIX && strlen(url->path) >= sizeof address.sun_path) {
        return err_set(e, ERR_USAGE, "store %s: the path of a socket has at most %zu bytes",
                       l->shown, sizeof address.sun_path - 1);
    }
    l->context = connect_to(url);
    if (!l->context) {
        return err_set(e, ERR_IO, "store %s: cannot connect", l->shown);
    }
    if (l->context->err) {
        return lost(l, e);
    }
    (void)fcntl(l->context->fd, F_SETFD, FD_CLOEXEC);
    struct timeval limit = {.tv_sec = REPLY_SECONDS};
    (void)redisSetTimeout(l->context, limit);
    if (url->scheme == STORE_REDIS) {
        (void)redisEnableKeepAlive(l->context);
    }
    if (greet(l, url, e) < 0) {
        link_close(l);
        return -1;
    }
    return 0;
}

void link_close(struct redis_link *l)
{
    if (l->context) {
        redisFree(l->context);
        l->context = NULL;
    }
}
