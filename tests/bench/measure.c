/*
 * measure COMMAND [ARG...]: runs the command with standard input as it is and standard output to
 * /dev/null, and prints `WALL CPU RSS`: seconds, seconds of the command and its children, and the
 * peak memory of the largest of them in KiB.  Fails as the command does.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: measure COMMAND [ARG...]\n");
        return 2;
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    pid_t pid;
    int number = posix_spawnp(&pid, argv[1], &actions, NULL, argv + 1, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (number) {
        fprintf(stderr, "measure: %s: %s\n", argv[1], strerror(number));
        return 127;
    }
    int status;
    struct rusage use;
    while (wait4(pid, &status, 0, &use) < 0) {
        if (errno != EINTR) {
            perror("measure");
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%.4f %.4f %ld\n",
           (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
           seconds(use.ru_utime) + seconds(use.ru_stime), use.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
