#include "flow/pipeline.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KILL_AFTER (5 * CLOCK_SECOND)
#define LOOK_AGAIN (10 * CLOCK_MILLI) /* whether what was left behind is gone */

/* ---- what they write ---- */

static void hear_errors(struct pipeline_stage *s)
{
    bool more = true;
    while (more && s->child.err >= 0) {
        if (!tail_read(&s->errors, s->child.err, &s->pipeline->engine->messages, &more)) {
            tail_finish(&s->errors, &s->pipeline->engine->messages);
            loop_drop(&s->pipeline->engine->loop, &s->err, &s->child.err);
        }
    }
}

static void on_errors(void *owner, uint32_t events)
{
    (void)events;
    hear_errors(owner);
}

static void keep_output(struct pipeline *p)
{
    struct child *last = &p->stages[p->count - 1].child;
    enum capture_read got = CAPTURE_MORE;
    while (got == CAPTURE_MORE && last->out >= 0) {
        got = capture_read(&p->output, last->out, p->engine->rules->folder, &p->broken);
    }
    if (got == CAPTURE_END || got == CAPTURE_FAILED) {
        loop_drop(&p->engine->loop, &p->out, &last->out);
    }
    if (got == CAPTURE_FAILED) {
        pipeline_stop(p);
    }
}

static void on_output(void *owner, uint32_t events)
{
    (void)events;
    keep_output(owner);
}

int pipeline_output(struct pipeline *p, struct span *out, struct err *e)
{
    static const struct span mark = {"{\"fanline.end\":", 15};
    if (capture_all(&p->output, out, e) < 0) {
        return -1;
    }
    size_t len = out->len - (out->len > 0 && out->at[out->len - 1] == '\n');
    const char *lf = len > 0 ? memrchr(out->at, '\n', len) : NULL;
    struct span last = lf ? span_of(lf + 1, len - (size_t)(lf + 1 - out->at)) : *out;
    if (span_starts(last, mark)) {
        out->len = lf ? (size_t)(lf - out->at) : 0;
    }
    return 0;
}

/* ---- the end ---- */

static void signal_all(struct pipeline *p, int number)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->stages[i].started && !p->stages[i].gone) {
            proc_signal(&p->stages[i].child, number);
        }
    }
}

/* Has the stage S gone, with all that it left? What is left is ended. */
static bool look_after(struct pipeline_stage *s)
{
    struct pipeline *p = s->pipeline;
    if (!s->started || s->gone || !s->ended) {
        return !s->started || s->gone;
    }
    struct child was = s->child;
    if (!proc_gone(&p->engine->proc, &s->child)) {
        proc_signal(&s->child, p->signalled ? SIGKILL : SIGTERM);
        return false;
    }
    s->child.out = was.out; /* what it wrote may still be in the pipes */
    s->child.err = was.err;
    hear_errors(s);
    if (s == &p->stages[p->count - 1]) {
        keep_output(p);
        loop_drop(&p->engine->loop, &p->out, &s->child.out);
    }
    loop_drop(&p->engine->loop, &s->err, &s->child.err);
    s->gone = true;
    return true;
}

/* Are all gone? Then whoever waits is told. */
static void look(struct pipeline *p)
{
    bool gone = true;
    bool ended = true;
    for (size_t i = 0; i < p->count; i++) {
        ended = ended && (!p->stages[i].started || p->stages[i].ended);
    }
    for (size_t i = 0; i < p->count; i++) {
        gone = look_after(&p->stages[i]) && gone;
    }
    if (gone && !p->over) {
        p->over = true;
        p->due = CLOCK_NEVER;
        p->done(p->owner);
    } else if (ended && !gone) {
        p->due = clock_now() + LOOK_AGAIN;
    }
}

static void on_exit_of(void *owner, uint32_t events)
{
    struct pipeline_stage *s = owner;
    (void)events;
    if (s->ended || !proc_ended(&s->child)) {
        return;
    }
    s->exit.fd = -1; /* closed, and so out of the loop */
    s->ended = true;
    s->status = s->child.status;
    look(s->pipeline);
}

void pipeline_stop(struct pipeline *p)
{
    if (!p->over) {
        signal_all(p, p->signalled ? SIGKILL : SIGTERM);
        p->signalled = true;
        p->due = clock_now() + KILL_AFTER;
    }
}

void pipeline_tick(struct pipeline *p, int64_t now)
{
    if (p->over || now < p->due) {
        return;
    }
    p->due = CLOCK_NEVER;
    if (p->signalled) {
        signal_all(p, SIGKILL);
        p->due = now + KILL_AFTER;
    }
    look(p);
}

/* ---- the beginning ---- */

/* The environment of the engine's commands, with end marks. */
static const char **make_environment(const char *const *given)
{
    size_t count = 0;
    size_t kept = 0;
    while (given[count]) {
        count++;
    }
    const char **all = mem_new(count + 2, sizeof *all);
    for (size_t i = 0; i < count; i++) {
        if (strncmp(given[i], "FANLINE_END_MARK=", 17) != 0) {
            all[kept++] = given[i];
        }
    }
    all[kept] = "FANLINE_END_MARK=1";
    return all;
}

static int take_places(struct pipeline *p, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        p->stages[i].place = engine_take_place(p->engine);
        if (p->stages[i].place == ENGINE_NO_PLACE) {
            return 1;
        }
        p->count++;
    }
    return 0;
}

/* Start the stage I, which reads READS and, unless it is the last, writes to WRITES. */
static int start(struct pipeline *p, size_t i, char *const *words, const int *reads,
                 const int *writes)
{
    struct pipeline_stage *s = &p->stages[i];
    struct buf program = {0};
    size_t count = 0;
    while (words[count]) {
        count++;
    }
    const char **argv = mem_new(count + 1, sizeof *argv);
    buf_printf(&program, "%s/%s", p->engine->rules->programs, words[0]);
    memcpy(argv, words, count * sizeof *argv);
    argv[0] = buf_text(&program);
    struct proc_command command = {
        .argv = argv, .envp = p->environment, .reads = reads, .writes = writes};
    int rc = proc_start(&p->engine->proc, &s->child, s->place, &command, &p->broken);
    s->started = rc == 0;
    free(argv);
    buf_release(&program);
    return rc;
}

static int watch(struct pipeline *p, size_t i)
{
    struct pipeline_stage *s = &p->stages[i];
    struct loop *l = &p->engine->loop;
    if (loop_add(l, &s->exit, s->child.exit_fd, EPOLLIN, &p->broken) < 0 ||
        loop_add(l, &s->err, s->child.err, EPOLLIN, &p->broken) < 0) {
        return -1;
    }
    return s->child.out < 0 ? 0 : loop_add(l, &p->out, s->child.out, EPOLLIN, &p->broken);
}

static int start_all(struct pipeline *p, char **const *commands)
{
    int ends[2] = {-1, -1};
    int reads = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int rc = reads < 0 ? err_system(&p->broken, errno, "cannot open /dev/null") : 0;
    for (size_t i = 0; rc == 0 && i < p->count; i++) {
        bool last = i + 1 == p->count;
        if (!last && pipe2(ends, O_CLOEXEC) < 0) {
            rc = err_system(&p->broken, errno, "cannot make a pipe");
            break;
        }
        rc = start(p, i, commands[i], &reads, last ? NULL : &ends[1]);
        close(reads);
        reads = -1;
        if (!last) {
            close(ends[1]);
            reads = ends[0];
        }
        rc = rc < 0 ? rc : watch(p, i);
    }
    if (reads >= 0) {
        close(reads);
    }
    return rc;
}

static void give_places(struct pipeline *p)
{
    for (size_t i = 0; i < p->count; i++) {
        engine_give_place(p->engine, p->stages[i].place);
    }
}

int pipeline_begin(struct pipeline *p, struct engine *e, char **const *commands, size_t count)
{
    p->engine = e;
    p->due = CLOCK_NEVER;
    if (take_places(p, count) > 0) {
        give_places(p);
        p->count = 0;
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        struct pipeline_stage *s = &p->stages[i];
        s->pipeline = p;
        s->child = (struct child){.exit_fd = -1, .in = -1, .out = -1, .err = -1, .beat = -1};
        s->exit = (struct loop_source){.fd = -1, .ready = on_exit_of, .owner = s};
        s->err = (struct loop_source){.fd = -1, .ready = on_errors, .owner = s};
    }
    p->out = (struct loop_source){.fd = -1, .ready = on_output, .owner = p};
    p->environment = make_environment(e->rules->environment);
    if (start_all(p, commands) < 0) {
        pipeline_stop(p);
        look(p);
        return -1;
    }
    return 0;
}

void pipeline_release(struct pipeline *p)
{
    if (!p->engine) {
        return;
    }
    for (size_t i = 0; i < p->count; i++) {
        struct pipeline_stage *s = &p->stages[i];
        loop_remove(&p->engine->loop, &s->exit);
        loop_remove(&p->engine->loop, &s->err);
        proc_close_pipes(&s->child);
        tail_release(&s->errors);
    }
    loop_remove(&p->engine->loop, &p->out);
    give_places(p);
    capture_release(&p->output);
    free(p->environment);
}
