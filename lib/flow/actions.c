#include "flow/actions.h"

#include "base/mem.h"
#include "flow/tree.h"

#include <stdlib.h>
#include <string.h>

struct action {
    char *name;
    char **argv;
};

struct actions {
    struct action *at;
    size_t count;
};

static int fail(const char *file, const struct node *n, const char *text, struct err *e)
{
    struct err_pos pos = {.line = n->at.line, .column = n->at.column};
    err_pos_source(&pos, file);
    err_set(e, ERR_USAGE, "%s", text);
    err_at(e, &pos);
    return -1;
}

static int take_action(struct actions *a, const struct node *n, const char *file, struct err *e)
{
    struct action *action = &a->at[a->count++];
    action->name = mem_copy(n->key.at, n->key.len);
    action->argv = mem_new(n->count + 1, sizeof *action->argv);
    if (n->kind != NODE_LIST || n->count == 0) {
        return fail(file, n, "an action is a list: a program and its arguments", e);
    }
    for (const struct node *arg = n->child; arg; arg = arg->next) {
        if (arg->kind == NODE_LIST || arg->kind == NODE_MAP ||
            memchr(arg->text.at, 0, arg->text.len)) {
            return fail(file, arg, "an argument is a text", e);
        }
        action->argv[arg->index] = mem_copy(arg->text.at, arg->text.len);
    }
    return 0;
}

static int take_all(struct actions *a, const struct node *root, const char *file, struct err *e)
{
    if (root->kind != NODE_MAP) {
        return fail(file, root, "a table of actions and commands is needed", e);
    }
    a->at = mem_new(root->count, sizeof *a->at);
    for (const struct node *n = root->child; n; n = n->next) {
        if (take_action(a, n, file, e) < 0) {
            return -1;
        }
    }
    return 0;
}

int actions_read(struct actions **out, const char *file, struct err *e)
{
    struct buf text = {0};
    struct flow_tree tree = {0};
    struct faults faults = {0};
    struct actions *a = mem_new(1, sizeof *a);
    int rc = flow_tree_load(&text, file, e);
    if (rc == 0 && (flow_tree_read(&tree, buf_span(&text), &faults) < 0 || faults.count > 0)) {
        struct err_pos pos = {.line = faults.at[0].at.line, .column = faults.at[0].at.column};
        err_pos_source(&pos, file);
        rc = err_set(e, ERR_USAGE, "%s", faults.at[0].text);
        err_at(e, &pos);
    }
    if (rc == 0) {
        rc = take_all(a, tree.root, file, e);
    }
    flow_tree_release(&tree);
    faults_release(&faults);
    buf_release(&text);
    if (rc < 0) {
        actions_free(a);
        return -1;
    }
    *out = a;
    return 0;
}

char *const *actions_find(const struct actions *a, struct span action)
{
    for (size_t i = 0; a && i < a->count; i++) {
        if (span_equal(span_text(a->at[i].name), action)) {
            return a->at[i].argv;
        }
    }
    return NULL;
}

void actions_free(struct actions *a)
{
    if (!a) {
        return;
    }
    for (size_t i = 0; i < a->count; i++) {
        for (char **arg = a->at[i].argv; *arg; arg++) {
            free(*arg);
        }
        free(a->at[i].argv);
        free(a->at[i].name);
    }
    free(a->at);
    free(a);
}
