#include "proc/proc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "proc/loop.h"
#include "proc/signals.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const environment[] = {"PATH=/usr/bin:/bin", "GIVEN=yes", NULL};

/* Start ARGV in place 0, or a shell script where ARGV has one element and SCRIPT is set. */
static int start(struct proc *p, struct child *c, const char *script, const char *input,
                 struct err *e)
{
    const char *argv[] = {"sh", "-c", script, NULL};
    struct proc_command command = {
        .argv = argv, .envp = environment, .input = span_text(input ? input : "")};
    return proc_start(p, c, 0, &command, e);
}

static void wait_readable(int fd, int millis)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    poll(&p, 1, millis);
}

/* All that comes from FD until its end, as a C string in OUT. */
static const char *read_all(int fd, struct buf *out)
{
    buf_reset(out);
    for (;;) {
        wait_readable(fd, 5000);
        ssize_t n = read(fd, buf_room(out, 4096), 4096);
        if (n <= 0) {
            return buf_text(out);
        }
        out->len += (size_t)n;
    }
}

static bool ends_within(struct child *c, int millis)
{
    if (!c->ended) {
        wait_readable(c->exit_fd, millis);
    }
    return proc_ended(c);
}

static bool gone_within(struct proc *p, struct child *c, int millis)
{
    for (; millis > 0; millis -= 5) {
        if (proc_gone(p, c)) {
            return true;
        }
        usleep(5000);
    }
    return false;
}

Test(proc, streams_and_status)
{
    static const struct {
        const char *script;
        const char *input, *out, *err;
        int status; /* as waitpid gives it */
    } rows[] = {
        {"cat", "item\n", "item\n", "", 0},
        {"exit 7", "item\n", "", "", 7 << 8},
        {"echo out; echo err >&2", NULL, "out\n", "err\n", 0},
        {"kill -9 $$", NULL, "", "", SIGKILL},
        {"echo $GIVEN; cat; echo end", "", "yes\nend\n", "", 0},
        {"exec <&-; echo deaf", "never read", "deaf\n", "", 0},
    };
    struct proc p;
    struct err e = {0};
    struct buf text = {0};
    cr_assert_eq(proc_open(&p, 1, &e), 0, "%s", e.text);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct child c;
        cr_assert_eq(start(&p, &c, rows[i].script, rows[i].input, &e), 0, "%s", e.text);
        cr_expect_eq(c.in, -1, "a short input is fed at once");
        cr_expect_str_eq(read_all(c.out, &text), rows[i].out);
        cr_expect_str_eq(read_all(c.err, &text), rows[i].err);
        cr_expect(ends_within(&c, 5000), "%s", rows[i].script);
        cr_expect_eq(c.status, rows[i].status, "%s", rows[i].script);
        proc_close_pipes(&c);
        cr_expect(proc_gone(&p, &c));
        cr_expect_eq(c.pid, 0);
        cr_expect_eq(p.guard.places[0].group, 0);
    }
    buf_release(&text);
    proc_close(&p);
}

Test(proc, what_cannot_start)
{
    static const char not_found[] = "no-such-command-here";
    static const char folder[] = "/usr";
    static const char no_program[] = "/etc/passwd";
    char *huge = malloc(200001);
    memset(huge, 'x', 200000);
    huge[200000] = '\0';
    const struct {
        const char *argv[3];
        enum err_code code;
    } rows[] = {
        {{not_found, NULL}, ERR_NO_FILE},      {{"/no/such/file", NULL}, ERR_NO_FILE},
        {{folder, NULL}, ERR_NO_EXEC},         {{no_program, NULL}, ERR_NO_EXEC},
        {{"/bin/true", huge, NULL}, ERR_DATA},
    };
    struct proc p;
    struct err e = {0};
    cr_assert_eq(proc_open(&p, 1, &e), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct child c;
        struct proc_command command = {.argv = rows[i].argv, .envp = environment};
        cr_expect_eq(proc_start(&p, &c, 0, &command, &e), -1);
        cr_expect_eq(e.code, rows[i].code, "%s", e.text);
        cr_expect_eq(p.guard.places[0].group, 0);
    }
    free(huge);
    struct rlimit few = {8, p.files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    struct child c;
    cr_expect_eq(start(&p, &c, "true", NULL, &e), -1);
    cr_expect_eq(e.code, ERR_LATER, "%s", e.text);
    cr_expect(proc_is_stuck(&p), "descriptors are our own");
    cr_expect_eq(proc_room(), 0);
    proc_close(&p);
    cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "no zombie is left");
}

/* The limit of processes counts for a user, and not for root. */
static void allow_processes(rlim_t count)
{
    setrlimit(RLIMIT_NPROC, &(struct rlimit){count, 50});
}

Test(proc, a_shortage_of_processes_has_an_end)
{
    struct proc p;
    struct err e = {0};
    struct child c;
    struct child second;
    static const char *const argv[] = {"true", NULL};
    const struct proc_command command = {.argv = argv, .envp = environment};
    uid_t nobody = 20000 + (uid_t)getpid() % 40000;
    if (setgid(nobody) < 0 || setuid(nobody) < 0) {
        cr_skip("it takes root");
    }
    cr_assert_eq(proc_open(&p, 2, &e), 0);
    allow_processes(1);
    cr_expect_eq(start(&p, &c, "true", NULL, &e), -1);
    cr_expect_eq(e.code, ERR_LATER, "%s", e.text);
    cr_expect(!proc_is_stuck(&p), "somebody may make room");
    p.short_since -= PROC_PATIENCE;
    cr_expect(proc_is_stuck(&p));

    allow_processes(50);
    cr_assert_eq(start(&p, &c, "true", NULL, &e), 0, "%s", e.text);
    cr_expect(!proc_is_stuck(&p));
    allow_processes(1);
    cr_expect_eq(proc_start(&p, &second, 1, &command, &e), -1);
    p.short_since -= PROC_PATIENCE;
    cr_expect(!proc_is_stuck(&p), "what runs will make room");
    ends_within(&c, 5000);
    proc_close_pipes(&c);
    cr_expect(proc_gone(&p, &c));
    proc_close(&p);
}

/* What is set for us does not reach a child: ignored and blocked signals, descriptors, limits. */
Test(proc, a_child_starts_clean)
{
    struct proc p;
    struct err e = {0};
    struct buf text = {0};
    struct child c;
    sigset_t blocked;
    sigfillset(&blocked);
    signal(SIGALRM, SIG_IGN);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max > 300 ? 300 : limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    int leak = open("/dev/null", O_RDONLY | O_CLOEXEC);

    cr_assert_eq(proc_open(&p, 1, &e), 0);
    struct rlimit raised;
    getrlimit(RLIMIT_NOFILE, &raised);
    cr_expect_eq(raised.rlim_cur, limit.rlim_max);
    /* 32 and 33 are the C library's own: no program sets them, and GNU make leaves them ignored. */
    start(&p, &c,
          "exec awk '/^Sig(Blk|Ign)/ { sub(/[018]80000000$/, \"000000000\", $2); print $2 }' "
          "/proc/self/status",
          NULL, &e);
    cr_expect_str_eq(read_all(c.out, &text), "0000000000000000\n0000000000000000\n");
    ends_within(&c, 5000);
    proc_close_pipes(&c);
    cr_expect(proc_gone(&p, &c));
    start(&p, &c,
          "ulimit -n; test $(ps -o pgid= -p $$) = $$ && echo leader; "
          "fd=0; while [ $fd -lt 64 ]; do [ -e /proc/$$/fd/$fd ] && echo $fd; "
          "fd=$((fd + 1)); done",
          NULL, &e);
    char expected[64];
    snprintf(expected, sizeof expected, "%d\nleader\n0\n1\n2\n", (int)limit.rlim_cur);
    cr_expect_str_eq(read_all(c.out, &text), expected);
    ends_within(&c, 5000);
    proc_close_pipes(&c);
    cr_expect(proc_gone(&p, &c));
    close(leak);
    buf_release(&text);
    proc_close(&p);
}

Test(proc, a_large_input_is_fed_in_pieces)
{
    struct proc p;
    struct err e = {0};
    struct child c;
    struct buf input = {0};
    struct buf text = {0};
    memset(buf_room(&input, 1000000), 'x', 1000000);
    input.len = 1000000;
    const char *argv[] = {"sh", "-c", "sleep 0.05; wc -c", NULL};
    struct proc_command command = {.argv = argv, .envp = environment, .input = buf_span(&input)};
    cr_assert_eq(proc_open(&p, 1, &e), 0);
    cr_assert_eq(proc_start(&p, &c, 0, &command, &e), 0);
    cr_expect_neq(c.in, -1);
    cr_expect(c.fed > 0 && c.fed < input.len);
    while (c.in >= 0) {
        struct pollfd w = {.fd = c.in, .events = POLLOUT};
        poll(&w, 1, 5000);
        proc_feed(&c, command.input);
    }
    cr_expect_str_eq(read_all(c.out, &text), "1000000\n");
    cr_expect(ends_within(&c, 5000));
    proc_close_pipes(&c);
    cr_expect(proc_gone(&p, &c));

    /* who reads nothing is no reason to stop */
    argv[2] = "exit 3";
    cr_assert_eq(proc_start(&p, &c, 0, &command, &e), 0);
    cr_expect(ends_within(&c, 5000));
    proc_feed(&c, command.input);
    cr_expect_eq(c.in, -1);
    cr_expect_eq(c.status, 3 << 8);
    proc_close_pipes(&c);
    cr_expect(proc_gone(&p, &c));
    buf_release(&input);
    buf_release(&text);
    proc_close(&p);
}

Test(proc, a_whole_group_is_ended)
{
    struct proc p;
    struct err e = {0};
    struct child c;
    struct buf text = {0};
    cr_assert_eq(proc_open(&p, 1, &e), 0);

    /* a command that ends and leaves a process behind that ignores TERM */
    start(&p, &c, "trap '' TERM; sleep 300 >/dev/null 2>&1 & echo $!", NULL, &e);
    pid_t left = atoi(read_all(c.out, &text));
    cr_expect(ends_within(&c, 5000));
    proc_close_pipes(&c);
    cr_expect(!proc_gone(&p, &c));
    proc_signal(&c, SIGTERM);
    cr_expect(!gone_within(&p, &c, 50));
    cr_expect_eq(kill(left, 0), 0);
    proc_signal(&c, SIGKILL);
    cr_expect(gone_within(&p, &c, 5000));
    cr_expect_eq(kill(left, 0), -1);
    proc_signal(&c, SIGKILL); /* nothing is left: nobody is hit */

    /* a command that is stopped hears TERM */
    start(&p, &c, "kill -STOP $$", NULL, &e);
    cr_expect(!ends_within(&c, 100));
    proc_signal(&c, SIGTERM);
    cr_expect(ends_within(&c, 5000));
    cr_expect_eq(WTERMSIG(c.status), SIGTERM);
    proc_close_pipes(&c);
    cr_expect(proc_gone(&p, &c));
    buf_release(&text);
    proc_close(&p);
}

Test(proc, orphans_are_reaped)
{
    struct proc p;
    struct err e = {0};
    struct child c;
    struct buf text = {0};
    cr_assert_eq(proc_open(&p, 1, &e), 0);
    start(&p, &c, "setsid sh -c 'echo $$; sleep 0.1' 2>/dev/null &", NULL, &e);
    pid_t orphan = atoi(read_all(c.out, &text));
    cr_expect(ends_within(&c, 5000));
    proc_close_pipes(&c);
    cr_expect(gone_within(&p, &c, 1000), "what left the group is not waited for");
    int tries = 200;
    while (kill(orphan, 0) == 0 && tries-- > 0) {
        usleep(10000);
        cr_expect_eq(proc_sweep(&p, &e), 0);
    }
    cr_expect(tries > 0, "the orphan is no zombie");

    /* a guardian that somebody ended is replaced */
    pid_t guardian = p.guard.pid;
    kill(guardian, SIGKILL);
    tries = 200;
    while (p.guard.pid == guardian && tries-- > 0) {
        usleep(10000);
        cr_expect_eq(proc_sweep(&p, &e), 0);
    }
    cr_expect_neq(p.guard.pid, guardian);
    buf_release(&text);
    proc_close(&p);
    cr_expect_eq(waitpid(-1, NULL, WNOHANG), -1, "the guardian is gone too");
}

/* Somebody who opens proc, starts a sleeper, tells its pid through FD, and is killed. */
static _Noreturn void be_killed(int fd)
{
    struct proc p;
    struct err e = {0};
    struct child c;
    if (proc_open(&p, 1, &e) < 0 || start(&p, &c, "trap '' TERM; sleep 300 & wait", NULL, &e) < 0) {
        _exit(1);
    }
    if (write(fd, &c.pid, sizeof c.pid) == sizeof c.pid) {
        kill(getpid(), SIGKILL);
    }
    _exit(1);
}

Test(proc, kill_9_leaves_nothing)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        be_killed(ends[1]);
    }
    int status;
    pid_t group = 0;
    waitpid(pid, &status, 0);
    cr_assert(WIFSIGNALED(status));
    cr_assert_eq(read(ends[0], &group, sizeof group), (ssize_t)sizeof group);
    int tries = 500;
    while (kill(-group, 0) == 0 && tries-- > 0) {
        usleep(10000);
    }
    cr_expect(tries > 0);
}

static void count_call(void *owner, uint32_t events)
{
    (void)events;
    ++*(int *)owner;
}

Test(proc, a_beat_that_is_not_there_yet_is_no_end)
{
    struct child c = {0};
    bool heard = true;
    int ends[2];
    cr_assert_eq(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
    c.beat = ends[0];
    cr_expect(proc_beat(&c, &heard));
    cr_expect_not(heard);
    cr_assert_eq(write(ends[1], "x", 1), 1);
    cr_expect(proc_beat(&c, &heard));
    cr_expect(heard);
    close(ends[1]);
    cr_expect_not(proc_beat(&c, &heard));
    cr_expect_not(heard);
    close(ends[0]);
}

Test(proc, loop_and_signals)
{
    struct err e = {0};
    struct loop l;
    int calls = 0;
    int ends[2];
    struct loop_source source = {.ready = count_call, .owner = &calls};
    cr_assert_eq(loop_open(&l, &e), 0);
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(loop_add(&l, &source, ends[0], EPOLLIN, &e), 0);
    cr_expect_eq(loop_turn(&l, clock_now() + 5 * CLOCK_MILLI), 0);
    cr_expect_eq(write(ends[1], "x", 1), 1);
    cr_expect_eq(loop_turn(&l, CLOCK_NEVER), 1);
    cr_expect_eq(calls, 1);
    loop_change(&l, &source, 0);
    cr_expect_eq(loop_turn(&l, 0), 0);
    loop_remove(&l, &source);
    cr_expect_eq(source.fd, -1);
    int file = open("/dev/null", O_RDONLY);
    cr_expect_eq(loop_add(&l, &source, file, EPOLLIN, &e), 0);
    cr_expect(source.steady);
    loop_drop(&l, &source, &file);
    cr_expect_eq(source.fd, -1);
    cr_expect_eq(file, -1);
    loop_close(&l);

    struct signals s;
    signal(SIGHUP, SIG_IGN);
    const int list[] = {SIGTERM, SIGHUP, SIGUSR1};
    cr_assert_eq(signals_open(&s, list, 3, &e), 0);
    cr_expect_eq(signals_next(&s), 0);
    kill(getpid(), SIGHUP);
    kill(getpid(), SIGTERM);
    cr_expect_eq(signals_next(&s), SIGTERM, "what was ignored stays ignored");
    cr_expect_eq(signals_next(&s), 0);
    signals_close(&s);
}
