/* Tables: csv, and tsv, which is csv with tabs. */
#include "source/split.h"

/*
 * Columns that were given stay for all sources; those of a first record are of one source alone.
 */
static int split_table(struct split *s, struct reader *r, char delimiter, struct err *e)
{
    const struct rows_rules *rules = &s->rules.rows;
    if (rules->columns) {
        return rows_split(s, r, delimiter, &s->columns, rules->header == ROWS_HEADER_SKIP, e);
    }
    struct columns columns = {0};
    int rc = rows_split(s, r, delimiter, &columns, false, e);
    columns_release(&columns);
    return rc;
}

static int split_csv(struct split *s, struct reader *r, struct err *e)
{
    return split_table(s, r, s->rules.rows.delimiter ? s->rules.rows.delimiter : ',', e);
}

static int split_tsv(struct split *s, struct reader *r, struct err *e)
{
    return split_table(s, r, '\t', e);
}

const struct format format_csv = {.name = "csv",
                                  .endings = ".csv",
                                  .options = OPTION_DELIMITER | OPTION_TABLE | OPTION_RECODE,
                                  .split_text = split_csv};

const struct format format_tsv = {.name = "tsv",
                                  .endings = ".tsv .tab",
                                  .options = OPTION_TABLE | OPTION_RECODE,
                                  .split_text = split_tsv};
