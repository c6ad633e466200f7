/*
 * err.h: what went wrong, as a value.
 *
 * Functions that can fail return a negative number and fill a `struct err`: a
 * code that decides the exit status, a full sentence for a person, and, where
 * the fault lies in input, its position.  On success the value is untouched.
 * Nothing in lib/ prints or exits because of an error; cmd/ does, once, through
 * cli.
 *
 * A `struct err` owns nothing, so that it needs no release.  In a text longer than
 * ERR_TEXT_MAX, and in a word longer than ERR_WORD_MAX, "..." stands for the middle.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_ERR_H
#define FANLINE_BASE_ERR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define ERR_TEXT_MAX   1024
#define ERR_WORD_MAX   300
#define ERR_SOURCE_MAX 512
#define ERR_QUOTE_MAX  240

enum err_code {
    ERR_NONE = 0,
    ERR_DATA,    /* bad input: exit 1 */
    ERR_IO,      /* the system failed: exit 1 */
    ERR_USAGE,   /* options, expressions, configuration: exit 2 */
    ERR_FAILED,  /* more failures than tolerated: exit 4 */
    ERR_LATER,   /* store or service not reachable, lock held: exit 75 */
    ERR_EXPIRED, /* a wait expired: exit 124 */
    ERR_NO_EXEC, /* the command cannot be run: exit 126 */
    ERR_NO_FILE, /* the command was not found: exit 127 */
    ERR_PIPE     /* nobody reads the output any more: die of SIGPIPE, quietly */
};

/*
 * Where in the input a fault lies.  All counts are 64 bits and start at 1,
 * except byte, which is an offset and starts at 0; columns are counted in
 * bytes.  line 0 means that there is no position, item 0 that it lies in no item.
 */
struct err_pos {
    char source[ERR_SOURCE_MAX]; /* as shown to people: a file's name, "standard input" */
    uint64_t line;
    uint64_t column;
    uint64_t byte;
    uint64_t item;
};

struct err {
    enum err_code code;
    struct err_pos pos;
    char text[ERR_TEXT_MAX];
    char quote[ERR_QUOTE_MAX]; /* the expression at fault; empty: none */
    size_t quote_at;           /* the byte in it where the fault lies */
};

/*
 * Fill E, replacing what it held, and return -1, so that a failing function can
 * end with `return err_set(e, …)`.  E may be NULL where nobody asks.  The text is
 * a sentence in lower case without a full stop.
 */
int err_set(struct err *e, enum err_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with the arguments in a list. */
int err_set_list(struct err *e, enum err_code code, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* As err_set with ERR_IO; adds ": " and the text of errno NUMBER. EPIPE makes it ERR_PIPE. */
int err_system(struct err *e, int number, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Put the position POS on E, which must have been set. */
void err_at(struct err *e, const struct err_pos *pos);

/* The number of the character, from 1, that begins at byte AT of the UTF-8 text TEXT: for messages.
 */
size_t err_character(const char *text, size_t at);

#define ERR_SHOWN_MAX 200

/* What a message shows of an expression. */
struct err_shown {
    char text[ERR_SHOWN_MAX + 8]; /* a C string; "..." stands for what was left out */
    size_t at;                    /* the byte in it where the fault lies */
};

/* The part of TEXT around its byte AT, all of it where that is at most ERR_SHOWN_MAX bytes. */
struct err_shown err_show(const char *text, size_t len, size_t at);

/*
 * Note that the fault lies at byte AT of the expression TEXT: on a terminal the part of it that
 * err_show gives is shown with a caret under it.  Does nothing if TEXT has more than one line.
 */
void err_quote(struct err *e, const char *text, size_t len, size_t at);

/* Put "PREFIX: " before the text of E, which must have been set. */
void err_prefix(struct err *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Copy a name into the source of POS. What does not fit is cut at the front, for
 * the end of a path tells more than its beginning.
 */
void err_pos_source(struct err_pos *pos, const char *name);

/*
 * The whole message without the program's name: "SOURCE:LINE:COLUMN (byte N,
 * item K): TEXT", or the bare text where there is no position.  Writes at most SIZE
 * bytes with the NUL and returns OUT.  Control characters, which input can
 * smuggle in, are shown as '?'.
 */
char *err_message(const struct err *e, char *out, size_t size);

#endif
