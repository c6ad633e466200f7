#include "flow/build.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

/* A JSON text on its way into a tree. */
struct reading {
    struct build build;
    struct scan scan;
    const char *begin; /* of the value that was begun last */
    struct place_at at;
};

enum { DEPTH_ANY = 1 << 28 }; /* more than a text that can be read has */

bool json_is(struct span text, struct faults *f)
{
    struct scan s;
    scan_init(&s, DEPTH_ANY); /* what is too deep for a tree is told where the tree is built */
    bool is_json = scan_check(&s, text.at, text.len) == 0;
    if (!is_json && f) {
        struct place_at at = {s.line, s.offset - s.line_at + 1};
        faults_add(f, at, SPAN_LIT(""), "%s", s.fault);
    }
    scan_release(&s);
    return is_json;
}

/* The string that ends before END, with its quotes: a quote that is no end has an odd number of
 * backslashes before it. */
static struct span string_before(const char *end, const char *begin)
{
    const char *at = end - 2;
    for (;; at--) {
        const char *slash = at;
        while (slash > begin && slash[-1] == '\\') {
            slash--;
        }
        if (*at == '"' && (at - slash) % 2 == 0) {
            return span_of(at, (size_t)(end - at));
        }
    }
}

static struct span decode(struct reading *r, struct span string)
{
    struct span inner = span_of(string.at + 1, string.len - 2);
    if (!memchr(inner.at, '\\', inner.len)) {
        return arena_copy(&r->build.tree->arena, inner);
    }
    struct buf text = {0};
    text_decode(&text, string);
    struct span copy = arena_copy(&r->build.tree->arena, buf_span(&text));
    buf_release(&text);
    return copy;
}

static struct place_at place_of(const struct reading *r, size_t back)
{
    return (struct place_at){r->scan.line, r->scan.offset - r->scan.line_at + 1 - back};
}

static void add_key(struct reading *r, const char *end, const char *begin)
{
    struct span string = string_before(end, begin);
    build_key(&r->build, decode(r, string), arena_copy(&r->build.tree->arena, string),
              place_of(r, string.len));
}

static int begin_value(struct reading *r, const char *at)
{
    r->begin = at;
    r->at = place_of(r, 0);
    if (r->scan.kind == SCAN_OBJECT || r->scan.kind == SCAN_ARRAY) {
        enum node_kind kind = r->scan.kind == SCAN_OBJECT ? NODE_MAP : NODE_LIST;
        r->begin = NULL;
        return build_open(&r->build, kind, r->at) ? 0 : -1;
    }
    return 0;
}

static enum node_kind kind_of(char first)
{
    switch (first) {
    case '"':
        return NODE_STRING;
    case 't':
    case 'f':
        return NODE_BOOL;
    case 'n':
        return NODE_NULL;
    default:
        return NODE_NUMBER;
    }
}

static int end_value(struct reading *r, const char *end)
{
    if (!r->begin) {
        if (r->build.depth > 0) {
            build_close(&r->build);
        }
        return 0;
    }
    struct span text = walk_trim(span_of(r->begin, (size_t)(end - r->begin)));
    r->begin = NULL;
    struct node *n = build_value(&r->build, kind_of(text.at[0]), r->at);
    if (!n) {
        return -1;
    }
    n->json = arena_copy(&r->build.tree->arena, text);
    n->text = n->json;
    if (n->kind == NODE_STRING) {
        n->text = decode(r, n->json);
        n->text_column = n->text.len + 2 == n->json.len ? n->at.column + 1 : 0;
    }
    return 0;
}

static int read_events(struct reading *r, struct span text)
{
    const char *at = text.at;
    const char *end = at + text.len;
    int rc = 0;
    while (rc == 0) {
        switch (scan_next(&r->scan, &at, end)) {
        case SCAN_BEGIN:
            rc = begin_value(r, at);
            break;
        case SCAN_KEY:
            add_key(r, at, text.at);
            break;
        case SCAN_END:
        case SCAN_DONE:
            rc = end_value(r, at);
            break;
        default:
            return 0;
        }
    }
    return rc;
}

int json_read(struct flow_tree *t, struct span text, struct faults *f)
{
    struct reading r = {.build = {.tree = t, .faults = f}};
    scan_init(&r.scan, DEPTH_ANY);
    r.scan.watch = TREE_DEPTH_MAX + 1;
    int rc = read_events(&r, text);
    scan_release(&r.scan);
    build_release(&r.build);
    return rc;
}
