/* lib/csv: what is a record, where a fault lies, and that no chunk boundary changes it. */
#include "csv/table.h"

#include "base/buf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct table_rules comma = {.delimiter = ',', .max_record_bytes = 1 << 20};

/* "[a][b]\n" for each record; "!LINE:COLUMN:BYTE\n" for a fault, which is passed by. */
static void dump(struct reader *reader, const struct table_rules *rules, struct writer *rejects,
                 struct buf *out)
{
    struct table t;
    struct table_record r;
    struct err e = {0};
    int got;
    table_open(&t, reader, rules);
    while ((got = table_next(&t, &r, &e)) != 0) {
        if (got < 0) {
            cr_assert_eq(e.code, ERR_DATA, "%s", e.text);
            buf_printf(out, "!%lu:%lu:%lu\n", (unsigned long)e.pos.line,
                       (unsigned long)e.pos.column, (unsigned long)e.pos.byte);
            cr_assert_eq(table_pass_by(&t, rejects, &e), 0);
            continue;
        }
        for (size_t i = 0; i < r.count; i++) {
            buf_add_byte(out, '[');
            buf_add_span(out, r.fields[i]);
            buf_add_byte(out, ']');
        }
        buf_add_byte(out, '\n');
    }
    table_close(&t);
}

/* A socket from which each read gets CHUNK bytes of TEXT, which must be short. */
static int chunks_of(struct span text, size_t chunk)
{
    int pair[2];
    int size = 1 << 20;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    for (size_t at = 0; at < text.len; at += chunk) {
        size_t n = text.len - at < chunk ? text.len - at : chunk;
        cr_assert_eq(send(pair[0], text.at + at, n, MSG_DONTWAIT), (ssize_t)n);
    }
    close(pair[0]);
    return pair[1];
}

static void dump_chunks(struct span text, size_t chunk, const struct table_rules *rules,
                        struct buf *out)
{
    struct reader reader;
    int fd = chunks_of(text, chunk);
    reader_init(&reader, fd, "test", NULL);
    dump(&reader, rules, NULL, out);
    reader_release(&reader);
    close(fd);
}

static void dump_text(struct span text, const struct table_rules *rules, struct buf *out)
{
    struct reader reader;
    reader_init_text(&reader, text, "test");
    dump(&reader, rules, NULL, out);
    reader_release(&reader);
}

#define ROW(in, out)                                                                               \
    {                                                                                              \
        SPAN_LIT(in), SPAN_LIT(out)                                                                \
    }

static const struct row {
    struct span in;
    struct span out;
} rows[] = {
    ROW("", ""),
    ROW("\n\r\n\n", ""),
    ROW("a", "[a]\n"),
    ROW("a,b\n1,2\n", "[a][b]\n[1][2]\n"),
    ROW("a,b\r\n1,2\r\n", "[a][b]\n[1][2]\n"),
    ROW("a,b\r1,2", "[a][b]\n[1][2]\n"),
    ROW("a\n\nb\n", "[a]\n[b]\n"),
    ROW(",\n,,\n", "[][]\n[][][]\n"),
    ROW("\"\"\n", "[]\n"),
    ROW("\"\"", "[]\n"),
    ROW("a,\"\"", "[a][]\n"),
    ROW(" a , b\t\n", "[ a ][ b\t]\n"),
    ROW("   \n", "[   ]\n"),
    ROW("\"a\"\"b\"\n", "[a\"b]\n"),
    ROW("\"a\nb\",\"c\r\nd\"\n1,2\n", "[a\nb][c\r\nd]\n[1][2]\n"),
    ROW("\"a,b\",c\n", "[a,b][c]\n"),
    ROW("2,a\"b\n3,c\n", "[2][a\"b]\n[3][c]\n"),
    ROW("a\"b\",\"c\"\n", "[a\"b\"][c]\n"),
    ROW("x,{\"\"k\"\"}\n", "[x][{\"\"k\"\"}]\n"),
    ROW("a\0b,\0\n", "[a\0b][\0]\n"),
    ROW("\xC3\xA9,\xFF\n", "[\xC3\xA9][\xFF]\n"),
    /* faults: line:column:byte of what does not fit, or of the quote that is not closed */
    ROW("a,b\n1,\"x\"y\n2,z\n", "[a][b]\n!2:6:9\n[2][z]\n"),
    ROW("\"a\"b", "!1:4:3\n"),
    ROW("\"a\" \n", "!1:4:3\n"),
    ROW("a\n1,\"open\n4,z\n", "[a]\n!2:3:4\n"),
    ROW("\"", "!1:1:0\n"),
    ROW("\"x\"\"\ny", "!1:1:0\n"),
    ROW("\"a\",b\"\",\"c", "!1:9:8\n"),
    ROW("\"p\nq\nr\"s,t\nu\n", "!3:3:7\n[u]\n"),
    ROW("\"p\nq\",\"r", "!2:4:6\n"),
};

Test(csv, records_and_faults_at_every_chunk_size)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (size_t chunk = 0; chunk <= rows[i].in.len; chunk++) {
            struct buf out = {0};
            if (chunk == 0) {
                dump_text(rows[i].in, &comma, &out);
            } else {
                dump_chunks(rows[i].in, chunk, &comma, &out);
            }
            cr_expect(span_equal(buf_span(&out), rows[i].out), "row %zu, chunk %zu: got %s", i,
                      chunk, buf_text(&out));
            buf_release(&out);
        }
    }
}

Test(csv, delimiters)
{
    static const struct {
        char delimiter;
        const char *in, *out;
    } cases[] = {
        {'\t', "a\tb\n1,5\t 2 \n", "[a][b]\n[1,5][ 2 ]\n"},
        {';', "a;\"b;c\"\n", "[a][b;c]\n"},
        {' ', "a b  c\n", "[a][b][][c]\n"},
        {'|', "a|b,\"c\n", "[a][b,\"c]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct table_rules rules = {.delimiter = cases[i].delimiter, .max_record_bytes = 100};
        struct buf out = {0};
        dump_text(span_text(cases[i].in), &rules, &out);
        cr_expect_str_eq(buf_text(&out), cases[i].out);
        buf_release(&out);
    }
}

static const struct {
    uint64_t max;
    const char *in, *out, *rejects;
} refusals[] = {
    {100, "1,\"x\"y,\"\n2,z\n", "!1:6:5\n[2][z]\n", "1,\"x\"y,\"\n"},
    {100, "\"p\nq\"r\nu", "!2:3:5\n[u]\n", "\"p\nq\"r\n"},
    {100, "\"x\"y", "!1:4:3\n", "\"x\"y\n"},
    {100, "a\n3,\"open\n4,z\n", "[a]\n!2:3:4\n", "3,\"open\n4,z\n"},
    {100, "a\n3,\"open\n4,z", "[a]\n!2:3:4\n", "3,\"open\n4,z\n"},
    {5, "12345\n1,2\n", "!1:1:0\n[1][2]\n", "12345\n"},
    {6, "12345\n1,2\n", "[12345]\n[1][2]\n", ""},
    {5, "a,\"\nbc\nd\n", "!1:3:2\n[d]\n", "a,\"\nbc\n"},
};

Test(csv, what_is_refused_is_kept_byte_for_byte)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct table_rules rules = {.delimiter = ',', .max_record_bytes = refusals[i].max};
        struct buf out = {0};
        struct writer rejects;
        struct reader reader;
        writer_init(&rejects, -1, "rejects");
        reader_init_text(&reader, span_text(refusals[i].in), "test");
        dump(&reader, &rules, &rejects, &out);
        cr_expect_str_eq(buf_text(&out), refusals[i].out, "row %zu: %s", i, buf_text(&out));
        cr_expect(span_equal(span_of(rejects.at, rejects.ready), span_text(refusals[i].rejects)),
                  "row %zu: rejects %.*s", i, (int)rejects.ready, rejects.at);
        writer_release(&rejects);
        reader_release(&reader);
        buf_release(&out);
    }
}

/* An independent reader of RFC 4180 for text that keeps to it; dumps as dump() does. */
static void simple_reader(struct span text, struct buf *out)
{
    const char *at = text.at;
    const char *end = text.at + text.len;
    while (at < end) {
        buf_add_byte(out, '[');
        if (at < end && *at == '"') {
            for (at++; *at != '"' || at[1] == '"'; at++) {
                at += *at == '"';
                buf_add_byte(out, *at);
            }
            at++;
        } else {
            while (at < end && *at != ',' && *at != '\n' && *at != '\r') {
                buf_add_byte(out, *at++);
            }
        }
        buf_add_byte(out, ']');
        if (at < end && *at == ',') {
            at++;
            continue;
        }
        at += at < end && *at == '\r';
        at += at < end && *at == '\n';
        buf_add_byte(out, '\n');
    }
}

static void random_field(struct buf *b, bool alone)
{
    static const char bytes[] = "ab ,\"\"\n\r\t;\\x";
    size_t len = (size_t)(rand() % 6);
    bool quoted = rand() % 3 == 0 || (alone && len == 0);
    if (quoted) {
        buf_add_byte(b, '"');
    }
    for (size_t i = 0; i < len; i++) {
        char c = bytes[rand() % (int)(sizeof bytes - 1)];
        if (!quoted && strchr(",\"\n\r", c)) {
            c = 'y';
        }
        buf_add(b, "\"", quoted && c == '"');
        buf_add_byte(b, c);
    }
    if (quoted) {
        buf_add_byte(b, '"');
    }
}

static void random_table(struct buf *b)
{
    int count = 1 + rand() % 6;
    for (int i = 0; i < count; i++) {
        int fields = 1 + rand() % 4;
        for (int f = 0; f < fields; f++) {
            buf_add(b, ",", f > 0);
            random_field(b, fields == 1);
        }
        if (fields > 1 && b->at[b->len - 1] == ',') {
            buf_add_byte(b, 'z'); /* a text that ends in ',' needs a line end to be told apart */
        }
        buf_add_text(b, i + 1 == count ? "" : rand() % 2 ? "\n" : "\r\n");
    }
}

Test(csv, agrees_with_another_reader_on_random_tables)
{
    srand(4180);
    for (int i = 0; i < 3000; i++) {
        struct buf text = {0};
        struct buf want = {0};
        struct buf got = {0};
        random_table(&text);
        buf_text(&text);
        simple_reader(buf_span(&text), &want);
        dump_chunks(buf_span(&text), 1 + (size_t)(rand() % 9), &comma, &got);
        cr_assert(span_equal(buf_span(&want), buf_span(&got)), "text:\n%s\nwant:\n%s\ngot:\n%s",
                  buf_text(&text), buf_text(&want), buf_text(&got));
        buf_release(&text);
        buf_release(&want);
        buf_release(&got);
    }
}

/* ---- the lane against the dialects ---- */

static void random_bytes(struct buf *b, size_t most, const char *alphabet, size_t kinds)
{
    size_t len = (size_t)rand() % (most + 1);
    for (size_t i = 0; i < len; i++) {
        /* mostly the first four, so that there are records without quotes of some length */
        size_t kind = (size_t)rand() % (rand() % 4 ? 4 : kinds);
        buf_add_byte(b, alphabet[kind]);
    }
}

static bool is_plain(const struct table_record *r)
{
    for (size_t i = 0; i < r->count; i++) {
        for (size_t k = 0; k < r->fields[i].len; k++) {
            char c = r->fields[i].at[k];
            if (c < 0x20 || c == '"' || c == '\\' || (unsigned char)c > 0x7F) {
                return false;
            }
        }
    }
    return true;
}

/* All records of TEXT with their raw bytes, and the faults; counts those that the lane took. */
static void dump_all(struct span text, const struct table_rules *rules, struct buf *out,
                     size_t *plain)
{
    struct reader reader;
    struct table t;
    struct table_record r;
    struct err e = {0};
    int got;
    reader_init_text(&reader, text, "test");
    table_open(&t, &reader, rules);
    while ((got = table_next(&t, &r, &e)) != 0) {
        buf_printf(out, "%d %lu:%lu ", got, got < 0 ? (unsigned long)e.pos.byte : 0,
                   (unsigned long)t.place.line);
        for (size_t i = 0; got > 0 && i < r.count; i++) {
            buf_add_byte(out, '[');
            buf_add_span(out, r.fields[i]);
            buf_add_byte(out, ']');
        }
        if (got > 0) {
            buf_add_span(out, r.raw);
            cr_assert(!r.plain || is_plain(&r));
            *plain += r.plain;
        } else {
            cr_assert_eq(table_pass_by(&t, NULL, &e), 0);
        }
        buf_add_byte(out, '\n');
    }
    table_close(&t);
    reader_release(&reader);
}

static void compare_lane(struct span text, struct table_rules rules, size_t *plain)
{
    struct buf fast = {0};
    struct buf thorough = {0};
    dump_all(text, &rules, &fast, plain);
    rules.thorough = true;
    dump_all(text, &rules, &thorough, plain);
    cr_assert(span_equal(buf_span(&fast), buf_span(&thorough)),
              "text:\n%.*s\nlane:\n%s\nthorough:\n%s", (int)text.len, text.at, buf_text(&fast),
              buf_text(&thorough));
    buf_release(&fast);
    buf_release(&thorough);
}

Test(csv, the_lane_gives_what_the_dialects_give_on_random_bytes)
{
    static const char few_quotes[] = "a,b\n\"\r\\\0\t;\xC3\xA9\xFF\x7F\x1F ";
    static const char many_quotes[] = "a,\"\n\"\r\\\0\t;\xC3\xA9\xFF\x7F\x1F ";
    static const char delimiters[] = ",;\ta";
    size_t plain = 0;
    srand(32);
    for (int i = 0; i < 40000; i++) {
        struct buf text = {0};
        random_bytes(&text, i % 3 ? 40 : 300, i % 7 < 3 ? many_quotes : few_quotes,
                     sizeof few_quotes - 1);
        struct table_rules rules = {.delimiter = delimiters[i % 4],
                                    .backslash = i % 2,
                                    .max_record_bytes = i % 5 ? 1000 : 20};
        compare_lane(buf_span(&text), rules, &plain);
        buf_release(&text);
    }
    cr_assert_gt(plain, 10000, "the lane took %zu records", plain);
}

Test(csv, the_lane_and_records_longer_than_it_looks)
{
    static const size_t lengths[] = {65530, 65535, 65536, 65537, 70000, 300000};
    size_t plain = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct buf text = {0};
        struct table_rules rules = {.delimiter = ',', .max_record_bytes = 1 << 20};
        for (size_t n = 0; n < lengths[i]; n++) {
            buf_add_byte(&text, n % 10 == 9 ? ',' : 'x');
        }
        buf_add_text(&text, "\r\nshort,1\n");
        compare_lane(buf_span(&text), rules, &plain);
        buf_release(&text);
    }
    cr_expect_geq(plain, sizeof lengths / sizeof *lengths);
}

/* reference/distributed-map.md 2.2 */
static const struct row escapes[] = {
    ROW("path,size\nC:\\\\dir\\\\a.exe,65\n", "[path][size]\n[C:\\dir\\a.exe][65]\n"),
    ROW("p\\,q,1\n", "[p,q][1]\n"),
    ROW("x\\yz,2\n", "[xyz][2]\n"),
    ROW("x,{\"\"k\"\":\"\"v\"\"}\n", "[x][{\"k\":\"v\"}]\n"),
    ROW("\\\"a\\\",b\n", "[\"a\"][b]\n"),
    ROW("\"a\\\"b\",c\n", "[a\"b][c]\n"),
    ROW("\"a\"\"b\",\"c\nd\"\n", "[a\"b][c\nd]\n"),
    ROW("\"a\\\nb\"\n", "[a\nb]\n"),
    ROW("a\\\nb\n", "[a]\n[b]\n"),
    ROW("a\\\r\nb\\", "[a]\n[b]\n"),
    ROW("a\"b,\"\"\n", "[a\"b][]\n"),
    ROW("a\",b\"\n", "[a\"][b\"]\n"),
    ROW("a\"\\,\n", "[a\",]\n"),
    ROW("\\", "[]\n"),
    ROW("", ""),
    ROW(",\n", "[][]\n"),
    ROW("\"a\"x\nb\n", "!1:4:3\n[b]\n"),
    ROW("\"a\"\\\"\nb\n", "!1:4:3\n[b]\n"),
    ROW("a,\"b\\\"\nc\n", "!1:3:2\n"),
};

Test(csv, escapes_of_aws_at_every_chunk_size)
{
    static const struct table_rules rules = {
        .delimiter = ',', .backslash = true, .max_record_bytes = 1000};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        for (size_t chunk = 0; chunk <= escapes[i].in.len; chunk++) {
            struct buf out = {0};
            if (chunk == 0) {
                dump_text(escapes[i].in, &rules, &out);
            } else {
                dump_chunks(escapes[i].in, chunk, &rules, &out);
            }
            cr_expect(span_equal(buf_span(&out), escapes[i].out), "row %zu, chunk %zu: got %s", i,
                      chunk, buf_text(&out));
            buf_release(&out);
        }
    }
}

Test(csv, a_field_of_eight_megabytes)
{
    struct table_rules rules = {.delimiter = ',', .max_record_bytes = 16 << 20};
    struct buf text = {0};
    struct buf out = {0};
    size_t len = 8 << 20;
    buf_add_text(&text, "\"");
    memset(buf_room(&text, len), 'x', len);
    text.len += len;
    buf_add_text(&text, "\",y\n");
    dump_text(buf_span(&text), &rules, &out);
    cr_expect_eq(out.len, len + 2 + 4);
    buf_release(&text);
    buf_release(&out);
}
