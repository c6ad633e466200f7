#include "run/task.h"

#include "run/attempts.h"
#include "run/judge.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

static void fail(struct task *t, enum outcome_status status, const char *code, const char *cause)
{
    judge_fail(&(struct failure){&t->outcome, &t->code, &t->cause}, status, code, cause);
}

/* What the worker complained about, if anything, tells more than we can. */
static void let_it_speak(struct task *t, struct span complaint)
{
    if (complaint.len > 0) {
        buf_reset(&t->cause);
        buf_add_span(&t->cause, complaint);
    }
}

void task_begin(struct task *t, const struct outcome *fresh, const struct retry_policy *policy)
{
    buf_reset(&t->line);
    buf_add_span(&t->line, fresh->input);
    buf_add_byte(&t->line, '\n');
    t->outcome = *fresh;
    t->outcome.input.at = t->line.at;
    if (policy) {
        memset(t->retries, 0, policy->count * sizeof *t->retries);
    }
    t->state = TASK_QUEUED;
}

/* An object with a string ErrorCode says that it failed; Cause, a string, may say why. */
static bool says_failed(struct task *t, struct span *code, struct span *cause)
{
    const struct outcome *o = &t->outcome;
    *cause = (struct span){0};
    if ((o->kind != OUTPUT_JSON && o->kind != OUTPUT_LOOSE) ||
        walk_kind(o->output) != SCAN_OBJECT ||
        !walk_member(o->output, SPAN_LIT("ErrorCode"), code) || walk_kind(*code) != SCAN_STRING) {
        return false;
    }
    (void)walk_member(o->output, SPAN_LIT("Cause"), cause);
    return true;
}

/* {"Output":X}, whatever X is, says that it ended well with X. */
static bool says_output(struct task *t)
{
    struct outcome *o = &t->outcome;
    struct span output;
    if ((o->kind != OUTPUT_JSON && o->kind != OUTPUT_LOOSE) ||
        !walk_member(o->output, SPAN_LIT("Output"), &output)) {
        return false;
    }
    o->output = output;
    o->status = OUTCOME_SUCCEEDED;
    return true;
}

void task_judge_answer(struct task *t, struct span line, struct job_shared *s,
                       const struct tail *errors)
{
    struct span code;
    struct span cause;
    struct outcome *o = &t->outcome;
    o->failed_items = 0;
    o->exit_code = -1;
    o->signal = 0;
    if (!outcome_take_output(o, line, s->rules->format, s->scan)) {
        fail(t, OUTCOME_FAILED, "BadOutput", "the answer is not one JSON text");
        let_it_speak(t, tail_kept(errors));
    } else if (s->rules->answers && says_output(t)) {
        return;
    } else if (says_failed(t, &code, &cause)) {
        fail(t, OUTCOME_FAILED, "", "the worker said so");
        buf_reset(&t->code);
        buf_add_span(&t->code, code);
        let_it_speak(t, tail_kept(errors));
        if (cause.len > 0 && walk_kind(cause) == SCAN_STRING) {
            buf_reset(&t->cause);
            text_decode(&t->cause, cause);
        }
    } else if (s->rules->answers) {
        fail(t, OUTCOME_FAILED, "BadOutput", "the answer has neither Output nor ErrorCode");
    } else if (judge_output(&(struct failure){o, &t->code, &t->cause}, s->rules, s->scan)) {
        o->status = OUTCOME_SUCCEEDED;
    }
}

void task_judge_end(struct task *t, enum worker_end why, int status, struct span complaint,
                    const char *garbage)
{
    t->outcome.failed_items = 0;
    judge_death(&(struct failure){&t->outcome, &t->code, &t->cause}, status);
    switch (why) {
    case WORKER_BY_ITSELF:
    case WORKER_DONE:
        let_it_speak(t, complaint);
        break;
    case WORKER_LATE:
        fail(t, OUTCOME_TIMED_OUT, "Timeout", "its answer took longer than --timeout allows");
        let_it_speak(t, complaint);
        break;
    case WORKER_SILENT:
        fail(t, OUTCOME_TIMED_OUT, "HeartbeatTimeout",
             "the worker gave no sign of life for --heartbeat");
        let_it_speak(t, complaint);
        break;
    case WORKER_GARBAGE:
        fail(t, OUTCOME_FAILED, "BadOutput", garbage);
        break;
    case WORKER_OUT_OF_STEP: /* fails no task */
        break;
    case WORKER_ABORTED:
        fail(t, OUTCOME_ABORTED, "Aborted", "the run was stopped");
        break;
    }
}

void task_judge_no_start(struct task *t, const struct err *e)
{
    fail(t, OUTCOME_FAILED,
         e->code == ERR_DATA      ? "ItemTooLarge"
         : e->code == ERR_NO_FILE ? "CommandNotFound"
                                  : "CommandNotExecutable",
         e->text);
}

void task_judge_stopped(struct task *t)
{
    if (t->outcome.attempts > 0) {
        fail(t, OUTCOME_ABORTED, "Aborted", "the run was stopped");
        return;
    }
    t->outcome.status = OUTCOME_PENDING;
    t->outcome.kind = OUTPUT_NULL;
    t->outcome.started = t->outcome.stopped = 0;
}

void task_log(const struct task *t, struct job_shared *s, size_t slot, size_t bytes, int64_t retry)
{
    const struct outcome *o = &t->outcome;
    if (!s->rules->log) {
        return;
    }
    struct attempt a = {
        .index = o->index,
        .number = o->attempts,
        .slot = slot,
        .status = o->status,
        .code = o->status == OUTCOME_SUCCEEDED ? (struct span){0} : buf_span(&t->code),
        .exit_code = o->exit_code,
        .signal = o->signal,
        .started = t->started,
        .stopped = o->stopped,
        .output = bytes,
        .retry = retry,
    };
    attempts_put(s->rules->log, &a);
}

void task_release(struct task *t)
{
    buf_release(&t->line);
    buf_release(&t->code);
    buf_release(&t->cause);
    free(t->retries);
}
