#include "flow/compile.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int compile_place(const struct compile *c, const struct node *n)
{
    struct err_pos pos = {.line = n->at.line, .column = n->at.column};
    err_pos_source(&pos, c->source);
    err_at(c->err, &pos);
    c->err->code = ERR_USAGE;
    return -1;
}

int compile_fail(const struct compile *c, const struct node *n, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(c->err, ERR_USAGE, "%s", text);
    return compile_place(c, n);
}

struct span compile_json(const struct compile *c, const struct node *n)
{
    struct buf text = {0};
    node_json(n, &text);
    struct span kept = arena_copy(&c->machine->arena, buf_span(&text));
    buf_release(&text);
    return kept;
}

int compile_template(const struct compile *c, const struct node *n, unsigned roots,
                     struct template **out)
{
    struct buf text = {0};
    if (!n) {
        return 0;
    }
    node_json(n, &text);
    int rc = template_compile_scene(out, buf_span(&text), roots, c->err);
    buf_release(&text);
    return rc < 0 ? compile_place(c, n) : 0;
}

int compile_expression(const struct compile *c, const struct node *n, unsigned roots,
                       struct template **out)
{
    if (!n) {
        return 0;
    }
    if (n->kind != NODE_STRING) {
        return compile_fail(c, n, "an expression in a string is needed, not %s",
                            node_kind_name(n->kind));
    }
    int rc = template_compile_scene_expression(out, n->text, roots, c->err);
    return rc < 0 ? compile_place(c, n) : 0;
}

/* The member NAME + ENDING of MAP. */
static const struct node *get_ending(const struct node *map, const char *name, const char *ending)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", name, ending);
    return node_get(map, whole);
}

int compile_setting(const struct compile *c, const struct node *map, const char *name, setting *out)
{
    const struct node *plain = node_get(map, name);
    const struct node *dollar = get_ending(map, name, ".$");
    const struct node *path = get_ending(map, name, "Path");
    const struct node *expression = dollar ? dollar : path;
    if ((plain && expression) || (dollar && path)) {
        return compile_fail(c, plain ? plain : path, "%s is given twice", name);
    }
    return plain ? compile_template(c, plain, ROOTS_IN, out)
                 : compile_expression(c, expression, ROOTS_IN, out);
}

/* The path that is all of the string N. */
static int compile_path(const struct compile *c, const struct node *n, struct path **out)
{
    struct path *p = mem_new(1, sizeof *p);
    if (n->kind != NODE_STRING) {
        free(p);
        return compile_fail(c, n, "a path is needed, not %s", node_kind_name(n->kind));
    }
    if (path_parse(p, n->text, c->err) < 0) {
        free(p);
        return compile_place(c, n);
    }
    *out = p;
    return 0;
}

int compile_result_path(const struct compile *c, const struct node *n, bool *discards,
                        struct path **out)
{
    const struct node *where = node_get(n, "ResultPath");
    *discards = where && where->kind == NODE_NULL;
    if (!where || *discards) {
        return 0;
    }
    if (compile_path(c, where, out) < 0) {
        return -1;
    }
    bool whole = (*out)->count == 0;
    bool ours = (*out)->root == PATH_INPUT;
    if (whole || !ours) {
        path_release(*out);
        free(*out);
        *out = NULL;
    }
    return ours ? 0 : compile_fail(c, where, "ResultPath must begin with $.");
}
