#include "flow/build.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct place_at build_place(struct span text, size_t byte)
{
    struct place_at place = {1, 1};
    for (size_t i = 0; i < byte; i++) {
        place.column++;
        if (text.at[i] == '\n') {
            place = (struct place_at){place.line + 1, 1};
        }
    }
    return place;
}

int build_fail(struct build *b, struct place_at at, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    faults_add(b->faults, at, SPAN_LIT(""), "%s", text);
    return -1;
}

bool build_wants_key(const struct build *b)
{
    return b->depth > 0 && b->open[b->depth - 1].node->kind == NODE_MAP && !b->has_key;
}

void build_key(struct build *b, struct span text, struct span json, struct place_at at)
{
    b->key = (struct node){.key = text, .key_json = json, .key_at = at};
    b->has_key = true;
}

/* Put N behind the children of the innermost container. */
static void attach(struct build *b, struct node *n)
{
    if (b->depth == 0) {
        b->tree->root = n;
        return;
    }
    struct build_level *level = &b->open[b->depth - 1];
    n->parent = level->node;
    n->index = level->node->count++;
    if (level->last) {
        level->last->next = n;
    } else {
        level->node->child = n;
    }
    level->last = n;
    n->key = b->key.key;
    n->key_json = b->key.key_json;
    n->key_at = b->key.key_at;
    b->key = (struct node){0};
    b->has_key = false;
}

/* Is there a limit in the way of one more value, or of one more container around what follows? */
static bool is_full(struct build *b, struct place_at at, bool is_container)
{
    at = b->copying.line ? b->copying : at;
    if (b->tree->nodes == TREE_NODES_MAX) {
        build_fail(b, at, "there are more than %zu values", TREE_NODES_MAX);
        return true;
    }
    if (is_container && b->depth == TREE_DEPTH_MAX) {
        build_fail(b, at, "there are more than %d lists and maps within each other",
                   TREE_DEPTH_MAX);
        return true;
    }
    return false;
}

static struct node *add(struct build *b, enum node_kind kind, struct place_at at)
{
    b->tree->nodes++;
    struct node *n = arena_take(&b->tree->arena, sizeof *n);
    *n = (struct node){.kind = kind, .at = at};
    attach(b, n);
    return n;
}

struct node *build_value(struct build *b, enum node_kind kind, struct place_at at)
{
    return is_full(b, at, false) ? NULL : add(b, kind, at);
}

struct node *build_open(struct build *b, enum node_kind kind, struct place_at at)
{
    if (is_full(b, at, true)) {
        return NULL;
    }
    struct node *n = add(b, kind, at);
    b->open = mem_grow(b->open, &b->cap, b->depth, sizeof *b->open);
    b->open[b->depth++] = (struct build_level){.node = n};
    return n;
}

static int compare_keys(const void *x, const void *y)
{
    const struct node *a = *(const struct node *const *)x;
    const struct node *b = *(const struct node *const *)y;
    int rc = span_compare(a->key, b->key);
    return rc ? rc : (a->index > b->index) - (a->index < b->index);
}

static void check_duplicates(struct build *b, const struct node *map)
{
    const struct node **members = mem_new(map->count, sizeof *members);
    for (const struct node *n = map->child; n; n = n->next) {
        members[n->index] = n;
    }
    qsort(members, map->count, sizeof *members, compare_keys);
    for (size_t i = 1; i < map->count; i++) {
        const struct node *n = members[i];
        const struct node *before = members[i - 1];
        if (span_equal(n->key, before->key)) {
            struct buf path = {0};
            node_pointer(n, &path);
            faults_add(b->faults, n->key_at, buf_span(&path),
                       "the name %.*s stands twice in this map, first at %llu:%llu",
                       (int)n->key_json.len, n->key_json.at,
                       (unsigned long long)before->key_at.line,
                       (unsigned long long)before->key_at.column);
            buf_release(&path);
        }
    }
    free(members);
}

void build_close(struct build *b)
{
    const struct node *n = b->open[--b->depth].node;
    if (n->kind == NODE_MAP && n->count > 1) {
        check_duplicates(b, n);
    }
}

static struct node *copy(struct build *b, const struct node *from)
{
    if (from->kind != NODE_LIST && from->kind != NODE_MAP) {
        struct node *n = build_value(b, from->kind, from->at);
        if (n) {
            n->json = from->json;
            n->text = from->text;
            n->text_column = from->text_column;
        }
        return n;
    }
    struct node *n = build_open(b, from->kind, from->at);
    if (!n) {
        return NULL;
    }
    for (const struct node *child = from->child; child; child = child->next) {
        if (from->kind == NODE_MAP) {
            build_key(b, child->key, child->key_json, child->key_at);
        }
        if (!copy(b, child)) {
            return NULL;
        }
    }
    b->depth--; /* its names have been looked at where it stands */
    return n;
}

struct node *build_copy(struct build *b, const struct node *from, struct place_at at)
{
    b->copying = at;
    struct node *n = copy(b, from);
    b->copying = (struct place_at){0};
    return n;
}

void build_release(struct build *b)
{
    free(b->open);
    *b = (struct build){0};
}
