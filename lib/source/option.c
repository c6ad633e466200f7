#include "source/option.h"

#include "source/split.h"

#include <stddef.h>

static const struct {
    enum option option;
    const char *name;
} names[] = {
    {OPTION_PATH, "--items-path"},
    {OPTION_REQUIRE_ARRAY, "--require-array"},
    {OPTION_DELIMITER, "--delimiter"},
    {OPTION_COLUMNS, "--csv-headers"},
    {OPTION_HEADER, "--header"},
    {OPTION_RAGGED, "--ragged"},
    {OPTION_DEDUPE, "--dedupe-header"},
    {OPTION_EMPTY_NAMES, "--empty-names"},
    {OPTION_TYPES, "--types"},
    {OPTION_BACKSLASH, "--backslash"},
    {OPTION_ENCODING, "--encoding"},
    {OPTION_INVALID, "--invalid"},
    {OPTION_ETAG, "--etag"},
    {OPTION_FOLLOW, "--follow"},
    {OPTION_RAW_KEYS, "--raw-keys"},
    {OPTION_STATUS, "--status"},
    {OPTION_LISTING, "--listing"},
};

static unsigned if_given(bool given, enum option option)
{
    return given ? option : 0;
}

/* The options of tables that were given. */
static unsigned given_for_tables(const struct rows_rules *r)
{
    return if_given(r->delimiter != 0, OPTION_DELIMITER) |
           if_given(r->columns != NULL, OPTION_COLUMNS) |
           if_given(r->header != ROWS_HEADER_DEFAULT, OPTION_HEADER) |
           if_given(r->ragged != ROWS_RAGGED_FAIL, OPTION_RAGGED) |
           if_given(r->names.dedupe, OPTION_DEDUPE) | if_given(r->names.empty, OPTION_EMPTY_NAMES) |
           if_given(r->types.count > 0, OPTION_TYPES) | if_given(r->backslash, OPTION_BACKSLASH);
}

/* All options that were given. */
static unsigned given(const struct split_rules *r)
{
    return given_for_tables(&r->rows) | if_given(r->path != NULL, OPTION_PATH) |
           if_given(r->require_array, OPTION_REQUIRE_ARRAY) |
           if_given(r->recode == RECODE_LATIN1, OPTION_ENCODING) |
           if_given(r->recode == RECODE_INVALID, OPTION_INVALID) | if_given(r->etag, OPTION_ETAG) |
           if_given(r->follow_links && !r->load, OPTION_FOLLOW) |
           if_given(r->raw_keys, OPTION_RAW_KEYS) | if_given(r->statuses != 0, OPTION_STATUS) |
           if_given(r->listing != SPLIT_LISTING_CLOUDFLOW, OPTION_LISTING);
}

const struct format *option_format(const struct split_rules *r)
{
    unsigned options = given(r);
    if (options & (OPTION_PATH | OPTION_REQUIRE_ARRAY)) {
        return &format_json;
    }
    return options & (OPTION_DELIMITER | OPTION_TABLE) ? &format_csv : NULL;
}

int option_check(const struct split_rules *r, const struct format *f, struct err *e)
{
    unsigned without = given(r) & ~f->options;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (without & names[i].option) {
            return err_set(e, ERR_USAGE, "%s has no effect on the format %s", names[i].name,
                           f->name);
        }
    }
    return 0;
}
