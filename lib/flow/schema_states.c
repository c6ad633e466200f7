#include "flow/schema_parts.h"

/* The Amazon States Language: reference/distributed-map.md 2, and its specification. */

static const char *const languages[] = {"JSONPath", NULL};
static const char *const modes[] = {"INLINE", "DISTRIBUTED", NULL};
static const char *const types[] = {"EXPRESS", "STANDARD", NULL};
static const char *const jitters[] = {"FULL", "NONE", NULL};
static const char *const inputs[] = {"CSV", "JSON", "JSONL", "MANIFEST", NULL};
static const char *const locations[] = {"FIRST_ROW", "GIVEN", NULL};
static const char *const delimiters[] = {"COMMA", "PIPE", "SEMICOLON", "SPACE", "TAB", NULL};
static const char *const flattenings[] = {"NONE", "LOAD_AND_FLATTEN", NULL};
static const char *const manifests[] = {"S3_INVENTORY", NULL};
static const char *const shapes[] = {"NONE", "COMPACT", "FLATTEN", NULL};
static const char *const outputs[] = {"JSON", "JSONL", NULL};

#define NO_JSONATA   "it belongs to JSONata; JSONPath is the language here"
#define NO_VARIABLES "there are no variables here; ResultPath keeps a result in the data"

static const struct field comment[] = {
    {.name = "Comment", .kind = FIELD_TEXT, .other = "Description"},
    {0},
};

static const struct field definition[] = {
    {.name = "Version", .kind = FIELD_TEXT, .other = "SpecVersion"},
    {.name = "TimeoutSeconds",
     .kind = FIELD_INTEGER,
     .other = "Timeout",
     .min = 1,
     .max = SCHEMA_SECONDS_MAX},
    {.name = "QueryLanguage", .kind = FIELD_WORD, .words = languages},
    {0},
};

const struct table states_definition = {
    .what = "a definition",
    .parts = {definition, schema_scope, comment},
    .other = &cloudflow_definition,
};

const struct table states_scope = {
    .what = "a branch",
    .parts = {schema_scope, comment},
    .other = &cloudflow_scope,
};

/* ---- what states have ---- */

static const struct field basic[] = {
    {.name = "Type", .kind = FIELD_TEXT, .flags = FIELD_NEEDED},
    {.name = "Comment", .kind = FIELD_TEXT, .other = "Description"},
    {.name = "QueryLanguage", .kind = FIELD_WORD, .words = languages},
    {.name = "Assign", .kind = FIELD_REFUSED, .other = "GlobalConstructor", .why = NO_VARIABLES},
    {.name = "Output", .kind = FIELD_REFUSED, .other = "OutputConstructor", .why = NO_JSONATA},
    {.name = "InputPath", .kind = FIELD_PATH, .flags = FIELD_NULLABLE, .other = "InputConstructor"},
    {.name = "OutputPath",
     .kind = FIELD_PATH,
     .flags = FIELD_NULLABLE,
     .other = "OutputConstructor"},
    {0},
};

#define PARAMETERS                                                                                 \
    {                                                                                              \
        .name = "Parameters", .kind = FIELD_TEMPLATE, .other = "InputConstructor"                  \
    }
#define RESULT_PATH                                                                                \
    {                                                                                              \
        .name = "ResultPath", .kind = FIELD_PLACE, .flags = FIELD_NULLABLE,                        \
        .other = "OutputConstructor"                                                               \
    }
#define RESULT_SELECTOR                                                                            \
    {                                                                                              \
        .name = "ResultSelector", .kind = FIELD_TEMPLATE, .other = "OutputConstructor"             \
    }
#define RETRY                                                                                      \
    {                                                                                              \
        .name = "Retry", .kind = FIELD_MAPS, .inner = &states_retry                                \
    }
#define CATCH                                                                                      \
    {                                                                                              \
        .name = "Catch", .kind = FIELD_MAPS, .inner = &states_catch                                \
    }
#define ARGUMENTS                                                                                  \
    {                                                                                              \
        .name = "Arguments", .kind = FIELD_REFUSED, .other = "Parameters", .why = NO_JSONATA       \
    }

static const struct field retry[] = {
    {.name = "ErrorEquals", .kind = FIELD_ERRORS, .flags = FIELD_NEEDED, .other = "Errors"},
    {.name = "MaxAttempts", .kind = FIELD_INTEGER, .min = 0, .max = SCHEMA_SECONDS_MAX},
    {.name = "IntervalSeconds", .kind = FIELD_INTEGER, .min = 1, .max = SCHEMA_SECONDS_MAX},
    {.name = "BackoffRate", .kind = FIELD_NUMBER, .min = 1, .max = 1000},
    {.name = "MaxDelaySeconds",
     .kind = FIELD_INTEGER,
     .other = "MaxBackoffSeconds",
     .min = 1,
     .max = SCHEMA_DELAY_MAX},
    {.name = "JitterStrategy", .kind = FIELD_WORD, .words = jitters},
    {0},
};

const struct table states_retry = {
    .what = "a Retry rule",
    .parts = {retry, comment},
    .also = also_retry,
    .other = &cloudflow_retry,
};

static const struct field catch[] = {
    {.name = "ErrorEquals", .kind = FIELD_ERRORS, .flags = FIELD_NEEDED, .other = "Errors"},
    {.name = "Next", .kind = FIELD_STATE, .flags = FIELD_NEEDED},
    {.name = "Assign", .kind = FIELD_REFUSED, .why = NO_VARIABLES},
    {.name = "Output", .kind = FIELD_REFUSED, .other = "OutputConstructor", .why = NO_JSONATA},
    RESULT_PATH,
    {0},
};

const struct table states_catch = {
    .what = "a Catch rule",
    .parts = {catch, comment},
    .other = &cloudflow_catch,
};

/* ---- states ---- */

static const struct field pass[] = {
    {.name = "Result", .kind = FIELD_VALUE, .other = "OutputConstructor"},
    PARAMETERS,
    RESULT_PATH,
    {0},
};

static const struct field choice[] = {
    {.name = "Choices", .kind = FIELD_RULES, .flags = FIELD_NEEDED, .other = "Branches"},
    {.name = "Default", .kind = FIELD_STATE},
    {0},
};

/* Beside the rule itself. */
static const struct field choice_rule[] = {
    {.name = "Variable", .kind = FIELD_PATH, .other = "Condition"},
    {.name = "Next", .kind = FIELD_STATE, .flags = FIELD_NEEDED},
    {.name = "Assign", .kind = FIELD_REFUSED, .why = NO_VARIABLES},
    {.name = "Output", .kind = FIELD_REFUSED, .why = NO_JSONATA},
    {.name = "Condition", .kind = FIELD_REFUSED, .why = NO_JSONATA},
    {0},
};

const struct table states_choice = {
    .what = "a Choice rule",
    .parts = {choice_rule, comment},
    .other = &cloudflow_choice,
};

static const struct field failure[] = {
    {.name = "Type", .kind = FIELD_TEXT, .flags = FIELD_NEEDED},
    {.name = "Comment", .kind = FIELD_TEXT, .other = "Description"},
    {.name = "QueryLanguage", .kind = FIELD_WORD, .words = languages},
    {.name = "Error", .kind = FIELD_TEXT, .flags = FIELD_BY_PATH, .other = "Code"},
    {.name = "Cause", .kind = FIELD_TEXT, .flags = FIELD_BY_PATH, .other = "Detail"},
    {0},
};

static const struct field task[] = {
    {.name = "Resource", .kind = FIELD_TEXT, .other = "Action", .min = 1, .only = 'a'},
    {.name = "Command", .kind = FIELD_COMMAND, .only = 'a'},
    {.name = "Credentials", .kind = FIELD_REFUSED, .why = "a command has those of its user"},
    {.name = "TimeoutSeconds",
     .kind = FIELD_INTEGER,
     .flags = FIELD_BY_PATH,
     .other = "Timeout",
     .min = 1,
     .max = SCHEMA_SECONDS_MAX},
    {.name = "HeartbeatSeconds",
     .kind = FIELD_INTEGER,
     .flags = FIELD_BY_PATH,
     .min = 1,
     .max = SCHEMA_SECONDS_MAX},
    PARAMETERS,
    ARGUMENTS,
    RESULT_SELECTOR,
    RESULT_PATH,
    RETRY,
    CATCH,
    {0},
};

static const struct field pause[] = {
    {.name = "Seconds",
     .kind = FIELD_INTEGER,
     .flags = FIELD_BY_PATH,
     .min = 0,
     .max = SCHEMA_SECONDS_MAX,
     .only = 'w'},
    {.name = "Timestamp",
     .kind = FIELD_TIME,
     .flags = FIELD_BY_PATH,
     .other = "UntilDateTime",
     .only = 'w'},
    {0},
};

static const struct field parallel[] = {
    {.name = "Branches",
     .kind = FIELD_SCOPES,
     .flags = FIELD_NEEDED,
     .inner = &states_scope,
     .max = SCHEMA_BRANCHES_MAX},
    PARAMETERS,
    ARGUMENTS,
    RESULT_SELECTOR,
    RESULT_PATH,
    RETRY,
    CATCH,
    {0},
};

static const struct field map[] = {
    {.name = "ItemsPath", .kind = FIELD_PATH, .only = 'i'},
    {.name = "Items",
     .kind = FIELD_ITEMS,
     .roots = FIELD_ROOTS_ITEMS,
     .other = "ItemsPath",
     .only = 'i'},
    {.name = "ItemReader", .kind = FIELD_MAP, .inner = &states_reader},
    {.name = "ItemSelector",
     .kind = FIELD_TEMPLATE,
     .roots = FIELD_ROOTS_ITEM,
     .other = "ItemConstructor",
     .only = 's'},
    {.name = "Parameters", /* what ItemSelector was called before */
     .kind = FIELD_TEMPLATE,
     .roots = FIELD_ROOTS_ITEM,
     .other = "ItemConstructor",
     .only = 's'},
    {.name = "ItemBatcher", .kind = FIELD_MAP, .inner = &states_batcher},
    {.name = "ResultWriter", .kind = FIELD_MAP, .inner = &states_writer},
    {.name = "MaxConcurrency", .kind = FIELD_INTEGER, .flags = FIELD_BY_PATH, .max = INT32_MAX},
    {.name = "ToleratedFailurePercentage",
     .kind = FIELD_NUMBER,
     .flags = FIELD_BY_PATH,
     .max = 100},
    {.name = "ToleratedFailureCount",
     .kind = FIELD_INTEGER,
     .flags = FIELD_BY_PATH,
     .max = INT64_MAX},
    {.name = "Label", .kind = FIELD_LABEL},
    {.name = "ItemProcessor",
     .kind = FIELD_SCOPE,
     .inner = &states_processor,
     .other = "Processor",
     .only = 'p'},
    {.name = "Iterator", /* what ItemProcessor was called before */
     .kind = FIELD_SCOPE,
     .inner = &states_processor,
     .other = "Processor",
     .only = 'p'},
    RESULT_SELECTOR,
    RESULT_PATH,
    RETRY,
    CATCH,
    {0},
};

const struct table states_states[STATE_TABLES] = {
    [TABLE_PASS] = {.what = "a Pass state",
                    .parts = {basic, schema_onward, pass},
                    .other = &cloudflow_states[TABLE_PASS]},
    [TABLE_CHOICE] = {.what = "a Choice state",
                      .parts = {basic, choice},
                      .other = &cloudflow_states[TABLE_CHOICE]},
    [TABLE_SUCCEED] = {.what = "a Succeed state",
                       .parts = {basic},
                       .other = &cloudflow_states[TABLE_SUCCEED]},
    [TABLE_FAIL] = {.what = "a Fail state",
                    .parts = {failure},
                    .other = &cloudflow_states[TABLE_FAIL]},
    [TABLE_TASK] = {.what = "a Task state",
                    .parts = {basic, schema_onward, task},
                    .needs = {{"Resource", "Command"}},
                    .also = also_task,
                    .other = &cloudflow_states[TABLE_TASK]},
    [TABLE_WAIT] = {.what = "a Wait state",
                    .parts = {basic, schema_onward, pause},
                    .needs = {{"Seconds", "Timestamp"}},
                    .other = &cloudflow_states[TABLE_WAIT]},
    [TABLE_PARALLEL] = {.what = "a Parallel state",
                        .parts = {basic, schema_onward, parallel},
                        .other = &cloudflow_states[TABLE_PARALLEL]},
    [TABLE_MAP] = {.what = "a Map state",
                   .parts = {basic, schema_onward, map},
                   .needs = {{"ItemProcessor", "Iterator"}},
                   .also = also_map,
                   .other = &cloudflow_states[TABLE_MAP]},
};

/* ---- the parts of a Map ---- */

static const struct field processor[] = {
    {.name = "ProcessorConfig",
     .kind = FIELD_MAP,
     .inner = &states_processor_config,
     .other = "a field of the Map"},
    {0},
};

const struct table states_processor = {
    .what = "ItemProcessor",
    .parts = {processor, schema_scope, comment},
    .other = &cloudflow_processor,
};

static const struct field processor_config[] = {
    {.name = "Mode", .kind = FIELD_WORD, .words = modes},
    {.name = "ExecutionType", .kind = FIELD_WORD, .words = types, .other = "ExecutionMode"},
    {0},
};

const struct table states_processor_config = {
    .what = "ProcessorConfig",
    .parts = {processor_config},
    .other = &cloudflow_processor_config,
};

static const struct field reader[] = {
    {.name = "Resource", .kind = FIELD_TEXT, .flags = FIELD_NEEDED, .other = "SourceType"},
    {.name = "Parameters",
     .kind = FIELD_MAP,
     .flags = FIELD_NEEDED,
     .inner = &states_reader_where,
     .other = "SourceParameters"},
    ARGUMENTS,
    {.name = "ReaderConfig", .kind = FIELD_MAP, .inner = &states_reader_config},
    {0},
};

const struct table states_reader = {
    .what = "ItemReader",
    .parts = {reader},
    .also = also_states_reader,
    .other = &cloudflow_reader,
};

static const struct field reader_where[] = {
    {.name = "Bucket", .kind = FIELD_TEXT, .flags = FIELD_NEEDED | FIELD_DYNAMIC, .min = 1},
    {.name = "Key", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC, .other = "ObjectName", .min = 1},
    {.name = "VersionId", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC, .min = 1},
    {.name = "Prefix", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC},
    {0},
};

const struct table states_reader_where = {
    .what = "Parameters",
    .parts = {reader_where},
    .other = &cloudflow_reader_where,
};

static const struct field reader_config[] = {
    {.name = "InputType", .kind = FIELD_WORD, .words = inputs, .other = "SourceType"},
    {.name = "CSVHeaderLocation", .kind = FIELD_WORD, .words = locations},
    {.name = "CSVHeaders", .kind = FIELD_TEXTS},
    {.name = "CSVDelimiter", .kind = FIELD_WORD, .words = delimiters},
    {.name = "MaxItems", .kind = FIELD_INTEGER, .flags = FIELD_BY_PATH, .max = SCHEMA_ITEMS_MAX},
    {.name = "ItemsPointer", .kind = FIELD_POINTER},
    {.name = "Transformation", .kind = FIELD_WORD, .words = flattenings},
    {.name = "ManifestType", .kind = FIELD_WORD, .words = manifests},
    {0},
};

const struct table states_reader_config = {
    .what = "ReaderConfig",
    .parts = {reader_config},
    .other = &cloudflow_reader_config,
};

static const struct field batcher[] = {
    {.name = "MaxItemsPerBatch",
     .kind = FIELD_INTEGER,
     .flags = FIELD_BY_PATH | FIELD_AS_TEXT,
     .min = 1,
     .max = INT64_MAX},
    {.name = "MaxInputBytesPerBatch",
     .kind = FIELD_INTEGER,
     .flags = FIELD_BY_PATH | FIELD_AS_TEXT,
     .min = 1,
     .max = 262144},
    {.name = "BatchInput", .kind = FIELD_MAP_TEMPLATE, .roots = FIELD_ROOTS_ITEMS},
    {0},
};

const struct table states_batcher = {
    .what = "ItemBatcher",
    .parts = {batcher},
    .needs = {{"MaxItemsPerBatch", "MaxInputBytesPerBatch"}},
    .other = &cloudflow_batcher,
};

static const struct field writer_config[] = {
    {.name = "Transformation", .kind = FIELD_WORD, .words = shapes},
    {.name = "OutputType", .kind = FIELD_WORD, .words = outputs},
    {0},
};

static const struct table writer_config_table = {
    .what = "WriterConfig",
    .parts = {writer_config},
};

static const struct field writer[] = {
    {.name = "Resource", .kind = FIELD_TEXT},
    {.name = "Parameters", .kind = FIELD_MAP, .inner = &states_writer_where},
    ARGUMENTS,
    {.name = "WriterConfig", .kind = FIELD_MAP, .inner = &writer_config_table},
    {0},
};

const struct table states_writer = {
    .what = "ResultWriter",
    .parts = {writer},
    .needs = {{"Parameters", "WriterConfig"}},
    .also = also_states_writer,
    .other = &cloudflow_writer,
};

static const struct field writer_where[] = {
    {.name = "Bucket", .kind = FIELD_TEXT, .flags = FIELD_NEEDED | FIELD_DYNAMIC, .min = 1},
    {.name = "Prefix", .kind = FIELD_TEXT, .flags = FIELD_DYNAMIC},
    {0},
};

const struct table states_writer_where = {
    .what = "Parameters",
    .parts = {writer_where},
    .other = &cloudflow_writer_where,
};
