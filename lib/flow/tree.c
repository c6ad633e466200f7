#include "flow/tree.h"

#include "flow/build.h"
#include "io/reader.h"
#include "json/text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static size_t skip_space(struct span text, size_t at)
{
    while (at < text.len && memchr(" \t\r\n", text.at[at], 4)) {
        at++;
    }
    return at;
}

static bool begins_with_bracket(struct span text)
{
    size_t at = skip_space(text, 0);
    return at < text.len && (text.at[at] == '{' || text.at[at] == '[');
}

/* Does TEXT begin as JSON objects do, with a name in quotes? */
static bool means_json(struct span text)
{
    size_t at = skip_space(text, 0);
    size_t inner = skip_space(text, at + 1);
    return text.at[at] == '{' && inner < text.len && text.at[inner] == '"';
}

/*
 * A text that begins with a brace may be JSON or a map of YAML's flow style.  Where it is neither,
 * what is wrong is told as its first name looks.
 */
static int read_either(struct flow_tree *t, struct span text, struct faults *f)
{
    struct faults as_json = {0};
    if (json_is(text, &as_json)) {
        return json_read(t, text, f);
    }
    struct faults as_yaml = {0};
    int rc = yaml_read(t, text, &as_yaml);
    const struct faults *said = rc < 0 && means_json(text) ? &as_json : &as_yaml;
    for (size_t i = 0; i < said->count; i++) {
        faults_add(f, said->at[i].at, span_text(said->at[i].path), "%s", said->at[i].text);
    }
    faults_release(&as_json);
    faults_release(&as_yaml);
    return rc;
}

int flow_tree_read(struct flow_tree *t, struct span text, struct faults *f)
{
    *t = (struct flow_tree){0};
    if (text.len > TREE_BYTES_MAX) {
        faults_add(f, (struct place_at){1, 1}, SPAN_LIT(""), "there are more than %zu bytes",
                   TREE_BYTES_MAX);
        return -1;
    }
    if (span_starts(text, SPAN_LIT("\xef\xbb\xbf"))) {
        text = span_of(text.at + 3, text.len - 3);
    }
    size_t bad;
    if (!text_is_utf8(text, &bad)) {
        faults_add(f, build_place(text, bad), SPAN_LIT(""), "this is not UTF-8");
        return -1;
    }
    int rc = begins_with_bracket(text) ? read_either(t, text, f) : yaml_read(t, text, f);
    if (rc < 0) {
        flow_tree_release(t);
    }
    return rc;
}

int flow_tree_load(struct buf *text, const char *file, struct err *e)
{
    bool from_input = strcmp(file, "-") == 0;
    int fd = from_input ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return err_system(e, errno, "cannot open %s", file);
    }
    struct reader r;
    reader_init(&r, fd, from_input ? "standard input" : file, NULL);
    r.owned = !from_input;
    int got;
    while ((got = reader_fill(&r, e)) > 0 && text->len <= TREE_BYTES_MAX) {
        struct span bytes = reader_bytes(&r);
        buf_add_span(text, bytes);
        reader_take(&r, bytes.len);
    }
    if (got > 0) {
        got = err_set(e, ERR_USAGE, "%s: there are more than %zu bytes", r.name, TREE_BYTES_MAX);
    }
    reader_release(&r);
    return got;
}

void flow_tree_release(struct flow_tree *t)
{
    arena_release(&t->arena);
    *t = (struct flow_tree){0};
}

const struct node *node_get(const struct node *map, const char *name)
{
    const struct node *found = NULL;
    if (map && map->kind == NODE_MAP) {
        struct span wanted = span_text(name);
        for (const struct node *n = map->child; n; n = n->next) {
            found = span_equal(n->key, wanted) ? n : found;
        }
    }
    return found;
}

bool node_is(const struct node *n, const char *text)
{
    return n && n->kind == NODE_STRING && span_equal(n->text, span_text(text));
}

bool node_truth(const struct node *n, bool otherwise)
{
    return n && n->kind == NODE_BOOL ? n->json.at[0] == 't' : otherwise;
}

const char *node_kind_name(enum node_kind kind)
{
    static const char *const names[] = {
        [NODE_NULL] = "null",       [NODE_BOOL] = "true or false", [NODE_NUMBER] = "a number",
        [NODE_STRING] = "a string", [NODE_LIST] = "a list",        [NODE_MAP] = "a map",
    };
    return names[kind];
}

void node_json(const struct node *n, struct buf *out)
{
    if (n->kind != NODE_LIST && n->kind != NODE_MAP) {
        buf_add_span(out, n->json);
        return;
    }
    buf_add_byte(out, n->kind == NODE_LIST ? '[' : '{');
    for (const struct node *child = n->child; child; child = child->next) {
        if (child != n->child) {
            buf_add_byte(out, ',');
        }
        if (n->kind == NODE_MAP) {
            buf_add_span(out, child->key_json);
            buf_add_byte(out, ':');
        }
        node_json(child, out);
    }
    buf_add_byte(out, n->kind == NODE_LIST ? ']' : '}');
}

static void add_token(struct buf *out, struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == '~' || name.at[i] == '/') {
            buf_add_text(out, name.at[i] == '~' ? "~0" : "~1");
        } else {
            buf_add_byte(out, name.at[i]);
        }
    }
}

void node_pointer(const struct node *n, struct buf *out)
{
    if (!n->parent) {
        return;
    }
    node_pointer(n->parent, out);
    buf_add_byte(out, '/');
    if (n->parent->kind == NODE_MAP) {
        add_token(out, n->key);
    } else {
        buf_add_u64(out, n->index);
    }
}
