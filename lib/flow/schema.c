#include "flow/schema.h"

#include "flow/schema_parts.h"

static const char *const types[] = {
    [TABLE_PASS] = "Pass", [TABLE_CHOICE] = "Choice",     [TABLE_SUCCEED] = "Succeed",
    [TABLE_FAIL] = "Fail", [TABLE_TASK] = "Task",         [TABLE_WAIT] = "Wait",
    [TABLE_MAP] = "Map",   [TABLE_PARALLEL] = "Parallel", [STATE_TABLES] = NULL,
};

const struct field schema_scope[] = {
    {.name = "StartAt", .kind = FIELD_STATE, .flags = FIELD_NEEDED},
    {.name = "States", .kind = FIELD_STATES, .flags = FIELD_NEEDED},
    {0},
};

const struct field schema_onward[] = {
    {.name = "Next", .kind = FIELD_STATE},
    {.name = "End", .kind = FIELD_BOOL},
    {0},
};

enum dialect schema_dialect(const struct node *root)
{
    const struct node *states = node_get(root, "States");
    bool is_cloudflow = node_get(root, "SpecVersion") || node_get(root, "Type") ||
                        (states && states->kind == NODE_LIST);
    return is_cloudflow ? DIALECT_CLOUDFLOW : DIALECT_STATES;
}

const struct table *schema_definition(enum dialect d)
{
    return d == DIALECT_CLOUDFLOW ? &cloudflow_definition : &states_definition;
}

const struct table *schema_state(enum dialect d, struct span type)
{
    for (size_t i = 0; i < STATE_TABLES; i++) {
        if (span_equal(type, span_text(types[i]))) {
            return d == DIALECT_CLOUDFLOW ? &cloudflow_states[i] : &states_states[i];
        }
    }
    return NULL;
}

const char *const *schema_types(void)
{
    return types;
}

const struct field *table_find(const struct table *t, struct span name)
{
    for (size_t i = 0; i < TABLE_PARTS && t->parts[i]; i++) {
        for (const struct field *f = t->parts[i]; f->name; f++) {
            if (span_equal(name, span_text(f->name))) {
                return f;
            }
        }
    }
    return NULL;
}
