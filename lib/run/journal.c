#include "run/journal.h"

#include "base/clock.h"
#include "digest/digest.h"
#include "io/folder.h"
#include "json/text.h"
#include "json/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_DIGITS 32
#define MARK       "fanline.journal"

/* ---- keys ---- */

static struct ledger_key digest_key(struct span bytes)
{
    unsigned char out[DIGEST_BYTES_MAX];
    size_t len;
    struct ledger_key key = {0};
    (void)digest_bytes(digest_find(SPAN_LIT("SHA-256")), bytes, out, &len, NULL);
    memcpy(&key, out, sizeof key);
    return key;
}

/* The key of the occurrence N, from 0, of what has KEY. */
static struct ledger_key occurrence(struct ledger_key key, uint64_t n)
{
    key.a += n * UINT64_C(0x9E3779B97F4A7C15);
    key.b ^= n;
    return key;
}

struct ledger_key journal_key(struct journal *j, struct span item)
{
    struct ledger_key key = digest_key(item);
    return occurrence(key, (*ledger_at(&j->counts, key))++);
}

static void put_key(struct writer *w, struct ledger_key key)
{
    struct buf hex = {0};
    unsigned char bytes[sizeof key];
    memcpy(bytes, &key, sizeof key);
    digest_put_hex(&hex, bytes, sizeof bytes);
    writer_put_span(w, buf_span(&hex));
    buf_release(&hex);
}

static bool read_key(struct span text, struct ledger_key *key)
{
    unsigned char bytes[sizeof *key];
    if (text.len != KEY_DIGITS + 2) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        char pair[3] = {text.at[1 + 2 * i], text.at[2 + 2 * i], '\0'};
        char *end;
        bytes[i] = (unsigned char)strtoul(pair, &end, 16);
        if (*end) {
            return false;
        }
    }
    memcpy(key, bytes, sizeof bytes);
    return true;
}

/* ---- reading ---- */

static void keep_text(struct buf *b, struct span line, struct span name)
{
    struct span value;
    if (walk_member(line, name, &value) && walk_kind(value) == SCAN_STRING) {
        buf_reset(b);
        text_decode(b, value);
    }
}

/* A whole line at OFFSET. False: it is none of a journal. */
static bool take_line(struct journal *j, struct span line, uint64_t offset)
{
    struct span value;
    struct span status;
    struct ledger_key key;
    if (walk_member(line, SPAN_LIT(MARK), &value)) {
        keep_text(&j->command, line, SPAN_LIT("Command"));
        if (j->run_name.len == 0) {
            keep_text(&j->run_name, line, SPAN_LIT("Run"));
        }
        return true;
    }
    if (offset == 0 || !walk_member(line, SPAN_LIT("Key"), &value) || !read_key(value, &key) ||
        !walk_member(line, SPAN_LIT("Status"), &status)) {
        return false;
    }
    if (span_equal(status, SPAN_LIT("\"Succeeded\""))) {
        *ledger_at(&j->ends, key) = offset + 1;
    }
    return true;
}

/* All lines of TEXT; *GOOD is the length of those that are whole. */
static int take_lines(struct journal *j, struct span text, size_t *good, struct err *e)
{
    struct scan s;
    size_t at = 0;
    bool torn = false;
    int rc = 0;
    scan_init(&s, SCAN_DEPTH_ANY);
    *good = 0;
    while (rc == 0 && at < text.len) {
        const char *lf = memchr(text.at + at, '\n', text.len - at);
        struct span line = span_of(text.at + at, lf ? (size_t)(lf - text.at) - at : text.len - at);
        bool whole = lf && scan_check(&s, line.at, line.len) == 0 && walk_kind(line) == SCAN_OBJECT;
        if (whole && (torn || !take_line(j, line, at))) {
            rc = err_set(e, ERR_DATA, "%s is no journal, or is damaged before byte %zu", j->file,
                         at);
        }
        torn = torn || !whole;
        at += line.len + (lf ? 1 : 0);
        *good = torn ? *good : at;
    }
    scan_release(&s);
    return rc;
}

static int read_all(struct journal *j, struct err *e)
{
    struct stat st;
    size_t good;
    if (fstat(j->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        return err_set(e, ERR_USAGE, "the journal %s is no regular file", j->file);
    }
    if (st.st_size == 0) {
        return folder_sync_entry(j->file) < 0
                   ? err_system(e, errno, "cannot make the journal %s durable", j->file)
                   : 0;
    }
    size_t size = (size_t)st.st_size;
    char *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, j->fd, 0);
    if (map == MAP_FAILED) {
        return err_system(e, errno, "cannot read the journal %s", j->file);
    }
    int rc = take_lines(j, span_of(map, size), &good, e);
    munmap(map, size);
    if (rc == 0 && good == 0) {
        return err_set(e, ERR_DATA, "%s is no journal", j->file);
    }
    if (rc == 0 && good < size && ftruncate(j->fd, (off_t)good) < 0) {
        return err_system(e, errno, "cannot repair the journal %s", j->file);
    }
    return rc;
}

int journal_find(struct journal *j, struct ledger_key key, struct span *record, struct err *e)
{
    const uint64_t *offset = ledger_find(&j->ends, key);
    const char *lf = NULL;
    if (!offset) {
        return 0;
    }
    buf_reset(&j->line);
    while (!lf) {
        char *to = buf_room(&j->line, 8192);
        ssize_t n = pread(j->fd, to, 8192, (off_t)(*offset - 1 + j->line.len));
        if (n <= 0) {
            return err_system(e, n < 0 ? errno : EIO, "cannot read the journal %s", j->file);
        }
        lf = memchr(to, '\n', (size_t)n);
        j->line.len += lf ? (size_t)(lf - to) : (size_t)n;
    }
    return walk_member(buf_span(&j->line), SPAN_LIT("Record"), record)
               ? 1
               : err_set(e, ERR_DATA, "%s is damaged at byte %llu", j->file,
                         (unsigned long long)(*offset - 1));
}

/* ---- writing ---- */

void journal_put(struct journal *j, struct ledger_key key, const struct outcome *o,
                 const struct outcome_names *names, struct scan *s)
{
    struct writer *w = &j->lines;
    writer_put_text(w, "{\"Key\":\"");
    put_key(w, key);
    writer_put_text(w, "\",\"Status\":\"");
    writer_put_span(w, outcome_status_name(o->status));
    writer_put_text(w, "\",\"Record\":");
    outcome_put(w, o, names, RUN_EMIT_RECORD, s);
    w->len--; /* its LF */
    writer_put_text(w, "}\n");
    writer_commit(w);
}

/* Who uses the journal from now on. */
static void put_head(struct journal *j)
{
    struct writer *w = &j->lines;
    char stamp[CLOCK_STAMP_MAX];
    char host[HOST_NAME_MAX + 1] = "";
    struct buf text = {0};
    (void)gethostname(host, sizeof host - 1);
    writer_put_text(w, "{\"" MARK "\":1,\"Command\":\"");
    writer_put_span(w, buf_span(&j->command));
    writer_put_text(w, "\",\"Run\":");
    text_encode_lossy(&text, buf_span(&j->run_name));
    writer_put_text(w, buf_text(&text));
    writer_put_text(w, ",\"Pid\":");
    writer_put_u64(w, (uint64_t)getpid());
    writer_put_text(w, ",\"Host\":");
    buf_reset(&text);
    text_encode_lossy(&text, span_text(host));
    writer_put_text(w, buf_text(&text));
    writer_put_text(w, ",\"Started\":\"");
    writer_put_text(w, clock_stamp(clock_real(), stamp));
    writer_put_text(w, "\"}\n");
    writer_commit(w);
    buf_release(&text);
}

int journal_pump(struct journal *j, struct writer *out, struct err *e)
{
    if (j->syncer.busy) {
        int ended = syncer_ended(&j->syncer, e);
        if (ended <= 0) {
            return ended;
        }
        writer_put_span(out, buf_span(&j->leaving));
        writer_commit(out);
        buf_reset(&j->leaving);
    }
    if (j->waiting.ready == 0 && writer_backlog(&j->lines) == 0) {
        return 0;
    }
    if (writer_flush(&j->lines, e) < 0) {
        return -1;
    }
    buf_add(&j->leaving, j->waiting.at, j->waiting.ready);
    j->waiting.len = j->waiting.ready = 0;
    syncer_begin(&j->syncer);
    return 0;
}

size_t journal_backlog(const struct journal *j)
{
    return j->leaving.len + j->waiting.ready + writer_backlog(&j->lines);
}

/* ---- life ---- */

static int lock(struct journal *j, struct err *e)
{
    /* a lock of the process: a child that is on its way to exec must not hold it for us */
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(j->fd, F_SETLK, &whole) == 0) {
        return 0;
    }
    return errno == EAGAIN || errno == EACCES
               ? err_set(e, ERR_LATER, "another run uses the journal %s", j->file)
               : err_system(e, errno, "cannot lock the journal %s", j->file);
}

/* Is it the command of the last run? From now on it is the one of DIGEST. */
static int check_command(struct journal *j, struct span command, bool force, struct err *e)
{
    struct buf digest = {0};
    int rc = digest_hex(digest_find(SPAN_LIT("SHA-256")), command, &digest, e);
    if (rc == 0 && j->command.len > 0 && !force &&
        !span_equal(buf_span(&j->command), buf_span(&digest))) {
        rc = err_set(e, ERR_USAGE,
                     "the journal %s is of another command (--force goes on with it all the same)",
                     j->file);
    }
    buf_reset(&j->command);
    buf_add_span(&j->command, buf_span(&digest));
    buf_release(&digest);
    return rc;
}

static void choose_name(struct journal *j, const char *run_name, const char *fresh)
{
    if (run_name || j->run_name.len == 0) {
        buf_reset(&j->run_name);
        buf_add_text(&j->run_name, run_name ? run_name : fresh);
    }
    (void)buf_text(&j->run_name);
}

int journal_open(struct journal *j, const char *file, struct span command, bool force,
                 const char *run_name, const char *fresh, struct err *e)
{
    *j = (struct journal){.file = file};
    j->fd = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (j->fd < 0) {
        j->file = NULL;
        return err_system(e, errno, "cannot open the journal %s", file);
    }
    writer_init(&j->lines, j->fd, file);
    j->lines.held = true;
    j->waiting = (struct writer){.fd = -1, .held = true};
    if (lock(j, e) < 0 || read_all(j, e) < 0 || check_command(j, command, force, e) < 0 ||
        syncer_open(&j->syncer, j->fd, e) < 0) {
        journal_close(j);
        return -1;
    }
    choose_name(j, run_name, fresh);
    put_head(j);
    return 0;
}

void journal_close(struct journal *j)
{
    if (!j->file) {
        return;
    }
    syncer_close(&j->syncer);
    close(j->fd);
    ledger_release(&j->counts);
    ledger_release(&j->ends);
    buf_release(&j->run_name);
    buf_release(&j->command);
    buf_release(&j->line);
    buf_release(&j->leaving);
    writer_release(&j->lines);
    writer_release(&j->waiting);
    j->file = NULL;
}
