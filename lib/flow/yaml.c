#include "base/mem.h"
#include "flow/build.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define ANCHORS_MAX 1000
#define CORE_TAG    "tag:yaml.org,2002:"

struct anchor {
    struct span name;
    const struct node *node;
};

/* A YAML text on its way into a tree. */
struct reading {
    struct build build;
    yaml_parser_t parser;
    struct span text;
    struct anchor *anchors;
    size_t anchor_count;
    size_t anchor_cap;
    size_t documents;
    /* libyaml counts characters: this is the last one looked at */
    size_t character;
    size_t byte;
    size_t line; /* from 0 */
    size_t line_at;
};

static bool is_inner(const struct reading *r, size_t byte)
{
    return byte < r->text.len && ((unsigned char)r->text.at[byte] & 0xC0) == 0x80;
}

static void step_on(struct reading *r)
{
    bool ends_line = r->text.at[r->byte] == '\n';
    do {
        r->byte++;
    } while (is_inner(r, r->byte));
    r->character++;
    if (ends_line) {
        r->line++;
        r->line_at = r->byte;
    }
}

static void step_back(struct reading *r)
{
    do {
        r->byte--;
    } while (is_inner(r, r->byte));
    r->character--;
    if (r->text.at[r->byte] == '\n') {
        const char *before = memrchr(r->text.at, '\n', r->byte);
        r->line--;
        r->line_at = before ? (size_t)(before - r->text.at) + 1 : 0;
    }
}

/* The byte at which the character that MARK counts begins: there we are then. */
static size_t go_to(struct reading *r, const yaml_mark_t *mark)
{
    while (r->character < mark->index && r->byte < r->text.len) {
        step_on(r);
    }
    while (r->character > mark->index && r->byte > 0) {
        step_back(r);
    }
    return r->byte;
}

/* libyaml ends lines at a few more characters than editors do; these count LF. */
static struct place_at place_of(struct reading *r, const yaml_mark_t *mark)
{
    size_t byte = go_to(r, mark);
    return (struct place_at){r->line + 1, byte - r->line_at + 1};
}

static struct span of_event(const yaml_char_t *at, size_t len)
{
    return span_of((const char *)at, len);
}

static struct span as_json(struct reading *r, struct span text)
{
    struct buf json = {0};
    text_encode(&json, text);
    struct span copy = arena_copy(&r->build.tree->arena, buf_span(&json));
    buf_release(&json);
    return copy;
}

static int add_anchor(struct reading *r, const yaml_char_t *name, const struct node *n,
                      struct place_at at)
{
    if (!name) {
        return 0;
    }
    if (r->anchor_count == ANCHORS_MAX) {
        return build_fail(&r->build, at, "there are more than %d anchors", ANCHORS_MAX);
    }
    r->anchors = mem_grow(r->anchors, &r->anchor_cap, r->anchor_count, sizeof *r->anchors);
    struct span copy = arena_copy(&r->build.tree->arena, span_text((const char *)name));
    r->anchors[r->anchor_count++] = (struct anchor){copy, n};
    return 0;
}

static const struct node *find_anchor(const struct reading *r, struct span name)
{
    for (size_t i = r->anchor_count; i-- > 0;) {
        if (span_equal(r->anchors[i].name, name)) {
            return r->anchors[i].node;
        }
    }
    return NULL;
}

static bool is_open(const struct build *b, const struct node *n)
{
    for (size_t i = 0; i < b->depth; i++) {
        if (b->open[i].node == n) {
            return true;
        }
    }
    return false;
}

static int add_key(struct reading *r, struct span text, struct place_at at, bool is_plain)
{
    if (is_plain && span_equal(text, SPAN_LIT("<<"))) {
        return build_fail(&r->build, at,
                          "merge keys (<<) are no part of YAML 1.2, and not taken here");
    }
    struct span copy = arena_copy(&r->build.tree->arena, text);
    build_key(&r->build, copy, as_json(r, copy), at);
    return 0;
}

static int add_alias(struct reading *r, const yaml_event_t *event, struct place_at at)
{
    struct span name = span_text((const char *)event->data.alias.anchor);
    const struct node *n = find_anchor(r, name);
    if (!n) {
        return build_fail(&r->build, at, "there is no anchor &%s before this alias", name.at);
    }
    if (build_wants_key(&r->build)) {
        return n->kind == NODE_LIST || n->kind == NODE_MAP
                   ? build_fail(&r->build, at, "a key must be a text, not %s",
                                node_kind_name(n->kind))
                   : add_key(r, n->text, at, false);
    }
    if (is_open(&r->build, n)) {
        return build_fail(&r->build, at, "the value &%s would contain itself", name.at);
    }
    return build_copy(&r->build, n, at) ? 0 : -1;
}

/* The kinds that the tags of the core schema stand for. */
static const struct {
    const char *tag;
    enum node_kind kind;
} tags[] = {
    {CORE_TAG "null", NODE_NULL},    {CORE_TAG "bool", NODE_BOOL},  {CORE_TAG "int", NODE_NUMBER},
    {CORE_TAG "float", NODE_NUMBER}, {CORE_TAG "str", NODE_STRING}, {CORE_TAG "seq", NODE_LIST},
    {CORE_TAG "map", NODE_MAP},
};

/* "!" is the tag of what has to be a string, whatever it looks like. */
static bool is_string_tag(const char *tag)
{
    return strcmp(tag, "!") == 0 || strcmp(tag, CORE_TAG "str") == 0;
}

/* Fails unless TAG, if there is one, stands for KIND. */
static int check_tag(struct reading *r, const yaml_char_t *tag, enum node_kind kind,
                     struct place_at at)
{
    if (!tag || (kind == NODE_STRING && is_string_tag((const char *)tag))) {
        return 0;
    }
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (strcmp(tags[i].tag, (const char *)tag) == 0) {
            return tags[i].kind == kind
                       ? 0
                       : build_fail(&r->build, at, "the tag says %s, but this is %s",
                                    node_kind_name(tags[i].kind), node_kind_name(kind));
        }
    }
    return build_fail(&r->build, at, "the tag %s is not known", (const char *)tag);
}

/* Where the text of the string N begins on its line; 0 if TEXT is not what stands there. */
static uint64_t text_column(struct reading *r, const yaml_event_t *event, const struct node *n)
{
    size_t begin = go_to(r, &event->start_mark);
    size_t end = go_to(r, &event->end_mark);
    size_t quote = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 1;
    bool is_verbatim = end - begin == n->text.len + 2 * quote &&
                       memcmp(r->text.at + begin + quote, n->text.at, n->text.len) == 0;
    return is_verbatim ? n->at.column + quote : 0;
}

static int add_scalar(struct reading *r, const yaml_event_t *event, struct place_at at)
{
    struct span text = of_event(event->data.scalar.value, event->data.scalar.length);
    bool is_plain =
        event->data.scalar.plain_implicit && event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (build_wants_key(&r->build)) {
        return add_key(r, text, at, is_plain);
    }
    const yaml_char_t *tag = event->data.scalar.tag;
    enum node_kind kind = NODE_STRING;
    struct span json = {0};
    const char *why;
    struct arena *a = &r->build.tree->arena;
    bool is_string = tag ? is_string_tag((const char *)tag) : !is_plain;
    if (!is_string && plain_resolve(text, a, &kind, &json, &why) < 0) {
        return build_fail(&r->build, at, "%s", why);
    }
    struct node *n = build_value(&r->build, kind, at);
    if (!n || check_tag(r, tag, kind, at) < 0) {
        return -1;
    }
    n->text = kind == NODE_STRING ? arena_copy(a, text) : json;
    n->json = kind == NODE_STRING ? as_json(r, text) : json;
    n->text_column = kind == NODE_STRING ? text_column(r, event, n) : 0;
    return add_anchor(r, event->data.scalar.anchor, n, at);
}

static int begin_container(struct reading *r, enum node_kind kind, const yaml_char_t *tag,
                           const yaml_char_t *anchor, struct place_at at)
{
    if (build_wants_key(&r->build)) {
        return build_fail(&r->build, at, "a key must be a text, not %s", node_kind_name(kind));
    }
    struct node *n = check_tag(r, tag, kind, at) < 0 ? NULL : build_open(&r->build, kind, at);
    return n ? add_anchor(r, anchor, n, at) : -1;
}

static int take_event(struct reading *r, const yaml_event_t *event)
{
    struct place_at at = place_of(r, &event->start_mark);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return r->documents++ == 0 ? 0
                                   : build_fail(&r->build, at,
                                                "a second document begins here: one is all there "
                                                "may be");
    case YAML_ALIAS_EVENT:
        return add_alias(r, event, at);
    case YAML_SCALAR_EVENT:
        return add_scalar(r, event, at);
    case YAML_SEQUENCE_START_EVENT:
        return begin_container(r, NODE_LIST, event->data.sequence_start.tag,
                               event->data.sequence_start.anchor, at);
    case YAML_MAPPING_START_EVENT:
        return begin_container(r, NODE_MAP, event->data.mapping_start.tag,
                               event->data.mapping_start.anchor, at);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        build_close(&r->build);
        return 0;
    default:
        return 0;
    }
}

/* What libyaml says is wrong. */
static int refuse(struct reading *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem ? p->problem : "this is no YAML";
    if (p->error == YAML_READER_ERROR) {
        size_t byte = p->problem_offset < r->text.len ? p->problem_offset : r->text.len;
        return build_fail(&r->build, build_place(r->text, byte), "%s", problem);
    }
    struct place_at at = place_of(r, &p->problem_mark);
    if (!p->context) {
        return build_fail(&r->build, at, "%s", problem);
    }
    struct place_at context = place_of(r, &p->context_mark);
    return build_fail(&r->build, at, "%s, %s that begins at %llu:%llu", problem, p->context,
                      (unsigned long long)context.line, (unsigned long long)context.column);
}

static int read_events(struct reading *r)
{
    for (bool more = true; more;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&r->parser, &event)) {
            return refuse(r);
        }
        int rc = take_event(r, &event);
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (rc < 0) {
            return -1;
        }
    }
    if (!r->build.tree->root) {
        return build_fail(&r->build, (struct place_at){1, 1}, "there is no document in it");
    }
    return 0;
}

int yaml_read(struct flow_tree *t, struct span text, struct faults *f)
{
    struct reading r = {.build = {.tree = t, .faults = f}, .text = text};
    if (!yaml_parser_initialize(&r.parser)) {
        return build_fail(&r.build, (struct place_at){1, 1}, "there is no memory for libyaml");
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text.at, text.len);
    int rc = read_events(&r);
    yaml_parser_delete(&r.parser);
    build_release(&r.build);
    free(r.anchors);
    return rc;
}
