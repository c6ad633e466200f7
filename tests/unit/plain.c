/* Texts of others on a terminal: lib/signal/plain. */
#include "signal/plain.h"

#include <criterion/criterion.h>
#include <string.h>

struct row {
    const char *text;
    const char *shown;
    size_t width;
};

static const struct row rows[] = {
    {"", "", 0},
    {"job-17 'x' \\n", "job-17 'x' \\n", 13},
    {"a\nb\tc\rd", "a\\nb\\tc\\rd", 10},
    {"\x1b[31mred", "\\x1b[31mred", 11},
    {"\a\x7f\x01", "\\x07\\x7f\\x01", 12},
    {"\xc2\x9b[31m", "\\u009b[31m", 10}, /* CSI in one character */
    {"\xc2\xa0\xc2\xad", "\xc2\xa0\\u00ad", 7},
    {"ab\xe2\x80\xae"
     "cd",
     "ab\\u202ecd", 10}, /* from right to left */
    {"\xe2\x80\x8bx\xef\xbb\xbf", "\\u200bx\\ufeff", 13},
    {"\xf3\xa0\x81\x81", "\\ue0041", 7},
    {"\xff\xc3", "\\xff\\xc3", 8},
    {"\xc3(\xe2\x82", "\\xc3(\\xe2\\x82", 13},
    {"\xc0\x80\xed\xa0\x80", "\\xc0\\x80\\xed\\xa0\\x80", 20}, /* too long; a surrogate */
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", 16},          /* beyond Unicode */
    {"\xc3\xbc\xe2\x86\x92", "\xc3\xbc\xe2\x86\x92", 2},
    {"\xe6\x97\xa5\xe6\x9c\xac", "\xe6\x97\xa5\xe6\x9c\xac", 4}, /* wide ones */
    {"e\xcc\x81", "e\xcc\x81", 1},                               /* a combined one */
};

Test(plain, rows)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct buf b = {0};
        plain_add(&b, span_text(r->text));
        cr_expect_str_eq(buf_text(&b), r->shown, "row %zu: %s", i, buf_text(&b));
        cr_expect(plain_width(buf_span(&b)) == r->width, "row %zu: %zu", i,
                  plain_width(buf_span(&b)));
        buf_release(&b);
    }
}

Test(plain, nul)
{
    struct buf b = {0};
    plain_add(&b, span_of("a\0b", 3));
    cr_expect_str_eq(buf_text(&b), "a\\x00b");
    buf_release(&b);
}
