#include "flow/schema_parts.h"

/* CloudFlow: reference/distributed-map.md 1. */

static const char *const spec_versions[] = {"v1", NULL};
static const char *const machine_types[] = {"StateMachine", NULL};
static const char *const modes[] = {"Express", "Standard", NULL};
static const char *const task_modes[] = {"RequestComplete", "WaitForSystemCallback",
                                         "WaitForCustomCallback", NULL};
static const char *const sources[] = {"OSS_CSV", "OSS_JSON_LIST", "OSS_OBJECTS",
                                      "OSS_INVENTORY_FILES", NULL};

static const struct field description[] = {
    {.name = "Description", .kind = FIELD_TEXT, .other = "Comment"},
    {0},
};

static const struct field definition[] = {
    {.name = "Type", .kind = FIELD_WORD, .words = machine_types},
    {.name = "Name", .kind = FIELD_TEXT},
    {.name = "SpecVersion", .kind = FIELD_WORD, .words = spec_versions, .other = "Version"},
    {.name = "Timeout",
     .kind = FIELD_INTEGER,
     .other = "TimeoutSeconds",
     .min = 0,
     .max = SCHEMA_SECONDS_MAX},
    {0},
};

const struct table cloudflow_definition = {
    .what = "a definition",
    .parts = {definition, schema_scope, description},
    .other = &states_definition,
};

const struct table cloudflow_scope = {
    .what = "a branch",
    .parts = {schema_scope, description},
    .other = &states_scope,
};

/* ---- what all states have ---- */

static const struct field common[] = {
    {.name = "Name",
     .kind = FIELD_TEXT,
     .flags = FIELD_NEEDED,
     .other = "the name in States",
     .min = 1},
    {.name = "Type", .kind = FIELD_TEXT, .flags = FIELD_NEEDED},
    {.name = "Description", .kind = FIELD_TEXT, .other = "Comment"},
    {.name = "InputConstructor", .kind = FIELD_MAP_TEMPLATE, .other = "Parameters"},
    {.name = "OutputConstructor",
     .kind = FIELD_MAP_TEMPLATE,
     .roots = FIELD_ROOTS_OUT,
     .other = "ResultSelector"},
    {.name = "GlobalConstructor", .kind = FIELD_MAP_TEMPLATE, .roots = FIELD_ROOTS_OUT},
    {0},
};

static const struct field rescue[] = {
    {.name = "Retry", .kind = FIELD_MAPS, .inner = &cloudflow_retry},
    {.name = "Catch", .kind = FIELD_MAPS, .inner = &cloudflow_catch},
    {0},
};

static const struct field retry[] = {
    {.name = "Errors", .kind = FIELD_ERRORS, .flags = FIELD_NEEDED, .other = "ErrorEquals"},
    {.name = "MaxAttempts",
     .kind = FIELD_INTEGER,
     .flags = FIELD_NEEDED,
     .min = 0,
     .max = SCHEMA_SECONDS_MAX},
    {.name = "IntervalSeconds",
     .kind = FIELD_NUMBER,
     .flags = FIELD_NEEDED,
     .min = 0,
     .max = SCHEMA_DAY},
    {.name = "BackoffRate", .kind = FIELD_NUMBER, .min = 1, .max = 1000},
    {.name = "MaxBackoffSeconds",
     .kind = FIELD_NUMBER,
     .other = "MaxDelaySeconds",
     .min = 0,
     .max = SCHEMA_DAY},
    {0},
};

const struct table cloudflow_retry = {
    .what = "a Retry rule",
    .parts = {retry, description},
    .also = also_retry,
    .other = &states_retry,
};

static const struct field catch[] = {
    {.name = "Errors", .kind = FIELD_ERRORS, .flags = FIELD_NEEDED, .other = "ErrorEquals"},
    {.name = "OutputConstructor",
     .kind = FIELD_MAP_TEMPLATE,
     .roots = FIELD_ROOTS_OUT,
     .other = "ResultPath"},
    {.name = "Next", .kind = FIELD_STATE, .flags = FIELD_NEEDED},
    {0},
};

const struct table cloudflow_catch = {
    .what = "a Catch rule",
    .parts = {catch, description},
    .other = &states_catch,
};

/* ---- states ---- */

static const struct field choice[] = {
    {.name = "Branches",
     .kind = FIELD_MAPS,
     .flags = FIELD_NEEDED,
     .inner = &cloudflow_choice,
     .other = "Choices"},
    {.name = "Default", .kind = FIELD_STATE, .flags = FIELD_NEEDED},
    {0},
};

static const struct field choice_branch[] = {
    {.name = "Condition", .kind = FIELD_EXPRESSION, .flags = FIELD_NEEDED, .other = "Variable"},
    {.name = "Next", .kind = FIELD_STATE, .flags = FIELD_NEEDED},
    {0},
};

const struct table cloudflow_choice = {
    .what = "a branch of a Choice",
    .parts = {choice_branch, description},
    .other = &states_choice,
};

static const struct field ending[] = {
    {.name = "End", .kind = FIELD_BOOL},
    {0},
};

static const struct field failure[] = {
    {.name = "Code", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC, .other = "Error"},
    {.name = "Detail", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC, .other = "Cause"},
    {.name = "End", .kind = FIELD_BOOL},
    {0},
};

static const struct field task[] = {
    {.name = "Action", .kind = FIELD_TEXT, .other = "Resource", .min = 1, .only = 'a'},
    {.name = "Command", .kind = FIELD_COMMAND, .only = 'a'},
    {.name = "TaskMode", .kind = FIELD_WORD, .words = task_modes},
    {.name = "Parameters", .kind = FIELD_TEMPLATE},
    {.name = "Timeout",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC | FIELD_AS_TEXT,
     .other = "TimeoutSeconds",
     .min = 0,
     .max = SCHEMA_SECONDS_MAX},
    {.name = "Retry", .kind = FIELD_MAPS, .inner = &cloudflow_retry},
    {.name = "Catch", .kind = FIELD_MAPS, .inner = &cloudflow_catch},
    {0},
};

static const struct field pause[] = {
    {.name = "Seconds",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .min = 0,
     .max = SCHEMA_SECONDS_MAX,
     .only = 'w'},
    {.name = "UntilDateTime",
     .kind = FIELD_TIME,
     .flags = FIELD_DYNAMIC,
     .other = "Timestamp",
     .only = 'w'},
    {0},
};

static const struct field parallel[] = {
    {.name = "Branches",
     .kind = FIELD_SCOPES,
     .flags = FIELD_NEEDED,
     .inner = &cloudflow_scope,
     .max = SCHEMA_BRANCHES_MAX},
    {0},
};

static const struct field map[] = {
    {.name = "ItemsPath", .kind = FIELD_EXPRESSION, .roots = FIELD_ROOTS_ITEMS},
    {.name = "ItemReader", .kind = FIELD_MAP, .inner = &cloudflow_reader},
    {.name = "ItemConstructor",
     .kind = FIELD_TEMPLATE,
     .roots = FIELD_ROOTS_ITEM,
     .other = "ItemSelector"},
    {.name = "ItemBatcher", .kind = FIELD_MAP, .inner = &cloudflow_batcher},
    {.name = "ResultWriter", .kind = FIELD_MAP, .inner = &cloudflow_writer},
    {.name = "MaxConcurrency",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .max = INT32_MAX,
     .only = 'c'},
    {.name = "MaxConcuccency", /* as the original's table spells it */
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .max = INT32_MAX,
     .other = "MaxConcurrency",
     .only = 'c'},
    {.name = "MaxItems",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .other = "ReaderConfig.MaxItems",
     .max = INT64_MAX},
    {.name = "ToleratedFailurePercentage",
     .kind = FIELD_NUMBER,
     .flags = FIELD_DYNAMIC,
     .max = 100},
    {.name = "ToleratedFailureCount",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .max = INT64_MAX},
    {.name = "Processor",
     .kind = FIELD_SCOPE,
     .flags = FIELD_NEEDED,
     .inner = &cloudflow_processor,
     .other = "ItemProcessor"},
    {.name = "ProcessorConfig",
     .kind = FIELD_MAP,
     .inner = &cloudflow_processor_config,
     .other = "ItemProcessor.ProcessorConfig"},
    {.name = "Retry", .kind = FIELD_MAPS, .inner = &cloudflow_retry},
    {.name = "Catch", .kind = FIELD_MAPS, .inner = &cloudflow_catch},
    {0},
};

const struct table cloudflow_states[STATE_TABLES] = {
    [TABLE_PASS] = {.what = "a Pass state",
                    .parts = {common, schema_onward},
                    .other = &states_states[TABLE_PASS]},
    [TABLE_CHOICE] = {.what = "a Choice state",
                      .parts = {common, choice},
                      .other = &states_states[TABLE_CHOICE]},
    [TABLE_SUCCEED] = {.what = "a Succeed state",
                       .parts = {common, ending},
                       .other = &states_states[TABLE_SUCCEED]},
    [TABLE_FAIL] = {.what = "a Fail state",
                    .parts = {common, failure},
                    .other = &states_states[TABLE_FAIL]},
    [TABLE_TASK] = {.what = "a Task state",
                    .parts = {common, schema_onward, task},
                    .needs = {{"Action", "Command"}},
                    .also = also_task,
                    .other = &states_states[TABLE_TASK]},
    [TABLE_WAIT] = {.what = "a Wait state",
                    .parts = {common, schema_onward, pause},
                    .needs = {{"Seconds", "UntilDateTime"}},
                    .other = &states_states[TABLE_WAIT]},
    [TABLE_PARALLEL] = {.what = "a Parallel state",
                        .parts = {common, schema_onward, rescue, parallel},
                        .other = &states_states[TABLE_PARALLEL]},
    [TABLE_MAP] = {.what = "a Map state",
                   .parts = {common, schema_onward, map},
                   .needs = {{"ItemsPath", "ItemReader"}},
                   .other = &states_states[TABLE_MAP]},
};

/* ---- the parts of a Map ---- */

static const struct field processor_config[] = {
    {.name = "ExecutionMode",
     .kind = FIELD_WORD,
     .flags = FIELD_NEEDED,
     .words = modes,
     .other = "ExecutionType"},
    {0},
};

const struct table cloudflow_processor = {
    .what = "Processor",
    .parts = {schema_scope, description},
    .other = &states_processor,
};

const struct table cloudflow_processor_config = {
    .what = "ProcessorConfig",
    .parts = {processor_config},
    .other = &states_processor_config,
};

static const struct field reader[] = {
    {.name = "SourceType",
     .kind = FIELD_WORD,
     .flags = FIELD_NEEDED,
     .words = sources,
     .other = "Resource"},
    {.name = "SourceParameters",
     .kind = FIELD_MAP,
     .flags = FIELD_NEEDED,
     .inner = &cloudflow_reader_where,
     .other = "Parameters"},
    {.name = "ReaderConfig", .kind = FIELD_MAP, .inner = &cloudflow_reader_config},
    {0},
};

const struct table cloudflow_reader = {
    .what = "ItemReader",
    .parts = {reader},
    .also = also_cloudflow_reader,
    .other = &states_reader,
};

static const struct field reader_where[] = {
    {.name = "Bucket", .kind = FIELD_TEXT, .flags = FIELD_NEEDED | FIELD_DYNAMIC, .min = 1},
    {.name = "ObjectName", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC, .other = "Key", .min = 1},
    {.name = "Prefix", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC},
    {0},
};

const struct table cloudflow_reader_where = {
    .what = "SourceParameters",
    .parts = {reader_where},
    .other = &states_reader_where,
};

static const struct field reader_config[] = {
    {.name = "CSVHeaders", .kind = FIELD_TEXTS},
    {0},
};

const struct table cloudflow_reader_config = {
    .what = "ReaderConfig",
    .parts = {reader_config},
    .other = &states_reader_config,
};

static const struct field batcher[] = {
    {.name = "MaxItemsPerBatch",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .min = 1,
     .max = INT64_MAX},
    {.name = "MaxInputBytesPerBatch",
     .kind = FIELD_INTEGER,
     .flags = FIELD_DYNAMIC,
     .min = 1,
     .max = INT64_MAX},
    {.name = "BatchInput", .kind = FIELD_MAP_TEMPLATE, .roots = FIELD_ROOTS_ITEMS},
    {0},
};

const struct table cloudflow_batcher = {
    .what = "ItemBatcher",
    .parts = {batcher},
    .needs = {{"MaxItemsPerBatch", "MaxInputBytesPerBatch"}},
    .other = &states_batcher,
};

static const struct field writer[] = {
    {.name = "Parameters",
     .kind = FIELD_MAP,
     .flags = FIELD_NEEDED,
     .inner = &cloudflow_writer_where},
    {0},
};

const struct table cloudflow_writer = {
    .what = "ResultWriter",
    .parts = {writer},
    .other = &states_writer,
};

static const struct field writer_where[] = {
    {.name = "Bucket", .kind = FIELD_TEXT, .flags = FIELD_NEEDED | FIELD_DYNAMIC, .min = 1},
    {.name = "Prefix", .kind = FIELD_TEXT, .flags = FIELD_NEEDED | FIELD_DYNAMIC},
    {0},
};

const struct table cloudflow_writer_where = {
    .what = "Parameters",
    .parts = {writer_where},
    .other = &states_writer_where,
};
