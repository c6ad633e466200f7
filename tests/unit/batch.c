/* lib/batch: which items go together, and how bytes are counted. */
#include "batch/batch.h"

#include "base/buf.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEYS    "{\"Key\":1} {\"Key\":2} {\"Key\":3} {\"Key\":4} {\"Key\":5}"
#define MADE(n) "{\"InputKey\":\"value\",\"ConstructedKey\":" n "}"

static const struct row {
    const char *what;
    struct batch_rules rules;
    const char *input; /* BatchInput or NULL */
    const char *items; /* separated by blanks */
    const char *want;  /* "!" in it: the item behind it was refused */
} rows[] = {
    /* the three byte examples of the service: reference/distributed-map.md 1.5 */
    {"50 bytes",
     {.max_bytes = 50},
     NULL,
     KEYS,
     "{\"Items\":[{\"Key\":1},{\"Key\":2}]}\n{\"Items\":[{\"Key\":3},{\"Key\":4}]}\n"
     "{\"Items\":[{\"Key\":5}]}\n"},
    {"70 bytes with BatchInput",
     {.max_bytes = 70},
     "{\"InputKey\":\"value\"}",
     KEYS,
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":1},{\"Key\":2}]}\n"
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":3},{\"Key\":4}]}\n"
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":5}]}\n"},
    {"200 bytes with BatchInput and made items",
     {.max_bytes = 200},
     "{\"InputKey\":\"value\"}",
     MADE("1") " " MADE("2") " " MADE("3") " " MADE("4") " " MADE("5"),
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[" MADE("1") "," MADE("2") "," MADE(
         "3") "]}\n"
              "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[" MADE("4") "," MADE(
                  "5") "]}\n"},
    /* the table there: two items are 49 and three are 59 bytes, with a BatchInput 65 and 75 */
    {"49 just fits two",
     {.max_bytes = 49},
     NULL,
     "{\"Key\":1} {\"Key\":2}",
     "{\"Items\":[{\"Key\":1},{\"Key\":2}]}\n"},
    {"48 does not",
     {.max_bytes = 48},
     NULL,
     "{\"Key\":1} {\"Key\":2}",
     "{\"Items\":[{\"Key\":1}]}\n{\"Items\":[{\"Key\":2}]}\n"},
    {"65 just fits two with BatchInput",
     {.max_bytes = 65},
     "{\"InputKey\":\"value\"}",
     "{\"Key\":1} {\"Key\":2}",
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":1},{\"Key\":2}]}\n"},
    {"64 does not",
     {.max_bytes = 64},
     "{\"InputKey\":\"value\"}",
     "{\"Key\":1} {\"Key\":2}",
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":1}]}\n"
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":2}]}\n"},
    /* the line that leaves: 31 bytes for two */
    {"exact, 31 just fits two",
     {.max_bytes = 31, .count = BATCH_EXACT},
     NULL,
     "{\"Key\":1} {\"Key\":2}",
     "{\"Items\":[{\"Key\":1},{\"Key\":2}]}\n"},
    {"exact, 30 does not",
     {.max_bytes = 30, .count = BATCH_EXACT},
     NULL,
     "{\"Key\":1} {\"Key\":2}",
     "{\"Items\":[{\"Key\":1}]}\n{\"Items\":[{\"Key\":2}]}\n"},
    {"exact, with BatchInput the same as ever",
     {.max_bytes = 65, .count = BATCH_EXACT},
     "{\"InputKey\":\"value\"}",
     "{\"Key\":1} {\"Key\":2}",
     "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":[{\"Key\":1},{\"Key\":2}]}\n"},
    /* by number, and by what is reached first */
    {"by two",
     {.max_items = 2},
     NULL,
     "1 2 3 4 5",
     "{\"Items\":[1,2]}\n{\"Items\":[3,4]}\n{\"Items\":[5]}\n"},
    {"by one",
     {.max_items = 1},
     "null",
     "1 2",
     "{\"BatchInput\":null,\"Items\":[1]}\n{\"BatchInput\":null,\"Items\":[2]}\n"},
    {"no empty batch behind the last full one",
     {.max_items = 2},
     NULL,
     "1 2",
     "{\"Items\":[1,2]}\n"},
    {"nothing", {.max_items = 2}, NULL, "", ""},
    {"items first",
     {.max_items = 2, .max_bytes = 1000},
     NULL,
     "1 2 3",
     "{\"Items\":[1,2]}\n{\"Items\":[3]}\n"},
    {"bytes first",
     {.max_items = 9, .max_bytes = 33},
     NULL,
     "1 2 3",
     "{\"Items\":[1,2]}\n{\"Items\":[3]}\n"},
    {"exact bytes of items",
     {.max_items = 9},
     NULL,
     "1.10 1e400 \"\\u0041\"",
     "{\"Items\":[1.10,1e400,\"\\u0041\"]}\n"},
    /* alone too large: an item of 4 bytes makes a batch of 34 */
    {"34 fits an item of 4 bytes",
     {.max_bytes = 34},
     NULL,
     "1 2345 6",
     "{\"Items\":[1]}\n{\"Items\":[2345]}\n{\"Items\":[6]}\n"},
    {"33 does not: it is refused, the others go on",
     {.max_bytes = 33},
     NULL,
     "1 2345 6 7",
     "!2345 {\"Items\":[1,6]}\n{\"Items\":[7]}\n"},
    {"alone, and the next begins anew",
     {.max_bytes = 33, .oversize = BATCH_ALONE},
     NULL,
     "1 2345 6 7 89 8901 2",
     "{\"Items\":[1]}\n{\"Items\":[2345]}\n{\"Items\":[6,7]}\n{\"Items\":[89]}\n"
     "{\"Items\":[8901]}\n{\"Items\":[2]}\n"},
    {"alone, first of all",
     {.max_bytes = 1, .oversize = BATCH_ALONE},
     NULL,
     "1 2",
     "{\"Items\":[1]}\n{\"Items\":[2]}\n"},
    {"no room for any", {.max_bytes = 1}, NULL, "1 2", "!1 !2 "},
};

static void add_items(struct batch *b, const char *items, struct buf *out)
{
    for (size_t len; *items; items += len + (items[len] == ' ')) {
        len = strcspn(items, " ");
        struct err e = {0};
        if (batch_add(b, span_of(items, len), &e) < 0) {
            cr_expect_eq(e.code, ERR_DATA);
            buf_printf(out, "!%.*s ", (int)len, items);
        }
    }
    batch_close(b);
    batch_close(b); /* legal on nothing */
}

Test(batch, what_goes_together)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        int fd = memfd_create("test", MFD_CLOEXEC);
        struct batch_rules rules = r->rules;
        struct buf got = {0};
        struct writer w;
        struct batch b;
        rules.input = r->input ? span_text(r->input) : (struct span){0};
        writer_init(&w, fd, "test");
        batch_init(&b, &rules, &w);
        add_items(&b, r->items, &got);
        cr_expect_eq(writer_pending(&w), 0, "%s: a closed batch is committed", r->what);
        buf_add_span(&got, span_of(w.at, w.ready));
        cr_expect_str_eq(buf_text(&got), r->want, "%s: %s", r->what, buf_text(&got));
        size_t lines = 0;
        for (const char *at = strchr(r->want, '\n'); at; at = strchr(at + 1, '\n')) {
            lines++;
        }
        cr_expect_eq(b.batches, lines, "%s", r->what);
        writer_release(&w);
        buf_release(&got);
        close(fd);
    }
}

Test(batch, says_what_is_too_large)
{
    struct batch_rules rules = {.max_bytes = 33};
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct writer w;
    struct batch b;
    struct err e = {0};
    writer_init(&w, fd, "test");
    batch_init(&b, &rules, &w);
    cr_expect_eq(batch_add(&b, SPAN_LIT("1"), &e), 0);
    cr_expect_eq(writer_backlog(&w), 0, "an open batch is not committed");
    cr_expect_eq(batch_add(&b, SPAN_LIT("2345"), &e), -1);
    cr_expect_str_eq(e.text,
                     "the item of 4 bytes makes a batch of 34 bytes alone; the limit is 33");
    cr_expect_eq(b.items, 1, "the open batch is as it was");
    cr_expect_eq(batch_add(&b, SPAN_LIT("7"), &e), 0);
    cr_expect_eq(b.items, 0, "a batch with room for nothing more is closed");
    cr_expect_eq(writer_backlog(&w), 16);
    writer_release(&w);
    close(fd);
}
