/* lib/io: what is read is what was written, nothing half made is ever seen, no error is lost. */
#include "base/buf.h"
#include "io/folder.h"
#include "io/outfile.h"
#include "io/reader.h"
#include "io/tempfile.h"
#include "io/writer.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A regular file that holds TEXT, at its beginning. */
static int file_of(struct span text)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    cr_assert_eq(write(fd, text.at, text.len), (ssize_t)text.len);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* All bytes of FD from its beginning on. */
static void slurp(int fd, struct buf *out)
{
    ssize_t n;
    buf_reset(out);
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, buf_room(out, 65536), 65536)) > 0) {
        out->len += (size_t)n;
    }
    cr_assert_eq(n, 0);
}

static bool is_ready(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

/* ---- reader ---- */

/* "[line]" for each line, "[line~]" for one that is too long, "!" for an error. */
static void list_lines(struct reader *r, char stop, size_t max, struct buf *out)
{
    struct span line;
    bool is_long = false;
    struct err e = {0};
    int got;
    while ((got = reader_until(r, stop, max, &line, &is_long, &e)) > 0) {
        buf_add_byte(out, '[');
        buf_add_span(out, line);
        buf_add_text(out, is_long ? "~]" : "]");
    }
    buf_add_text(out, got < 0 ? "!" : "");
}

static const struct {
    struct span in;
    char stop;
    size_t max;
    const char *want;
} line_rows[] = {
    {{"", 0}, '\n', 100, ""},
    {{"\n", 1}, '\n', 100, "[]"},
    {{"a", 1}, '\n', 100, "[a]"},
    {{"a\n", 2}, '\n', 100, "[a]"},
    {{"a\n\nb", 4}, '\n', 100, "[a][][b]"},
    {{"a\r\n", 3}, '\n', 100, "[a\r]"},
    {{"a\0b\0", 4}, '\0', 100, "[a][b]"},
    {{"a\nb\0c", 5}, '\0', 100, "[a\nb][c]"},
    /* just fits; one too long; the rest of it is passed by */
    {{"abc\nd\n", 6}, '\n', 3, "[abc][d]"},
    {{"abcd\nd\n", 7}, '\n', 3, "[abc~][d]"},
    {{"abcdefghij\nd\n", 13}, '\n', 3, "[abc~][d]"},
    {{"abcd\nabcd\nd", 11}, '\n', 3, "[abc~][abc~][d]"},
    {{"abc", 3}, '\n', 3, "[abc]"},
    {{"abcd", 4}, '\n', 3, "[abc~]"},
    {{"abcd\n", 5}, '\n', 3, "[abc~]"},
    {{"\na\n", 3}, '\n', 0, "[][~]"},
};

Test(reader, lines_and_records)
{
    for (size_t i = 0; i < COUNT(line_rows); i++) {
        struct buf out = {0};
        struct reader r;
        int fd = file_of(line_rows[i].in);
        reader_init(&r, fd, "test", NULL);
        list_lines(&r, line_rows[i].stop, line_rows[i].max, &out);
        cr_expect_str_eq(buf_text(&out), line_rows[i].want, "row %zu", i);
        reader_release(&r);
        close(fd);

        buf_reset(&out);
        reader_init_text(&r, line_rows[i].in, "test");
        list_lines(&r, line_rows[i].stop, line_rows[i].max, &out);
        cr_expect_str_eq(buf_text(&out), line_rows[i].want, "row %zu, of a text", i);
        reader_release(&r);
        buf_release(&out);
    }
}

/* Lines of 0, 1, 2, 3, … bytes and one of 1 MB, so that borders of buffers fall everywhere. */
Test(reader, lines_across_the_borders_of_its_buffer)
{
    enum { LINES = 2000, HUGE_LINE = 1 << 20 };
    struct buf text = {0};
    for (int i = 0; i < LINES; i++) {
        memset(buf_room(&text, (size_t)i + 1), 'a' + i % 26, (size_t)i);
        text.len += (size_t)i;
        buf_add_byte(&text, '\n');
    }
    memset(buf_room(&text, HUGE_LINE), '#', HUGE_LINE);
    text.len += HUGE_LINE;
    buf_add_text(&text, "\nlast");

    struct reader r;
    struct span line;
    bool is_long = false;
    struct err e = {0};
    int fd = file_of(buf_span(&text));
    reader_init(&r, fd, "test", NULL);
    for (size_t i = 0; i < LINES; i++) {
        cr_assert_eq(reader_line(&r, SIZE_MAX, &line, &is_long, &e), 1, "line %zu", i);
        cr_assert_eq(line.len, i, "line %zu", i);
        cr_assert(!is_long);
        for (size_t j = 0; j < line.len; j++) {
            cr_assert_eq(line.at[j], 'a' + (int)(i % 26), "line %zu", i);
        }
        cr_assert_eq(r.offset, (i + 1) * (i + 2) / 2, "line %zu", i);
    }
    cr_assert_eq(reader_line(&r, HUGE_LINE, &line, &is_long, &e), 1);
    cr_assert_eq(line.len, HUGE_LINE);
    cr_assert(!is_long && line.at[0] == '#' && line.at[HUGE_LINE - 1] == '#');
    cr_assert_eq(reader_line(&r, SIZE_MAX, &line, &is_long, &e), 1);
    cr_assert(span_equal(line, SPAN_LIT("last")));
    cr_assert_eq(r.offset, text.len);
    cr_assert_eq(reader_line(&r, SIZE_MAX, &line, &is_long, &e), 0);
    cr_assert_eq(reader_line(&r, SIZE_MAX, &line, &is_long, &e), 0, "the end stays the end");
    reader_release(&r);
    close(fd);
    buf_release(&text);
}

static const struct {
    struct span in;
    int rc;
    uint64_t taken;
} bom_rows[] = {
    {{"", 0}, 0, 0},
    {{"a", 1}, 0, 0},
    {{"\xEF\xBB\xBF", 3}, 0, 3},
    {{"\xEF\xBB\xBF{}", 5}, 0, 3},
    {{"\xEF", 1}, 0, 0},
    {{"\xEF\xBB", 2}, 0, 0},
    {{"\xEF\xBB\xBE{", 4}, 0, 0},
    {{"a\xEF\xBB\xBF", 4}, 0, 0},
    {{"\xFF\xFE[\0", 4}, -1, 0},
    {{"\xFE\xFF\0[", 4}, -1, 0},
    {{"\xFF\xFE", 2}, -1, 0},
    {{"\xFF{", 2}, 0, 0},
};

Test(reader, byte_order_marks)
{
    for (size_t i = 0; i < COUNT(bom_rows); i++) {
        struct reader r;
        struct err e = {0};
        int fd = file_of(bom_rows[i].in);
        reader_init(&r, fd, "test", NULL);
        cr_expect_eq(reader_skip_bom(&r, &e), bom_rows[i].rc, "row %zu", i);
        cr_expect_eq(r.offset, bom_rows[i].taken, "row %zu", i);
        cr_expect_eq(e.code, bom_rows[i].rc ? ERR_DATA : ERR_NONE, "row %zu", i);
        reader_release(&r);
        close(fd);
    }
}

Test(reader, errors_of_the_system)
{
    struct reader r;
    struct err e = {0};
    int fd = open("/tmp", O_RDONLY | O_CLOEXEC);
    reader_init(&r, fd, "standard input", NULL);
    cr_expect_eq(reader_fill(&r, &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    cr_expect_str_eq(e.text, "cannot read standard input: Is a directory");
    cr_expect_eq(reader_skip_bom(&r, &e), -1);
    struct span line;
    bool is_long = false;
    cr_expect_eq(reader_line(&r, 10, &line, &is_long, &e), -1);
    reader_release(&r);
    close(fd);
}

/* A thread that writes to `in` only after something has come out of `out`. */
struct partner {
    int out;
    int in;
    char seen[16];
    ssize_t len;
};

static void *answer(void *arg)
{
    struct partner *p = arg;
    p->len = read(p->out, p->seen, sizeof p->seen);
    if (p->len > 0 && write(p->in, "go\n", 3) != 3) {
        p->len = -1;
    }
    close(p->in);
    return NULL;
}

static void flush_before_waiting(int flags)
{
    int in[2];
    int out[2];
    cr_assert_eq(pipe(in) | pipe(out), 0);
    fcntl(in[0], F_SETFL, flags);
    struct writer w;
    struct reader r;
    struct err e = {0};
    writer_init(&w, out[1], "out");
    reader_init(&r, in[0], "in", &w);
    writer_put(&w, "done", 4);
    writer_commit(&w);
    writer_put(&w, "half", 4);
    struct partner p = {.out = out[0], .in = in[1]};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, answer, &p), 0);
    cr_assert_eq(reader_fill(&r, &e), 1);
    cr_assert(span_equal(reader_bytes(&r), SPAN_LIT("go\n")));
    pthread_join(thread, NULL);
    cr_assert_eq(p.len, 4, "what was committed left, and nothing else");
    cr_assert_eq(memcmp(p.seen, "done", 4), 0);
    cr_assert_eq(writer_pending(&w), 4);
    reader_take(&r, 3);
    cr_assert_eq(reader_fill(&r, &e), 0);
    reader_release(&r);
    writer_release(&w);
    close(in[0]);
    close(out[0]);
    close(out[1]);
}

Test(reader, flushes_before_it_waits, .timeout = 30)
{
    flush_before_waiting(0);
    flush_before_waiting(O_NONBLOCK);
}

Test(reader, does_not_flush_while_input_flows)
{
    int in[2];
    int out[2];
    cr_assert_eq(pipe(in) | pipe(out), 0);
    struct writer w;
    struct reader r;
    struct err e = {0};
    writer_init(&w, out[1], "out");
    reader_init(&r, in[0], "in", &w);
    writer_put(&w, "done", 4);
    writer_commit(&w);
    cr_assert_eq(write(in[1], "x", 1), 1);
    cr_assert_eq(reader_fill(&r, &e), 1);
    cr_expect(!is_ready(out[0]));
    close(in[1]); /* the end needs no wait either */
    cr_assert_eq(reader_fill(&r, &e), 0);
    cr_expect(!is_ready(out[0]));
    reader_release(&r);
    writer_release(&w);
}

Test(reader, passes_on_that_the_tied_writer_fails)
{
    int in[2];
    cr_assert_eq(pipe(in), 0);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct writer w;
    struct reader r;
    struct err e = {0};
    writer_init(&w, full, "standard output");
    reader_init(&r, in[0], "in", &w);
    writer_put(&w, "x", 1);
    writer_commit(&w);
    cr_expect_eq(reader_fill(&r, &e), -1);
    cr_expect_str_eq(e.text, "cannot write standard output: No space left on device");
    reader_release(&r);

    /* also where input never pauses: it would be read for nothing, perhaps for ever */
    e = (struct err){0};
    cr_assert_eq(write(in[1], "x", 1), 1);
    reader_init(&r, in[0], "in", &w);
    cr_expect_eq(reader_fill(&r, &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    reader_release(&r);
    writer_release(&w);
    close(full);
}

/* ---- writer ---- */

Test(writer, only_what_is_committed_leaves)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct writer w;
    struct err e = {0};
    struct buf got = {0};
    writer_init(&w, fd, "test");
    writer_put(&w, "one", 3);
    writer_commit(&w);
    writer_put(&w, "two", 3);
    cr_expect_eq(writer_pending(&w), 3);
    cr_expect_eq(writer_flush(&w, &e), 0);
    slurp(fd, &got);
    cr_expect_str_eq(buf_text(&got), "one");
    writer_rollback(&w);
    cr_expect_eq(writer_pending(&w), 0);
    writer_put_byte(&w, ' ');
    writer_put_u64(&w, UINT64_MAX);
    writer_put_span(&w, SPAN_LIT(" three"));
    memcpy(writer_room(&w, 2), "!?", 2);
    writer_advance(&w, 2);
    writer_commit(&w);
    cr_expect_eq(writer_total(&w), 32);
    cr_expect_eq(writer_backlog(&w), 29);
    cr_expect_eq(writer_flush(&w, &e), 0);
    slurp(fd, &got);
    cr_expect_str_eq(buf_text(&got), "one 18446744073709551615 three!?");
    cr_expect_eq(writer_total(&w), 32);
    cr_expect_eq(writer_backlog(&w), 0);
    writer_release(&w);
    buf_release(&got);
    close(fd);
}

/* An uncommitted piece far larger than the buffer, between committed ones, is never seen. */
Test(writer, large_pieces_committed_and_rolled_back)
{
    enum { PIECE = 3 << 20 };
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct writer w;
    struct err e = {0};
    struct buf got = {0};
    struct buf want = {0};
    writer_init(&w, fd, "test");
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < PIECE / 1024; j++) {
            char kilobyte[1024];
            memset(kilobyte, i % 3 == 1 ? '!' : 'a' + i, sizeof kilobyte);
            writer_put(&w, kilobyte, sizeof kilobyte);
            if (i % 3 != 1) {
                buf_add(&want, kilobyte, sizeof kilobyte);
            }
        }
        if (i % 3 == 1) {
            writer_rollback(&w);
        } else {
            writer_commit(&w);
        }
    }
    cr_expect_eq(writer_flush(&w, &e), 0);
    slurp(fd, &got);
    cr_expect(span_equal(buf_span(&got), buf_span(&want)));
    cr_expect_eq(writer_total(&w), want.len);
    writer_release(&w);
    buf_release(&got);
    buf_release(&want);
    close(fd);
}

Test(writer, the_first_error_sticks)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct writer w;
    writer_init(&w, fd, "test");
    for (int i = 0; i < 1000000; i++) {
        writer_put(&w, "0123456789", 10); /* needs no check, and does not pile up */
        writer_commit(&w);
    }
    cr_expect_lt(w.cap, 1 << 20);
    for (int i = 0; i < 2; i++) {
        struct err e = {0};
        cr_expect_eq(writer_flush(&w, &e), -1);
        cr_expect_eq(e.code, ERR_IO);
        cr_expect_str_eq(e.text, "cannot write test: No space left on device");
        cr_expect_eq(writer_try(&w, &e), -1);
        w.fd = dup(fd); /* also on a descriptor that would take it */
    }
    cr_expect_eq(w.written, 0);
    writer_release(&w);
    close(fd);
}

Test(writer, knows_that_its_reader_has_gone)
{
    int out[2];
    struct writer w;
    struct err e = {0};
    signal(SIGPIPE, SIG_IGN);
    cr_assert_eq(pipe(out), 0);
    close(out[0]);
    writer_init(&w, out[1], "test");
    writer_put(&w, "x", 1);
    writer_commit(&w);
    cr_expect_eq(writer_flush(&w, &e), -1);
    cr_expect_eq(e.code, ERR_PIPE);
    writer_release(&w);
    close(out[1]);
}

static void *drain_slowly(void *arg)
{
    const int *fd = arg;
    static char bytes[4096]; /* the thread is the only one */
    size_t total = 0;
    ssize_t n;
    while ((n = read(*fd, bytes, sizeof bytes)) > 0) {
        total += (size_t)n;
    }
    return (void *)total;
}

Test(writer, waits_for_a_descriptor_that_is_full, .timeout = 30)
{
    enum { TOTAL = 5 << 20 };
    int out[2];
    struct writer w;
    struct err e = {0};
    void *got;
    pthread_t thread;
    cr_assert_eq(pipe2(out, O_NONBLOCK), 0);
    fcntl(out[0], F_SETFL, 0);
    writer_init(&w, out[1], "test");
    cr_assert_eq(pthread_create(&thread, NULL, drain_slowly, &out[0]), 0);
    char *room = writer_room(&w, TOTAL);
    memset(room, 'x', TOTAL);
    writer_advance(&w, TOTAL);
    writer_commit(&w);
    cr_expect_eq(writer_flush(&w, &e), 0);
    close(out[1]);
    pthread_join(thread, &got);
    cr_expect_eq((size_t)got, TOTAL);
    writer_release(&w);
    close(out[0]);
}

/* Without waiting: what does not fit stays, in order, and no byte is lost or sent twice. */
Test(writer, writes_as_far_as_it_goes_without_waiting, .timeout = 30)
{
    enum { TOTAL = 3 << 20 };
    int out[2];
    struct writer w;
    struct err e = {0};
    size_t seen = 0;
    cr_assert_eq(pipe(out), 0);
    writer_init(&w, out[1], "test");
    w.held = true;
    for (size_t i = 0; i < TOTAL; i++) {
        writer_put_byte(&w, (char)(i % 251));
        if (i % 1000 == 0) {
            writer_commit(&w);
        }
    }
    writer_commit(&w);
    cr_expect_eq(w.written, 0, "a held writer does not write by itself");
    cr_expect_eq(writer_try(&w, &e), 1);
    writer_put(&w, "uncommitted", 11);
    int rc;
    do {
        unsigned char bytes[65536];
        ssize_t n = read(out[0], bytes, sizeof bytes);
        cr_assert_gt(n, 0);
        for (ssize_t i = 0; i < n; i++, seen++) {
            cr_assert_eq(bytes[i], seen % 251, "byte %zu", seen);
        }
        rc = writer_try(&w, &e);
        cr_assert_eq(writer_total(&w), TOTAL);
    } while (rc == 1);
    cr_expect_eq(rc, 0);
    cr_expect_eq(writer_backlog(&w), 0);
    cr_expect_eq(writer_pending(&w), 11);
    cr_expect_eq(w.written, TOTAL);
    writer_release(&w);
    close(out[0]);
    close(out[1]);
}

/* ---- whole files ---- */

/* Makes and enters an empty folder; leave_folder takes it away. */
static char folder[SCRATCH_MAX];

static void enter_folder(void)
{
    cr_assert_not_null(mkdtemp(scratch_name(folder)));
    cr_assert_eq(chdir(folder), 0);
    umask(022);
}

static void leave_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "cd / && rm -rf '%s'", folder);
    cr_assert_eq(system(command), 0);
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    cr_assert_eq(fchmod(fd, mode), 0);
    close(fd);
}

static void expect_file(const char *name, const char *text)
{
    struct buf got = {0};
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s", name);
    slurp(fd, &got);
    cr_expect_str_eq(buf_text(&got), text, "%s", name);
    buf_release(&got);
    close(fd);
}

/* Is there nothing in the folder PATH but WANT names? */
static void expect_names(const char *path, int want)
{
    int count = 0;
    DIR *d = opendir(path);
    while (readdir(d)) {
        count++;
    }
    closedir(d);
    cr_expect_eq(count, want + 2, "%s holds %d names", path, count - 2);
}

static mode_t mode_of(const char *name)
{
    struct stat st;
    cr_assert_eq(lstat(name, &st), 0);
    return st.st_mode & 07777;
}

static void put_text(struct outfile *f, const char *text)
{
    writer_put(&f->out, text, strlen(text));
    writer_commit(&f->out);
}

Test(outfile, a_new_file_appears_whole)
{
    enter_folder();
    struct outfile f;
    struct err e = {0};
    cr_assert_eq(outfile_open(&f, "new", &e), 0);
    cr_expect(outfile_is_open(&f));
    cr_expect(fcntl(f.out.fd, F_GETFD) & FD_CLOEXEC);
    put_text(&f, "text");
    cr_expect_eq(writer_flush(&f.out, &e), 0);
    cr_expect_neq(access("new", F_OK), 0, "not before it is whole");
    cr_expect_eq(outfile_commit(&f, &e), 0);
    cr_expect(!outfile_is_open(&f));
    expect_file("new", "text");
    cr_expect_eq(mode_of("new"), 0644);
    expect_names(".", 1);

    cr_assert_eq(outfile_open(&f, "empty", &e), 0);
    cr_expect_eq(outfile_commit(&f, &e), 0);
    expect_file("empty", "");

    char longest[256];
    memset(longest, 'n', 255);
    longest[255] = '\0';
    cr_assert_eq(outfile_open(&f, longest, &e), 0);
    cr_expect_eq(outfile_commit(&f, &e), 0, "%s", e.text);
    expect_names(".", 3);
    leave_folder();
}

Test(outfile, an_old_file_stays_until_the_new_one_is_whole)
{
    static const mode_t modes[] = {0600, 0640, 0644, 0755, 0400};
    enter_folder();
    for (size_t i = 0; i < COUNT(modes); i++) {
        struct outfile f;
        struct err e = {0};
        write_file("old", "old", modes[i]);
        cr_assert_eq(outfile_open(&f, "old", &e), 0);
        put_text(&f, "new");
        cr_expect_eq(writer_flush(&f.out, &e), 0);
        expect_file("old", "old");
        outfile_abort(&f);
        outfile_abort(&f); /* legal again */
        expect_file("old", "old");
        expect_names(".", 1);

        cr_assert_eq(outfile_open(&f, "old", &e), 0);
        put_text(&f, "new");
        cr_expect_eq(outfile_commit(&f, &e), 0);
        expect_file("old", "new");
        cr_expect_eq(mode_of("old"), modes[i], "mode %o", mode_of("old"));
        expect_names(".", 1);
        unlink("old");
    }
    struct outfile none = {0};
    outfile_abort(&none);
    leave_folder();
}

Test(outfile, a_link_goes_on_pointing_to_the_file)
{
    enter_folder();
    struct outfile f;
    struct err e = {0};
    struct stat st;
    cr_assert_eq(mkdir("d", 0755), 0);
    write_file("d/file", "old", 0644);
    cr_assert_eq(symlink("d/file", "link") | symlink("nowhere", "dangling"), 0);
    cr_assert_eq(outfile_open(&f, "link", &e), 0);
    put_text(&f, "new");
    cr_expect_eq(outfile_commit(&f, &e), 0);
    cr_expect(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
    expect_file("d/file", "new");
    expect_names("d", 1);
    cr_expect_eq(outfile_open(&f, "dangling", &e), -1);
    cr_expect(!outfile_is_open(&f));
    cr_expect(lstat("dangling", &st) == 0 && S_ISLNK(st.st_mode));
    expect_names(".", 3);
    leave_folder();
}

Test(outfile, what_is_no_file_is_written_in_place, .timeout = 30)
{
    enter_folder();
    struct outfile f;
    struct err e = {0};
    char got[8] = {0};
    struct stat st;
    cr_assert_eq(mkfifo("fifo", 0644), 0);
    int reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    cr_assert_eq(outfile_open(&f, "fifo", &e), 0);
    cr_expect(fcntl(f.out.fd, F_GETFD) & FD_CLOEXEC);
    put_text(&f, "text");
    cr_expect_eq(outfile_commit(&f, &e), 0);
    cr_expect_eq(read(reader, got, sizeof got), 4);
    cr_expect_str_eq(got, "text");
    cr_expect(lstat("fifo", &st) == 0 && S_ISFIFO(st.st_mode));
    close(reader);

    cr_assert_eq(outfile_open(&f, "/dev/full", &e), 0);
    put_text(&f, "text");
    cr_expect_eq(outfile_commit(&f, &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    expect_names(".", 1);

    cr_expect_eq(outfile_open(&f, ".", &e), -1);
    cr_expect_str_eq(e.text, "cannot write .: it is a folder");
    cr_expect_eq(outfile_open(&f, "no/such/folder", &e), -1);
    cr_expect_str_eq(e.text, "cannot write no/such/folder: No such file or directory");
    cr_expect(!outfile_is_open(&f));
    leave_folder();
}

/* A file behind a descriptor is not replaced, and is written on where others left off. */
Test(outfile, descriptors_by_number_are_shared)
{
    enter_folder();
    struct err e = {0};
    static const char *const names[] = {"/dev/fd/%d", "/proc/self/fd/%d"};
    int fd = open("log", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    for (size_t i = 0; i < COUNT(names); i++) {
        struct outfile f;
        char name[32];
        snprintf(name, sizeof name, names[i], fd);
        cr_assert_eq(write(fd, "a", 1), 1);
        cr_assert_eq(outfile_open(&f, name, &e), 0);
        cr_expect_neq(f.out.fd, fd);
        cr_expect(fcntl(f.out.fd, F_GETFD) & FD_CLOEXEC);
        put_text(&f, "b");
        cr_expect_eq(outfile_commit(&f, &e), 0);
        cr_assert_eq(write(fd, "c", 1), 1);
    }
    expect_file("log", "abcabc");
    expect_names(".", 1);
    struct outfile f;
    cr_expect_eq(outfile_open(&f, "/dev/fd/999", &e), -1);
    close(fd);
    leave_folder();
}

Test(outfile, a_failed_write_leaves_the_target_as_it_was)
{
    enter_folder();
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct outfile f;
    struct err e = {0};
    write_file("old", "old", 0644);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(outfile_open(&f, "old", &e), 0);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (int i = 0; i < 300000; i++) {
        put_text(&f, "0123456789");
    }
    cr_expect_eq(outfile_commit(&f, &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    cr_expect(strstr(e.text, "File too large"), "%s", e.text);
    cr_expect(!outfile_is_open(&f));
    expect_file("old", "old");
    expect_names(".", 1);
    leave_folder();
}

/* Something took the target's place meanwhile: the new file has a name by then, which goes. */
Test(outfile, a_failed_rename_leaves_nothing)
{
    enter_folder();
    struct outfile f;
    struct err e = {0};
    cr_assert_eq(outfile_open(&f, "target", &e), 0);
    put_text(&f, "text");
    cr_assert_eq(mkdir("target", 0755), 0);
    cr_expect_eq(outfile_commit(&f, &e), -1);
    cr_expect(strstr(e.text, "cannot write target: Is a directory"), "%s", e.text);
    expect_names(".", 1);
    leave_folder();
}

Test(folder, is_made_with_those_above_it)
{
    enter_folder();
    struct err e = {0};
    struct stat st;
    cr_expect_eq(folder_make("a/b//c/", &e), 0);
    cr_expect(stat("a/b/c", &st) == 0 && S_ISDIR(st.st_mode));
    cr_expect_eq(folder_make("a/b/c", &e), 0, "it may be there already");
    cr_expect_eq(folder_make("/", &e), 0);
    write_file("a/file", "", 0644);
    cr_expect_eq(folder_make("a/file", &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    cr_expect_eq(folder_make("a/file/x", &e), -1);
    leave_folder();
}

Test(tempfile, has_no_name)
{
    enter_folder();
    struct err e = {0};
    char got[4] = {0};
    int fd = tempfile_open(".", &e);
    cr_assert_geq(fd, 0);
    cr_expect(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    expect_names(".", 0);
    cr_expect_eq(write(fd, "abc", 3), 3);
    cr_expect_eq(pread(fd, got, 3, 0), 3);
    cr_expect_str_eq(got, "abc");
    close(fd);
    cr_expect_eq(tempfile_open("no/such/folder", &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    leave_folder();
}
