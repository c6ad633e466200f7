/*
 * stores.h: run the same test over every kind of store.
 *
 *     static void counts(const char *url) { … }
 *     Test(store, counts) { on_each_store(counts); }
 *
 * SQLite works in a scratch folder.  Redis is the server named by FANLINE_TEST_REDIS, or one that
 * is started here for the test and dies with it; where there is no redis-server, a line says so.
 * Ids are made unique by `name()`, for a server may be shared.
 */
#ifndef FANLINE_TESTS_STORES_H
#define FANLINE_TESTS_STORES_H

#include "base/uuid.h"
#include "scratch.h"
#include "store/store.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define STORES_PATH_MAX 128

/* Does a server listen on SOCKET yet? */
static inline bool answers(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool yes = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    close(fd);
    return yes;
}

/* Start a redis-server on a unix socket in FOLDER that dies with this process. Its pid, or -1. */
static inline pid_t start_redis(const char *folder, char url[STORES_PATH_MAX])
{
    char path[SCRATCH_MAX + 12];
    if (system("command -v redis-server >/dev/null") != 0) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/redis.sock", folder);
    snprintf(url, STORES_PATH_MAX, "redis+unix://%s", path);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execlp("redis-server", "redis-server", "--port", "0", "--unixsocket", path, "--save", "",
               "--appendonly", "no", "--dir", folder, "--logfile", "redis.log", (char *)NULL);
        _exit(127);
    }
    for (int i = 0; i < 500 && !answers(path); i++) {
        usleep(10000);
    }
    return pid;
}

static inline void on_each_store(void (*test)(const char *url))
{
    char folder[SCRATCH_MAX];
    char url[STORES_PATH_MAX];
    char command[STORES_PATH_MAX];
    cr_assert(mkdtemp(scratch_name(folder)) != NULL);
    snprintf(url, sizeof url, "sqlite:%s/store.db", folder);
    test(url);
    const char *given = getenv("FANLINE_TEST_REDIS");
    pid_t pid = given ? 0 : start_redis(folder, url);
    if (pid >= 0) {
        test(given ? given : url);
    } else {
        fprintf(stderr, "no redis-server: only SQLite was tested\n");
    }
    if (pid > 0) {
        kill(pid, SIGTERM);
        waitpid(pid, NULL, 0);
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert(system(command) == 0);
}

/* An id that nobody else uses. It lives as long as the process, which keeps hold of it. */
static inline struct span name(const char *what)
{
    static char(*names)[64];
    static size_t count;
    enum { NAMES_MAX = 4096 };
    char uuid[UUID_TEXT_MAX];
    names = names ? names : calloc(NAMES_MAX, sizeof *names);
    cr_assert(count < NAMES_MAX);
    int n = snprintf(names[count], sizeof *names, "%.24s-%s", what, uuid_make(uuid));
    return span_of(names[count++], (size_t)n);
}

#endif
