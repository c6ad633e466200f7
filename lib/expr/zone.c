#include "expr/zone.h"

#include "io/fd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define FOLDER "/usr/share/zoneinfo/"

enum {
    FILE_MAX = 1 << 15, /* the largest file of the database has 4 KB */
    NAME_LONGEST = 64,
    HEADER = 44,
    DAY = 24 * 60 * 60,
    HOURS_MAX = 167 /* RFC 9636, 3.3.1 */
};

/* A kind of time: winter time, summer time, what was before them. */
struct kind {
    int offset;
    const char *name;
};

/* A day on which clocks change each year, and when, in seconds of the clocks as they were before.
 */
struct change {
    char form; /* 'J': day 1 to 365, without 29 February; 'n': day 0 to 365; 'M': see below */
    int month, week, day;
    int time;
};

/* What holds behind the last moment of the table; the names are in the kinds. */
struct rule {
    bool known, summer;
    struct zone_time winter_time, summer_time;
    struct change from, to;
};

struct zone {
    const int64_t *moments; /* COUNT, rising: from here on `kinds[which[i]]` holds */
    const unsigned char *which;
    size_t count;
    const struct kind *kinds;
    struct rule rule;
};

/* ---- the footer: the rule behind the last moment, as in the variable TZ of POSIX ---- */

/* An abbreviation: letters, or anything between < and >. */
static bool read_name(const char **at, char *name)
{
    size_t len;
    if (**at == '<') {
        ++*at;
        len = strcspn(*at, ">");
        if ((*at)[len] != '>') {
            return false;
        }
    } else {
        len = strspn(*at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    }
    if (len == 0 || len > ZONE_NAME_MAX) {
        return false;
    }
    memcpy(name, *at, len);
    name[len] = '\0';
    *at += len + ((*at)[len] == '>');
    return true;
}

static bool read_number(const char **at, int max, int *n)
{
    const char *from = *at;
    *n = 0;
    while (**at >= '0' && **at <= '9' && *n <= max) {
        *n = *n * 10 + (*(*at)++ - '0');
    }
    return *at > from && *n <= max;
}

/* "[+-]h[h[h]][:mm[:ss]]" as seconds. */
static bool read_seconds(const char **at, int *seconds)
{
    bool negative = **at == '-';
    int part = 0;
    *at += negative || **at == '+';
    if (!read_number(at, HOURS_MAX, &part)) {
        return false;
    }
    *seconds = part * 3600;
    for (int unit = 60; unit > 0 && **at == ':'; unit /= 60) {
        ++*at;
        if (!read_number(at, 59, &part)) {
            return false;
        }
        *seconds += part * unit;
    }
    *seconds = negative ? -*seconds : *seconds;
    return true;
}

/* ",M3.5.0/2": the fifth, which is the last, Sunday of March, at two o'clock. */
static bool read_change(const char **at, struct change *c)
{
    if (*(*at)++ != ',') {
        return false;
    }
    c->form = **at == 'M' || **at == 'J' ? *(*at)++ : 'n';
    if (c->form == 'M') {
        if (!read_number(at, 12, &c->month) || c->month < 1 || *(*at)++ != '.' ||
            !read_number(at, 5, &c->week) || c->week < 1 || *(*at)++ != '.' ||
            !read_number(at, 6, &c->day)) {
            return false;
        }
    } else if (!read_number(at, 365, &c->day) || (c->form == 'J' && c->day < 1)) {
        return false;
    }
    c->time = 2 * 3600;
    if (**at == '/') {
        ++*at;
        return read_seconds(at, &c->time);
    }
    return true;
}

/* TEXT is a rule, or empty: then there is none. */
static bool read_rule(const char *text, struct rule *r)
{
    int west = 0;
    if (!*text) {
        return true;
    }
    r->known = true;
    if (!read_name(&text, r->winter_time.name) || !read_seconds(&text, &west)) {
        return false;
    }
    r->winter_time.offset = -west;
    if (!*text) {
        return true;
    }
    r->summer = true;
    if (!read_name(&text, r->summer_time.name)) {
        return false;
    }
    west -= 3600;
    if (*text != ',' && !read_seconds(&text, &west)) {
        return false;
    }
    r->summer_time.offset = -west;
    return read_change(&text, &r->from) && read_change(&text, &r->to) && !*text;
}

/* Days from 1970 to the day of YEAR that C names. */
static int64_t day_of(const struct change *c, int year)
{
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    struct tm tm = {
        .tm_year = year - 1900, .tm_mon = c->form == 'M' ? c->month - 1 : 0, .tm_mday = 1};
    int64_t first = timegm(&tm) / DAY; /* exact: it is midnight */
    if (c->form != 'M') {
        bool later = c->form == 'J' && !(leap && c->day >= 60);
        return first + c->day - later;
    }
    struct tm next = {.tm_year = year - 1900, .tm_mon = c->month, .tm_mday = 1};
    int64_t end = timegm(&next) / DAY;
    int64_t day = first + (c->day - tm.tm_wday + 7) % 7 + (c->week - 1) * 7;
    return day < end ? day : day - 7;
}

static struct zone_time by_rule(const struct rule *r, int64_t seconds)
{
    time_t there = (time_t)(seconds + r->winter_time.offset);
    struct tm tm;
    if (!r->summer || !gmtime_r(&there, &tm)) {
        return r->winter_time;
    }
    int year = tm.tm_year + 1900;
    int64_t from = day_of(&r->from, year) * DAY + r->from.time - r->winter_time.offset;
    int64_t to = day_of(&r->to, year) * DAY + r->to.time - r->summer_time.offset;
    bool summer = from < to ? seconds >= from && seconds < to : seconds >= from || seconds < to;
    return summer ? r->summer_time : r->winter_time;
}

/* ---- the file ---- */

static int64_t big_endian(const unsigned char *at, size_t width)
{
    uint64_t n = at[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < width; i++) {
        n = n << 8 | at[i];
    }
    return (int64_t)n;
}

/* How many of what there is in a block: RFC 9636, 3.1. */
struct counts {
    size_t utc, standard, leaps, moments, kinds, text;
};

/* The header at AT of LEFT bytes. */
static bool read_counts(const unsigned char *at, size_t left, struct counts *n)
{
    size_t *const list[] = {&n->utc, &n->standard, &n->leaps, &n->moments, &n->kinds, &n->text};
    if (left < HEADER || memcmp(at, "TZif", 4) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int64_t value = big_endian(at + 20 + 4 * i, 4);
        if (value < 0 || value > FILE_MAX) {
            return false;
        }
        *list[i] = (size_t)value;
    }
    return n->kinds > 0 && n->kinds <= 256 && n->text > 0 && n->leaps == 0;
}

/* The bytes of the block behind such a header whose times have WIDTH bytes. */
static size_t block_size(const struct counts *n, size_t width)
{
    return n->moments * (width + 1) + n->kinds * 6 + n->text + n->standard + n->utc;
}

/* The block at AT, which is all there, into Z, whose texts stay where they are. */
static bool read_block(struct arena *a, const unsigned char *at, const struct counts *n,
                       size_t width, struct zone *z)
{
    int64_t *moments = arena_take(a, (n->moments + 1) * sizeof *moments);
    struct kind *kinds = arena_take(a, n->kinds * sizeof *kinds);
    const unsigned char *which = at + n->moments * width, *types = which + n->moments;
    const char *text = (const char *)types + n->kinds * 6;
    for (size_t i = 0; i < n->moments; i++) {
        moments[i] = big_endian(at + i * width, width);
        if (which[i] >= n->kinds || (i > 0 && moments[i] <= moments[i - 1])) {
            return false;
        }
    }
    for (size_t i = 0; i < n->kinds; i++) {
        size_t name = types[i * 6 + 5];
        kinds[i].offset = (int)big_endian(types + i * 6, 4);
        if (name >= n->text || !memchr(text + name, '\0', n->text - name) ||
            strlen(text + name) > ZONE_NAME_MAX || kinds[i].offset <= -DAY * 2 ||
            kinds[i].offset >= DAY * 2) {
            return false;
        }
        kinds[i].name = text + name;
    }
    z->moments = moments;
    z->which = which;
    z->count = n->moments;
    z->kinds = kinds;
    return true;
}

/* All of a file of LEN bytes, behind which there is a NUL. */
static bool read_file(struct arena *a, const unsigned char *file, size_t len, struct zone *z)
{
    struct counts n;
    if (!read_counts(file, len, &n) || block_size(&n, 4) > len - HEADER) {
        return false;
    }
    if (file[4] == '\0') {
        return read_block(a, file + HEADER, &n, 4, z);
    }
    /* the same again with times of eight bytes, and a rule between two line feeds */
    const unsigned char *at = file + HEADER + block_size(&n, 4), *end = file + len;
    if (!read_counts(at, (size_t)(end - at), &n) ||
        block_size(&n, 8) >= (size_t)(end - at) - HEADER || !read_block(a, at + HEADER, &n, 8, z)) {
        return false;
    }
    const char *footer = (const char *)at + HEADER + block_size(&n, 8);
    size_t size = strcspn(footer + 1, "\n");
    if (*footer != '\n' || footer[1 + size] != '\n') {
        return false;
    }
    return read_rule(arena_copy(a, span_of(footer + 1, size)).at, &z->rule);
}

const struct zone *zone_read(struct arena *a, struct span file)
{
    struct zone *z = arena_take(a, sizeof *z);
    struct span kept = arena_copy(a, file);
    *z = (struct zone){0};
    return read_file(a, (const unsigned char *)kept.at, kept.len, z) ? z : NULL;
}

/* Letters, digits, '_', '+', '-', in parts between slashes: no way leads out of the folder. */
static bool is_name(struct span name)
{
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-/";
    for (size_t i = 0; i < name.len; i++) {
        if (!name.at[i] || !strchr(good, name.at[i])) {
            return false;
        }
    }
    return name.len > 0 && name.len <= NAME_LONGEST && *name.at != '/';
}

const struct zone *zone_open(struct arena *a, struct span name, struct err *e)
{
    char path[sizeof FOLDER + NAME_LONGEST], bytes[FILE_MAX];
    int shown = (int)(name.len < NAME_LONGEST ? name.len : NAME_LONGEST);
    if (!is_name(name)) {
        err_set(e, ERR_DATA, "'%.*s' is no time zone", shown, name.at);
        return NULL;
    }
    snprintf(path, sizeof path, FOLDER "%.*s", (int)name.len, name.at);
    ssize_t len = fd_read_file(path, bytes, sizeof bytes);
    if (len < 0) {
        err_set(e, ERR_DATA, "there is no time zone '%.*s' (%s: %s)", shown, name.at, path,
                strerror(errno));
        return NULL;
    }
    const struct zone *z =
        len < (ssize_t)sizeof bytes ? zone_read(a, span_of(bytes, (size_t)len)) : NULL;
    if (!z) {
        err_set(e, ERR_DATA, "%s is no file of a time zone without leap seconds", path);
    }
    return z;
}

/* ---- what time it is ---- */

struct zone_time zone_at(const struct zone *z, int64_t seconds)
{
    size_t low = 0, high = z->count; /* of the first moment beyond */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (z->moments[middle] <= seconds) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == z->count && z->rule.known) {
        return by_rule(&z->rule, seconds);
    }
    const struct kind *k = &z->kinds[low > 0 ? z->which[low - 1] : 0];
    struct zone_time t = {.offset = k->offset};
    snprintf(t.name, sizeof t.name, "%s", k->name);
    return t;
}

int64_t zone_to_utc(const struct zone *z, int64_t local)
{
    /* Between a day before and a day after clocks change at most once. */
    int before = zone_at(z, local - DAY).offset, after = zone_at(z, local + DAY).offset;
    bool first = zone_at(z, local - before).offset == before;
    bool second = zone_at(z, local - after).offset == after;
    return local - (second && !first ? after : before);
}
