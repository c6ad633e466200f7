#include "run/judge.h"

#include "json/text.h"
#include "json/walk.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

void judge_fail(struct failure *f, enum outcome_status status, const char *code, const char *cause)
{
    f->outcome->status = status;
    f->outcome->kind = OUTPUT_ERROR;
    buf_reset(f->code);
    text_encode(f->code, span_text(code));
    buf_reset(f->cause);
    buf_add_text(f->cause, cause);
}

void judge_death(struct failure *f, int status)
{
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const char *name = number ? sigabbrev_np(number) : NULL;
    char code[64];
    char cause[64];
    if (name) {
        snprintf(code, sizeof code, "Signal.%s", name);
    } else {
        snprintf(code, sizeof code, "%s.%d", number ? "Signal" : "ExitCode",
                 number ? number : exit_code);
    }
    snprintf(cause, sizeof cause, "%s %d", number ? "ended by signal" : "exit status",
             number ? number : exit_code);
    f->outcome->signal = number;
    f->outcome->exit_code = exit_code;
    judge_fail(f, OUTCOME_FAILED, code, cause);
}

bool judge_output(struct failure *f, const struct run_rules *r, struct scan *s)
{
    const char *cause = NULL;
    if (!outcome_take_failures(f->outcome, r->items)) {
        cause = "ItemFailures names no item of the batch";
    } else if (r->emit == RUN_EMIT_OUTPUT && outcome_is_mark(f->outcome, s)) {
        cause = "the output would have the form of an end mark";
    }
    if (cause) {
        judge_fail(f, OUTCOME_FAILED, "BadOutput", cause);
    }
    return !cause;
}

static void set_failure(struct job *j, enum outcome_status status, const char *code,
                        const char *cause)
{
    judge_fail(&(struct failure){&j->outcome, &j->code, &j->cause}, status, code, cause);
}

/* What the command itself complained about, if anything, tells more than we can. */
static void let_it_speak(struct job *j)
{
    struct span said = tail_kept(&j->errors);
    if (said.len > 0) {
        buf_reset(&j->cause);
        buf_add_span(&j->cause, said);
    }
}

/* The ErrorCode that it printed, if its output is an object that has one. */
static void take_printed_code(struct job *j, struct span all)
{
    struct span value = walk_trim(all);
    struct span code;
    if (value.len > 0 && scan_check(j->shared->scan, value.at, value.len) == 0 &&
        walk_kind(value) == SCAN_OBJECT && walk_member(value, SPAN_LIT("ErrorCode"), &code) &&
        walk_kind(code) == SCAN_STRING) {
        buf_reset(&j->code);
        buf_add_span(&j->code, code);
    }
}

static void judge_failure(struct job *j, struct span all)
{
    judge_death(&(struct failure){&j->outcome, &j->code, &j->cause}, j->child.status);
    take_printed_code(j, all);
    let_it_speak(j);
}

/* It ended by itself. */
static void judge_own_end(struct job *j)
{
    struct outcome *o = &j->outcome;
    struct span all;
    struct err e = {0};
    if (j->shared->rules->emit == RUN_EMIT_LINES && !o->signal && o->exit_code == 0) {
        o->status = OUTCOME_SUCCEEDED;
        o->kind = OUTPUT_NULL;
    } else if (capture_all(&j->output, &all, &e) < 0) {
        set_failure(j, OUTCOME_FAILED, "BadOutput", e.text);
    } else if (o->signal || o->exit_code != 0) {
        judge_failure(j, all);
    } else if (!outcome_take_output(o, all, j->shared->rules->format, j->shared->scan)) {
        set_failure(j, OUTCOME_FAILED, "BadOutput", "the output is not one JSON text");
        let_it_speak(j);
    } else if (judge_output(&(struct failure){o, &j->code, &j->cause}, j->shared->rules,
                            j->shared->scan)) {
        o->status = OUTCOME_SUCCEEDED;
    }
}

void judge_end(struct job *j)
{
    int status = j->child.status;
    j->outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    j->outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    j->outcome.failed_items = 0;
    switch (j->end) {
    case JOB_BY_ITSELF:
        judge_own_end(j);
        break;
    case JOB_TIMED_OUT:
        set_failure(j, OUTCOME_TIMED_OUT, "Timeout", "it took longer than --timeout allows");
        let_it_speak(j);
        break;
    case JOB_SILENT:
        set_failure(j, OUTCOME_TIMED_OUT, "HeartbeatTimeout",
                    "it gave no sign of life for --heartbeat");
        let_it_speak(j);
        break;
    case JOB_ABORTED:
        set_failure(j, OUTCOME_ABORTED, "Aborted", "the run was stopped");
        break;
    case JOB_OUTPUT_LOST:
        set_failure(j, OUTCOME_FAILED, "BadOutput", j->broken.text);
        break;
    }
}

void judge_no_start(struct job *j, const struct err *e)
{
    const char *code = e->code == ERR_DATA      ? "ItemTooLarge"
                       : e->code == ERR_NO_FILE ? "CommandNotFound"
                                                : "CommandNotExecutable";
    j->broken = *e;
    j->outcome.exit_code = -1;
    j->outcome.signal = 0;
    set_failure(j, OUTCOME_FAILED, code, e->text);
}

void judge_bad_item(struct job *j, const struct err *e)
{
    set_failure(j, OUTCOME_FAILED, "BadItem", e->text);
}

void judge_stopped(struct job *j)
{
    if (j->outcome.attempts == 0) {
        j->outcome.status = OUTCOME_PENDING;
        j->outcome.kind = OUTPUT_NULL;
        j->outcome.started = j->outcome.stopped = 0;
    } else {
        set_failure(j, OUTCOME_ABORTED, "Aborted", "the run was stopped");
    }
}
