/*
 * plan.h: the pipeline that a distributed Map amounts to.
 *
 *     mapsplit … | itemconstruct … | batcher … | maprun … -- mapflow processor … | resultwrite …
 *
 * One plan is printed for people and run by the engine; so what is printed gives the same.  Where
 * it is run, the programs are those beside this one.  It is
 * made for one frame, whose input decides what the definition leaves open (MaxItemsPath).
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_PLAN_H
#define FANLINE_FLOW_PLAN_H

#include "flow/frame.h"

enum plan_part { PLAN_ITEMS, PLAN_SPLIT, PLAN_CONSTRUCT, PLAN_BATCH, PLAN_RUN, PLAN_WRITE };

#define PLAN_STAGES 6 /* at most: one for each part */

/* A command line; its words are owned. */
struct plan_stage {
    enum plan_part part;
    char **words; /* NULL-terminated */
    size_t count;
    size_t cap;
};

/* Zero-initialised it is empty and legal to release. */
struct plan {
    struct plan_stage stages[PLAN_STAGES];
    size_t count;
};

/* What commands call the files; and names for what has none in the definition. */
struct plan_names {
    const char *input;   /* the document of $Input */
    const char *context; /* that of $Context; NULL: the filters make up their own */
    const char *run;     /* NULL: they make one up */
    const char *journal; /* for Standard mode; NULL: none */
    const char *folder;  /* that the processor is started from; NULL: it is found by PATH */
};

/*
 * Make the plan for F, which stands at a Map.  Returns 0, or -1 with E filled; release P either
 * way.  Runs nothing and looks at no file.
 */
int plan_make(struct plan *p, struct frame *f, const struct plan_names *names, struct err *e);

/* Does the plan of the Map M ask for the document of $Context? */
bool plan_wants_context(const struct map *m);

/* Add the pipeline as a shell takes it, with an LF at its end, to OUT. */
void plan_print(const struct plan *p, struct buf *out);

void plan_release(struct plan *p);

/* ---- for the files of plan ---- */

struct plan_making {
    struct plan *plan;
    struct frame *frame;
    const struct map *map;
    const struct plan_names *names;
    bool cloudflow;
    struct err *err;
};

/* Begin the next stage, the program NAME. */
struct plan_stage *plan_stage(const struct plan_making *k, enum plan_part part, const char *name);

/* Add the word HEAD followed by TEXT, which may be empty. */
void plan_word(struct plan_stage *s, const char *head, struct span text);

/* The text of the setting T in OUT, empty where it is NULL: numbers and strings only.  WHAT names
 * it.  0, or -1 with the error filled. */
int plan_text(const struct plan_making *k, setting t, const char *what, struct buf *out);

/* Add HEAD and the number that T says, if it says one above 0; MOST is the largest. */
int plan_number(const struct plan_making *k, struct plan_stage *s, const char *head, setting t,
                const char *what, int64_t most);

/* The stages that make items: of the input, or of what the reader names. */
int plan_source(const struct plan_making *k);

#endif
