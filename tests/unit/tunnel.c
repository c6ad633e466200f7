/* The state machines of a tunnel's client, every pair; batches, tokens, partitions. */
#include "tunnel/parcel.h"
#include "tunnel/put.h"
#include "tunnel/state.h"
#include "tunnel/where.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* reference/tunnel.md 1.4, row by row: told, then what it is in WAIT, RUNNING, CLOSING, CLOSED. */
Test(tunnel, connect)
{
    static const struct {
        enum channel_status told;
        bool finished;
        struct connect_step steps[4];
    } rows[] = {
        {CHANNEL_OPEN,
         false,
         {{CONNECT_RUNNING, CONNECT_START},
          {CONNECT_RUNNING, CONNECT_NOTHING},
          {CONNECT_CLOSING, CONNECT_NOTHING},
          {CONNECT_CLOSED, CONNECT_REPORT}}},
        {CHANNEL_OPEN,
         true,
         {{CONNECT_RUNNING, CONNECT_START},
          {CONNECT_CLOSED, CONNECT_REPORT},
          {CONNECT_CLOSING, CONNECT_NOTHING},
          {CONNECT_CLOSED, CONNECT_REPORT}}},
        {CHANNEL_CLOSING,
         false,
         {{CONNECT_CLOSED, CONNECT_REPORT},
          {CONNECT_CLOSING, CONNECT_DRAIN},
          {CONNECT_CLOSING, CONNECT_NOTHING},
          {CONNECT_CLOSED, CONNECT_REPORT}}},
        {CHANNEL_CLOSING,
         true,
         {{CONNECT_CLOSED, CONNECT_REPORT},
          {CONNECT_CLOSING, CONNECT_DRAIN},
          {CONNECT_CLOSING, CONNECT_NOTHING},
          {CONNECT_CLOSED, CONNECT_REPORT}}},
        {CHANNEL_CLOSE,
         false,
         {{CONNECT_CLOSED, CONNECT_END},
          {CONNECT_CLOSED, CONNECT_END},
          {CONNECT_CLOSED, CONNECT_END},
          {CONNECT_CLOSED, CONNECT_NOTHING}}},
        {CHANNEL_CLOSE,
         true,
         {{CONNECT_CLOSED, CONNECT_END},
          {CONNECT_CLOSED, CONNECT_END},
          {CONNECT_CLOSED, CONNECT_END},
          {CONNECT_CLOSED, CONNECT_NOTHING}}},
        {CHANNEL_TERMINATED,
         false,
         {{CONNECT_CLOSED, CONNECT_FINISH},
          {CONNECT_CLOSED, CONNECT_FINISH},
          {CONNECT_CLOSED, CONNECT_FINISH},
          {CONNECT_CLOSED, CONNECT_NOTHING}}},
        {CHANNEL_TERMINATED,
         true,
         {{CONNECT_CLOSED, CONNECT_FINISH},
          {CONNECT_CLOSED, CONNECT_FINISH},
          {CONNECT_CLOSED, CONNECT_FINISH},
          {CONNECT_CLOSED, CONNECT_NOTHING}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int now = 0; now < 4; now++) {
            struct connect_step got =
                connect_told((enum connect_status)now, rows[i].told, rows[i].finished);
            cr_expect_eq(got.next, rows[i].steps[now].next, "row %zu, status %d", i, now);
            cr_expect_eq(got.act, rows[i].steps[now].act, "row %zu, status %d", i, now);
        }
    }
}

/* reference/tunnel.md 1.3: events CONNECTED, LOST, AGAIN, STOP. */
Test(tunnel, client)
{
    static const int rows[4][4] = {
        {CLIENT_STARTED, -1, -1, CLIENT_HALT},
        {-1, CLIENT_ENDED, -1, CLIENT_HALT},
        {-1, -1, CLIENT_READY, CLIENT_HALT},
        {-1, -1, -1, -1},
    };
    for (int now = 0; now < 4; now++) {
        for (int event = 0; event < 4; event++) {
            cr_expect_eq(client_after((enum client_status)now, (enum client_event)event),
                         rows[now][event], "status %d, event %d", now, event);
        }
    }
}

/* reference/tunnel.md 2.1. */
Test(tunnel, merge)
{
    static const struct {
        int64_t known, told;
        bool takes;
    } rows[] = {{5, 4, false}, {5, 5, true}, {5, 6, true}, {0, 0, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(channel_takes_told(rows[i].known, rows[i].told), rows[i].takes);
    }
    cr_expect_eq(channel_status_of(SPAN_LIT("CLOSING")), CHANNEL_CLOSING);
    cr_expect_eq(channel_status_of(SPAN_LIT("WAIT")), -1);
}

Test(tunnel, tokens)
{
    static const struct {
        const char *text;
        bool fits;
        struct token token;
    } rows[] = {
        {"0", true, {0, 0}},
        {"1764547200000-17", true, {UINT64_C(1764547200000), 17}},
        {"5-18446744073709551615", true, {5, UINT64_MAX}},
        {"", false, {0, 0}},
        {"finished", false, {0, 0}},
        {"5-", false, {0, 0}},
        {"5-1-1", false, {0, 0}},
        {"5x", false, {0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct token got;
        cr_assert_eq(token_parse(span_text(rows[i].text), &got), rows[i].fits, "%s", rows[i].text);
        if (rows[i].fits) {
            cr_expect(got.at == rows[i].token.at && got.minor == rows[i].token.minor);
        }
    }
}

Test(tunnel, batches)
{
    struct parcel b = {0};
    parcel_add(&b, SPAN_LIT("1"), (struct token){1, 0});
    parcel_add(&b, SPAN_LIT("22"), (struct token){2, 0});
    parcel_add(&b, SPAN_LIT(""), (struct token){3, 0});
    cr_expect(span_equal(parcel_lines(&b, 0, 3), SPAN_LIT("1\n22\n\n")));
    cr_expect(span_equal(parcel_lines(&b, 1, 1), SPAN_LIT("22\n")));
    cr_expect(span_equal(parcel_lines(&b, 2, 1), SPAN_LIT("\n")));
    cr_expect_eq(parcel_lines(&b, 0, 0).len, 0);
    parcel_reset(&b);
    cr_expect_eq(b.count, 0);
    parcel_release(&b);
}

/* Values of FNV-1a, folded, from its definition: a stream's lines must find their partition for
 * ever. */
Test(tunnel, partitions)
{
    cr_expect_eq(put_partition(SPAN_LIT(""), 8),
                 (int64_t)((0xcbf29ce484222325u ^ 0xcbf29ce4u) % 8));
    cr_expect_eq(put_partition(SPAN_LIT("a"), 8),
                 (int64_t)((0xaf63dc4c8601ec8cu ^ 0xaf63dc4cu) % 8));
    int64_t load[7] = {0};
    for (int i = 0; i < 7000; i++) {
        char key[16];
        snprintf(key, sizeof key, "key-%d", i);
        load[put_partition(span_text(key), 7)]++;
    }
    for (int i = 0; i < 7; i++) {
        cr_expect(load[i] > 800 && load[i] < 1200, "partition %d has %lld", i, (long long)load[i]);
    }
}

Test(tunnel, places_in_a_stream)
{
    static const char *const words[] = {"latest", "earliest", NULL};
    static const struct {
        const char *text;
        const char *want; /* NULL: refused */
    } rows[] = {
        {"latest", "latest"},
        {"earliest", "earliest"},
        {"1970-01-01T00:00:00.001Z", "1"},
        {"2026-11-30T22:00:00Z", "1796076000000"},
        {"2026-11-30T23:30:00.25+01:30", "1796076000250"},
        {"1796076000000", "1796076000000"},
        {"1970-01-01T00:00:00Z", NULL},
        {"0", NULL},
        {"-5", NULL},
        {"", NULL},
        {"t", NULL}, /* the end of a word */
        {"latest, earliest", NULL},
        {"Latest", NULL},
        {"yesterday", NULL},
        {"9999999999999999", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char out[WHERE_MAX] = "";
        struct err e = {0};
        int rc = where_read(rows[i].text, words, out, &e);
        cr_expect_eq(rc, rows[i].want ? 0 : -1, "%s", rows[i].text);
        cr_expect_str_eq(out, rows[i].want ? rows[i].want : "", "%s", rows[i].text);
        cr_expect_eq(e.code, rows[i].want ? ERR_NONE : ERR_USAGE, "%s", rows[i].text);
    }
}
