/* How processes that share a file wake each other: lib/store/announce, lib/store/wake_log. */
#include "base/clock.h"
#include "base/mem.h"
#include "store/announce.h"
#include "store/wake_log.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))

/* ---- announcements ---- */

struct row {
    const char *text;
    size_t len; /* 0: that of the text */
    const char *told;
    size_t rest;
    bool fine;
};

static const struct row rows[] = {
    {"", 0, "", 0, true},
    {"1:a\n", 0, "[a]", 0, true},
    {"2:ab\n3:c\nd\n", 0, "[ab][c\nd]", 0, true},
    {"4:\0:\n1\n", 7, "[4 bytes]", 0, true},
    {"1:a\n1", 0, "[a]", 1, true},
    {"1:a\n12", 0, "[a]", 2, true},
    {"1:a\n2:", 0, "[a]", 2, true},
    {"1:a\n2:bc", 0, "[a]", 4, true},
    {"1:a\n2:b\n", 0, "[a]", 4, true},
    {"1:a\n2:b\n3:", 0, "[a]", 6, false}, /* one that was cut off, and the next */
    {"1:ab\n", 0, "", 5, false},
    {"x", 0, "", 1, false},
    {":a\n", 0, "", 3, false},
    {"0:\n", 0, "", 3, false},
    {"-1:a\n", 0, "", 5, false},
    {"1 a\n", 0, "", 4, false},
    {"1234567890", 0, "", 10, false},
    {"\n1:a\n", 0, "", 5, false},
};

static void write_down(void *context, struct span id)
{
    struct buf *b = context;
    if (memchr(id.at, '\0', id.len)) {
        buf_printf(b, "[%zu bytes]", id.len);
    } else {
        buf_printf(b, "[%.*s]", (int)id.len, id.at);
    }
}

Test(wake, announcements)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        struct buf told = {0};
        struct span rest;
        struct span text = span_of(r->text, r->len ? r->len : strlen(r->text));
        bool fine = announce_read(text, write_down, &told, &rest);
        cr_expect(fine == r->fine && rest.len == r->rest, "row %zu: %d, %zu left", i, fine,
                  rest.len);
        cr_expect_str_eq(buf_text(&told), r->told, "row %zu: %s", i, buf_text(&told));
        buf_release(&told);
    }
}

Test(wake, announced_as_in_scripts)
{
    struct buf b = {0};
    announce_add(&b, SPAN_LIT("job"));
    announce_add(&b, SPAN_LIT("a\nb"));
    cr_expect_str_eq(buf_text(&b), "3:job\n3:a\nb\n");
    buf_release(&b);
}

/* ---- the log ---- */

static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/fanline-wake.XXXXXX");
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    int fd = open("store", O_WRONLY | O_CREAT, 0600);
    cr_assert(fd >= 0);
    close(fd);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "cd / && rm -rf %s", folder);
    cr_assert(system(command) == 0);
}

TestSuite(wake_log, .init = make_folder, .fini = remove_folder);

struct pair {
    struct wake_log ears, mouth;
};

static void init_pair(struct pair *p)
{
    wake_log_init(&p->ears, "store");
    wake_log_init(&p->mouth, "store");
}

static void release_pair(struct pair *p)
{
    wake_log_release(&p->ears);
    wake_log_release(&p->mouth);
}

static void say(struct pair *p, const char *id)
{
    wake_log_say(&p->mouth, span_text(id));
    wake_log_send(&p->mouth);
}

/* Listen once the bell rings, and write down what was heard, "!" if something may have been missed.
 */
static const char *hear(struct pair *p)
{
    static struct buf heard;
    struct pollfd bell = {.fd = wake_log_fd(&p->ears), .events = POLLIN};
    buf_reset(&heard);
    if (poll(&bell, 1, 0) > 0 && wake_log_hear(&p->ears, write_down, &heard) == 1) {
        buf_add_byte(&heard, '!');
    }
    return buf_text(&heard);
}

static bool there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

Test(wake_log, is_heard)
{
    struct pair p;
    init_pair(&p);
    say(&p, "before");
    cr_expect(!there("store-wake"), "nobody listens, nothing is written");
    cr_assert(wake_log_listen(&p.ears));
    cr_expect_str_eq(hear(&p), "");
    say(&p, "one");
    cr_expect_str_eq(hear(&p), "[one]");
    wake_log_say(&p.mouth, SPAN_LIT("two"));
    wake_log_say(&p.mouth, SPAN_LIT("with\na line"));
    cr_expect_str_eq(hear(&p), "", "not sent yet");
    wake_log_send(&p.mouth);
    say(&p, "three");
    cr_expect_str_eq(hear(&p), "[two][with\na line][three]");
    cr_expect_str_eq(hear(&p), "");

    struct wake_log late; /* hears nothing of what was said before it listened */
    wake_log_init(&late, "store");
    cr_assert(wake_log_listen(&late));
    struct buf heard = {0};
    say(&p, "four");
    cr_expect(wake_log_hear(&late, write_down, &heard) == 0);
    cr_expect_str_eq(buf_text(&heard), "[four]");
    buf_release(&heard);
    wake_log_release(&late);
    release_pair(&p);
}

/* What may happen to the file of the log while somebody listens, in shell. */
struct mishap {
    const char *what;
    const char *command;
    const char *heard; /* at once */
};

static const struct mishap mishaps[] = {
    {"unlinked", "rm store-wake", "!"},
    {"moved away", "mv store-wake other", "!"},
    {"replaced", "printf '4:else\\n' >new && mv new store-wake", "!"},
    {"replaced, and the old one kept", "ln store-wake old; : >new && mv new store-wake", "!"},
    {"emptied", ": >store-wake", "!"},
    {"garbage", "echo garbage >>store-wake", "!"},
    {"a record that was cut off, and another", "printf '6:ab1:x\\n2:yz\\n' >>store-wake", "!"},
    {"touched", "touch store-wake", ""},
    {"made public", "chmod 644 store-wake", ""},
    {"another name", "ln store-wake link", ""},
};

Test(wake_log, mishaps)
{
    for (size_t i = 0; i < COUNT_OF(mishaps); i++) {
        const struct mishap *m = &mishaps[i];
        struct pair p;
        init_pair(&p);
        cr_assert(wake_log_listen(&p.ears));
        say(&p, "one");
        cr_expect_str_eq(hear(&p), "[one]", "%s", m->what);
        cr_assert(system(m->command) == 0);
        const char *heard = hear(&p);
        cr_expect_str_eq(heard, m->heard, "%s: %s", m->what, heard);
        say(&p, "two");
        heard = hear(&p);
        cr_expect_str_eq(heard, "[two]", "%s: afterwards: %s", m->what, heard);
        release_pair(&p);
        cr_assert(system("rm -f store-wake other old link") == 0);
    }
}

/* What may lie there already. */
Test(wake_log, strangers)
{
    static const char *const commands[] = {"ln -s target store-wake", "mkfifo store-wake",
                                           "mkdir store-wake", "ln -s /dev/null store-wake"};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        struct pair p;
        init_pair(&p);
        cr_assert(system(commands[i]) == 0);
        say(&p, "one");
        cr_expect(!wake_log_listen(&p.ears), "%s", commands[i]);
        cr_expect(wake_log_fd(&p.ears) == -1, "%s", commands[i]);
        cr_expect(!there("target"), "no link is followed");
        release_pair(&p);
        cr_assert(system("rm -rf store-wake") == 0);
    }
}

/* As when the disk is full or a process is killed: the end of a record is missing. */
Test(wake_log, comes_in_pieces)
{
    struct pair p;
    init_pair(&p);
    cr_assert(wake_log_listen(&p.ears));
    cr_assert(system("printf '3:a' >>store-wake") == 0);
    cr_expect_str_eq(hear(&p), "");
    cr_assert(system("printf 'bc\\n1:d' >>store-wake") == 0);
    cr_expect_str_eq(hear(&p), "[abc]");
    say(&p, "next");
    cr_expect_str_eq(hear(&p), "!", "what was cut off is noticed when something follows");
    say(&p, "last");
    cr_expect_str_eq(hear(&p), "[last]");
    release_pair(&p);
}

static struct span large_id(size_t len)
{
    char *text = mem_resize(NULL, len, 1);
    memset(text, 'x', len);
    return span_of(text, len);
}

Test(wake_log, growth_is_bounded)
{
    struct pair p;
    struct span id = large_id(1 << 20);
    int missed = 0;
    init_pair(&p);
    cr_assert(wake_log_listen(&p.ears));
    for (int i = 0; i < 40; i++) {
        struct stat st = {0};
        struct buf heard = {0};
        wake_log_say(&p.mouth, id);
        wake_log_send(&p.mouth);
        int rc = wake_log_hear(&p.ears, write_down, &heard);
        cr_expect(rc == 1 || heard.len == id.len + 2, "%d: heard or missed, but told", i);
        missed += rc;
        cr_expect(stat("store-wake", &st) == 0 && st.st_size <= WAKE_LOG_MAX, "%lld",
                  (long long)st.st_size);
        buf_release(&heard);
    }
    cr_expect(missed == 2, "%d", missed);
    for (int i = 0; i < 20; i++) { /* more than the file holds, at once */
        wake_log_say(&p.mouth, id);
    }
    wake_log_send(&p.mouth);
    cr_expect_str_eq(hear(&p), "!");
    free((char *)id.at);
    release_pair(&p);
}

/* A store that its owner has opened to others: so is its log. */
Test(wake_log, permissions)
{
    static const mode_t modes[] = {0600, 0660, 0666, 0640};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct pair p;
        struct stat st = {0};
        init_pair(&p);
        umask(077);
        cr_assert(chmod("store", modes[i]) == 0);
        cr_expect(wake_log_listen(&p.ears));
        cr_expect(stat("store-wake", &st) == 0 && (st.st_mode & 07777) == modes[i], "%o for %o",
                  st.st_mode, modes[i]);
        release_pair(&p);
        unlink("store-wake");
    }
}

Test(wake_log, file_systems)
{
    static const struct {
        const char *name;
        uint32_t type; /* statfs(2) */
        bool told;
    } list[] = {
        {"ext4", 0xEF53, true},       {"xfs", 0x58465342, true},     {"btrfs", 0x9123683E, true},
        {"tmpfs", 0x01021994, true},  {"overlay", 0x794C7630, true}, {"zfs", 0x2FC12FC1, true},
        {"nfs", 0x6969, false},       {"cifs", 0xFF534D42, false},   {"smb2", 0xFE534D42, false},
        {"9p", 0x01021997, false},    {"fuse", 0x65735546, false},   {"ceph", 0x00C36400, false},
        {"lustre", 0x0BD00BD0, false}};
    for (size_t i = 0; i < COUNT_OF(list); i++) {
        cr_expect(wake_log_is_told(list[i].type) == list[i].told, "%s", list[i].name);
    }
}

/* ---- many at once ---- */

enum { TALKERS = 3, WORDS = 60, WORD = 512 * 1024 };

/* Say words so long that the log is begun anew all the time, each when the last one was noticed. */
static void talk(int number, int noticed)
{
    struct wake_log mouth;
    struct span id = large_id(WORD);
    char c;
    *(char *)(uintptr_t)id.at = (char)('0' + number);
    wake_log_init(&mouth, "store");
    for (int i = 0; i < WORDS; i++) {
        struct pollfd early = {.fd = noticed, .events = POLLIN};
        while (poll(&early, 1, 0) > 0 && read(noticed, &c, 1) == 1) {
        }
        wake_log_say(&mouth, id);
        wake_log_send(&mouth);
        if (read(noticed, &c, 1) != 1) {
            _exit(1);
        }
    }
    _exit(0);
}

static void note_talker(void *context, struct span id)
{
    bool *heard = context;
    heard[id.at[0] - '0'] = true;
}

/* Whoever has said something and waits for it to be noticed is noticed: nothing is lost for good.
 */
Test(wake_log, races)
{
    struct wake_log ears;
    int to[TALKERS];
    int alive = TALKERS;
    signal(SIGPIPE, SIG_IGN);
    wake_log_init(&ears, "store");
    cr_assert(wake_log_listen(&ears));
    for (int i = 0; i < TALKERS; i++) {
        int ends[2];
        cr_assert(pipe2(ends, O_CLOEXEC) == 0);
        if (fork() == 0) {
            close(ends[1]);
            talk(i, ends[0]);
        }
        close(ends[0]);
        to[i] = ends[1];
    }
    int64_t last = clock_now();
    while (alive > 0) {
        struct pollfd p = {.fd = wake_log_fd(&ears), .events = POLLIN};
        bool heard[TALKERS] = {false};
        cr_assert(p.fd >= 0, "still listening");
        if (poll(&p, 1, 100) > 0) {
            bool missed = wake_log_hear(&ears, note_talker, heard) == 1;
            for (int i = 0; i < TALKERS; i++) {
                if (missed || heard[i]) {
                    ssize_t ignored = write(to[i], "", 1);
                    (void)ignored;
                }
            }
            last = clock_now();
        }
        while (waitpid(-1, NULL, WNOHANG) > 0) {
            alive--;
        }
        cr_assert(clock_now() - last < 20 * CLOCK_SECOND, "%d have not been heard", alive);
    }
    wake_log_release(&ears);
}
