/*
 * schema_parts.h: what the tables of the two dialects share.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_SCHEMA_PARTS_H
#define FANLINE_FLOW_SCHEMA_PARTS_H

#include "flow/schema.h"

/* Of the toolkit: how many states a Parallel may have (reference/distributed-map.md 1.9), and what
 * the longest times and largest numbers are (2.2, 2.10). */
#define SCHEMA_BRANCHES_MAX 50
#define SCHEMA_SECONDS_MAX  99999999
#define SCHEMA_ITEMS_MAX    100000000
#define SCHEMA_DELAY_MAX    31622400
#define SCHEMA_DAY          86400

enum state_table {
    TABLE_PASS,
    TABLE_CHOICE,
    TABLE_SUCCEED,
    TABLE_FAIL,
    TABLE_TASK,
    TABLE_WAIT,
    TABLE_PARALLEL,
    TABLE_MAP,
    STATE_TABLES
};

/* What a scope has in both, and a state that is no end. */
extern const struct field schema_scope[];
extern const struct field schema_onward[];

extern const struct table cloudflow_definition;
extern const struct table cloudflow_states[STATE_TABLES];
extern const struct table states_definition;
extern const struct table states_states[STATE_TABLES];

/* Those of the maps within states that both dialects have. */
extern const struct table cloudflow_scope;
extern const struct table cloudflow_choice;
extern const struct table cloudflow_retry;
extern const struct table cloudflow_catch;
extern const struct table cloudflow_reader;
extern const struct table cloudflow_reader_config;
extern const struct table cloudflow_reader_where;
extern const struct table cloudflow_batcher;
extern const struct table cloudflow_writer;
extern const struct table cloudflow_writer_where;
extern const struct table cloudflow_processor;
extern const struct table cloudflow_processor_config;

extern const struct table states_scope;
extern const struct table states_choice;
extern const struct table states_retry;
extern const struct table states_catch;
extern const struct table states_reader;
extern const struct table states_reader_config;
extern const struct table states_reader_where;
extern const struct table states_batcher;
extern const struct table states_writer;
extern const struct table states_writer_where;
extern const struct table states_processor;
extern const struct table states_processor_config;

/* What more must hold, beyond what tables say: check_also.c. */
void also_task(struct check *c, const struct node *map);
void also_map(struct check *c, const struct node *map);
void also_cloudflow_reader(struct check *c, const struct node *map);
void also_states_reader(struct check *c, const struct node *map);
void also_states_writer(struct check *c, const struct node *map);
void also_retry(struct check *c, const struct node *map);

#endif
