#define PCRE2_CODE_UNIT_WIDTH 8

#include "pattern/regex.h"

#include "base/mem.h"
#include "pattern/java.h"

#include <pcre2.h>
#include <stdlib.h>

enum {
    BACKTRACKS_MAX = 10000000,
    HEAP_MAX_KIB = 256 * 1024,
    JIT_STACK_MIN = 32 * 1024,
    JIT_STACK_MAX = 8 * 1024 * 1024
};

struct regex {
    pcre2_code *code;
    pcre2_match_data *match; /* of the last search */
    pcre2_match_context *limits;
    pcre2_jit_stack *stack; /* NULL where there is no compiler at run time */
    uint32_t groups;
    char *text; /* for messages */
};

static int refuse(const struct regex *p, struct err *e, const char *what, size_t at)
{
    return err_set(e, ERR_USAGE, "regular expression '%.200s': %s (at its character %zu)", p->text,
                   what, at + 1);
}

static int compile(struct regex *p, struct span text, enum regex_use use, struct err *e)
{
    const uint32_t whole = PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    struct buf own = {0};
    size_t at;
    const char *fault = java_translate(text, &own, &at);
    if (fault) {
        buf_release(&own);
        return refuse(p, e, fault, at);
    }
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANY);
    int code;
    p->code = pcre2_compile((PCRE2_SPTR)buf_text(&own), own.len,
                            PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | (use == REGEX_WHOLE ? whole : 0),
                            &code, &at, context);
    pcre2_compile_context_free(context);
    /* where nothing was translated away, offsets are those of the text */
    bool same = span_equal(buf_span(&own), text);
    buf_release(&own);
    if (p->code) {
        return 0;
    }
    PCRE2_UCHAR message[256];
    pcre2_get_error_message(code, message, sizeof message);
    return refuse(p, e, (const char *)message, same ? at : 0);
}

static void prepare(struct regex *p)
{
    p->match = pcre2_match_data_create_from_pattern(p->code, NULL);
    p->limits = pcre2_match_context_create(NULL);
    pcre2_set_match_limit(p->limits, BACKTRACKS_MAX);
    pcre2_set_heap_limit(p->limits, HEAP_MAX_KIB);
    pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &p->groups);
    if (pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE) == 0) {
        p->stack = pcre2_jit_stack_create(JIT_STACK_MIN, JIT_STACK_MAX, NULL);
        pcre2_jit_stack_assign(p->limits, NULL, p->stack);
    }
}

int regex_compile(struct regex **out, struct span text, enum regex_use use, struct err *e)
{
    struct regex *p = mem_new(1, sizeof *p);
    text.at = text.at ? text.at : "";
    p->text = mem_copy(text.at, text.len);
    if (compile(p, text, use, e) < 0) {
        regex_free(p);
        return -1;
    }
    prepare(p);
    *out = p;
    return 0;
}

void regex_free(struct regex *p)
{
    if (!p) {
        return;
    }
    pcre2_match_data_free(p->match);
    pcre2_match_context_free(p->limits);
    pcre2_jit_stack_free(p->stack);
    pcre2_code_free(p->code);
    free(p->text);
    free(p);
}

/* Search TEXT from the offset FROM on.  1: found, see p->match; 0; -1 with E filled. */
static int search(const struct regex *p, struct span text, size_t from, struct err *e)
{
    PCRE2_SPTR at = (PCRE2_SPTR)text.at;
    /* what was checked on the first search is not checked again */
    uint32_t options = from > 0 ? PCRE2_NO_UTF_CHECK : 0;
    int rc = pcre2_match(p->code, at, text.len, from, options, p->match, p->limits);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT) {
        rc = pcre2_match(p->code, at, text.len, from, options | PCRE2_NO_JIT, p->match, p->limits);
    }
    if (rc >= 0) {
        return 1;
    }
    if (rc == PCRE2_ERROR_NOMATCH) {
        return 0;
    }
    PCRE2_UCHAR message[256];
    pcre2_get_error_message(rc, message, sizeof message);
    return err_set(e, ERR_DATA, "regular expression '%.200s': %s", p->text, (const char *)message);
}

int regex_matches(const struct regex *p, struct span text, struct err *e)
{
    text.at = text.at ? text.at : "";
    return search(p, text, 0, e);
}

int regex_find(const struct regex *p, struct span text, size_t from, struct span *hit,
               struct err *e)
{
    text.at = text.at ? text.at : "";
    int rc = search(p, text, from, e);
    if (rc == 1) {
        const PCRE2_SIZE *found = pcre2_get_ovector_pointer(p->match);
        *hit = span_of(text.at + found[0], found[1] - found[0]);
    }
    return rc;
}

/* A replacement text and where reading it stands. */
struct replacement {
    const struct regex *pattern;
    struct span text; /* that was searched */
    const char *at;
    const char *end;
    struct span all; /* for messages */
};

static int bad_replacement(const struct replacement *r, const char *what, struct err *e)
{
    return err_set(e, ERR_DATA, "replacement '%.*s': %s at character %zu",
                   r->all.len < 200 ? (int)r->all.len : 200, r->all.at, what,
                   (size_t)(r->at - r->all.at) + 1);
}

/* Add what group N matched in the last search; a group that took no part gives nothing. */
static void add_group(const struct replacement *r, uint32_t n, struct buf *out)
{
    const PCRE2_SIZE *offsets = pcre2_get_ovector_pointer(r->pattern->match);
    PCRE2_SIZE from = offsets[2 * (size_t)n];
    PCRE2_SIZE to = offsets[2 * (size_t)n + 1];
    if (from != PCRE2_UNSET && to >= from) {
        buf_add(out, r->text.at + from, to - from);
    }
}

/* ${name} */
static int named_group(struct replacement *r, struct buf *out, struct err *e)
{
    const char *name = r->at + 2;
    const char *close = memchr(name, '}', (size_t)(r->end - name));
    if (!close) {
        return bad_replacement(r, "'}' is missing", e);
    }
    char *text = mem_copy(name, (size_t)(close - name));
    int n = pcre2_substring_number_from_name(r->pattern->code, (PCRE2_SPTR)text);
    free(text);
    if (n < 0) {
        return bad_replacement(r, "there is no group of that name", e);
    }
    add_group(r, (uint32_t)n, out);
    r->at = close + 1;
    return 0;
}

/* $1: digits are taken as long as they make the number of a group */
static int numbered_group(struct replacement *r, struct buf *out, struct err *e)
{
    const char *at = r->at + 1;
    uint32_t n = 0;
    do {
        uint32_t next = n * 10 + (uint32_t)(*at - '0');
        if (next > r->pattern->groups) {
            break;
        }
        n = next;
        at++;
    } while (at < r->end && *at >= '0' && *at <= '9');
    if (at == r->at + 1) {
        return bad_replacement(r, "there is no such group", e);
    }
    add_group(r, n, out);
    r->at = at;
    return 0;
}

static int expand_one(struct replacement *r, struct buf *out, struct err *e)
{
    size_t left = (size_t)(r->end - r->at);
    if (*r->at != '$' && *r->at != '\\') {
        buf_add_byte(out, *r->at++);
        return 0;
    }
    if (left < 2) {
        return bad_replacement(r, "a character is missing", e);
    }
    if (*r->at == '\\') {
        buf_add_byte(out, r->at[1]);
        r->at += 2;
        return 0;
    }
    if (r->at[1] == '{') {
        return named_group(r, out, e);
    }
    if (r->at[1] >= '0' && r->at[1] <= '9') {
        return numbered_group(r, out, e);
    }
    return bad_replacement(r, "the number or the {name} of a group expected", e);
}

static int expand(struct replacement *r, struct buf *out, struct err *e)
{
    int rc = 0;
    for (r->at = r->all.at; r->at < r->end && rc == 0;) {
        rc = expand_one(r, out, e);
    }
    return rc;
}

/* The offset of the character behind that at AT. */
static size_t next_character(struct span text, size_t at)
{
    for (at++; at < text.len && ((unsigned char)text.at[at] & 0xC0) == 0x80;) {
        at++;
    }
    return at;
}

int regex_replace(const struct regex *p, struct span text, struct span replacement, bool all,
                  struct buf *out, struct err *e)
{
    text.at = text.at ? text.at : "";
    replacement.at = replacement.at ? replacement.at : "";
    struct replacement r = {
        .pattern = p, .text = text, .all = replacement, .end = replacement.at + replacement.len};
    size_t before = out->len;
    size_t done = 0; /* bytes of TEXT that are in OUT, in one form or another */
    int rc = 0;
    for (size_t from = 0; from <= text.len && rc == 0;) {
        rc = search(p, text, from, e);
        if (rc <= 0) {
            break;
        }
        const PCRE2_SIZE *hit = pcre2_get_ovector_pointer(p->match);
        size_t start = hit[0];
        size_t end = hit[1];
        buf_add(out, text.at + done, start - done);
        rc = expand(&r, out, e);
        done = end;
        from = !all ? text.len + 1 : end > start ? end : next_character(text, end);
    }
    if (rc < 0) {
        out->len = before;
        return -1;
    }
    buf_add(out, text.at + done, text.len - done);
    return 0;
}
