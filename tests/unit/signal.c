#include "signal/wait.h"

#include "base/clock.h"
#include "signal/count.h"
#include "signal/java_order.h"
#include "signal/line.h"
#include "signal/nifi_entry.h"
#include "signal/notify.h"
#include "stores.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT_OF(a)    (sizeof(a) / sizeof *(a))
#define TEXT_MAX_BYTES 4096

/* ---- short forms ---- */

static struct attr_template *template(const char *text)
{
    struct attr_template *t = NULL;
    struct err e = {0};
    if (text) {
        cr_assert(attr_compile(&t, text, &e) == 0, "%s: %s", text, e.text);
    }
    return t;
}

/* A writer into memory, and what it got. */
static void open_memory(struct writer *w)
{
    writer_init(w, memfd_create("out", MFD_CLOEXEC), "memory");
}

static const char *close_memory(struct writer *w, char out[TEXT_MAX_BYTES])
{
    struct err e = {0};
    cr_expect(writer_flush(w, &e) == 0, "%s", e.text);
    ssize_t n = pread(w->fd, out, TEXT_MAX_BYTES - 1, 0);
    out[n > 0 ? n : 0] = '\0';
    close(w->fd);
    writer_release(w);
    return out;
}

static void open_lines(struct lines_in *in, struct reader *r, const char *text)
{
    struct lines_rules rules = {.max_depth = SCAN_DEPTH_DEFAULT,
                                .max_item_bytes = LINES_ITEM_DEFAULT};
    reader_init_text(r, span_text(text), "lines");
    lines_open(in, r, &rules);
}

static void close_lines(struct lines_in *in, struct reader *r)
{
    lines_close(in);
    reader_release(r);
}

static struct store *opened(const char *url)
{
    struct store *s = NULL;
    struct err e = {0};
    cr_assert(store_open(&s, url, &e) == 0, "%s: %s", url, e.text);
    return s;
}

/* A template for the ids of one test: ids of its lines, behind a name nobody else has. */
static struct attr_template *own_ids(void)
{
    char text[96];
    struct span own = name("signal");
    snprintf(text, sizeof text, "%.*s-${id}", (int)own.len, own.at);
    return template(text);
}

/* Signal for each of LINES; members c, d and once are what their options would be. */
static void signal_lines(struct store *s, const struct attr_template *id, const char *lines,
                         size_t buffer)
{
    struct attr_template *counter = template("${c}"), *delta = template("${d}"),
                         *once = template("${once}");
    struct regex *cached;
    struct err e = {0};
    cr_assert(regex_compile(&cached, SPAN_LIT("k.*"), REGEX_WHOLE, &e) == 0);
    struct notify_rules rules = {.id = id,
                                 .counter = counter,
                                 .delta = delta,
                                 .once = once,
                                 .cached = cached,
                                 .ttl = 60 * CLOCK_SECOND,
                                 .buffer = buffer};
    struct notify n;
    struct lines_in in;
    struct reader r;
    open_lines(&in, &r, lines);
    notify_init(&n, s, &rules);
    cr_expect(notify_run(&n, &in, &e) == 0, "%s", e.text);
    notify_release(&n);
    close_lines(&in, &r);
    regex_free(cached);
    attr_free(counter);
    attr_free(delta);
    attr_free(once);
}

/* ---- what is released, what expires ---- */

struct wait_row {
    const char *what;
    const char *signals; /* lines for signal_lines */
    const char *target, *counter, *releasable;
    bool replace;
    size_t buffer;
    const char *lines;
    const char *out;
    const char *expired;
    const char *failure;
};

#define LINE(id, rest) "{\"id\":\"" id "\"" rest "}\n"

/* Ids in the names are those of reference/wait-notify.md 3. */
static const struct wait_row rows[] = {
    {"W01 no signal", "", NULL, NULL, NULL, false, 0, LINE("g", ""), "", LINE("g", ""), ""},
    {"one signal, one line", "{\"id\":\"g\",\"d\":1}", NULL, NULL, NULL, false, 0,
     LINE("g", "") LINE("g", ",\"x\":1"), LINE("g", ""), LINE("g", ",\"x\":1"), ""},
    {"ids are apart", "{\"id\":\"b\",\"d\":1}", NULL, NULL, NULL, false, 0,
     LINE("a", "") LINE("b", "") LINE("c", ""), LINE("b", ""), LINE("a", "") LINE("c", ""), ""},
    {"W11 the total over counters", "{\"id\":\"g\",\"d\":1,\"c\":\"A\"}\n{\"id\":\"g\",\"d\":2}",
     "${n}", NULL, NULL, false, 0, LINE("g", ",\"n\":3"), LINE("g", ",\"n\":3"), "", ""},
    {"W12 a counter by name",
     "{\"id\":\"g\",\"d\":2,\"c\":\"A\"}\n{\"id\":\"g\",\"d\":9,\"c\":\"B\"}", "2", "${which}",
     NULL, false, 0, LINE("g", ",\"which\":\"A\"") LINE("g", ",\"which\":\"A\""),
     LINE("g", ",\"which\":\"A\""), LINE("g", ",\"which\":\"A\""), ""},
    {"D47 no counter named means the total", "{\"id\":\"g\",\"d\":1}", NULL, "${which}", NULL,
     false, 0, LINE("g", ""), LINE("g", ""), "", ""},
    {"D69 released in input order", "{\"id\":\"g\",\"d\":1}", NULL, NULL, "3", false, 0,
     LINE("g", ",\"i\":1") LINE("g", ",\"i\":2") LINE("h", "") LINE("g", ",\"i\":3")
         LINE("g", ",\"i\":4"),
     LINE("g", ",\"i\":1") LINE("g", ",\"i\":2") LINE("g", ",\"i\":3"),
     LINE("h", "") LINE("g", ",\"i\":4"), ""},
    {"W16 a gate lets all pass", "{\"id\":\"g\",\"d\":3}", "3", NULL, "0", false, 2,
     LINE("g", ",\"i\":1") LINE("g", ",\"i\":2") LINE("g", ",\"i\":3"),
     LINE("g", ",\"i\":1") LINE("g", ",\"i\":2") LINE("g", ",\"i\":3"), "", ""},
    {"W16 a gate that is closed", "{\"id\":\"g\",\"d\":2}", "3", NULL, "0", false, 0, LINE("g", ""),
     "", LINE("g", ""), ""},
    {"a buffer of 1 gives the same", "{\"id\":\"g\",\"d\":5}", "2", NULL, NULL, false, 1,
     LINE("g", ",\"i\":1") LINE("g", ",\"i\":2") LINE("g", ",\"i\":3"),
     LINE("g", ",\"i\":1") LINE("g", ",\"i\":2"), LINE("g", ",\"i\":3"), ""},
    {"each line has its own target, in order", "{\"id\":\"g\",\"d\":4}", "${n}", NULL, NULL, false,
     0, LINE("g", ",\"n\":3") LINE("g", ",\"n\":1") LINE("g", ",\"n\":1"),
     LINE("g", ",\"n\":3") LINE("g", ",\"n\":1"), LINE("g", ",\"n\":1"), ""},
    {"the first of an id holds the others", "{\"id\":\"g\",\"d\":2}", "${n}", NULL, NULL, false, 0,
     LINE("g", ",\"n\":3") LINE("g", ",\"n\":1"), "", LINE("g", ",\"n\":3") LINE("g", ",\"n\":1"),
     ""},
    {"D43 a bad target fails its own line", "{\"id\":\"g\",\"d\":1}", "${n}", NULL, NULL, false, 0,
     LINE("g", ",\"n\":\"x\"") LINE("g", ",\"n\":1"), LINE("g", ",\"n\":1"), "",
     LINE("g", ",\"n\":\"x\"")},
    {"so do a missing, a negative, a decimal one", "{\"id\":\"g\",\"d\":9}", "${n}", NULL, NULL,
     false, 0, LINE("g", "") LINE("g", ",\"n\":-1") LINE("g", ",\"n\":1.0"), "", "",
     LINE("g", "") LINE("g", ",\"n\":-1") LINE("g", ",\"n\":1.0")},
    {"target 0 needs no signal", "", "0", NULL, NULL, false, 0, LINE("g", "") LINE("h", ""),
     LINE("g", "") LINE("h", ""), "", ""},
    {"W10 keep: the line's own value stays",
     "{\"id\":\"g\",\"d\":1,\"k1\":\"n\",\"k2\":\"n\",\"other\":1}", NULL, NULL, NULL, false, 0,
     LINE("g", ",\"k1\":1.50"), LINE("g", ",\"k1\":1.50,\"k2\":\"n\""), "", ""},
    {"W09 replace: the signal's value comes in its place",
     "{\"id\":\"g\",\"d\":1,\"k1\":\"n\",\"k2\":\"n\"}", NULL, NULL, NULL, true, 0,
     "{\"k1\":1.50,\"id\":\"g\",\"z\":1e400}\n",
     "{\"k1\":\"n\",\"id\":\"g\",\"z\":1e400,\"k2\":\"n\"}\n", "", ""},
    {"bytes stay, white space between tokens goes", "{\"id\":\"g\",\"d\":1}", NULL, NULL, NULL,
     false, 0, "{\"id\": \"\\u0067\",\"a\" :1.10, \"a\":\"\\ud800\"}\n{\"id\": \"h\"}\n",
     "{\"id\":\"\\u0067\",\"a\":1.10,\"a\":\"\\ud800\"}\n", "{\"id\": \"h\"}\n", ""},
};

static void run_row(struct store *s, const struct wait_row *row)
{
    struct attr_template *id = own_ids();
    struct attr_template *target = template(row->target), *counter = template(row->counter),
                         *releasable = template(row->releasable);
    struct writer out, expired, failure;
    char text[TEXT_MAX_BYTES];
    open_memory(&out);
    open_memory(&expired);
    open_memory(&failure);
    struct wait_rules rules = {.id = id,
                               .counter = counter,
                               .target = target,
                               .releasable = releasable,
                               .buffer = row->buffer,
                               .replace = row->replace,
                               .lease = CLOCK_SECOND,
                               .folder = "/tmp",
                               .memory = 1 << 20,
                               .out = &out,
                               .expired = &expired,
                               .failure = &failure};
    struct wait w;
    struct lines_in in;
    struct reader r;
    struct err e = {0};
    signal_lines(s, id, row->signals, 10);
    open_lines(&in, &r, row->lines);
    wait_init(&w, s, &rules);
    cr_expect(wait_run(&w, &in, NULL, &e) == 0, "%s: %s", row->what, e.text);
    cr_expect_str_eq(close_memory(&out, text), row->out, "%s: out: %s", row->what, text);
    cr_expect_str_eq(close_memory(&expired, text), row->expired, "%s: expired: %s", row->what,
                     text);
    cr_expect_str_eq(close_memory(&failure, text), row->failure, "%s: failure: %s", row->what,
                     text);
    wait_release(&w);
    close_lines(&in, &r);
    attr_free(id);
    attr_free(target);
    attr_free(counter);
    attr_free(releasable);
}

static void all_rows(const char *url)
{
    struct store *s = opened(url);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        run_row(s, &rows[i]);
    }
    store_close(s);
}

Test(signal, rows)
{
    on_each_store(all_rows);
}

/* ---- notify ---- */

struct notify_row {
    const char *what;
    const char *lines;
    const char *out;
    const char *failure;
    int64_t total;
};

static const struct notify_row notices[] = {
    {"deltas one by one", "{\"d\":5}\n{\"d\":0}\n{\"d\":3}\n{\"d\":-2}\n{\"d\":2}\n",
     "{\"d\":5}\n{\"d\":0}\n{\"d\":3}\n{\"d\":-2}\n{\"d\":2}\n", "", 8},
    {"D31 spellings", "{\"d\":\"+5\"}\n{\"d\":\"-2\"}\n{\"d\":2147483647}\n",
     "{\"d\":\"+5\"}\n{\"d\":\"-2\"}\n{\"d\":2147483647}\n", "", 2147483650},
    {"D32 no numbers",
     "{\"d\":\"\"}\n{\"d\":\" 5\"}\n{\"d\":5.0}\n{\"d\":\"0x10\"}\n{}\n{\"d\":1}\n", "{\"d\":1}\n",
     "{\"d\":\"\"}\n{\"d\":\" 5\"}\n{\"d\":5.0}\n{\"d\":\"0x10\"}\n{}\n", 1},
    {"N05 a bad one fails alone", "{\"d\":1000}\n{\"d\": \"2000 rows\"}\n{\"d\":500}\n",
     "{\"d\":1000}\n{\"d\":500}\n", "{\"d\": \"2000 rows\"}\n", 1500},
    {"exact to the last unit", "{\"d\":9007199254740993}\n{\"d\":9214364837600034814}\n{\"d\":1}\n",
     "{\"d\":9007199254740993}\n{\"d\":9214364837600034814}\n", "{\"d\":1}\n", INT64_MAX},
    {"beyond 64 bits", "{\"d\":9223372036854775808}\n{\"d\":-9223372036854775808}\n{\"d\":7}\n",
     "{\"d\":7}\n", "{\"d\":9223372036854775808}\n{\"d\":-9223372036854775808}\n", 7},
    {"a key counts once",
     "{\"d\":1,\"once\":\"a\"}\n{\"d\":1,\"once\":\"b\"}\n{\"d\":1,\"once\":\"a\"}\n{\"d\":1}\n",
     "{\"d\":1,\"once\":\"a\"}\n{\"d\":1,\"once\":\"b\"}\n{\"d\":1,\"once\":\"a\"}\n{\"d\":1}\n",
     "", 3},
    {"lines that are no objects have no attributes", "[1]\n\"x\"\n", "", "[1]\n\"x\"\n", -1},
};

static int64_t total_of(struct store *s, struct span id)
{
    struct store_grant g = {0};
    struct store_ask a = {.id = id, .target = 1, .releasable = 1};
    struct err e = {0};
    cr_expect(store_take(s, &a, &g, 1, &e) == 0, "%s", e.text);
    int64_t total = g.found ? g.total : -1;
    store_grant_release(&g);
    return total;
}

static void run_notices(struct store *s, const struct notify_row *row, size_t buffer)
{
    struct span signal = name("notices");
    struct attr_template *counter = template("c"), *delta = template("${d}"),
                         *once = template("${once}");
    struct writer out, failure;
    char text[TEXT_MAX_BYTES];
    open_memory(&out);
    open_memory(&failure);
    struct notify_rules rules = {.literal = signal,
                                 .counter = counter,
                                 .delta = delta,
                                 .once = once,
                                 .ttl = 60 * CLOCK_SECOND,
                                 .buffer = buffer,
                                 .out = &out,
                                 .failure = &failure};
    struct notify n;
    struct lines_in in;
    struct reader r;
    struct err e = {0};
    open_lines(&in, &r, row->lines);
    notify_init(&n, s, &rules);
    cr_expect(notify_run(&n, &in, &e) == 0, "%s: %s", row->what, e.text);
    cr_expect_str_eq(close_memory(&out, text), row->out, "%s (-B%zu): %s", row->what, buffer, text);
    cr_expect_str_eq(close_memory(&failure, text), row->failure, "%s (-B%zu): failure: %s",
                     row->what, buffer, text);
    cr_expect(total_of(s, signal) == row->total, "%s (-B%zu): %lld", row->what, buffer,
              (long long)total_of(s, signal));
    notify_release(&n);
    close_lines(&in, &r);
    attr_free(counter);
    attr_free(delta);
    attr_free(once);
}

static void all_notices(const char *url)
{
    struct store *s = opened(url);
    static const size_t buffers[] = {1, 2, 3, 100};
    for (size_t i = 0; i < COUNT_OF(notices); i++) {
        for (size_t b = 0; b < COUNT_OF(buffers); b++) {
            run_notices(s, &notices[i], buffers[b]);
        }
    }
    store_close(s);
}

Test(signal, notices)
{
    on_each_store(all_notices);
}

/* ---- an output that fails, a condition that is met ---- */

static void undone(const char *url)
{
    struct store *s = opened(url);
    struct attr_template *id = own_ids(), *target = template("2");
    struct writer full;
    writer_init(&full, open("/dev/full", O_WRONLY | O_CLOEXEC), "full");
    struct wait_rules rules = {.id = id,
                               .target = target,
                               .expire = -1,
                               .lease = 60 * CLOCK_SECOND,
                               .folder = "/tmp",
                               .memory = 1 << 20,
                               .out = &full};
    struct wait w;
    struct lines_in in;
    struct reader r;
    struct err e = {0};
    char text[TEXT_MAX_BYTES];
    struct writer held;
    open_memory(&held);
    signal_lines(s, id, "{\"id\":\"g\",\"d\":2}", 1);
    open_lines(&in, &r, "{\"id\":\"h\"}\n{\"id\": \"g\"}\n");
    wait_init(&w, s, &rules);
    cr_expect(wait_run(&w, &in, NULL, &e) == -1 && e.code == ERR_IO, "%s: %s", url, e.text);
    cr_expect(wait_put_held(&w, &held, &e) == 0);
    cr_expect_str_eq(close_memory(&held, text), "{\"id\":\"h\"}\n{\"id\": \"g\"}\n", "%s", text);
    wait_release(&w);
    close_lines(&in, &r);
    close(full.fd);
    writer_release(&full);
    struct buf name_of_g = {0};
    cr_expect(attr_eval(id, SPAN_LIT("{\"id\":\"g\"}"), &name_of_g, NULL, &e) == 0);
    cr_expect(total_of(s, buf_span(&name_of_g)) == 2, "%s: the signals are back", url);
    buf_release(&name_of_g);
    attr_free(id);
    attr_free(target);
    store_close(s);
}

Test(signal, undone)
{
    on_each_store(undone);
}

static void hopeless(const char *url)
{
    struct store *s = opened(url);
    struct attr_template *id = own_ids(), *target = template("2");
    struct fail_on fails[2];
    struct writer out, failure;
    struct err e = {0};
    char text[TEXT_MAX_BYTES];
    cr_expect(fail_on_parse(&fails[0], "never>=5", &e) == 0);
    cr_expect(fail_on_parse(&fails[1], "bad>=1", &e) == 0);
    open_memory(&out);
    open_memory(&failure);
    struct wait_rules rules = {.id = id,
                               .target = target,
                               .lease = CLOCK_SECOND,
                               .folder = "/tmp",
                               .memory = 1 << 20,
                               .fail_on = fails,
                               .fail_on_count = 2,
                               .out = &out,
                               .failure = &failure};
    struct wait w;
    struct lines_in in;
    struct reader r;
    signal_lines(s, id,
                 "{\"id\":\"g\",\"d\":1}\n{\"id\":\"g\",\"d\":1,\"c\":\"bad\"}\n"
                 "{\"id\":\"h\",\"d\":2}",
                 9);
    open_lines(&in, &r, "{\"id\":\"g\"}\n{\"id\":\"h\"}\n{\"id\":\"g\"}\n");
    wait_init(&w, s, &rules);
    cr_expect(wait_run(&w, &in, NULL, &e) == 0, "%s: %s", url, e.text);
    cr_expect(w.failed_on == 2 && w.released == 1, "%s", url);
    cr_expect_str_eq(close_memory(&out, text), "{\"id\":\"h\"}\n", "%s", text);
    cr_expect_str_eq(close_memory(&failure, text), "{\"id\":\"g\"}\n{\"id\":\"g\"}\n", "%s", text);
    wait_release(&w);
    close_lines(&in, &r);
    struct buf name_of_g = {0};
    cr_expect(attr_eval(id, SPAN_LIT("{\"id\":\"g\"}"), &name_of_g, NULL, &e) == 0);
    cr_expect(total_of(s, buf_span(&name_of_g)) == 2, "%s: what was granted is given back", url);
    buf_release(&name_of_g);
    attr_free(id);
    attr_free(target);
    store_close(s);
}

Test(signal, hopeless)
{
    on_each_store(hopeless);
}

/* ---- time ---- */

/* A child: waits a little, signals SIGNAL, and tells when by *AT. Asserts nothing. */
static void signal_later(const char *url, struct span signal, int64_t *at)
{
    struct store *s = NULL;
    struct store_notice n = {
        .id = signal, .counter = SPAN_LIT("c"), .delta = 1, .target = STORE_NO_TARGET};
    struct store_batch batch = {&n, 1, 60 * CLOCK_SECOND, 1, 0};
    enum store_verdict v;
    if (store_open(&s, url, NULL) < 0) {
        _exit(1);
    }
    usleep(150000);
    *at = clock_now();
    int rc = store_notify(s, &batch, &v, NULL);
    store_close(s);
    _exit(rc < 0);
}

static void woken(const char *url)
{
    struct store *s = opened(url);
    struct span signal = name("woken");
    int64_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = fork();
    if (pid == 0) {
        signal_later(url, signal, at);
    }
    struct wait_rules rules = {
        .expire = 5 * CLOCK_SECOND, .lease = CLOCK_SECOND, .folder = "/tmp", .memory = 1 << 20};
    struct wait w;
    struct err e = {0};
    wait_init(&w, s, &rules);
    cr_expect(wait_hold(&w, signal, SPAN_LIT("{}"), &e) == 0);
    cr_expect(wait_run(&w, NULL, NULL, &e) == 0, "%s: %s", url, e.text);
    int64_t took = clock_now() - *at;
    cr_expect(w.released == 1, "%s", url);
    cr_expect(took < 500 * CLOCK_MILLI, "%s: %lld ns, and the net is a second wide", url,
              (long long)took);
    waitpid(pid, NULL, 0);
    wait_release(&w);
    munmap(at, sizeof *at);
    store_close(s);
}

Test(signal, woken)
{
    on_each_store(woken);
}

static void expires(const char *url)
{
    struct store *s = opened(url);
    struct wait_rules rules = {
        .expire = 200 * CLOCK_MILLI, .lease = CLOCK_SECOND, .folder = "/tmp", .memory = 1 << 20};
    struct wait w;
    struct err e = {0};
    int64_t start = clock_now();
    wait_init(&w, s, &rules);
    cr_expect(wait_hold(&w, name("expires"), SPAN_LIT("{}"), &e) == 0);
    cr_expect(wait_run(&w, NULL, NULL, &e) == 0, "%s: %s", url, e.text);
    int64_t took = clock_now() - start;
    cr_expect(w.expired == 1 && w.last.code == ERR_EXPIRED, "%s", url);
    cr_expect(took >= 200 * CLOCK_MILLI && took < 600 * CLOCK_MILLI, "%s: %lld ns", url,
              (long long)took);
    wait_release(&w);
    store_close(s);
}

Test(signal, expires)
{
    on_each_store(expires);
}

/* ---- parts ---- */

struct edit_row {
    const char *item;
    enum edit_kind kind;
    const char *out;
};

Test(signal, edits)
{
    static const struct edit_row edits[] = {
        {"{}", EDIT_ADD, "{\"a\":\"1\\\"\\n\",\"b\":\"\xEF\xBF\xBD\"}"},
        {"{}", EDIT_SET, "{\"a\":\"1\\\"\\n\",\"b\":\"\xEF\xBF\xBD\"}"},
        {"{\"\\u0061\":null}", EDIT_ADD, "{\"\\u0061\":null,\"b\":\"\xEF\xBF\xBD\"}"},
        {"{\"b\":1,\"\\u0061\":2,\"b\":3}", EDIT_SET,
         "{\"b\":\"\xEF\xBF\xBD\",\"\\u0061\":\"1\\\"\\n\",\"b\":\"\xEF\xBF\xBD\"}"},
        {"{\"b\":1,\"\\u0061\":2,\"c\":1e400,\"b\":3}", EDIT_DROP, "{\"c\":1e400}"},
        {"{\"b\":1}", EDIT_DROP, "{}"},
        {"{\"c\":1.0}", EDIT_DROP, "{\"c\":1.0}"},
        {"{}", EDIT_DROP, "{}"},
        {"[{}]", EDIT_SET, "[{}]"},
        {"\"a\"", EDIT_ADD, "\"a\""},
        {"1e400", EDIT_SET, "1e400"},
    };
    for (size_t i = 0; i < COUNT_OF(edits); i++) {
        const struct edit list[] = {{edits[i].kind, SPAN_LIT("a"), SPAN_LIT("1\"\n")},
                                    {edits[i].kind, SPAN_LIT("b"), SPAN_LIT("\xff")}};
        struct buf text = {0};
        line_edit(&text, span_text(edits[i].item), list, 2);
        cr_expect_str_eq(buf_text(&text), edits[i].out, "%s: %s", edits[i].item, buf_text(&text));
        buf_release(&text);
    }
}

/* Orders as a Java 17 prints them: new HashMap<String, …>() filled in this order, then keySet(). */
struct order_row {
    const char *keys[15];
    const char *order[15];
};

Test(signal, java_order)
{
    static const struct order_row rows_of_keys[] = {
        {{"b", "a"}, {"a", "b"}},
        {{"key-B", "key-A"}, {"key-A", "key-B"}},
        {{"Aa", "BB", "a"}, {"Aa", "BB", "a"}}, /* "Aa" and "BB" have one hash: as inserted */
        {{"job-1", "job-2", "x", "\u00e4\U0001F600", "long identifier with spaces", "9", "10", "11",
          "12", "13", "14", "15", "16", "17"},
         {"11", "12", "13", "14", "15", "16", "17", "job-1", "job-2", "long identifier with spaces",
          "x", "\u00e4\U0001F600", "9", "10"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows_of_keys); i++) {
        struct span keys[14];
        size_t order[14], count = 0;
        for (; rows_of_keys[i].keys[count]; count++) {
            keys[count] = span_text(rows_of_keys[i].keys[count]);
        }
        java_order(keys, count, order);
        for (size_t k = 0; k < count; k++) {
            cr_expect(span_equal(keys[order[k]], span_text(rows_of_keys[i].order[k])), "%zu: %zu",
                      i, k);
        }
    }
}

Test(signal, conditions)
{
    static const char *const refused[] = {"",
                                          "a",
                                          "a>=",
                                          ">=0",
                                          "a>=0",
                                          "a>=-1",
                                          "a>=1 ",
                                          "a=>1",
                                          "a>1",
                                          "a>=x",
                                          "a>=9223372036854775808"};
    struct fail_on f;
    struct err e = {0};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        cr_expect(fail_on_parse(&f, refused[i], &e) == -1 && e.code == ERR_USAGE, "%s", refused[i]);
    }
    cr_expect(fail_on_parse(&f, "a>=b>=3", &e) == 0 && f.counter.len == 4 && f.least == 3);
    struct store_counter counters[] = {{{"a>=b", 4}, 3}, {{"x", 1}, -1}};
    struct store_grant g = {.counters = counters, .counter_count = 2, .total = 2};
    cr_expect(fail_on_met(&f, 1, &g) == &f);
    counters[0].value = 2;
    cr_expect(fail_on_met(&f, 1, &g) == NULL);
    cr_expect(fail_on_parse(&f, ">=2", &e) == 0 && fail_on_met(&f, 1, &g) == &f, "the total");
}

/* ---- outages ---- */

Test(signal, outages)
{
    struct outage o = {0};
    struct err e = {0};
    int64_t longest = 0;
    cr_expect(!outage_is_on(&o) && !outage_end(&o, &e), "nothing has happened");
    cr_expect(!outage_note(&o, false), "one failure is no news");
    cr_expect(outage_is_on(&o) && !outage_end(&o, &e), "nor is its end");
    cr_expect(outage_note(&o, true), "unless it matters at once");
    for (int i = 0; i < 12; i++) {
        int64_t before = clock_now();
        cr_expect(!outage_note(&o, true), "told once");
        int64_t pause = o.retry_at - before;
        cr_expect(pause >= o.pause / 2 && pause <= o.pause + CLOCK_SECOND, "%lld of %lld",
                  (long long)pause, (long long)o.pause);
        longest = pause > longest ? pause : longest;
    }
    cr_expect(o.pause == 4 * CLOCK_SECOND, "pauses grow to four seconds");
    cr_expect(longest <= 5 * CLOCK_SECOND);
    cr_expect(outage_end(&o, &e) && strncmp(e.text, "the store has answered", 22) == 0, "%s",
              e.text);
    cr_expect(!outage_is_on(&o) && o.retry_at == 0);
    cr_expect(!outage_note(&o, false) && outage_note(&o, false), "the second failure is news");
}

Test(signal, blank)
{
    cr_expect(id_is_blank(SPAN_LIT("")) && id_is_blank(SPAN_LIT(" \t\r\n")));
    cr_expect(!id_is_blank(SPAN_LIT(" g ")) && !id_is_blank(SPAN_LIT("\0")));
    /* as Java's Character.isWhitespace has it */
    static const struct {
        const char *text;
        bool blank;
    } blanks[] = {
        {"\x1c\x1d\x1e\x1f", true},
        {"\x1b", false},
        {"\u1680\u2000\u2006\u2008\u200a\u2028\u2029\u205f\u3000", true},
        {"\u00a0", false}, /* no-break spaces */
        {"\u2007", false},
        {"\u202f", false},
        {"\xc2\x85", false},
        {"\u180e", false},
        {"\u200b", false},
        {"\u3000x", false},
        {"\xe3\x80", false}, /* no UTF-8 */
        {"\xe3\x80\x01", false},
    };
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
        cr_expect_eq(id_is_blank(span_text(blanks[i].text)), blanks[i].blank, "row %zu", i);
    }
}

Test(signal, ids)
{
    enum { MANY = 5000 };
    static struct id_node nodes[MANY];
    struct ids t = {0};
    cr_expect(ids_find(&t, SPAN_LIT("0")) == NULL && ids_any(&t) == NULL);
    char text[16];
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "%d", i);
        ids_add(&t, &nodes[i], span_text(text));
    }
    for (int i = 0; i < MANY; i += 2) {
        ids_remove(&t, &nodes[i]);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof text, "%d", i);
        cr_expect(ids_find(&t, span_text(text)) == (i % 2 ? &nodes[i] : NULL), "%d", i);
    }
    struct id_node *any;
    while ((any = ids_any(&t)) != NULL) {
        ids_remove(&t, any);
    }
    ids_release(&t);
}
