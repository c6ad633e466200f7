/* The table of functions of attribute expressions (reference/wait-notify.md 5.4). */
#include "expr/attr_functions.h"

#include <stdlib.h>

#define RESERVED(name)                                                                             \
    {                                                                                              \
        name, 0, -1, 's', "a", 's', 0, NULL                                                        \
    }

/* Sorted by the bytes of the name. */
static const struct attr_function functions[] = {
    {"UUID", 0, 0, 0, "", 's', ATTR_IMPURE, attr_fn_uuid},
    {"UUID3", 1, 1, 's', "s", 's', 0, attr_fn_uuid3},
    {"UUID5", 1, 1, 's', "s", 's', 0, attr_fn_uuid5},
    {"allAttributes", 1, -1, 0, "s", 's', ATTR_ALL, attr_fn_named},
    {"allDelineatedValues", 2, 2, 0, "s", 's', ATTR_ALL, attr_fn_delineated},
    {"allMatchingAttributes", 1, -1, 0, "w", 's', ATTR_ALL, attr_fn_matching},
    {"and", 1, 1, 'b', "b", 'b', 0, attr_fn_and},
    {"anyAttribute", 1, -1, 0, "s", 's', ATTR_ANY, attr_fn_named},
    {"anyDelineatedValue", 2, 2, 0, "s", 's', ATTR_ANY, attr_fn_delineated},
    {"anyMatchingAttribute", 1, -1, 0, "w", 's', ATTR_ANY, attr_fn_matching},
    {"append", 1, 1, 's', "s", 's', 0, attr_fn_append},
    {"base64Decode", 0, 0, 's', "", 's', 0, attr_fn_base64_decode},
    {"base64Encode", 0, 0, 's', "", 's', 0, attr_fn_base64_encode},
    RESERVED("compactDelimitedList"),
    {"contains", 1, 1, 's', "s", 'b', 0, attr_fn_contains},
    {"count", 0, 0, 'a', "", 'n', ATTR_REDUCES, attr_fn_count},
    {"divide", 1, 1, 'n', "n", 'n', 0, attr_fn_divide},
    {"endsWith", 1, 1, 's', "s", 'b', 0, attr_fn_ends_with},
    {"equals", 1, 1, 'a', "a", 'b', 0, attr_fn_equals},
    {"equalsIgnoreCase", 1, 1, 's', "s", 'b', 0, attr_fn_equals_ignore_case},
    {"escapeCsv", 0, 0, 's', "", 's', 0, attr_fn_escape_csv},
    RESERVED("escapeHtml3"),
    RESERVED("escapeHtml4"),
    {"escapeJson", 0, 0, 's', "", 's', 0, attr_fn_escape_json},
    {"escapeXml", 0, 0, 's', "", 's', 0, attr_fn_escape_xml},
    {"evaluateELString", 0, 0, 's', "", 's', ATTR_IMPURE, attr_fn_evaluate},
    {"find", 1, 1, 's', "p", 'b', 0, attr_fn_find},
    {"format", 1, 2, 'n', "sz", 's', 0, attr_fn_format},
    RESERVED("formatInstant"),
    {"fromRadix", 1, 1, 's', "n", 'n', 0, attr_fn_from_radix},
    {"ge", 1, 1, 'n', "n", 'b', 0, attr_fn_ge},
    {"getDelimitedField", 1, 5, 's', "nsssb", 's', 0, attr_fn_delimited_field},
    RESERVED("getStateValue"),
    RESERVED("getUri"),
    {"gt", 1, 1, 'n', "n", 'b', 0, attr_fn_gt},
    {"hash", 1, 1, 's', "h", 's', 0, attr_fn_hash},
    RESERVED("hostname"),
    {"ifElse", 2, 2, 'b', "ss", 's', 0, attr_fn_if_else},
    {"in", 1, -1, 's', "s", 'b', 0, attr_fn_in},
    {"indexOf", 1, 1, 's', "s", 'n', 0, attr_fn_index_of},
    RESERVED("ip"),
    {"isEmpty", 0, 0, 'a', "", 'b', 0, attr_fn_is_empty},
    {"isJson", 0, 0, 's', "", 'b', 0, attr_fn_is_json},
    {"isNull", 0, 0, 'a', "", 'b', 0, attr_fn_is_null},
    RESERVED("isValidDate"),
    RESERVED("isValidInstant"),
    {"join", 1, 1, 'a', "s", 's', ATTR_REDUCES, attr_fn_join},
    {"jsonPath", 1, 1, 's', "j", 's', 0, attr_fn_json_path},
    RESERVED("jsonPathAdd"),
    RESERVED("jsonPathDelete"),
    RESERVED("jsonPathPut"),
    RESERVED("jsonPathSet"),
    {"lastIndexOf", 1, 1, 's', "s", 'n', 0, attr_fn_last_index_of},
    {"le", 1, 1, 'n', "n", 'b', 0, attr_fn_le},
    {"length", 0, 0, 's', "", 'n', 0, attr_fn_length},
    {"literal", 1, 1, 0, "a", 's', 0, attr_fn_literal},
    {"lt", 1, 1, 'n', "n", 'b', 0, attr_fn_lt},
    {"matches", 1, 1, 's', "w", 'b', 0, attr_fn_matches},
    {"math", 1, 2, '?', "sn", 'n', ATTR_IMPURE, attr_fn_math},
    {"minus", 1, 1, 'n', "n", 'n', 0, attr_fn_minus},
    RESERVED("minusDuration"),
    RESERVED("minusInstantDuration"),
    {"mod", 1, 1, 'n', "n", 'n', 0, attr_fn_mod},
    {"multiply", 1, 1, 'n', "n", 'n', 0, attr_fn_multiply},
    RESERVED("nextInt"),
    {"not", 0, 0, 'b', "", 'b', 0, attr_fn_not},
    {"notNull", 0, 0, 'a', "", 'b', 0, attr_fn_not_null},
    {"now", 0, 0, 0, "", 'n', ATTR_IMPURE, attr_fn_now},
    {"or", 1, 1, 'b', "b", 'b', 0, attr_fn_or},
    {"padLeft", 1, 2, 's', "ns", 's', 0, attr_fn_pad_left},
    {"padRight", 1, 2, 's', "ns", 's', 0, attr_fn_pad_right},
    {"plus", 1, 1, 'n', "n", 'n', 0, attr_fn_plus},
    RESERVED("plusDuration"),
    RESERVED("plusInstantDuration"),
    {"prepend", 1, 1, 's', "s", 's', 0, attr_fn_prepend},
    {"random", 0, 0, 0, "", 'n', ATTR_IMPURE, attr_fn_random},
    {"repeat", 1, 2, 's', "nn", 's', ATTR_IMPURE, attr_fn_repeat},
    {"replace", 2, 2, 's', "ss", 's', 0, attr_fn_replace},
    {"replaceAll", 2, 2, 's', "rs", 's', 0, attr_fn_replace_all},
    RESERVED("replaceByPattern"),
    {"replaceEmpty", 1, 1, 's', "s", 's', 0, attr_fn_replace_empty},
    {"replaceFirst", 2, 2, 's', "rs", 's', 0, attr_fn_replace_first},
    {"replaceNull", 1, 1, 'a', "a", 'a', 0, attr_fn_replace_null},
    {"startsWith", 1, 1, 's', "s", 'b', 0, attr_fn_starts_with},
    {"substring", 1, 2, 's', "nn", 's', 0, attr_fn_substring},
    {"substringAfter", 1, 1, 's', "s", 's', 0, attr_fn_after},
    {"substringAfterLast", 1, 1, 's', "s", 's', 0, attr_fn_after_last},
    {"substringBefore", 1, 1, 's', "s", 's', 0, attr_fn_before},
    {"substringBeforeLast", 1, 1, 's', "s", 's', 0, attr_fn_before_last},
    RESERVED("thread"),
    {"toDate", 0, 2, 's', "sz", 'n', 0, attr_fn_to_date},
    {"toDecimal", 0, 0, 'n', "", 'n', 0, attr_fn_to_decimal},
    RESERVED("toInstant"),
    {"toLower", 0, 0, 's', "", 's', 0, attr_fn_to_lower},
    RESERVED("toMicros"),
    RESERVED("toNanos"),
    {"toNumber", 0, 0, 'n', "", 'n', 0, attr_fn_to_number},
    {"toRadix", 1, 2, 'n', "n", 's', 0, attr_fn_to_radix},
    {"toString", 0, 0, 'a', "", 's', 0, attr_fn_to_string},
    {"toUpper", 0, 0, 's', "", 's', 0, attr_fn_to_upper},
    {"trim", 0, 0, 's', "", 's', 0, attr_fn_trim},
    RESERVED("trimDelimitedList"),
    {"unescapeCsv", 0, 0, 's', "", 's', 0, attr_fn_unescape_csv},
    RESERVED("unescapeHtml3"),
    RESERVED("unescapeHtml4"),
    {"unescapeJson", 0, 0, 's', "", 's', 0, attr_fn_unescape_json},
    {"unescapeXml", 0, 0, 's', "", 's', 0, attr_fn_unescape_xml},
    RESERVED("unique"),
    {"urlDecode", 0, 0, 's', "", 's', 0, attr_fn_url_decode},
    {"urlEncode", 0, 0, 's', "", 's', 0, attr_fn_url_encode},
};

static int compare(const void *key, const void *row)
{
    const struct span *name = key;
    const char *text = ((const struct attr_function *)row)->name;
    size_t len = strlen(text);
    int order = memcmp(name->at, text, name->len < len ? name->len : len);
    return order != 0 ? order : name->len < len ? -1 : name->len > len;
}

const struct attr_function *attr_function_find(struct span name)
{
    return bsearch(&name, functions, sizeof functions / sizeof *functions, sizeof *functions,
                   compare);
}
