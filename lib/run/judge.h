/*
 * judge.h: from the end of a command to the outcome of its item.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_JUDGE_H
#define FANLINE_RUN_JUDGE_H

#include "base/err.h"
#include "run/job.h"

#include <stdbool.h>

/* What a failure is written into: an outcome, its ErrorCode and its Cause. */
struct failure {
    struct outcome *outcome;
    struct buf *code;
    struct buf *cause;
};

/* It failed, and this is how it is called. */
void judge_fail(struct failure *f, enum outcome_status status, const char *code, const char *cause);

/* Its command ended with STATUS, as waitpid gives it: ExitCode.N or Signal.NAME. */
void judge_death(struct failure *f, int status);

/*
 * The command or worker has ended well, and its output is in the outcome: may it be that?  If not,
 * F is filled.  Returns whether it may.
 */
bool judge_output(struct failure *f, const struct run_rules *r, struct scan *s);

/* The command of J has ended and all its output is here. */
void judge_end(struct job *j);

/* The command could not be started, for the reason in E. */
void judge_no_start(struct job *j, const struct err *e);

/* The command line could not be made from the item, for the reason in E. */
void judge_bad_item(struct job *j, const struct err *e);

/* J was stopped while no command of it ran. */
void judge_stopped(struct job *j);

#endif
