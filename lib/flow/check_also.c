#include "expr/value.h"
#include "flow/check_parts.h"
#include "flow/schema_parts.h"
#include "run/policy.h"

static bool ends_in(const struct node *n, const char *end)
{
    size_t len = strlen(end);
    return n && n->kind == NODE_STRING && n->text.len >= len &&
           memcmp(n->text.at + n->text.len - len, end, len) == 0;
}

/* The member NAME of MAP has no effect, for the reason WHY. */
static void refuse(struct check *c, const struct node *map, const char *name, const char *why)
{
    const struct node *n = node_get(map, name);
    if (n) {
        tell_name(c->faults, n, "%s means nothing here: %s", name, why);
    }
}

static const struct node *get_either(const struct node *map, const char *name, const char *other)
{
    const struct node *n = node_get(map, name);
    return n ? n : node_get(map, other);
}

static void demand(struct check *c, const struct node *map, const char *name, const char *other,
                   const char *what)
{
    if (map && map->kind == NODE_MAP && !get_either(map, name, other)) {
        tell_value(c->faults, map, "%s must have %s", what, name);
    }
}

/* A whole number below another: where both are stated outright. */
static void check_below(struct check *c, const struct node *map, const char *less, const char *more)
{
    const struct node *a = node_get(map, less);
    const struct node *b = node_get(map, more);
    if (a && b && a->kind == NODE_NUMBER && b->kind == NODE_NUMBER &&
        value_compare_numbers(a->json, b->json) >= 0) {
        tell_value(c->faults, a, "%s must be less than %s", less, more);
    }
}

void also_task(struct check *c, const struct node *map)
{
    const struct node *mode = node_get(map, "TaskMode");
    const struct node *resource = node_get(map, "Resource");
    check_below(c, map, "HeartbeatSeconds", "TimeoutSeconds");
    if (node_is(mode, "WaitForSystemCallback") || node_is(mode, "WaitForCustomCallback") ||
        ends_in(resource, ".waitForTaskToken")) {
        tell_value(c->faults, mode ? mode : resource,
                   "nobody calls back here: a task is done when its command is");
    }
}

/* An inline Map is none of a Map Run: reference/distributed-map.md 2. */
void also_map(struct check *c, const struct node *map)
{
    static const char *const names[] = {
        "ItemReader",
        "ItemBatcher",
        "ResultWriter",
        "ToleratedFailureCount",
        "ToleratedFailurePercentage",
        "Label",
    };
    const struct node *processor = get_either(map, "ItemProcessor", "Iterator");
    const struct node *mode = node_get(node_get(processor, "ProcessorConfig"), "Mode");
    for (size_t i = 0; node_is(mode, "INLINE") && i < sizeof names / sizeof *names; i++) {
        refuse(c, map, names[i], "the Mode is INLINE");
    }
}

void also_cloudflow_reader(struct check *c, const struct node *map)
{
    const struct node *type = node_get(map, "SourceType");
    const struct node *where = node_get(map, "SourceParameters");
    const struct node *config = node_get(map, "ReaderConfig");
    bool reads = node_is(type, "OSS_CSV") || node_is(type, "OSS_JSON_LIST") ||
                 node_is(type, "OSS_INVENTORY_FILES");
    if (!reads && !node_is(type, "OSS_OBJECTS")) {
        return;
    }
    if (!reads) {
        refuse(c, where, "ObjectName", "OSS_OBJECTS lists what begins with Prefix");
        refuse(c, where, "ObjectName.$", "OSS_OBJECTS lists what begins with Prefix");
    } else {
        demand(c, where, "ObjectName", "ObjectName.$", "SourceParameters");
        refuse(c, where, "Prefix", "one object is read");
        refuse(c, where, "Prefix.$", "one object is read");
    }
    if (!node_is(type, "OSS_CSV")) {
        refuse(c, config, "CSVHeaders", "no CSV is read");
    }
}

static void check_csv(struct check *c, const struct node *config)
{
    const struct node *location = node_get(config, "CSVHeaderLocation");
    if (node_is(node_get(config, "InputType"), "CSV")) {
        demand(c, config, "CSVHeaderLocation", "CSVHeaderLocation", "a ReaderConfig for CSV");
        if (node_is(location, "GIVEN")) {
            demand(c, config, "CSVHeaders", "CSVHeaders", "a ReaderConfig with GIVEN headers");
        } else if (location) {
            refuse(c, config, "CSVHeaders", "the headers are in the first row");
        }
        return;
    }
    refuse(c, config, "CSVHeaderLocation", "no CSV is read");
    refuse(c, config, "CSVHeaders", "no CSV is read");
    refuse(c, config, "CSVDelimiter", "no CSV is read");
}

/* A reader that reads the one object Key. */
static void check_object(struct check *c, const struct node *map, const struct node *where,
                         const struct node *config)
{
    demand(c, where, "Key", "Key.$", "Parameters");
    demand(c, config ? config : map, config ? "InputType" : "ReaderConfig", "",
           config ? "ReaderConfig" : "an ItemReader that reads an object");
    refuse(c, where, "Prefix", "one object is read");
    refuse(c, where, "Prefix.$", "one object is read");
    if (node_is(node_get(config, "Transformation"), "LOAD_AND_FLATTEN")) {
        refuse(c, config, "Transformation", "one object is read");
    }
}

/* A reader that lists what begins with Prefix, and perhaps reads that. */
static void check_listing(struct check *c, const struct node *where, const struct node *config)
{
    const char *const names[] = {"Key", "Key.$", "VersionId", "VersionId.$"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        refuse(c, where, names[i], "objects are listed");
    }
    if (!node_is(node_get(config, "Transformation"), "LOAD_AND_FLATTEN")) {
        refuse(c, config, "InputType", "objects are listed, not read");
        return;
    }
    demand(c, config, "InputType", "", "a ReaderConfig with LOAD_AND_FLATTEN");
    if (node_is(node_get(config, "InputType"), "MANIFEST")) {
        tell_value(c->faults, node_get(config, "InputType"),
                   "LOAD_AND_FLATTEN reads CSV, JSON or JSONL");
    }
}

void also_states_reader(struct check *c, const struct node *map)
{
    const struct node *resource = node_get(map, "Resource");
    const struct node *where = node_get(map, "Parameters");
    const struct node *config = node_get(map, "ReaderConfig");
    bool lists = ends_in(resource, ":s3:listObjectsV2");
    if (!lists && !ends_in(resource, ":s3:getObject")) {
        if (resource && resource->kind == NODE_STRING) {
            tell_value(c->faults, resource,
                       "Resource must end in :s3:getObject or :s3:listObjectsV2");
        }
        return;
    }
    if (lists) {
        check_listing(c, where, config);
    } else {
        check_object(c, map, where, config);
    }
    check_csv(c, config);
    if (!node_is(node_get(config, "InputType"), "JSON")) {
        refuse(c, config, "ItemsPointer", "no JSON document is read");
    }
    if (!node_is(node_get(config, "InputType"), "MANIFEST")) {
        refuse(c, config, "ManifestType", "no manifest is read");
    }
}

void also_states_writer(struct check *c, const struct node *map)
{
    const struct node *resource = node_get(map, "Resource");
    const struct node *where = node_get(map, "Parameters");
    if (resource && resource->kind == NODE_STRING && !ends_in(resource, ":s3:putObject")) {
        tell_value(c->faults, resource, "Resource must end in :s3:putObject");
    }
    if (!resource != !where) {
        tell_value(c->faults, map, "Resource and Parameters of a ResultWriter go together");
    }
}

/* What maprun's policy does not take either: numbers too fine for a clock. */
void also_retry(struct check *c, const struct node *map)
{
    check_below(c, map, "IntervalSeconds", "MaxDelaySeconds");
    if (c->faults_before < c->faults->count) {
        return;
    }
    struct retry_policy policy = {0};
    struct buf rules = {0};
    struct err e = {0};
    buf_add_byte(&rules, '[');
    node_json(map, &rules);
    buf_add_byte(&rules, ']');
    if (policy_add(&policy, buf_span(&rules), &e) < 0) {
        tell_value(c->faults, map, "%s", e.text);
    }
    retry_release(&policy);
    buf_release(&rules);
}

/* Does RULE catch any error?  *STANDS_ALONE: it names nothing else. */
static bool takes_all(const struct node *rule, bool *stands_alone)
{
    const struct node *errors = get_either(rule, "Errors", "ErrorEquals");
    *stands_alone = errors && errors->count == 1;
    for (const struct node *n = errors ? errors->child : NULL; n; n = n->next) {
        if (node_is(n, "States.ALL") || node_is(n, "FnF.ALL") || node_is(n, "*")) {
            return true;
        }
    }
    return false;
}

/* States Language Specification, "Errors": the wildcard stands alone, and in the last rule. */
void check_order(struct check *c, const struct node *list)
{
    if (list->kind != NODE_LIST) {
        return;
    }
    for (const struct node *rule = list->child; rule; rule = rule->next) {
        bool stands_alone;
        if (!takes_all(rule, &stands_alone)) {
            continue;
        }
        if (!stands_alone) {
            tell_value(c->faults, get_either(rule, "Errors", "ErrorEquals"),
                       "the name for all errors must stand alone");
        }
        if (rule->next) {
            tell_value(c->faults, rule->next,
                       "no error comes as far as this rule: the one before it takes all");
            return;
        }
    }
}
