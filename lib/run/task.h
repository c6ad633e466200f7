/*
 * task.h: an item that is with a worker, and what becomes of it.
 *
 * Floor: engines.  Part of worker.c, apart for its size.
 */
#ifndef FANLINE_RUN_TASK_H
#define FANLINE_RUN_TASK_H

#include "base/span.h"
#include "run/tail.h"
#include "run/worker.h"

#include <stddef.h>
#include <stdint.h>

/* T, which is free, is for FRESH from now on (see job_begin); it is queued. */
void task_begin(struct task *t, const struct outcome *fresh, const struct retry_policy *policy);

/* The worker answered LINE, which is borrowed by the outcome. ERRORS is what it complained about.
 */
void task_judge_answer(struct task *t, struct span line, struct job_shared *s,
                       const struct tail *errors);

/* The worker ended, in the way of WHY and with STATUS, before it answered. */
void task_judge_end(struct task *t, enum worker_end why, int status, struct span complaint,
                    const char *garbage);

/* No worker could be started, for the reason in E. */
void task_judge_no_start(struct task *t, const struct err *e);

/* T was stopped while it was not with a worker. */
void task_judge_stopped(struct task *t);

/* An attempt of T has ended: tell the log, if there is one. */
void task_log(const struct task *t, struct job_shared *s, size_t slot, size_t bytes, int64_t retry);

void task_release(struct task *t);

#endif
