/*
 * kinds.h: many messages about single lines, of which each kind is shown only a few times.
 *
 * A data set may have the same fault in each of its lines.  Messages are of one kind when they
 * differ only in numbers and in what they quote.
 *
 *     if (kinds_add(&k, e->text) == KINDS_SHOW) …show it…
 *     at the end: kinds_hidden(&k, i) for each i below k.count
 *
 * Floor: programs. Inside the room cli only.
 */
#ifndef FANLINE_CLI_KINDS_H
#define FANLINE_CLI_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KINDS_SHOWN    10  /* messages of each kind */
#define KINDS_MAX      32  /* all further kinds count as one */
#define KINDS_TEXT_MAX 160 /* what messages differ in behind that counts as the same */

struct message_kind {
    char text[KINDS_TEXT_MAX]; /* numbers are N, quoted is '...'; empty: of all further kinds */
    uint64_t count;
};

/* Zero-initialised it is ready; owns nothing. */
struct kinds {
    struct message_kind at[KINDS_MAX + 1];
    size_t count;
};

enum kinds_verdict {
    KINDS_SHOW,  /* this message is to be shown */
    KINDS_FIRST, /* it is the first of its kind that is not; say that once */
    KINDS_COUNT  /* it is counted */
};

/* Count a message with this TEXT. */
enum kinds_verdict kinds_add(struct kinds *k, const char *text);

/* How many messages of kind number I, less than k->count, were not shown. */
uint64_t kinds_hidden(const struct kinds *k, size_t i);

#endif
