#include "json/bulk.h"

#include "json/bulk_core.h"
#include "json/scan_state.h"

#include <string.h>

enum {
    DEEPEST = 62, /* containers for which struct bulk_place has a bit, and one to spare */
    SKIP_MOST = 100
};

static enum bulk_means find_means(void)
{
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt") ||
        !__builtin_cpu_supports("pclmul")) {
        return BULK_NONE;
    }
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512vbmi2")
               ? BULK_AVX512
               : BULK_AVX2;
#else
    return BULK_NONE;
#endif
}

void bulk_init(struct bulk *b, enum bulk_form form, uint64_t max_depth)
{
    b->means = find_means();
    b->form = form;
    b->max_depth = max_depth < DEEPEST ? (int64_t)max_depth : DEEPEST;
    b->noting = false;
    b->seams = (struct seams){0};
    b->failures = b->skip = 0;
    bulk_restart(b);
}

void bulk_restart(struct bulk *b)
{
    b->stuck = b->means == BULK_NONE;
    b->found = b->next = b->taken = b->done = 0;
    b->seams.count = 0;
    b->carry = (struct bulk_carry){0};
    b->place = (struct bulk_place){.state = BULK_BEGIN};
}

void bulk_release(struct bulk *b)
{
    seams_release(&b->seams);
}

/* ---- numbers ---- */

/* Behind at least one digit at AT; NULL if there is none. */
static const char *take_digits(const char *at, const char *end)
{
    const char *behind = skip_digits(at, end);
    return behind > at ? behind : NULL;
}

bool bulk_number(const char *at, const char *end)
{
    at += *at == '-';
    at = at < end && *at == '0' ? at + 1 : take_digits(at, end);
    if (at && at < end && *at == '.') {
        at = take_digits(at + 1, end);
    }
    if (at && at < end && (*at | 0x20) == 'e') {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        at = take_digits(at, end);
    }
    return at == end;
}

/* ---- looking ---- */

void bulk_end(struct bulk *b, size_t at)
{
    b->end[b->found] = (uint32_t)(at - b->base);
    b->noted[b->found++] = (uint32_t)b->seams.count;
}

size_t *bulk_room(struct seams *s)
{
    if (s->cap - s->count <= BULK_WINDOW) {
        s->cap = 2 * s->cap + 2 * BULK_WINDOW;
        s->at = mem_resize(s->at, s->cap, sizeof *s->at);
    }
    return s->at + s->count;
}

static bool take_blocks(struct bulk *b, struct bulk_look *look, const char *bytes, size_t blocks,
                        uint64_t valid)
{
#ifdef __x86_64__
    return (b->means == BULK_AVX512 ? bulk_blocks_avx512 : bulk_blocks_avx2)(b, look, bytes, blocks,
                                                                             valid);
#else
    return false;
#endif
}

/* The last bytes, which fill no block.  False: there is a fault. */
static bool take_part(struct bulk *b, struct bulk_look *look)
{
    char bytes[BULK_BLOCK] = {0};
    size_t n = look->len - look->at;
    if (n == 0) {
        return true;
    }
    memcpy(bytes, look->text + look->at, n);
    return take_blocks(b, look, bytes, 1, UINT64_MAX >> (BULK_BLOCK - n));
}

/* The last bytes, which fill no block.  Where nothing ends in them, they will be looked at again.
 */
static void take_rest(struct bulk *b, struct bulk_look *look)
{
    struct bulk_carry carry = b->carry;
    struct bulk_place place = b->place;
    size_t noted = b->seams.count, from = look->at;
    bool good = take_part(b, look);
    /* as long as no line ends here, nobody has to know what is wrong with it */
    b->stuck = !good && (!look->lines || memchr(look->text + from, '\n', look->len - from));
    if (b->found == 0) {
        b->carry = carry;
        b->place = place;
        b->seams.count = noted;
    }
}

/* Look at whole blocks until something is found. */
static void take_windows(struct bulk *b, struct bulk_look *look)
{
    const size_t most = BULK_WINDOW / BULK_BLOCK;
    while (!b->stuck && b->found == 0 && look->len - look->at >= BULK_BLOCK) {
        size_t blocks = (look->len - look->at) / BULK_BLOCK;
        b->stuck =
            !take_blocks(b, look, look->text + look->at, blocks < most ? blocks : most, UINT64_MAX);
    }
    b->done = look->at;
}

/* What was handed out has been taken off the text; go on with what was checked behind it. */
static void move_on(struct bulk *b)
{
    if (b->taken > b->done) { /* the end lay in the last bytes, which fill no block */
        bulk_restart(b);
        return;
    }
    if (b->taken > 0) {
        size_t passed = b->noted[b->found - 1];
        b->seams.count -= passed;
        for (size_t i = 0; i < b->seams.count; i++) {
            b->seams.at[i] = b->seams.at[i + passed] - b->taken;
        }
        b->done -= b->taken;
        b->place.next -= b->taken;
    }
    b->found = b->next = b->taken = 0;
}

/* Is something found?  Looks on if nothing is left. */
static bool has_found(struct bulk *b, const char *text, size_t len)
{
    if (b->next < b->found || b->stuck) {
        return b->next < b->found;
    }
    if (b->skip > 0) {
        b->skip--;
        b->stuck = true;
        return false;
    }
    move_on(b);
    struct bulk_look look = {text, len, b->done, b->form == BULK_LINES};
    take_windows(b, &look);
    if (!b->stuck && b->found == 0) {
        take_rest(b, &look);
    }
    if (b->found > 0) {
        b->failures = 0;
    } else if (b->stuck) {
        b->failures += b->failures < SKIP_MOST;
        b->skip = b->failures;
    }
    return b->found > 0;
}

bool bulk_next(struct bulk *b, const char *text, size_t len, struct span *value)
{
    if (!has_found(b, text, len)) {
        return false;
    }
    size_t end = b->base + b->end[b->next++];
    *value = span_of(text, end - b->taken);
    b->taken = end + 1;
    return true;
}

struct seams_view bulk_seams(const struct bulk *b, struct span value)
{
    size_t first = b->next > 1 ? b->noted[b->next - 2] : 0;
    size_t count = b->noted[b->next - 1] - first;
    return (struct seams_view){count > 0 ? b->seams.at + first : NULL, count,
                               value.at + value.len - (b->taken - 1)};
}

bool bulk_check(const char *text, size_t len, uint64_t max_depth, enum bulk_means most,
                struct seams *seams)
{
    char last = len ? text[len - 1] : 0; /* with CR LF it would be seen only at the end */
    if (len < 2 || (*text != '{' && *text != '[') || (last != '}' && last != ']')) {
        return false;
    }
    struct bulk b;
    bulk_init(&b, BULK_LINES, max_depth);
    b.means = b.means < most ? b.means : most;
    if (b.means == BULK_NONE) {
        return false;
    }
    if (seams) {
        b.seams = *seams;
        b.seams.count = 0;
        b.noting = true;
    }
    struct bulk_look look = {text, len, 0, true};
    take_windows(&b, &look);
    if (!b.stuck && b.found == 0) {
        b.stuck = !take_part(&b, &look);
    }
    if (seams) {
        *seams = b.seams;
    }
    return !b.stuck && b.found == 0 && b.place.state == BULK_BEHIND && b.place.next == len;
}
