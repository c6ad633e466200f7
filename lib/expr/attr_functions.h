/*
 * attr_functions.h: what the functions of attribute expressions are called in C.
 *
 * The table in attr_function.c says which names they have and what they take; the manual page
 * fanline-expressions(7) says what they do.  All are of the form attr_fn.
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_FUNCTIONS_H
#define FANLINE_EXPR_ATTR_FUNCTIONS_H

#include "expr/attr_node.h"

/* attr_text.c: texts cut and put together */
attr_fn attr_fn_append, attr_fn_prepend, attr_fn_to_upper, attr_fn_to_lower, attr_fn_trim;
attr_fn attr_fn_length, attr_fn_substring, attr_fn_before, attr_fn_after, attr_fn_before_last;
attr_fn attr_fn_after_last, attr_fn_pad_left, attr_fn_pad_right, attr_fn_repeat;
attr_fn attr_fn_replace, attr_fn_replace_all, attr_fn_replace_first;
attr_fn attr_fn_to_string, attr_fn_literal;

/* attr_field.c */
attr_fn attr_fn_delimited_field;

/* attr_logic.c: truth, comparison, search */
attr_fn attr_fn_is_null, attr_fn_not_null, attr_fn_is_empty, attr_fn_replace_null;
attr_fn attr_fn_replace_empty, attr_fn_equals, attr_fn_equals_ignore_case, attr_fn_in;
attr_fn attr_fn_gt, attr_fn_ge, attr_fn_lt, attr_fn_le, attr_fn_and, attr_fn_or, attr_fn_not;
attr_fn attr_fn_if_else, attr_fn_starts_with, attr_fn_ends_with, attr_fn_contains;
attr_fn attr_fn_matches, attr_fn_find, attr_fn_index_of, attr_fn_last_index_of;

/* attr_math.c: numbers */
attr_fn attr_fn_plus, attr_fn_minus, attr_fn_multiply, attr_fn_divide, attr_fn_mod;
attr_fn attr_fn_to_number, attr_fn_to_decimal, attr_fn_to_radix, attr_fn_from_radix;
attr_fn attr_fn_math, attr_fn_random;

/* attr_code.c: encodings, digests, identifiers */
attr_fn attr_fn_hash, attr_fn_url_encode, attr_fn_url_decode, attr_fn_base64_encode;
attr_fn attr_fn_base64_decode, attr_fn_uuid, attr_fn_uuid3, attr_fn_uuid5;

/* attr_escape.c: JSON, XML and CSV in texts */
attr_fn attr_fn_escape_json, attr_fn_unescape_json, attr_fn_escape_xml, attr_fn_unescape_xml;
attr_fn attr_fn_escape_csv, attr_fn_unescape_csv, attr_fn_is_json, attr_fn_json_path;

/* attr_time.c: dates */
attr_fn attr_fn_now, attr_fn_format, attr_fn_to_date;

/* attr_over.c: several values */
attr_fn attr_fn_named, attr_fn_matching, attr_fn_delineated, attr_fn_count, attr_fn_join;

/* attr.c */
attr_fn attr_fn_evaluate;

#endif
