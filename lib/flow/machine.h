/*
 * machine.h: a definition, compiled.
 *
 * The two dialects, CloudFlow's and the Amazon States Language (reference/distributed-map.md 1.9,
 * 2.10), become one form here: what runs a machine need not know in which of them it was written,
 * but for the names of errors and the form of results.  Expressions and templates are compiled;
 * names of states have become pointers; whatever may be given outright or as an expression
 * (MaxItems, MaxItemsPath, "Seconds.$") is a setting.
 *
 *     data of a state: raw → select → construct → (work) → pick → place → construct → leave
 *
 *                 CloudFlow            States Language
 *     select      -                    InputPath
 *     construct   InputConstructor     Parameters
 *     pick        -                    ResultSelector
 *     place       -                    ResultPath
 *     construct   OutputConstructor    -
 *     leave       -                    OutputPath
 *
 * Floor: flows.  A machine owns all that hangs on it; it borrows the tree it was compiled from.
 */
#ifndef FANLINE_FLOW_MACHINE_H
#define FANLINE_FLOW_MACHINE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "expr/path.h"
#include "expr/template.h"
#include "flow/schema.h"
#include "flow/tree.h"
#include "run/retry.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_BRANCHES_MAX 50 /* of a Parallel: CloudFlow's limit */

enum state_type {
    STATE_PASS,
    STATE_CHOICE,
    STATE_SUCCEED,
    STATE_FAIL,
    STATE_TASK,
    STATE_WAIT,
    STATE_PARALLEL,
    STATE_MAP
};

struct rule;
struct state;

/* States among which one leads to the other: a machine, a branch, a Processor. */
struct scope {
    struct state *states;
    const struct state **by_name; /* the same, sorted */
    size_t count;
    const struct state *start;
    const struct state *owner; /* the Parallel or the Map it is part of; NULL: the machine itself */
    bool quick;                /* nothing in it waits: no Task, Wait, nor distributed Map */
};

/* Something that the definition states outright or by an expression; NULL: not at all. */
typedef struct template *setting;

/* An alternative of a Choice. */
struct choice {
    struct template *condition; /* CloudFlow */
    struct rule *rule;          /* States Language */
    const struct state *next;
};

struct catcher {
    struct span errors;       /* as retry.h has them; owned by the machine */
    struct template *output;  /* OutputConstructor; NULL: none */
    bool discards;            /* ResultPath: null */
    struct path *result_path; /* NULL: the error takes the place of all */
    const struct state *next;
};

struct task_form {
    struct span action; /* Action, Resource; empty where a Command is given */
    char **argv;        /* Command; NULL-terminated, owned by the machine; NULL: by the action */
    setting payload;    /* CloudFlow's Parameters; NULL: the input */
    setting timeout;    /* seconds */
    setting heartbeat;
};

struct pause {
    setting seconds;
    setting until;
};

/* Where the items of a Map come from, and what becomes of them. */
struct map {
    bool distributed;
    bool standard;              /* ExecutionMode, ExecutionType */
    struct template *items;     /* ItemsPath, Items; NULL: the input */
    struct span items_path;     /* its text, where it is a path from $Input; "" */
    const struct node *reader;  /* ItemReader; NULL */
    struct span constructor;    /* ItemConstructor, ItemSelector as JSON; empty: none */
    struct template *construct; /* the same, for scenes */
    const struct node *batcher; /* ItemBatcher; NULL */
    struct span batch_input;    /* JSON; empty: none */
    struct template *batch;     /* the same, for scenes */
    const struct node *writer;  /* ResultWriter; NULL */
    setting concurrency;
    setting max_items;
    setting tolerated_count;
    setting tolerated_percentage;
    setting bucket, object, version, prefix; /* of the reader */
    setting out_bucket, out_prefix;          /* of the writer */
    setting batch_items, batch_bytes;
    struct span label;
};

struct state {
    enum state_type type;
    struct span name;
    const struct node *node;
    const struct scope *in;
    const struct state *next; /* NULL: its scope ends with it */

    bool no_input; /* InputPath: null */
    bool discards; /* ResultPath: null */
    bool no_output;
    struct template *select;
    struct template *construct;
    struct template *pick;
    struct path *result_path; /* NULL: the result takes the place of all */
    struct template *produce; /* OutputConstructor */
    struct template *leave;   /* OutputPath */
    struct template *globals; /* GlobalConstructor */

    struct retry_policy retry;
    struct catcher *catchers;
    size_t catcher_count;

    struct span result; /* Pass: Result; empty: none */
    struct choice *choices;
    size_t choice_count;
    const struct state *otherwise;
    setting code, cause; /* Fail */
    struct task_form task;
    struct pause pause;
    struct scope *scopes; /* Parallel: its branches; Map: its Processor */
    size_t scope_count;
    struct map map;
};

struct machine {
    enum dialect dialect;
    struct span name; /* "" where it has none */
    int64_t timeout;  /* nanoseconds; -1: none */
    struct scope scope;
    struct arena arena;
    struct state **all; /* in the order of the definition; what there is to free */
    size_t count;
    size_t cap;
};

/*
 * Compile the definition T, which is called SOURCE in messages.  Returns 0 and *OUT, which
 * machine_free frees before T is released; or -1 with E filled (ERR_USAGE, with its place): the
 * first fault only, for all of them ask the check.
 */
int machine_compile(struct machine **out, const struct flow_tree *t, const char *source,
                    struct err *e);

void machine_free(struct machine *m);

/*
 * The state that NAME means: its name, if no other has it, or its path, "Outer/Inner", in which a
 * branch of a Parallel is its number.  NULL with E filled (ERR_USAGE).
 */
const struct state *machine_find(const struct machine *m, const char *name, struct err *e);

/* Add the path of S to OUT, as machine_find takes it: its name alone where that does. */
void machine_path(const struct machine *m, const struct state *s, struct buf *out);

/* Do the works of S see its input as it came?  Is what they give handed on as it is? */
bool state_takes_raw(const struct state *s);
bool state_gives_result(const struct state *s);

/* "Pass", "Choice", … */
const char *state_type_name(enum state_type type);

#endif
