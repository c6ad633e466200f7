/*
 * proxy.c: a TCP proxy that stands between our programs and a server and does harm on demand.
 *
 *     proxy SOCKET                       passes everything on to the server at the unix socket
 * SOCKET proxy SOCKET hold N TEXT           what a client sends with TEXT in it for the Nth time is
 * not passed on, nor is anything behind it proxy SOCKET mute N TEXT           it is passed on, but
 * no answer comes back any more proxy SOCKET cut N TEXT BYTES      every Nth time the connection is
 * cut after so many bytes of the answer, from none up to BYTES in turn
 *
 * It listens on a free port of 127.0.0.1 and prints it; then `held` or `muted` when that has
 * happened, and `cut` each time.  TEXT is counted once for each piece that is received.
 */
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PAIRS_MAX = 64, CHUNK = 64 * 1024, OVERLAP = 256 };

enum harm { HARM_NONE, HARM_HOLD, HARM_MUTE, HARM_CUT };

static struct rule {
    enum harm harm;
    long every;
    const char *text;
    long bytes;
} rule;

static long times, cuts; /* TEXT was seen, connections were cut */

struct pair {
    int client, server; /* -1: not in use */
    bool held, muted;
    long allowed;       /* bytes of the answer that still pass; -1: all */
    char tail[OVERLAP]; /* the end of what came before, for texts that are divided */
    size_t tail_len;
};

static struct pair pairs[PAIRS_MAX];

static void die(const char *what)
{
    fprintf(stderr, "proxy: %s: %s\n", what, strerror(errno));
    exit(2);
}

static void say(const char *word)
{
    printf("%s\n", word);
    fflush(stdout);
}

/* ---- connections ---- */

static int listen_somewhere(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0 || listen(fd, 64) < 0 ||
        getsockname(fd, (struct sockaddr *)&a, &len) < 0) {
        die("listen");
    }
    printf("%d\n", ntohs(a.sin_port));
    fflush(stdout);
    return fd;
}

static int connect_server(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void drop(struct pair *p)
{
    close(p->client);
    close(p->server);
    p->client = p->server = -1;
}

/* A new client; one that there is no server for, or no room, is turned away. */
static void take_client(int listener, const char *path)
{
    int client = accept(listener, NULL, NULL);
    int server = client < 0 ? -1 : connect_server(path);
    for (size_t i = 0; i < PAIRS_MAX && server >= 0; i++) {
        if (pairs[i].client < 0) {
            pairs[i] = (struct pair){.client = client, .server = server, .allowed = -1};
            return;
        }
    }
    if (server >= 0) {
        close(server);
    }
    if (client >= 0) {
        close(client);
    }
}

/* ---- bytes ---- */

/* False: it does not take them. */
static bool pass(int fd, const char *at, size_t n)
{
    while (n > 0) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        at += done > 0 ? done : 0;
        n -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Is the text in what P's client sent, N bytes at AT, or across its beginning? */
static bool mentions(struct pair *p, const char *at, size_t n)
{
    static char all[OVERLAP + CHUNK];
    size_t text = rule.text ? strlen(rule.text) : 0;
    memcpy(all, p->tail, p->tail_len);
    memcpy(all + p->tail_len, at, n);
    size_t len = p->tail_len + n;
    bool found = text > 0 && memmem(all, len, rule.text, text) != NULL;
    size_t keep = text > 0 ? text - 1 : 0; /* too short to hold the text by itself */
    p->tail_len = len < keep ? len : keep;
    memcpy(p->tail, all + len - p->tail_len, p->tail_len);
    return found;
}

/* Is it time for the harm? */
static bool is_due(void)
{
    times++;
    return rule.harm == HARM_CUT ? times % rule.every == 0 : times == rule.every;
}

static void from_client(struct pair *p)
{
    static char chunk[CHUNK];
    ssize_t n = read(p->client, chunk, sizeof chunk);
    if (n <= 0) {
        drop(p);
        return;
    }
    if (rule.harm != HARM_NONE && mentions(p, chunk, (size_t)n) && is_due()) {
        if (rule.harm == HARM_HOLD) {
            p->held = true;
            say("held");
        } else if (rule.harm == HARM_MUTE) {
            p->muted = true;
        } else {
            p->allowed = cuts++ % (rule.bytes + 1);
        }
    }
    if (!p->held && !pass(p->server, chunk, (size_t)n)) {
        drop(p);
    }
}

static void from_server(struct pair *p)
{
    static char chunk[CHUNK];
    ssize_t n = read(p->server, chunk, sizeof chunk);
    if (n <= 0) {
        drop(p);
    } else if (p->muted) {
        say("muted");
    } else if (p->allowed < 0 || n < p->allowed) {
        p->allowed -= p->allowed < 0 ? 0 : n;
        if (!pass(p->client, chunk, (size_t)n)) {
            drop(p);
        }
    } else {
        (void)pass(p->client, chunk, (size_t)p->allowed);
        drop(p);
        say("cut");
    }
}

/* ---- the loop ---- */

static void turn(int listener, const char *path)
{
    struct pollfd fds[1 + 2 * PAIRS_MAX] = {{.fd = listener, .events = POLLIN}};
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        fds[1 + 2 * i] = (struct pollfd){.fd = pairs[i].client, .events = POLLIN};
        fds[2 + 2 * i] = (struct pollfd){.fd = pairs[i].server, .events = POLLIN};
    }
    (void)poll(fds, 1 + 2 * PAIRS_MAX, -1);
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        if (fds[1 + 2 * i].revents) {
            from_client(&pairs[i]);
        }
        if (fds[2 + 2 * i].revents && pairs[i].server >= 0) {
            from_server(&pairs[i]);
        }
    }
    if (fds[0].revents) {
        take_client(listener, path);
    }
}

static void read_rule(int argc, char **argv)
{
    static const char *const names[] = {"", "hold", "mute", "cut"};
    if (argc == 2) {
        return;
    }
    for (int i = HARM_HOLD; i <= HARM_CUT; i++) {
        if (strcmp(argv[2], names[i]) == 0) {
            rule.harm = (enum harm)i;
        }
    }
    if (rule.harm == HARM_NONE || argc != (rule.harm == HARM_CUT ? 6 : 5) ||
        strlen(argv[4]) > OVERLAP) {
        fprintf(stderr, "usage: proxy SOCKET [hold|mute N TEXT | cut N TEXT BYTES]\n");
        exit(2);
    }
    rule.every = strtol(argv[3], NULL, 10);
    rule.text = argv[4];
    rule.bytes = argc == 6 ? strtol(argv[5], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: proxy SOCKET [RULE...]\n");
        return 2;
    }
    read_rule(argc, argv);
    signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < PAIRS_MAX; i++) {
        pairs[i].client = pairs[i].server = -1;
    }
    int listener = listen_somewhere();
    for (;;) {
        turn(listener, argv[1]);
    }
}
