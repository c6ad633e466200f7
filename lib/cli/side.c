#include "cli/side.h"

#include <string.h>
#include <unistd.h>

/* ---- a file, and standard error behind it ---- */

/* The end of the last whole line of N bytes at AT; 0 if there is none. */
static size_t end_of_lines(const char *at, size_t n)
{
    const char *last = n > 0 ? memrchr(at, '\n', n) : NULL;
    return last ? (size_t)(last + 1 - at) : 0;
}

/* The file takes no more, as WHY says: tell it at once, for the run may go on for long. */
static void tell(struct cli_side *s, struct err *why)
{
    why->code = ERR_IO; /* also where a fifo has lost its reader: it is not our output */
    cli_complain(s->program, why);
    cli_warn(s->program, "what %s does not take goes to standard error", s->file.path);
    err_set(&s->trouble, ERR_IO, "%s did not take all of its lines", s->file.path);
}

/*
 * The file took only the first DONE of the bytes at AT: it keeps its whole lines.  The beginning of
 * the next one is put to standard error.  Returns how many of the bytes are done with.
 */
static size_t turn_away(struct cli_side *s, const char *at, size_t done)
{
    uint64_t before = s->file.out.written - done;
    size_t whole = end_of_lines(at, done);
    s->whole = whole > 0 ? before + whole : s->whole;
    (void)outfile_copy(&s->file, s->whole, STDERR_FILENO);
    outfile_cut(&s->file, s->whole);
    return s->file.in_place ? whole : done;
}

/* Write N bytes to the file if it takes them, else to standard error. */
static int take(void *state, const char *at, size_t n)
{
    struct cli_side *s = state;
    struct writer *w = &s->file.out;
    struct err why = {0};
    if (s->trouble.code == ERR_NONE) {
        uint64_t before = w->written;
        writer_put(w, at, n);
        writer_commit(w);
        if (writer_flush(w, &why) == 0) {
            size_t whole = end_of_lines(at, n);
            s->whole = whole > 0 ? before + whole : s->whole;
            if (s->early && !s->file.placed && !s->file.in_place) {
                (void)outfile_place(&s->file, NULL); /* it is tried again in the end */
            }
            return 0;
        }
        tell(s, &why);
        size_t done = turn_away(s, at, (size_t)(w->written - before));
        at += done;
        n -= done;
    }
    writer_put(&s->errors, at, n);
    writer_commit(&s->errors);
    return writer_flush(&s->errors, NULL);
}

static int why(void *state, struct err *e)
{
    struct cli_side *s = state;
    return writer_flush(&s->errors, e);
}

static const struct writer_sink sink = {take, why};

/* ---- life ---- */

int cli_side_open(struct cli_side *s, const struct cli_program *p, const char *path, struct err *e)
{
    *s = (struct cli_side){.program = p, .named = path != NULL};
    if (path && outfile_open(&s->file, path, e) < 0) {
        return -1;
    }
    writer_init(&s->errors, STDERR_FILENO, "standard error");
    if (path) {
        writer_init_sink(&s->lines, &sink, s, s->file.path);
    }
    s->out = path ? &s->lines : &s->errors;
    return 0;
}

/* Give the file its name, or else put all its lines to standard error. */
static void place(struct cli_side *s)
{
    struct err why = {0};
    if (outfile_place(&s->file, &why) < 0) {
        tell(s, &why);
        (void)outfile_copy(&s->file, 0, STDERR_FILENO);
    }
}

int cli_side_close(struct cli_side *s, struct err *e)
{
    if (!s->out) {
        return 0;
    }
    int rc = writer_flush(s->out, e);
    if (s->named) {
        place(s);
        if (rc == 0 && s->trouble.code != ERR_NONE) {
            *e = s->trouble;
            rc = -1;
        }
        outfile_abort(&s->file);
    }
    writer_release(&s->lines);
    writer_release(&s->errors);
    s->out = NULL;
    return rc;
}

void cli_side_abort(struct cli_side *s)
{
    outfile_abort(&s->file);
    writer_release(&s->lines);
    writer_release(&s->errors);
    *s = (struct cli_side){0};
}

bool cli_side_same(const struct cli_side *a, const struct cli_side *b)
{
    return a->named && b->named && !a->file.in_place && !b->file.in_place &&
           strcmp(a->file.path, b->file.path) == 0;
}
