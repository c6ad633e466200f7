/* io/fd: all bytes get out although writes stop short, and no fifo is waited for. */
#include "io/fd.h"
#include "base/buf.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { MANY = 4 << 20 }; /* many times what a pipe holds */

static void on_alarm(int number)
{
    (void)number;
}

/* Count what comes out of a pipe, as long as the bytes are byte i % 251 at place i. */
static void *read_all(void *context)
{
    static char piece[65536];
    int fd = *(int *)context;
    size_t good = 0;
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) > 0 || (n < 0 && errno == EINTR)) {
        for (ssize_t i = 0; i < n; i++, good++) {
            if (piece[i] != (char)(good % 251)) {
                return (void *)0;
            }
        }
        usleep(100);
    }
    return (void *)good;
}

Test(fd, a_write_goes_on_after_signals, .timeout = 60)
{
    struct sigaction ring = {.sa_handler = on_alarm}; /* without SA_RESTART */
    struct itimerval often = {{0, 500}, {0, 500}};
    struct buf bytes = {0};
    pthread_t reader;
    void *good;
    int ends[2];
    char *at = buf_room(&bytes, MANY);
    for (size_t i = 0; i < MANY; i++) {
        at[i] = (char)(i % 251);
    }
    cr_assert_eq(pipe2(ends, O_CLOEXEC), 0);
    cr_assert_eq(sigaction(SIGALRM, &ring, NULL), 0);
    cr_assert_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    cr_assert_eq(pthread_create(&reader, NULL, read_all, &ends[0]), 0);

    cr_expect_eq(fd_write(ends[1], span_of(at, MANY)), 0);

    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    fd_close(&ends[1]);
    pthread_join(reader, &good);
    cr_expect_eq((size_t)good, (size_t)MANY);
    fd_close(&ends[0]);
    buf_release(&bytes);
}

Test(fd, a_file_that_may_not_grow_says_so)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct rlimit six = {6, RLIM_INFINITY};
    struct stat st;
    cr_assert_geq(fd, 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &six), 0);
    errno = 0;

    cr_expect_eq(fd_write(fd, SPAN_LIT("123456789")), -1);
    cr_expect_eq(errno, EFBIG, "the errno of the second write, for the first stopped short");
    cr_assert_eq(fstat(fd, &st), 0);
    cr_expect_eq(st.st_size, 6);
    fd_close(&fd);
}

Test(fd, is_closed_once)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), kept = fd;
    fd_close(&fd);
    cr_expect_eq(fd, -1);
    cr_expect_eq(fcntl(kept, F_GETFD), -1);
    fd_close(&fd);
    cr_expect_eq(fd, -1);
}

Test(fd, the_beginning_of_a_file, .timeout = 30)
{
    char folder[SCRATCH_MAX], out[8];
    struct buf path = {0};
    cr_assert_not_null(mkdtemp(scratch_name(folder)));
    buf_printf(&path, "%s/file", folder);

    cr_expect_eq(fd_read_file(buf_text(&path), out, sizeof out), -1);
    cr_expect_eq(errno, ENOENT);

    int fd = open(buf_text(&path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_eq(fd_write(fd, SPAN_LIT("0123456789")), 0);
    fd_close(&fd);
    cr_expect_eq(fd_read_file(buf_text(&path), out, sizeof out), 8);
    cr_expect_eq(memcmp(out, "01234567", 8), 0);
    cr_expect_eq(fd_read_file(buf_text(&path), out, 3), 3);
    unlink(buf_text(&path));

    cr_assert_eq(mkfifo(buf_text(&path), 0600), 0);
    cr_expect_eq(fd_read_file(buf_text(&path), out, sizeof out), 0, "nobody writes to the fifo");
    unlink(buf_text(&path));
    rmdir(folder);
    buf_release(&path);
}
