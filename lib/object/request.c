#include "object/request.h"

#include "object/fault.h"

#include <string.h>

enum {
    TURNS_MAX = 4,         /* tries at once in a row */
    FAULT_MAX = 256 * 1024 /* of a body that says what went wrong; the rest is not read */
};

/* How a try ended. */
enum verdict { ANSWERED, FAILED, AT_ONCE };

void request_header(struct request *q, const char *name, struct span value)
{
    if (q->header_count < SIGN_HEADERS_MAX) {
        q->headers[q->header_count++] = (struct sign_header){name, arena_copy(&q->arena, value)};
    }
}

/* The headers as lines, in the arena. */
static void put_lines(struct request *q, const char *lines[SIGN_HEADERS_MAX + 1])
{
    for (size_t i = 0; i < q->header_count; i++) {
        const struct sign_header *h = &q->headers[i];
        size_t name = strlen(h->name);
        char *line = arena_take(&q->arena, name + h->value.len + 3);
        memcpy(line, h->name, name);
        memcpy(line + name, ": ", 2);
        memcpy(line + name + 2, h->value.at, h->value.len);
        line[name + 2 + h->value.len] = '\0';
        lines[i] = line;
    }
    lines[q->header_count] = NULL;
}

static int send_once(struct request *q, struct http_transfer **t, struct err *e)
{
    const char *lines[SIGN_HEADERS_MAX + 1];
    arena_reset(&q->arena);
    q->header_count = 0;
    q->status = 0;
    q->sent = false;
    if (q->kind->write(q, e) < 0) {
        return -1;
    }
    put_lines(q, lines);
    struct http_request h = {.method = q->method,
                             .url = q->url,
                             .headers = lines,
                             .body = q->body,
                             .follow = q->follow,
                             .fresh = q->once};
    int rc = http_send(q->http, &h, q->tied, t, e);
    q->sent = h.sent;
    if (rc < 0) {
        return -1;
    }
    q->status = http_status(*t);
    return 0;
}

/* The body of T, at most MAX bytes. 0, 1 if there is more, -1 with E filled. */
static int read_body(struct http_transfer *t, struct buf *body, size_t max, struct err *e)
{
    enum { STEP = 64 * 1024 };
    buf_reset(body);
    for (;;) {
        ssize_t n = http_read(t, buf_room(body, STEP), STEP, e);
        if (n <= 0) {
            return (int)n;
        }
        body->len += (size_t)n;
        if (body->len > max) {
            return 1;
        }
    }
}

static bool is_wanted(const struct request *q)
{
    bool wanted = q->status >= 200 && q->status < 300;
    for (size_t i = 0; i < sizeof q->accepts / sizeof *q->accepts; i++) {
        wanted = wanted || (q->accepts[i] != 0 && q->accepts[i] == q->status);
    }
    return wanted;
}

static bool is_late_fault(const struct request *q, const struct buf *body)
{
    struct fault f;
    if (!q->late_fault || q->status != 200) {
        return false;
    }
    fault_read(&f, buf_span(body));
    return f.there;
}

/* The answer is not wanted: what does it say?  Its body may be incomplete. */
static enum verdict judge(struct request *q, struct http_transfer *t, struct err *e)
{
    struct buf body = {0};
    (void)read_body(t, &body, FAULT_MAX, NULL);
    bool at_once = q->kind->judge(q, t, buf_span(&body), e);
    buf_release(&body);
    return at_once ? AT_ONCE : FAILED;
}

/* The whole body of a wanted answer. */
static enum verdict take_body(struct request *q, struct http_transfer *t, struct buf *body,
                              struct err *e)
{
    int rc = read_body(t, body, REQUEST_BODY_MAX, e);
    if (rc > 0) {
        err_set(e, ERR_DATA, "the answer is longer than %zu bytes", REQUEST_BODY_MAX);
    }
    if (rc != 0) {
        return FAILED;
    }
    if (is_late_fault(q, body)) {
        return q->kind->judge(q, t, buf_span(body), e) ? AT_ONCE : FAILED;
    }
    return ANSWERED;
}

/* One try.  *T is the transfer, if there is one, also where it failed. */
static enum verdict try_once(struct request *q, struct buf *body, struct http_transfer **t,
                             struct err *e)
{
    *t = NULL;
    if (send_once(q, t, e) < 0) {
        return FAILED;
    }
    if (!is_wanted(q)) {
        return judge(q, *t, e);
    }
    return body ? take_body(q, *t, body, e) : ANSWERED;
}

int request_fail(const struct request *q, struct err *e)
{
    if (!q->tied || !q->tied->number) {
        err_prefix(e, "cannot %s %s", q->verb, q->shown);
    }
    return -1;
}

/* A failed try may have had its effect if the answer got lost, or came from somebody in between. */
static bool is_doubtful(const struct request *q)
{
    return q->sent && (q->status < 300 || q->status == 500 || q->status == 502 || q->status == 504);
}

int request_fetch(struct request *q, struct buf *body, struct http_transfer **out, struct err *e)
{
    struct retry retry = {q->settings, q->verb, q->shown, 0};
    int turns = 0;
    q->doubtful = false;
    for (;;) {
        struct http_transfer *t;
        enum verdict v = try_once(q, body, &t, e);
        if (v == ANSWERED) {
            *out = t;
            return 0;
        }
        q->doubtful = q->doubtful || is_doubtful(q);
        bool at_once = v == AT_ONCE && ++turns < TURNS_MAX;
        struct span after = t ? http_header(t, "retry-after") : (struct span){0};
        int rc = at_once ? 0 : retry_pause(&retry, after, q->tied, e);
        http_end(t);
        if (rc < 0) {
            return request_fail(q, e);
        }
    }
}

int request_send(struct request *q, struct http_transfer **out, struct err *e)
{
    return request_fetch(q, NULL, out, e);
}
