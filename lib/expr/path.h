/*
 * path.h: the names by which people reach into JSON.
 *
 * A path is a root and steps: $Item.Key, $Input["639-3"][0].name, $Context.Item.Index.  The
 * spellings of the Amazon States Language are taken where they mean the same: "$.a" is
 * $Input.a, "$$.a" is $Context.a.  A path with a '?' behind a step ($Item.a?) gives null where it
 * leads nowhere; without the mark that is an error.
 *
 * Of several members with the same name the last one counts.
 *
 * Floor: engines (expr is used by the engines beside it). A path owns its memory.
 */
#ifndef FANLINE_EXPR_PATH_H
#define FANLINE_EXPR_PATH_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PATH_STEPS_MAX 256

enum path_root {
    PATH_INPUT,   /* $Input, $: the document of -i, or the one being split */
    PATH_ITEM,    /* $Item: the current item */
    PATH_CONTEXT, /* $Context, $$: facts of the run */
    PATH_OUTPUT,  /* $Output */
    PATH_GLOBAL,  /* $Global */
    PATH_HERE     /* no root was written: ".member", "[0]" */
};

enum path_step_kind { PATH_MEMBER, PATH_INDEX };

struct path_step {
    enum path_step_kind kind;
    struct span name; /* PATH_MEMBER: decoded, UTF-8; owned by the path */
    uint64_t index;   /* PATH_INDEX: from 0 */
    bool either;      /* PATH_MEMBER of a JSON Pointer: the name is also an element's index */
};

struct path {
    enum path_root root;
    struct path_step *steps;
    size_t count;
    bool optional; /* a '?' stands in it: null where it leads nowhere */
    char *text;    /* as written, for messages */
};

/*
 * Parse TEXT, all of which must be the path.  Steps: .name (letters, digits, '_', '-' and bytes
 * above 0x7F), ["any name"] (a JSON string; single quotes and backquotes are taken too), [N].
 * Returns 0, or -1 with E filled (ERR_USAGE; names the place) and P empty.
 */
int path_parse(struct path *p, struct span text, struct err *e);

/*
 * Parse the path that TEXT begins with and leave the number of its bytes in *USED: for expressions,
 * in which more follows.
 */
int path_take(struct path *p, struct span text, size_t *used, struct err *e);

/* Parse a JSON Pointer (RFC 6901), "" or "/a/0", as a path from $Input. A number also matches a
 * member's name. */
int path_parse_pointer(struct path *p, struct span text, struct err *e);

/*
 * Follow P from the valid JSON value ROOT.  *VALUE lies in ROOT, or is "null" where an optional
 * path leads nowhere.  False: the path leads nowhere; *VALUE is untouched.
 */
bool path_find(const struct path *p, struct span root, struct span *value);

/* Does step S match the member named by the JSON string KEY? */
bool path_step_is(const struct path_step *s, struct span key);

/* Does step S match element INDEX of an array? */
bool path_step_at(const struct path_step *s, uint64_t index);

void path_release(struct path *p);

#endif
