/*
 * schema.h: which fields a definition has, in either dialect.
 *
 * The tables say, for each kind of state and each map within one, what may stand there and what it
 * must look like: CloudFlow's by reference/distributed-map.md 1 and 1.9, those of the Amazon States
 * Language by 2 and its specification.  check.h reads definitions against them.  What the toolkit
 * has besides: Command in a Task, and "NAME.$" for settings that CloudFlow takes only outright.
 *
 * Floor: flows.  Tables are constant.
 */
#ifndef FANLINE_FLOW_SCHEMA_H
#define FANLINE_FLOW_SCHEMA_H

#include "base/span.h"
#include "expr/path.h"
#include "flow/tree.h"

#include <stdbool.h>
#include <stdint.h>

enum dialect { DIALECT_CLOUDFLOW, DIALECT_STATES };

/* What a field holds. */
enum field_kind {
    FIELD_TEXT, /* a string; min: of bytes at least */
    FIELD_WORD, /* one of `words` */
    FIELD_BOOL,
    FIELD_INTEGER,      /* min to max */
    FIELD_NUMBER,       /* min to max */
    FIELD_TIME,         /* a timestamp */
    FIELD_VALUE,        /* anything, taken literally */
    FIELD_ERRORS,       /* a list of names of errors, not empty */
    FIELD_COMMAND,      /* a list of arguments, not empty: strings, numbers, truth values */
    FIELD_TEXTS,        /* a list of strings, not empty */
    FIELD_TEMPLATE,     /* anything in which names that end in .$ have expressions as values */
    FIELD_MAP_TEMPLATE, /* the same, but it must be a map */
    FIELD_EXPRESSION,   /* an expression in a string */
    FIELD_PATH,         /* a path in a string */
    FIELD_ITEMS,        /* an expression in a string, or a list that is a template */
    FIELD_PLACE,        /* a path to where something is put: from $, without what is optional */
    FIELD_POINTER,      /* a JSON Pointer in a string */
    FIELD_STATE,        /* the name of a state of the same scope */
    FIELD_STATES,       /* the states of a scope: a list (CloudFlow) or a map (States Language) */
    FIELD_MAP,          /* a map with the fields of `inner` */
    FIELD_MAPS,         /* a list of such, not empty; max: how many at most, 0: any number */
    FIELD_RULES,        /* Choice rules: rule.h, each with Next */
    FIELD_SCOPE,        /* a map like FIELD_MAP, which is a scope of states of its own */
    FIELD_SCOPES,       /* a list of such; max as above */
    FIELD_LABEL,        /* a Map Run's label: reference/distributed-map.md 2.6 */
    FIELD_REFUSED       /* known, but not done here: `why` */
};

enum {
    FIELD_NEEDED = 1,   /* the map must have it */
    FIELD_DYNAMIC = 2,  /* "NAME.$" may stand for it, with an expression */
    FIELD_BY_PATH = 4,  /* NAMEPath may stand for it, with a path */
    FIELD_NULLABLE = 8, /* null is taken */
    FIELD_AS_TEXT = 16  /* a number may stand in a string */
};

/* The roots that expressions may begin with, as bits, by where they stand: for items and batches
 * those that the filters know (reference/distributed-map.md 1.2 to 1.5). */
#define FIELD_ROOTS_ITEMS (1U << PATH_INPUT | 1U << PATH_CONTEXT)
#define FIELD_ROOTS_IN    (1U << PATH_INPUT | 1U << PATH_CONTEXT | 1U << PATH_GLOBAL)
#define FIELD_ROOTS_OUT   (FIELD_ROOTS_IN | 1U << PATH_OUTPUT)
#define FIELD_ROOTS_ITEM  (FIELD_ROOTS_ITEMS | 1U << PATH_ITEM)

struct table;

struct field {
    const char *name; /* NULL ends a list */
    enum field_kind kind;
    unsigned flags;
    const char *other; /* what the other dialect has instead, a field or, with a blank or a point in
                          it, words about it; NULL: nothing, or a field of the same name */
    int64_t min;
    int64_t max;
    const char *const *words; /* ends with NULL */
    const struct table *inner;
    unsigned roots;  /* 0: FIELD_ROOTS_IN */
    char only;       /* of the fields with the same letter a map has at most one; 0: no matter */
    const char *why; /* FIELD_REFUSED */
};

struct check;

#define TABLE_PARTS 4
#define TABLE_NEEDS 2

/* The fields of a map. */
struct table {
    const char *what;                       /* "a Map state", "ItemBatcher" */
    const struct field *parts[TABLE_PARTS]; /* lists; ends with NULL if it is not full */
    const char *needs[TABLE_NEEDS][3];      /* of the fields in a row there must be at least one */
    void (*also)(struct check *c, const struct node *map); /* what more must hold; NULL */
    const struct table *other; /* of the other dialect, in the same place */
};

/* The dialect of the definition ROOT: CloudFlow's has SpecVersion, or Type, or its States in a
 * list. */
enum dialect schema_dialect(const struct node *root);

/* The fields of a definition as such. */
const struct table *schema_definition(enum dialect d);

/* The fields of a state of the TYPE ("Pass"); NULL if there is no such type. */
const struct table *schema_state(enum dialect d, struct span type);

/* The names of all types, ending with NULL. */
const char *const *schema_types(void);

/* The field NAME of T, NULL if there is none. */
const struct field *table_find(const struct table *t, struct span name);

#endif
