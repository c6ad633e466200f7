#include "run/streams.h"

enum { READS_MAX = 64 }; /* at the end of a command: more than its pipes can hold */

#define AHEAD_MAX ((size_t)4 << 20) /* bytes for our output that nobody has taken */

static bool passes_on(const struct job *j)
{
    return j->shared->rules->emit == RUN_EMIT_LINES;
}

/* Keep what is there of the output, in at most so many reads. */
static void keep_output(struct job *j, int reads)
{
    const struct run_rules *r = j->shared->rules;
    enum capture_read got = CAPTURE_MORE;
    while (reads-- > 0 && got == CAPTURE_MORE && j->child.out >= 0) {
        got = capture_read(&j->output, j->child.out, r->folder, &j->broken);
        if (got == CAPTURE_MORE && j->output.size > r->max_output) {
            err_set(&j->broken, ERR_DATA, "the output is larger than %llu bytes",
                    (unsigned long long)r->max_output);
            got = CAPTURE_FAILED;
        }
    }
    if (got == CAPTURE_END || got == CAPTURE_FAILED) {
        loop_drop(j->shared->loop, &j->out, &j->child.out);
    }
    if (got == CAPTURE_FAILED) {
        job_lose(j);
    }
}

/* Pass on what has come from *FD. */
static void pass_on(struct job *j, struct tail *t, struct loop_source *s, int *fd,
                    struct writer *to, int reads)
{
    bool more = true;
    bool open = *fd >= 0;
    while (reads-- > 0 && more && open) {
        open = tail_read(t, *fd, to, &more);
    }
    if (!open) {
        loop_drop(j->shared->loop, s, fd);
    }
}

static void read_output(struct job *j, int reads)
{
    if (passes_on(j)) {
        pass_on(j, &j->lines, &j->out, &j->child.out, j->shared->lines, reads);
    } else {
        keep_output(j, reads);
    }
}

static void read_errors(struct job *j, int reads)
{
    pass_on(j, &j->errors, &j->err, &j->child.err, j->shared->messages, reads);
}

static void on_output(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    if (passes_on(j) && writer_backlog(j->shared->lines) > AHEAD_MAX) {
        loop_change(j->shared->loop, &j->out, 0);
        j->held_back = true;
        return;
    }
    read_output(j, 1);
    job_hear(j);
}

static void on_errors(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    read_errors(j, 1);
    job_hear(j);
}

static void on_input(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    proc_feed(&j->child, job_input(j));
    if (j->child.in < 0) {
        j->in.fd = -1; /* closed, and so out of the loop */
    }
}

static void on_beat(void *owner, uint32_t events)
{
    struct job *j = owner;
    bool heard;
    (void)events;
    if (!proc_beat(&j->child, &heard)) {
        loop_drop(j->shared->loop, &j->beat, &j->child.beat);
    } else if (heard) {
        job_beat(j);
    }
}

void streams_init(struct job *j)
{
    j->in = (struct loop_source){.fd = -1, .ready = on_input, .owner = j};
    j->out = (struct loop_source){.fd = -1, .ready = on_output, .owner = j};
    j->err = (struct loop_source){.fd = -1, .ready = on_errors, .owner = j};
    j->beat = (struct loop_source){.fd = -1, .ready = on_beat, .owner = j};
}

int streams_open(struct job *j, struct err *e)
{
    struct loop *l = j->shared->loop;
    struct child *c = &j->child;
    j->held_back = false;
    if (loop_add(l, &j->err, c->err, EPOLLIN, e) < 0 ||
        (c->out >= 0 && loop_add(l, &j->out, c->out, EPOLLIN, e) < 0) ||
        (c->in >= 0 && loop_add(l, &j->in, c->in, EPOLLOUT, e) < 0) ||
        (c->beat >= 0 && loop_add(l, &j->beat, c->beat, EPOLLIN, e) < 0)) {
        return -1;
    }
    return 0;
}

void streams_drain(struct job *j)
{
    read_output(j, READS_MAX);
    read_errors(j, READS_MAX);
}

bool streams_are_quiet(const struct job *j)
{
    return j->child.out < 0 && j->child.err < 0;
}

void streams_close(struct job *j)
{
    loop_drop(j->shared->loop, &j->in, &j->child.in);
    loop_drop(j->shared->loop, &j->out, &j->child.out);
    loop_drop(j->shared->loop, &j->err, &j->child.err);
    loop_drop(j->shared->loop, &j->beat, &j->child.beat);
    tail_finish(&j->errors, j->shared->messages);
    if (passes_on(j)) {
        tail_finish(&j->lines, j->shared->lines);
    }
}

void streams_reset(struct job *j)
{
    capture_reset(&j->output);
    tail_reset(&j->errors);
    tail_reset(&j->lines);
}

void streams_resume(struct job *j)
{
    if (j->held_back && writer_backlog(j->shared->lines) <= AHEAD_MAX) {
        j->held_back = false;
        loop_change(j->shared->loop, &j->out, EPOLLIN);
    }
}

void streams_release(struct job *j)
{
    capture_release(&j->output);
    tail_release(&j->errors);
    tail_release(&j->lines);
}
