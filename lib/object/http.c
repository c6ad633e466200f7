#include "object/http.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum {
    PIECE = 256 * 1024,       /* most that libcurl hands out at once */
    SPILL_MAX = PIECE,        /* with more than this waiting, a transfer pauses */
    HEADERS_MAX = 256 * 1024, /* of an answer */
    TURN = 1000,              /* milliseconds of one wait */
    REDIRECTIONS = 10
};

struct http {
    CURLM *multi;
    const struct object_settings *settings;
};

struct http_transfer {
    struct http *http;
    CURL *easy;
    struct curl_slist *headers;
    struct writer *tied;
    bool follow;

    struct buf head; /* the headers of the answer, a line each */
    bool ready;      /* the final answer's headers are complete */
    bool done;
    CURLcode result; /* once done */
    char problem[CURL_ERROR_SIZE];

    char *room; /* of the read at hand, where it is filled on */
    size_t room_len;
    size_t room_cap;
    struct buf spill; /* what came beside it */
    size_t spill_at;
    bool paused;
    uint64_t moved; /* bytes that came, for telling silence */
};

int http_open(struct http **out, const struct object_settings *settings, struct err *e)
{
    CURLM *multi = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? curl_multi_init() : NULL;
    if (!multi) {
        return err_set(e, ERR_IO, "libcurl cannot be started");
    }
    *out = mem_new(1, sizeof **out);
    **out = (struct http){.multi = multi, .settings = settings};
    return 0;
}

void http_close(struct http *h)
{
    if (h) {
        curl_multi_cleanup(h->multi);
        curl_global_cleanup();
        free(h);
    }
}

/* ---- what libcurl calls ---- */

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *a)
{
    (void)context, (void)purpose;
    return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/* Is the answer whose headers have just ended one that another one follows? */
static bool is_interim(const struct http_transfer *t)
{
    long status = http_status(t);
    return status < 200 ||
           (t->follow && status >= 300 && status < 400 && http_header(t, "location").len > 0);
}

static size_t on_header(char *data, size_t size, size_t count, void *context)
{
    struct http_transfer *t = context;
    struct span line = span_of(data, size * count);
    t->moved += line.len;
    if (span_starts(line, SPAN_LIT("HTTP/"))) {
        buf_reset(&t->head);
    }
    buf_add_span(&t->head, line);
    if (t->head.len > HEADERS_MAX) {
        return 0;
    }
    if (line.len <= 2 && !is_interim(t)) {
        t->ready = true;
    }
    return line.len;
}

static size_t on_body(char *data, size_t size, size_t count, void *context)
{
    struct http_transfer *t = context;
    size_t n = size * count;
    if (t->room_len == 0 && t->spill.len > SPILL_MAX) {
        t->paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    size_t direct = t->spill.len > 0 ? 0 : n < t->room_len ? n : t->room_len;
    if (direct > 0) {
        memcpy(t->room, data, direct);
        t->room += direct;
        t->room_len -= direct;
    }
    buf_add(&t->spill, data + direct, n - direct);
    t->moved += n;
    t->ready = true;
    return n;
}

/* ---- sending ---- */

static void add_header(struct http_transfer *t, const char *line)
{
    struct curl_slist *longer = curl_slist_append(t->headers, line);
    t->headers = longer ? longer : t->headers;
}

static void set_headers(struct http_transfer *t, const struct http_request *q)
{
    add_header(t, "Expect:");
    add_header(t, "Content-Type:"); /* not libcurl's; one in Q comes later and is sent */
    for (size_t i = 0; q->headers && q->headers[i]; i++) {
        add_header(t, q->headers[i]);
    }
    curl_easy_setopt(t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void set_method(struct http_transfer *t, const struct http_request *q)
{
    if (strcmp(q->method, "HEAD") == 0) {
        curl_easy_setopt(t->easy, CURLOPT_NOBODY, 1L);
    } else if (strcmp(q->method, "GET") != 0) {
        curl_easy_setopt(t->easy, CURLOPT_CUSTOMREQUEST, q->method);
    }
    if (strcmp(q->method, "PUT") == 0 || strcmp(q->method, "POST") == 0) {
        curl_easy_setopt(t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body.len);
        curl_easy_setopt(t->easy, CURLOPT_POSTFIELDS, q->body.len > 0 ? q->body.at : "");
    }
}

static void set_transport(struct http_transfer *t, const struct http_request *q)
{
    const struct object_settings *s = t->http->settings;
    const char *protocols = strncasecmp(q->url, "https:", 6) == 0 ? "https" : "http,https";
    curl_easy_setopt(t->easy, CURLOPT_URL, q->url);
    curl_easy_setopt(t->easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(t->easy, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    curl_easy_setopt(t->easy, CURLOPT_FOLLOWLOCATION, (long)q->follow);
    curl_easy_setopt(t->easy, CURLOPT_MAXREDIRS, (long)REDIRECTIONS);
    curl_easy_setopt(t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(t->easy, CURLOPT_FRESH_CONNECT, (long)q->fresh);
    curl_easy_setopt(t->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(t->easy, CURLOPT_USERAGENT, "fanline/" FANLINE_VERSION);
    curl_easy_setopt(t->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(s->connect_within / CLOCK_MILLI));
    curl_easy_setopt(t->easy, CURLOPT_BUFFERSIZE, (long)PIECE);
    curl_easy_setopt(t->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (s->ca_file && *s->ca_file) {
        curl_easy_setopt(t->easy, CURLOPT_CAINFO, s->ca_file);
    }
}

static void set_callbacks(struct http_transfer *t)
{
    curl_easy_setopt(t->easy, CURLOPT_PRIVATE, t);
    curl_easy_setopt(t->easy, CURLOPT_ERRORBUFFER, t->problem);
    curl_easy_setopt(t->easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(t->easy, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(t->easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(t->easy, CURLOPT_WRITEDATA, t);
}

/* ---- waiting ---- */

/* Note which transfers have ended. */
static void harvest(struct http *h)
{
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(h->multi, &left))) {
        struct http_transfer *t;
        if (m->msg == CURLMSG_DONE) {
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &t);
            t->done = true;
            t->result = m->data.result;
        }
    }
}

static uint64_t progress(const struct http_transfer *t)
{
    curl_off_t sent = 0;
    curl_easy_getinfo(t->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    return t->moved + (uint64_t)sent;
}

/*
 * Let the transfers go on until something has come for T, it is ready or done (as WANTED says), or
 * there was silence for too long.  Returns 0, or -1 with E filled.
 */
static int go_on(struct http_transfer *t, bool (*wanted)(const struct http_transfer *t),
                 struct err *e)
{
    struct http *h = t->http;
    uint64_t seen = progress(t);
    int64_t deadline = clock_after(clock_now(), h->settings->silence);
    for (;;) {
        int running;
        CURLMcode rc = curl_multi_perform(h->multi, &running);
        harvest(h);
        if (wanted(t)) {
            return 0;
        }
        if (progress(t) != seen) {
            seen = progress(t);
            deadline = clock_after(clock_now(), h->settings->silence);
        } else if (clock_now() >= deadline) {
            return err_set(e, ERR_LATER, "nothing came for %lld s",
                           (long long)(h->settings->silence / CLOCK_SECOND));
        }
        if (t->tied && writer_backlog(t->tied) > 0 && writer_flush(t->tied, e) < 0) {
            return -1;
        }
        int wait = clock_poll(deadline);
        if (rc == CURLM_OK) {
            rc = curl_multi_poll(h->multi, NULL, 0, wait >= 0 && wait < TURN ? wait : TURN, NULL);
        }
        if (rc != CURLM_OK) {
            return err_set(e, ERR_IO, "libcurl: %s", curl_multi_strerror(rc));
        }
    }
}

static bool is_answered(const struct http_transfer *t)
{
    return t->ready || t->done;
}

static bool has_bytes(const struct http_transfer *t)
{
    return t->room_len < t->room_cap || t->done;
}

/* What a failure of libcurl means for us. */
static enum err_code meaning(CURLcode result)
{
    switch (result) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_SSL_CONNECT_ERROR:
        return ERR_LATER;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_SSL_CACERT_BADFILE:
        return ERR_USAGE;
    default:
        return ERR_IO;
    }
}

/* A URL that makes no sense is not quoted, as libcurl would: it may have a password in it. */
static int complain(const struct http_transfer *t, struct err *e)
{
    bool quote = t->problem[0] && t->result != CURLE_URL_MALFORMAT;
    const char *text = quote ? t->problem : curl_easy_strerror(t->result);
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == ' ') {
        len--;
    }
    return err_set(e, meaning(t->result), "%.*s", (int)len, text);
}

int http_send(struct http *h, struct http_request *q, struct writer *tied,
              struct http_transfer **out, struct err *e)
{
    struct http_transfer *t = mem_new(1, sizeof *t);
    *t = (struct http_transfer){.http = h, .tied = tied, .follow = q->follow};
    t->easy = curl_easy_init();
    if (!t->easy) {
        free(t);
        return err_set(e, ERR_IO, "libcurl has no memory");
    }
    set_callbacks(t);
    set_transport(t, q);
    set_method(t, q);
    set_headers(t, q);
    curl_multi_add_handle(h->multi, t->easy);
    int rc = go_on(t, is_answered, e);
    if (rc == 0 && t->done && !t->ready) {
        rc = complain(t, e);
    }
    long size = 0;
    curl_easy_getinfo(t->easy, CURLINFO_REQUEST_SIZE, &size);
    q->sent = size > 0;
    if (rc < 0) {
        http_end(t);
        return -1;
    }
    *out = t;
    return 0;
}

/* ---- reading ---- */

long http_status(const struct http_transfer *t)
{
    long status = 0;
    curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

struct span http_header(const struct http_transfer *t, const char *name)
{
    size_t len = strlen(name);
    struct span found = {0};
    struct span left = buf_span(&t->head);
    while (left.len > 0) {
        const char *end = memchr(left.at, '\n', left.len);
        size_t line = end ? (size_t)(end - left.at) : left.len;
        if (line > len && left.at[len] == ':' && strncasecmp(left.at, name, len) == 0) {
            found = span_of(left.at + len + 1, line - len - 1);
        }
        line += end != NULL;
        left = span_of(left.at + line, left.len - line);
    }
    while (found.len > 0 && strchr(" \t", found.at[0])) {
        found = span_of(found.at + 1, found.len - 1);
    }
    while (found.len > 0 && strchr(" \t\r", found.at[found.len - 1])) {
        found.len--;
    }
    return found;
}

/* Hand out what has been spilled. */
static size_t take_spill(struct http_transfer *t, char *at, size_t cap)
{
    size_t left = t->spill.len - t->spill_at;
    size_t n = left < cap ? left : cap;
    memcpy(at, t->spill.at + t->spill_at, n);
    t->spill_at += n;
    if (t->spill_at == t->spill.len) {
        buf_reset(&t->spill);
        t->spill_at = 0;
    }
    return n;
}

ssize_t http_read(struct http_transfer *t, char *at, size_t cap, struct err *e)
{
    if (t->spill.len > 0) {
        return (ssize_t)take_spill(t, at, cap);
    }
    t->room = at;
    t->room_len = t->room_cap = cap;
    if (t->paused) {
        t->paused = false;
        curl_easy_pause(t->easy, CURLPAUSE_CONT);
    }
    int rc = go_on(t, has_bytes, e);
    size_t n = cap - t->room_len;
    t->room_len = 0;
    if (n > 0) {
        return (ssize_t)n;
    }
    if (rc < 0) {
        return -1;
    }
    return t->result == CURLE_OK ? 0 : complain(t, e);
}

void http_end(struct http_transfer *t)
{
    if (t) {
        curl_multi_remove_handle(t->http->multi, t->easy);
        curl_easy_cleanup(t->easy);
        curl_slist_free_all(t->headers);
        buf_release(&t->head);
        buf_release(&t->spill);
        free(t);
    }
}
