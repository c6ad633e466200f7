/* What a state of each type says. */
#include "flow/compile.h"

#include "base/mem.h"
#include "flow/rule.h"
#include "run/policy.h"

#include <stdlib.h>
#include <string.h>

/* ---- where it leads ---- */

static int take_next(const struct compile *c, struct state *s)
{
    const struct node *next = node_get(s->node, "Next");
    bool ends = node_truth(node_get(s->node, "End"), false);
    if (s->type == STATE_CHOICE || s->type == STATE_SUCCEED || s->type == STATE_FAIL) {
        return 0;
    }
    if (ends == (next != NULL)) {
        return compile_fail(c, s->node,
                            ends ? "the state has both Next and End"
                                 : "the state has neither Next nor End: true");
    }
    return next ? compile_target(c, s->in, next, &s->next) : 0;
}

/* ---- its data ---- */

/* A path of the States Language, or null, which stands for an empty object. */
static int take_filter(const struct compile *c, const struct node *n, bool *none,
                       struct template **out)
{
    *none = n && n->kind == NODE_NULL;
    if (!n || *none || node_is(n, "$")) {
        return 0;
    }
    return compile_expression(c, n, ROOTS_IN, out);
}

static int take_states_data(const struct compile *c, struct state *s)
{
    const struct node *n = s->node;
    const struct node *parameters = s->type == STATE_MAP ? NULL : node_get(n, "Parameters");
    if (take_filter(c, node_get(n, "InputPath"), &s->no_input, &s->select) < 0 ||
        take_filter(c, node_get(n, "OutputPath"), &s->no_output, &s->leave) < 0 ||
        compile_template(c, parameters, ROOTS_IN, &s->construct) < 0 ||
        compile_template(c, node_get(n, "ResultSelector"), ROOTS_IN, &s->pick) < 0) {
        return -1;
    }
    return compile_result_path(c, n, &s->discards, &s->result_path);
}

static int take_cloudflow_data(const struct compile *c, struct state *s)
{
    const struct node *n = s->node;
    if (compile_template(c, node_get(n, "InputConstructor"), ROOTS_IN, &s->construct) < 0 ||
        compile_template(c, node_get(n, "OutputConstructor"), ROOTS_OUT, &s->produce) < 0) {
        return -1;
    }
    return compile_template(c, node_get(n, "GlobalConstructor"), ROOTS_OUT, &s->globals);
}

/* ---- its errors ---- */

/* The names in the list N, separated by commas, as retry.h has them. */
static int take_errors(const struct compile *c, const struct node *n, struct span *out)
{
    struct buf names = {0};
    for (const struct node *m = n->child; m; m = m->next) {
        if (m->kind != NODE_STRING || m->text.len == 0 || memchr(m->text.at, ',', m->text.len)) {
            buf_release(&names);
            return compile_fail(c, m, "this is no name of an error");
        }
        if (names.len > 0) {
            buf_add_byte(&names, ',');
        }
        buf_add_span(&names, m->text);
    }
    *out = arena_copy(&c->machine->arena, buf_span(&names));
    buf_release(&names);
    return out->len > 0 ? 0 : compile_fail(c, n, "no error is named");
}

static int take_catcher(const struct compile *c, struct state *s, const struct node *n)
{
    struct catcher *k = &s->catchers[s->catcher_count];
    const struct node *errors = node_get(n, compile_is_cloudflow(c) ? "Errors" : "ErrorEquals");
    const struct node *next = node_get(n, "Next");
    if (!errors || !next) {
        return compile_fail(c, n, "a catcher needs %s and Next",
                            compile_is_cloudflow(c) ? "Errors" : "ErrorEquals");
    }
    if (take_errors(c, errors, &k->errors) < 0 || compile_target(c, s->in, next, &k->next) < 0) {
        return -1;
    }
    s->catcher_count++; /* from here on it is released */
    if (compile_template(c, node_get(n, "OutputConstructor"), ROOTS_OUT, &k->output) < 0) {
        return -1;
    }
    return compile_result_path(c, n, &k->discards, &k->result_path);
}

static int take_error_handling(const struct compile *c, struct state *s)
{
    const struct node *retry = node_get(s->node, "Retry");
    const struct node *catch = node_get(s->node, "Catch");
    if (retry) {
        struct buf rules = {0};
        node_json(retry, &rules);
        int rc = policy_add(&s->retry, buf_span(&rules), c->err);
        buf_release(&rules);
        if (rc < 0) {
            err_prefix(c->err, "Retry");
            return compile_place(c, retry);
        }
    }
    if (!catch) {
        return 0;
    }
    s->catchers = mem_new(catch->count, sizeof *s->catchers);
    for (const struct node *n = catch->child; n; n = n->next) {
        if (take_catcher(c, s, n) < 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- types ---- */

static int take_pass(const struct compile *c, struct state *s)
{
    const struct node *result = node_get(s->node, "Result");
    if (result) {
        s->result = compile_json(c, result);
    }
    return 0;
}

/* The rule of an alternative: the first fault only, as everywhere here. */
static int take_rule(const struct compile *c, struct choice *k, const struct node *n)
{
    struct faults faults = {0};
    k->rule = rule_compile(n, &faults);
    if (!k->rule) {
        struct err_pos pos = {.line = faults.at[0].at.line, .column = faults.at[0].at.column};
        err_set(c->err, ERR_USAGE, "%s", faults.at[0].text);
        err_pos_source(&pos, c->source);
        err_at(c->err, &pos);
    }
    faults_release(&faults);
    return k->rule ? 0 : -1;
}

static int take_branch(const struct compile *c, struct state *s, const struct node *n)
{
    struct choice *k = &s->choices[s->choice_count];
    const struct node *next = node_get(n, "Next");
    const struct node *condition = node_get(n, "Condition");
    if (!next || (compile_is_cloudflow(c) && !condition)) {
        return compile_fail(c, n, "an alternative needs %s",
                            next ? "a Condition" : "a state to go to, Next");
    }
    if (compile_target(c, s->in, next, &k->next) < 0) {
        return -1;
    }
    s->choice_count++;
    return condition ? compile_expression(c, condition, ROOTS_IN, &k->condition)
                     : take_rule(c, k, n);
}

static int take_choice(const struct compile *c, struct state *s)
{
    const char *name = compile_is_cloudflow(c) ? "Branches" : "Choices";
    const struct node *branches = node_get(s->node, name);
    const struct node *otherwise = node_get(s->node, "Default");
    if (!branches || branches->kind != NODE_LIST) {
        return compile_fail(c, s->node, "a Choice needs %s, a list", name);
    }
    s->choices = mem_new(branches->count, sizeof *s->choices);
    for (const struct node *n = branches->child; n; n = n->next) {
        if (take_branch(c, s, n) < 0) {
            return -1;
        }
    }
    return otherwise ? compile_target(c, s->in, otherwise, &s->otherwise) : 0;
}

static int take_fail(const struct compile *c, struct state *s)
{
    bool ours = compile_is_cloudflow(c);
    if (compile_setting(c, s->node, ours ? "Code" : "Error", &s->code) < 0) {
        return -1;
    }
    return compile_setting(c, s->node, ours ? "Detail" : "Cause", &s->cause);
}

static int take_command(const struct compile *c, struct state *s, const struct node *command)
{
    size_t i = 0;
    if (command->kind != NODE_LIST || command->count == 0) {
        return compile_fail(c, command, "Command is a list: the program and its arguments");
    }
    s->task.argv = mem_new(command->count + 1, sizeof *s->task.argv);
    for (const struct node *n = command->child; n; n = n->next) {
        if (n->kind == NODE_LIST || n->kind == NODE_MAP || memchr(n->text.at, 0, n->text.len)) {
            return compile_fail(c, n, "an argument is a text");
        }
        s->task.argv[i++] = mem_copy(n->text.at, n->text.len);
    }
    return 0;
}

static int take_task(const struct compile *c, struct state *s)
{
    bool ours = compile_is_cloudflow(c);
    const struct node *mode = node_get(s->node, "TaskMode");
    const struct node *command = node_get(s->node, "Command");
    const struct node *action = node_get(s->node, ours ? "Action" : "Resource");
    if (mode && !node_is(mode, "RequestComplete")) {
        return compile_fail(c, mode, "only TaskMode RequestComplete: there is nobody to call back");
    }
    if (!command && (!action || action->kind != NODE_STRING)) {
        return compile_fail(c, s->node, "a Task needs %s, or a Command",
                            ours ? "an Action" : "a Resource");
    }
    if (command ? take_command(c, s, command) < 0 : (s->task.action = action->text, false)) {
        return -1;
    }
    if (ours &&
        compile_template(c, node_get(s->node, "Parameters"), ROOTS_IN, &s->task.payload) < 0) {
        return -1;
    }
    if (compile_setting(c, s->node, ours ? "Timeout" : "TimeoutSeconds", &s->task.timeout) < 0) {
        return -1;
    }
    return compile_setting(c, s->node, "HeartbeatSeconds", &s->task.heartbeat);
}

static int take_wait(const struct compile *c, struct state *s)
{
    const char *until = compile_is_cloudflow(c) ? "UntilDateTime" : "Timestamp";
    if (compile_setting(c, s->node, "Seconds", &s->pause.seconds) < 0 ||
        compile_setting(c, s->node, until, &s->pause.until) < 0) {
        return -1;
    }
    return (s->pause.seconds != NULL) != (s->pause.until != NULL)
               ? 0
               : compile_fail(c, s->node, "a Wait needs one of Seconds and %s", until);
}

static int take_parallel(const struct compile *c, struct state *s)
{
    const struct node *branches = node_get(s->node, "Branches");
    if (!branches || branches->kind != NODE_LIST || branches->count == 0 ||
        branches->count > MACHINE_BRANCHES_MAX) {
        return compile_fail(c, branches ? branches : s->node,
                            "a Parallel needs Branches, a list of 1 to %d", MACHINE_BRANCHES_MAX);
    }
    s->scopes = mem_new(branches->count, sizeof *s->scopes);
    for (const struct node *n = branches->child; n; n = n->next) {
        if (compile_scope(c, &s->scopes[s->scope_count++], n, s) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take_nothing(const struct compile *c, struct state *s)
{
    (void)c;
    (void)s;
    return 0;
}

int compile_state(const struct compile *c, struct state *s)
{
    static int (*const types[])(const struct compile *c, struct state *s) = {
        [STATE_PASS] = take_pass,         [STATE_CHOICE] = take_choice,
        [STATE_SUCCEED] = take_nothing,   [STATE_FAIL] = take_fail,
        [STATE_TASK] = take_task,         [STATE_WAIT] = take_wait,
        [STATE_PARALLEL] = take_parallel, [STATE_MAP] = compile_map,
    };
    if (take_next(c, s) < 0 ||
        (compile_is_cloudflow(c) ? take_cloudflow_data : take_states_data)(c, s) < 0 ||
        take_error_handling(c, s) < 0) {
        return -1;
    }
    return types[s->type](c, s);
}

/* ---- the end ---- */

static void free_path(struct path *p)
{
    if (p) {
        path_release(p);
        free(p);
    }
}

static void release_lists(struct state *s)
{
    for (size_t i = 0; i < s->catcher_count; i++) {
        template_free(s->catchers[i].output);
        free_path(s->catchers[i].result_path);
    }
    for (size_t i = 0; i < s->choice_count; i++) {
        template_free(s->choices[i].condition);
        rule_free(s->choices[i].rule);
    }
    for (size_t i = 0; i < s->scope_count; i++) {
        compile_release_scope(&s->scopes[i]);
    }
    for (char **arg = s->task.argv; arg && *arg; arg++) {
        free(*arg);
    }
    free(s->catchers);
    free(s->choices);
    free(s->scopes);
    free(s->task.argv);
}

void state_release(struct state *s)
{
    struct template *const templates[] = {
        s->select,         s->construct,     s->pick,       s->produce,      s->leave,
        s->globals,        s->code,          s->cause,      s->task.payload, s->task.timeout,
        s->task.heartbeat, s->pause.seconds, s->pause.until};
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        template_free(templates[i]);
    }
    free_path(s->result_path);
    retry_release(&s->retry);
    map_release(&s->map);
    release_lists(s);
}
