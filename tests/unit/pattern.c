#include "pattern/regex.h"

#include <criterion/criterion.h>
#include <time.h>

/* Java's Pattern: reference/wait-notify.md 5.4 and the documentation of java.util.regex. */
static const struct {
    const char *pattern;
    const char *text;
    int whole; /* matches() */
    int part;  /* find() */
} matches[] = {
    {"[0-9]+", "123", 1, 1},
    {"[0-9]+", "a123", 0, 1},
    {"a|ab", "ab", 1, 1}, /* the whole text decides, not the first alternative */
    {"", "", 1, 1},
    {"", "x", 0, 1},
    {"^(load\\.run\\.id|partition\\.id)$", "partition.id", 1, 1},
    {"\\d", "\xd9\xa3", 0, 0}, /* an Arabic digit: \d is ASCII */
    {"\\p{L}+", "\xc3\xa9", 1, 1},
    {"\\p{IsGreek}", "\xce\xb1", 1, 1},
    {"\\p{Alpha}+", "ab", 1, 1},
    {"\\p{Alpha}", "\xc3\xa9", 0, 0},
    {"[\\p{Punct}x]+", "x.,", 1, 1},
    {"\\P{Digit}", "5", 0, 0},
    {"[\\P{Digit}]", "x", 1, 1},
    {"\\u00e9", "\xc3\xa9", 1, 1},
    {"\\uD834\\uDD1E", "\xf0\x9d\x84\x9e", 1, 1},
    {"\\x41\\x{1d11e}", "A\xf0\x9d\x84\x9e", 1, 1},
    {"\\0101", "A", 1, 1},
    {"(a)\\11", "aa1", 1, 1}, /* there is no group 11 */
    {"(?<n>a)\\k<n>", "aa", 1, 1},
    {"\\Q[a\\E", "[a", 1, 1},
    {"[]a]+", "]a", 1, 1},
    {"[^]]", "a", 1, 1},
    {"(?i)AB", "ab", 1, 1},
    {"(?iu)\xc3\x89", "\xc3\xa9", 1, 1},
    {"(?u)a", "a", 1, 1},
    {"a.b", "a\nb", 0, 0},
    {"a.b",
     "a\xe2\x80\xa8"
     "b",
     0, 0}, /* U+2028 ends a line */
    {"(?s)a.b", "a\nb", 1, 1},
    {"a$", "a\n", 0, 1},
    {"(?>a+)a", "aaa", 0, 0},
    {".", "\xf0\x9d\x84\x9e", 1, 1},
};

Test(pattern, matches)
{
    for (size_t i = 0; i < sizeof matches / sizeof *matches; i++) {
        for (int use = REGEX_WHOLE; use <= REGEX_PART; use++) {
            struct regex *p;
            struct err e = {0};
            cr_assert_eq(regex_compile(&p, span_text(matches[i].pattern), use, &e), 0, "%s: %s",
                         matches[i].pattern, e.text);
            cr_expect_eq(regex_matches(p, span_text(matches[i].text), &e),
                         use == REGEX_WHOLE ? matches[i].whole : matches[i].part, "%s on %s",
                         matches[i].pattern, matches[i].text);
            regex_free(p);
        }
    }
}

static const struct {
    const char *pattern;
    const char *text;
    const char *by;
    bool all;
    const char *gives; /* NULL: an error */
} replaced[] = {
    {"([a-z])\\.", "x.y.z", "$1-", true, "x-y-z"},
    {"y", "x.y.z", "Q", false, "x.Q.z"},
    {"x*", "abc", "-", true, "-a-b-c-"},
    {"b*", "abc", "-", true, "-a--c-"},
    {"", "\xf0\x9d\x84\x9e", "-", true, "-\xf0\x9d\x84\x9e-"},
    {"", "", "-", true, "-"},
    {"^a", "aaa", "", true, "aa"},
    {"(?<=a)b", "abab", "x", true, "axax"},
    {"(a)(b)?", "a", "[$1$2$0]", true, "[aa]"},
    {"(a)", "a", "$12", true, "a2"}, /* there is no group 12 */
    {"(a)", "a", "\\$1\\\\", true, "$1\\"},
    {"(?<n>a)", "ba", "<${n}>", true, "b<a>"},
    {"a", "a", "$1", true, NULL},
    {"a", "a", "$", true, NULL},
    {"a", "a", "x\\", true, NULL},
    {"a", "a", "${n}", true, NULL},
    {"a", "a", "$x", true, NULL},
    {"a", "b", "$x", true, "b"}, /* not read where nothing matches */
};

Test(pattern, replace)
{
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        struct regex *p;
        struct err e = {0};
        struct buf out = {0};
        cr_assert_eq(regex_compile(&p, span_text(replaced[i].pattern), REGEX_PART, &e), 0);
        int rc = regex_replace(p, span_text(replaced[i].text), span_text(replaced[i].by),
                               replaced[i].all, &out, &e);
        if (replaced[i].gives) {
            cr_expect_eq(rc, 0, "row %zu: %s", i, e.text);
            cr_expect_str_eq(buf_text(&out), replaced[i].gives, "row %zu", i);
        } else {
            cr_expect_eq(rc, -1, "row %zu", i);
            cr_expect_eq(e.code, ERR_DATA);
            cr_expect_eq(out.len, 0);
        }
        buf_release(&out);
        regex_free(p);
    }
}

/* What Java refuses, and what PCRE2 would take for something else. */
static const char *const refused[] = {
    "(",      "[a",       "*a",     "(*VERB)a", "\\K",      "[a[b]]", "[a-z&&[b]]", "(?R)", "(?1)",
    "(?#c)a", "(?P<n>a)", "(?U)a",  "(?d)a",    "\\C",      "\\y",    "\\u12",      "\\0",  "(?|a)",
    "[\\b]",  "\\p{InX}", "a{2,1}", "(?(1)a)",  "\\N{U+1}", "(?C1)a", "\xff",
};

Test(pattern, refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct regex *p = NULL;
        struct err e = {0};
        cr_expect_eq(regex_compile(&p, span_text(refused[i]), REGEX_PART, &e), -1, "%s",
                     refused[i]);
        cr_expect_eq(e.code, ERR_USAGE);
        regex_free(p);
    }
}

Test(pattern, hostile)
{
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!";
    struct regex *p;
    struct err e = {0};
    cr_assert_eq(regex_compile(&p, SPAN_LIT("(a+)+$"), REGEX_PART, &e), 0);
    time_t start = time(NULL);
    cr_expect_eq(regex_matches(p, span_text(text), &e), -1);
    cr_expect_eq(e.code, ERR_DATA);
    cr_expect(time(NULL) - start < 30);
    cr_expect_eq(regex_matches(p, SPAN_LIT("\xff"), &e), -1, "no UTF-8");
    cr_expect_eq(regex_matches(p, (struct span){0}, &e), 0);
    regex_free(p);
}

Test(pattern, find)
{
    struct regex *p = NULL;
    struct err e = {0};
    struct span hit;
    struct span text = SPAN_LIT("a1b22");
    cr_assert_eq(regex_compile(&p, SPAN_LIT("[0-9]+"), REGEX_PART, &e), 0);
    cr_expect_eq(regex_find(p, text, 0, &hit, &e), 1);
    cr_expect(hit.at == text.at + 1 && hit.len == 1);
    cr_expect_eq(regex_find(p, text, 2, &hit, &e), 1);
    cr_expect(hit.at == text.at + 3 && hit.len == 2);
    cr_expect_eq(regex_find(p, text, 5, &hit, &e), 0);
    regex_free(p);
}
