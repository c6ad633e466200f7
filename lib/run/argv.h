/*
 * argv.h: the command line of an item.
 *
 * A template is the command line as the user wrote it, with marks in it.  {} is
 * the item, {.member} and {$Item.path} are parts of it, {#} is its index and {%} the slot
 * it runs in.  A string is inserted as the text it stands for, any other value as its JSON
 * text.  Each argument stays one argument, whatever is inserted; no shell is involved.
 * What is in braces and is none of these stays as it is: awk '{print}' needs no care.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_ARGV_H
#define FANLINE_RUN_ARGV_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "expr/path.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum argv_kind { ARGV_TEXT, ARGV_ITEM, ARGV_PATH, ARGV_INDEX, ARGV_SLOT };

struct argv_part {
    enum argv_kind kind;
    struct span text; /* as written; borrowed from the arguments */
    struct path path; /* ARGV_PATH */
};

struct argv_template {
    struct argv_part *parts; /* of all arguments, one after the other */
    size_t part_count;
    size_t part_cap;
    struct argv_arg *args;
    size_t count;
};

struct argv_arg {
    const char *fixed; /* the argument itself where it has no marks, else NULL */
    size_t first;      /* of its parts */
    size_t count;
};

/*
 * Parse COUNT arguments, which are borrowed.  MARK is what stands for the item: "{}", or another
 * text, or NULL for no marks at all.  A MARK of an even number of bytes is split in the middle
 * into what opens and what closes the other marks: with "<>" they are <.member>, <#> and so on.
 * Returns 0, or -1 with E filled (ERR_USAGE).
 */
int argv_parse(struct argv_template *t, char *const *args, size_t count, const char *mark,
               struct err *e);

void argv_release(struct argv_template *t);

/* What is inserted. */
struct argv_values {
    struct span item; /* valid JSON */
    uint64_t index;
    uint64_t slot;
};

/* A command line, for one item after the other. */
struct argv {
    const char **at; /* NULL-terminated; valid until the next argv_render, or argv_free */
    size_t *offsets; /* its own */
    struct buf text; /* its own */
};

/*
 * Make the command line of an item in OUT, which starts as all zero.  Returns 0, or -1 with E
 * filled (ERR_DATA): a path leads nowhere, or a text holds a NUL, which no argument can.
 */
int argv_render(const struct argv_template *t, const struct argv_values *v, struct argv *out,
                struct err *e);

void argv_free(struct argv *a);

#endif
