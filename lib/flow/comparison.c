#include "flow/comparison.h"

#include "base/stamp.h"
#include "expr/value.h"
#include "json/walk.h"

static const struct comparison comparisons[] = {
    {"StringEquals", OPERAND_STRING, RELATION_EQUAL, true},
    {"StringLessThan", OPERAND_STRING, RELATION_LESS, true},
    {"StringGreaterThan", OPERAND_STRING, RELATION_GREATER, true},
    {"StringLessThanEquals", OPERAND_STRING, RELATION_LESS_EQUAL, true},
    {"StringGreaterThanEquals", OPERAND_STRING, RELATION_GREATER_EQUAL, true},
    {"NumericEquals", OPERAND_NUMBER, RELATION_EQUAL, true},
    {"NumericLessThan", OPERAND_NUMBER, RELATION_LESS, true},
    {"NumericGreaterThan", OPERAND_NUMBER, RELATION_GREATER, true},
    {"NumericLessThanEquals", OPERAND_NUMBER, RELATION_LESS_EQUAL, true},
    {"NumericGreaterThanEquals", OPERAND_NUMBER, RELATION_GREATER_EQUAL, true},
    {"TimestampEquals", OPERAND_TIME, RELATION_EQUAL, true},
    {"TimestampLessThan", OPERAND_TIME, RELATION_LESS, true},
    {"TimestampGreaterThan", OPERAND_TIME, RELATION_GREATER, true},
    {"TimestampLessThanEquals", OPERAND_TIME, RELATION_LESS_EQUAL, true},
    {"TimestampGreaterThanEquals", OPERAND_TIME, RELATION_GREATER_EQUAL, true},
    {"BooleanEquals", OPERAND_BOOL, RELATION_EQUAL, true},
    {"StringMatches", OPERAND_STRING, RELATION_MATCHES, false},
    {"IsString", OPERAND_STRING, RELATION_IS, false},
    {"IsNumeric", OPERAND_NUMBER, RELATION_IS, false},
    {"IsBoolean", OPERAND_BOOL, RELATION_IS, false},
    {"IsTimestamp", OPERAND_TIME, RELATION_IS, false},
    {"IsNull", OPERAND_NULL, RELATION_IS, false},
    {"IsPresent", OPERAND_ANY, RELATION_IS, false},
};

#define COMPARISONS (sizeof comparisons / sizeof *comparisons)
#define PATH        SPAN_LIT("Path")

const struct comparison *comparison_find(struct span name, bool *by_path)
{
    for (size_t i = 0; i < COMPARISONS; i++) {
        const struct comparison *c = &comparisons[i];
        struct span whole = span_text(c->name);
        if (!span_starts(name, whole)) {
            continue;
        }
        struct span rest = span_of(name.at + whole.len, name.len - whole.len);
        *by_path = c->has_path && span_equal(rest, PATH);
        if (rest.len == 0 || *by_path) {
            return c;
        }
    }
    return NULL;
}

void comparison_offer(struct near *n)
{
    for (size_t i = 0; i < COMPARISONS; i++) {
        near_offer(n, span_text(comparisons[i].name));
    }
}

/* Only upper case, as the States Language has it. */
static bool read_time(struct span text, int64_t *real)
{
    return text.len > 10 && text.at[10] == 'T' && text.at[text.len - 1] != 'z' &&
           stamp_read(text, real);
}

const char *comparison_refuses(const struct comparison *c, const struct node *n)
{
    static const enum node_kind kinds[] = {
        [OPERAND_STRING] = NODE_STRING,
        [OPERAND_NUMBER] = NODE_NUMBER,
        [OPERAND_BOOL] = NODE_BOOL,
        [OPERAND_TIME] = NODE_STRING,
    };
    int64_t real;
    enum node_kind wanted = c->relation == RELATION_IS ? NODE_BOOL : kinds[c->operand];
    if (n->kind != wanted) {
        return c->operand == OPERAND_TIME && wanted == NODE_STRING ? "a timestamp in a string"
                                                                   : node_kind_name(wanted);
    }
    bool is_time = c->operand == OPERAND_TIME && c->relation != RELATION_IS;
    return is_time && !read_time(n->text, &real)
               ? "a timestamp as 2024-08-18T17:33:00Z, within 1970 to 2199"
               : NULL;
}

/* A pattern in which '*' stands for any run of characters and '\' takes its meaning away. */
static bool matches(struct span pattern, struct span text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX; /* behind the last one */
    size_t from = 0;        /* where in the text it begins */
    while (t < text.len) {
        bool escaped = p + 1 < pattern.len && pattern.at[p] == '\\';
        if (p < pattern.len && pattern.at[p] == '*') {
            star = ++p;
            from = t;
        } else if (p < pattern.len && pattern.at[p + escaped] == text.at[t]) {
            p += escaped + 1U;
            t++;
        } else if (star != SIZE_MAX) {
            p = star;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.at[p] == '*') {
        p++;
    }
    return p == pattern.len;
}

static bool is_kind(enum operand operand, struct span value, struct arena *a)
{
    int64_t real;
    if (!value.at) {
        return false;
    }
    switch (operand) {
    case OPERAND_STRING:
        return value_is(value, SCAN_STRING);
    case OPERAND_NUMBER:
        return value_is(value, SCAN_NUMBER);
    case OPERAND_BOOL:
        return value_is(value, SCAN_TRUE) || value_is(value, SCAN_FALSE);
    case OPERAND_TIME:
        return value_is(value, SCAN_STRING) && read_time(value_text(a, value), &real);
    case OPERAND_NULL:
        return value_is(value, SCAN_NULL);
    default:
        return true;
    }
}

/* -1, 0 or 1; both are of the kind OPERAND. */
static int compare(enum operand operand, struct span x, struct span y, struct arena *a)
{
    int64_t left;
    int64_t right;
    switch (operand) {
    case OPERAND_NUMBER:
        return value_compare_numbers(x, y);
    case OPERAND_TIME:
        read_time(value_text(a, x), &left);
        read_time(value_text(a, y), &right);
        return (left > right) - (left < right);
    case OPERAND_BOOL:
        return walk_kind(x) == walk_kind(y) ? 0 : 1;
    default:
        return span_compare(value_text(a, x), value_text(a, y));
    }
}

bool comparison_holds(const struct comparison *c, struct span value, struct span other,
                      struct arena *a)
{
    if (c->relation == RELATION_IS) {
        return is_kind(c->operand, value, a) == value_is(other, SCAN_TRUE);
    }
    if (!is_kind(c->operand, value, a) || !is_kind(c->operand, other, a)) {
        return false;
    }
    if (c->relation == RELATION_MATCHES) {
        return matches(value_text(a, other), value_text(a, value));
    }
    int order = compare(c->operand, value, other, a);
    switch (c->relation) {
    case RELATION_LESS:
        return order < 0;
    case RELATION_GREATER:
        return order > 0;
    case RELATION_LESS_EQUAL:
        return order <= 0;
    case RELATION_GREATER_EQUAL:
        return order >= 0;
    default:
        return order == 0;
    }
}
