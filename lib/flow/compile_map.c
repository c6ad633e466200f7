/* What a Map says, inline or distributed (reference/distributed-map.md 1.2 to 1.7, 2.2 to 2.8). */
#include "flow/compile.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* The member of N that has one of two names. */
static const struct node *either(const struct node *n, const char *name, const char *other)
{
    const struct node *m = node_get(n, name);
    return m ? m : node_get(n, other);
}

/* Is it one of those that only a distributed Map can have? */
static bool has_distributed_field(const struct node *n)
{
    static const char *const names[] = {"ItemReader",
                                        "ItemBatcher",
                                        "ResultWriter",
                                        "ToleratedFailureCount",
                                        "ToleratedFailureCountPath",
                                        "ToleratedFailurePercentage",
                                        "ToleratedFailurePercentagePath",
                                        "Label",
                                        NULL};
    bool has = false;
    for (size_t i = 0; names[i] && !has; i++) {
        has = node_get(n, names[i]) != NULL;
    }
    return has;
}

/* CloudFlow: whatever has a ProcessorConfig is distributed.  States Language: Mode says so. */
static void take_mode(const struct compile *c, struct state *s, const struct node *processor)
{
    struct map *m = &s->map;
    const struct node *config = node_get(s->node, "ProcessorConfig");
    if (!config) {
        config = node_get(processor, "ProcessorConfig");
    }
    const struct node *type = either(config, "ExecutionMode", "ExecutionType");
    bool stated = compile_is_cloudflow(c) ? node_get(config, "ExecutionMode") != NULL
                                          : node_is(node_get(config, "Mode"), "DISTRIBUTED");
    m->distributed = stated || has_distributed_field(s->node);
    m->standard = node_is(type, "Standard") || node_is(type, "STANDARD");
}

static int take_items(const struct compile *c, struct map *m, const struct node *n)
{
    const struct node *path = either(n, "ItemsPath", "Items");
    if (!path || node_get(n, "ItemReader")) {
        return 0; /* a reader makes the path mean nothing, whatever it is: 2.1 */
    }
    if (path->kind != NODE_STRING) {
        return compile_template(c, path, ROOTS_IN, &m->items);
    }
    struct path p;
    if (path_parse(&p, path->text, NULL) == 0) {
        m->items_path = p.root == PATH_INPUT ? path->text : SPAN_LIT("");
        path_release(&p);
    }
    return compile_expression(c, path, ROOTS_IN, &m->items);
}

static int take_constructor(const struct compile *c, struct map *m, const struct node *n)
{
    const struct node *shape = either(n, "ItemConstructor", "ItemSelector");
    if (!shape && !compile_is_cloudflow(c)) {
        shape = node_get(n, "Parameters"); /* what ItemSelector was called before */
    }
    if (!shape) {
        return 0;
    }
    m->constructor = compile_json(c, shape);
    return compile_template(c, shape, ROOTS_MAP, &m->construct);
}

static int take_reader(const struct compile *c, struct map *m)
{
    const struct node *where = either(m->reader, "SourceParameters", "Parameters");
    if (compile_setting(c, where, "Bucket", &m->bucket) < 0 ||
        compile_setting(c, where, "VersionId", &m->version) < 0 ||
        compile_setting(c, where, "Prefix", &m->prefix) < 0) {
        return -1;
    }
    return compile_setting(c, where, compile_is_cloudflow(c) ? "ObjectName" : "Key", &m->object);
}

static int take_batcher(const struct compile *c, struct map *m)
{
    const struct node *input = node_get(m->batcher, "BatchInput");
    if (input) {
        m->batch_input = compile_json(c, input);
    }
    if (compile_template(c, input, 1U << PATH_INPUT | 1U << PATH_CONTEXT, &m->batch) < 0) {
        return -1;
    }
    if (compile_setting(c, m->batcher, "MaxItemsPerBatch", &m->batch_items) < 0 ||
        compile_setting(c, m->batcher, "MaxInputBytesPerBatch", &m->batch_bytes) < 0) {
        return -1;
    }
    return m->batch_items || m->batch_bytes
               ? 0
               : compile_fail(c, m->batcher,
                              "a batcher needs MaxItemsPerBatch or MaxInputBytesPerBatch");
}

static int take_writer(const struct compile *c, struct map *m)
{
    const struct node *where = node_get(m->writer, "Parameters");
    if (!where) {
        return 0;
    }
    if (compile_setting(c, where, "Bucket", &m->out_bucket) < 0) {
        return -1;
    }
    if (!m->out_bucket) {
        return compile_fail(c, where, "where to? Bucket is missing");
    }
    return compile_setting(c, where, "Prefix", &m->out_prefix);
}

static int take_limits(const struct compile *c, struct map *m, const struct node *n)
{
    const struct node *config = node_get(m->reader, "ReaderConfig");
    setting *concurrency = &m->concurrency;
    if (compile_setting(c, n, "MaxConcurrency", concurrency) < 0 ||
        (!*concurrency && compile_setting(c, n, "MaxConcuccency", concurrency) < 0)) {
        return -1;
    }
    if (compile_setting(c, n, "MaxItems", &m->max_items) < 0 ||
        (!m->max_items && compile_setting(c, config, "MaxItems", &m->max_items) < 0)) {
        return -1;
    }
    if (compile_setting(c, n, "ToleratedFailureCount", &m->tolerated_count) < 0) {
        return -1;
    }
    return compile_setting(c, n, "ToleratedFailurePercentage", &m->tolerated_percentage);
}

int compile_map(const struct compile *c, struct state *s)
{
    struct map *m = &s->map;
    const struct node *n = s->node;
    const struct node *processor = either(n, "Processor", "ItemProcessor");
    const struct node *label = node_get(n, "Label");
    if (!processor) {
        processor = node_get(n, "Iterator");
    }
    if (!processor) {
        return compile_fail(c, n, "a Map needs %s",
                            compile_is_cloudflow(c) ? "a Processor" : "an ItemProcessor");
    }
    m->reader = node_get(n, "ItemReader");
    m->batcher = node_get(n, "ItemBatcher");
    m->writer = node_get(n, "ResultWriter");
    m->label = label && label->kind == NODE_STRING ? label->text : SPAN_LIT("");
    take_mode(c, s, processor);
    if (take_items(c, m, n) < 0 || take_constructor(c, m, n) < 0 ||
        (m->reader && take_reader(c, m) < 0) || (m->batcher && take_batcher(c, m) < 0) ||
        (m->writer && take_writer(c, m) < 0) || take_limits(c, m, n) < 0) {
        return -1;
    }
    s->scopes = mem_new(1, sizeof *s->scopes);
    s->scope_count = 1;
    return compile_scope(c, s->scopes, processor, s);
}

void map_release(struct map *m)
{
    struct template *const templates[] = {
        m->items,       m->construct,       m->concurrency,
        m->max_items,   m->tolerated_count, m->tolerated_percentage,
        m->bucket,      m->object,          m->version,
        m->prefix,      m->out_bucket,      m->out_prefix,
        m->batch_items, m->batch_bytes,     m->batch};
    for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
        template_free(templates[i]);
    }
}
