/*
 * bare: what is left when a runner does nothing but what it must.
 *
 *   bare spawn N      posix_spawn /bin/true N times, two at a time, stdin and stdout pipes
 *   bare echo         answer each line of standard input at once: a trivial worker
 *   bare talk         start `bare echo`, send it the lines of standard input one by one, each when
 *                     the answer to the one before is here, and write the answers
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Start ARGV with pipes as its standard input and output. */
static pid_t start(char *const *argv, int *in, int *out)
{
    int to[2];
    int from[2];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0) {
        die("pipe");
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    errno = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    if (errno != 0) {
        die(argv[0]);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    *in = to[1];
    *out = from[0];
    return pid;
}

struct child {
    pid_t pid;
    int out;
};

static void begin(struct child *c)
{
    static char name[] = "/bin/true";
    char *const argv[] = {name, NULL};
    int in;
    c->pid = start(argv, &in, &c->out);
    if (write(in, "1\n", 2) < 0 && errno != EPIPE) {
        die("write");
    }
    close(in);
}

static void finish(struct child *c)
{
    char bytes[4096];
    while (read(c->out, bytes, sizeof bytes) > 0) {
    }
    close(c->out);
    c->pid = 0;
}

static void spawn(long count)
{
    struct child children[2] = {{0}};
    long begun = 0;
    for (long done = 0; done < count;) {
        for (int i = 0; i < 2; i++) {
            if (children[i].pid == 0 && begun < count) {
                begin(&children[i]);
                begun++;
            }
        }
        pid_t pid = wait(NULL);
        finish(&children[children[0].pid == pid ? 0 : 1]);
        done++;
    }
}

static void echo(void)
{
    char *line = NULL;
    size_t cap = 0;
    ssize_t len;
    while ((len = getline(&line, &cap, stdin)) > 0) {
        if (write(1, line, (size_t)len) != len) {
            die("write");
        }
    }
    free(line);
}

static void talk(char *self)
{
    static char word[] = "echo";
    char *const argv[] = {self, word, NULL};
    int in;
    int out;
    char *line = NULL;
    char answer[65536];
    size_t cap = 0;
    ssize_t len;
    (void)start(argv, &in, &out);
    while ((len = getline(&line, &cap, stdin)) > 0) {
        if (write(in, line, (size_t)len) != len) {
            die("write");
        }
        ssize_t got = 0;
        while (got < len) {
            ssize_t n = read(out, answer + got, sizeof answer - (size_t)got);
            if (n <= 0) {
                die("read");
            }
            got += n;
        }
        fwrite(answer, 1, (size_t)got, stdout);
    }
    free(line);
    close(in);
    (void)wait(NULL);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "spawn") == 0) {
        (void)signal(SIGPIPE, SIG_IGN);
        spawn(strtol(argv[2], NULL, 10));
    } else if (argc == 2 && strcmp(argv[1], "echo") == 0) {
        echo();
    } else if (argc == 2 && strcmp(argv[1], "talk") == 0) {
        static char self[] = "/proc/self/exe";
        talk(self);
    } else {
        fputs("usage: bare spawn N | echo | talk\n", stderr);
        return 2;
    }
    return 0;
}
