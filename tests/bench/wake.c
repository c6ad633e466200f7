/*
 * wake [ROUNDS]: starts `notify` and `fanline wait` as filters on the store of the environment,
 * gives `wait` a line, lets it fall asleep, gives `notify` a line for the same signal, and takes
 * the time until the first line leaves `wait`.  Prints `MEDIAN P99` in ms.
 *
 * wake --ping SOCKET [ROUNDS]: the same of the least that Redis can do: from sending LPUSH on one
 * connection to the answer to a BLPOP on another.
 */
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ROUNDS_DEFAULT = 500, ROUNDS_MAX = 100000, SLEEP_MILLIS = 5, PATIENCE_MILLIS = 5000 };

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void send_text(int fd, const char *text)
{
    size_t len = strlen(text);
    if (write(fd, text, len) != (ssize_t)len) {
        fail("wake: write");
    }
}

/* Read from FD until an LF has come. */
static void await_line(int fd)
{
    char text[4096];
    ssize_t n;
    do {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, PATIENCE_MILLIS) <= 0) {
            fprintf(stderr, "wake: nothing has come\n");
            exit(1);
        }
        n = read(fd, text, sizeof text);
    } while (n > 0 && text[n - 1] != '\n');
    if (n <= 0) {
        fail("wake: read");
    }
}

/* ---- the two sides ---- */

/* Where the sleeper is told to sleep and the waker to wake, and where the sleeper answers. */
struct pair {
    int sleeper_in, sleeper_out;
    int waker_in, waker_out;
    bool ping;
};

/* Start ARGV with pipes at its standard input and output. */
static void start(const char *const *argv, int *in, int *out)
{
    int to[2], from[2];
    posix_spawn_file_actions_t actions;
    pid_t pid;
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0) {
        fail("wake: pipe");
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ) != 0) {
        fail(argv[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    *in = to[1];
    *out = from[0];
}

static int dial(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
        fail(path);
    }
    return fd;
}

static void ask(const struct pair *p, int fd, const char *command, int round)
{
    char text[128];
    if (p->ping) {
        snprintf(text, sizeof text, "%s ping %d\r\n", command, round);
    } else {
        snprintf(text, sizeof text, "{\"id\":\"wake-%ld-%d\"}\n", (long)getpid(), round);
    }
    send_text(fd, text);
}

static double play(const struct pair *p, int round)
{
    ask(p, p->sleeper_in, "BLPOP", p->ping ? 0 : round);
    (void)poll(NULL, 0, SLEEP_MILLIS);
    double from = now();
    ask(p, p->waker_in, "LPUSH", round);
    await_line(p->sleeper_out);
    double took = now() - from;
    await_line(p->waker_out);
    return took;
}

static int by_size(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv)
{
    struct pair p = {.ping = argc > 2 && strcmp(argv[1], "--ping") == 0};
    const char *given = p.ping ? (argc > 3 ? argv[3] : NULL) : argc > 1 ? argv[1] : NULL;
    int rounds = given ? atoi(given) : ROUNDS_DEFAULT;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "usage: wake [ROUNDS] | wake --ping SOCKET [ROUNDS]\n");
        return 2;
    }
    if (p.ping) {
        p.sleeper_in = p.sleeper_out = dial(argv[2]);
        p.waker_in = p.waker_out = dial(argv[2]);
    } else {
        const char *const notify[] = {"notify", "-s", "${id}", NULL};
        const char *const wait[] = {"fanline", "wait", "-s", "${id}", NULL};
        start(notify, &p.waker_in, &p.waker_out);
        start(wait, &p.sleeper_in, &p.sleeper_out);
    }
    double *took = calloc((size_t)rounds, sizeof *took);
    if (!took) {
        fail("wake");
    }
    (void)play(&p, -1); /* both are there, and connected */
    for (int i = 0; i < rounds; i++) {
        took[i] = play(&p, i);
    }
    qsort(took, (size_t)rounds, sizeof *took, by_size);
    printf("%.3f %.3f\n", took[rounds / 2], took[rounds * 99 / 100]);
    free(took);
    if (!p.ping) {
        close(p.sleeper_in);
        close(p.waker_in);
        while (wait(NULL) > 0) {
        }
    }
    return 0;
}
