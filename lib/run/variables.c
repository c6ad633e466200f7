#include "run/variables.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_left_out(const char *variable)
{
    static const char *const names[] = {"FANLINE_INDEX=", "FANLINE_NAME=", "FANLINE_ATTEMPT=",
                                        "FANLINE_SLOT=",  "FANLINE_RUN=",  "FANLINE_END_MARK="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (span_starts(span_text(variable), span_text(names[i]))) {
            return true;
        }
    }
    return false;
}

void variables_init(struct variables *v, const char *const *given)
{
    size_t count = 0;
    while (given[count]) {
        count++;
    }
    *v = (struct variables){.at = mem_new(count + VARIABLES_OWN + 1, sizeof *v->at)};
    for (size_t i = 0; i < count; i++) {
        if (!is_left_out(given[i])) {
            v->at[v->given++] = given[i];
        }
    }
}

void variables_set(struct variables *v, struct span run, uint64_t index, uint64_t attempt,
                   size_t slot)
{
    struct buf *b = &v->text;
    size_t starts[VARIABLES_OWN];
    buf_reset(b);
    starts[0] = b->len;
    buf_printf(b, "FANLINE_INDEX=%llu%c", (unsigned long long)index, '\0');
    starts[1] = b->len;
    buf_printf(b, "FANLINE_NAME=%.*s:%llu%c", (int)run.len, run.at, (unsigned long long)index,
               '\0');
    starts[2] = b->len;
    buf_printf(b, "FANLINE_ATTEMPT=%llu%c", (unsigned long long)attempt, '\0');
    starts[3] = b->len;
    buf_printf(b, "FANLINE_SLOT=%zu%c", slot, '\0');
    starts[4] = b->len;
    buf_printf(b, "FANLINE_RUN=%.*s%c", (int)run.len, run.at, '\0');
    for (size_t i = 0; i < VARIABLES_OWN; i++) {
        v->at[v->given + i] = b->at + starts[i];
    }
}

void variables_set_worker(struct variables *v, struct span run, size_t slot)
{
    struct buf *b = &v->text;
    buf_reset(b);
    buf_printf(b, "FANLINE_SLOT=%zu%c", slot, '\0');
    size_t second = b->len;
    buf_printf(b, "FANLINE_RUN=%.*s%c", (int)run.len, run.at, '\0');
    v->at[v->given] = b->at;
    v->at[v->given + 1] = b->at + second;
    v->at[v->given + 2] = NULL;
}

void variables_release(struct variables *v)
{
    free(v->at);
    buf_release(&v->text);
    *v = (struct variables){0};
}
