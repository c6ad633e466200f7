#include "expr/attr_date.h"

#include <stdio.h>
#include <strings.h>
#include <time.h>

static const char *const months[] = {"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};
static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                   "Thursday", "Friday", "Saturday"};

static const char letters[] = "yuMLdDHkhKmsSaEzZXx";
static const char two_at_most[] = "dHkhKms";
static const char reserved[] = "[]{}#"; /* optional parts, and what Java keeps for later */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- patterns ---- */

/* A part of a pattern: COUNT times the same letter, or literal text. */
struct field {
    char letter; /* 0: literal */
    size_t count;
    struct span text;
};

/* A pattern as it is gone through. */
struct pattern {
    const char *at;
    const char *end;
    bool quoted;
};

static bool quote_at(const struct pattern *p, size_t n)
{
    return (size_t)(p->end - p->at) > n && p->at[n] == '\'';
}

/* Quotes at AT: '' is one of them, inside and outside. True if it is, else quoting begins or ends.
 */
static bool take_quote(struct pattern *p)
{
    bool one = quote_at(p, 1) && (p->quoted || !quote_at(p, 2));
    p->quoted = one ? p->quoted : !p->quoted;
    p->at += one ? 2 : 1;
    return one;
}

static bool next_field(struct pattern *p, struct field *f)
{
    *f = (struct field){.text = SPAN_LIT("'")};
    while (quote_at(p, 0)) {
        if (take_quote(p)) {
            return true;
        }
    }
    if (p->at == p->end) {
        return false;
    }
    f->text = span_of(p->at, 1);
    f->letter = !p->quoted && is_letter(*p->at) ? *p->at : '\0';
    do {
        f->count++;
        p->at++;
    } while (f->letter && p->at < p->end && *p->at == f->letter);
    return true;
}

static struct pattern pattern_of(struct span text)
{
    return (struct pattern){.at = text.at, .end = text.at + text.len};
}

static const char *check_pattern(struct span text)
{
    struct field f;
    struct pattern p = pattern_of(text);
    while (next_field(&p, &f)) {
        if (f.letter && !strchr(letters, f.letter)) {
            return "a letter of the pattern is not known (quote it to mean itself)";
        }
        if (f.letter && f.count > 2 && strchr(two_at_most, f.letter)) {
            return "a letter of the pattern stands too often";
        }
        if (!f.letter && !p.quoted && strchr(reserved, *f.text.at)) {
            return "a character of the pattern must be quoted";
        }
    }
    return p.quoted ? "a quote of the pattern is not closed" : NULL;
}

/* ---- zones ---- */

static int two_digits(const char *at, const char *end)
{
    return end - at >= 2 && is_digit(at[0]) && is_digit(at[1]) ? (at[0] - '0') * 10 + (at[1] - '0')
                                                               : -1;
}

/* "+hh:mm", "+hhmm", "+hh", "+h": the length, or 0. */
static size_t read_offset(const char *at, const char *end, int *seconds)
{
    if (at == end || (*at != '+' && *at != '-')) {
        return 0;
    }
    const char *from = at++;
    int hours = two_digits(at, end);
    size_t width = 2;
    if (hours < 0 && at < end && is_digit(*at)) {
        hours = *at - '0';
        width = 1;
    }
    if (hours < 0 || hours > 18) {
        return 0;
    }
    at += width;
    const char *colon = at < end && *at == ':' ? at + 1 : at;
    int minutes = two_digits(colon, end);
    if (minutes >= 0 && minutes < 60) {
        at = colon + 2;
    } else {
        minutes = 0;
    }
    *seconds = (hours * 60 + minutes) * 60 * (*from == '-' ? -1 : 1);
    return (size_t)(at - from);
}

/* A zone at the beginning of TEXT: its length, or 0. */
static size_t read_zone(struct span text, struct date_zone *zone)
{
    const char *end = text.at + text.len;
    size_t word = 0;
    *zone = (struct date_zone){.name = "UTC"};
    if (span_starts(text, SPAN_LIT("UTC")) || span_starts(text, SPAN_LIT("GMT"))) {
        word = 3;
    } else if (span_starts(text, SPAN_LIT("UT"))) {
        word = 2;
    } else if (span_starts(text, SPAN_LIT("Z"))) {
        memcpy(zone->name, "Z", 2);
        return 1;
    }
    size_t offset = read_offset(text.at + word, end, &zone->offset);
    if (zone->offset != 0) {
        int size = zone->offset < 0 ? -zone->offset : zone->offset;
        snprintf(zone->name, sizeof zone->name, "%.*s%c%02d:%02d", (int)word, text.at,
                 zone->offset < 0 ? '-' : '+', size / 3600 % 100, size / 60 % 60);
    } else if (word > 0) {
        snprintf(zone->name, sizeof zone->name, "%.*s", (int)word, text.at);
    }
    return word + offset;
}

int date_zone(struct arena *a, struct span text, struct date_zone *zone, struct err *e)
{
    if (text.len > 0 && read_zone(text, zone) == text.len) {
        return 0;
    }
    *zone = (struct date_zone){.place = zone_open(a, text, e)};
    return zone->place ? 0 : -1;
}

/* What holds in ZONE at SECONDS since 1970 in UTC. */
static struct date_zone zone_then(const struct date_zone *zone, int64_t seconds)
{
    struct date_zone then = *zone;
    if (zone->place) {
        struct zone_time t = zone_at(zone->place, seconds);
        then.offset = t.offset;
        memcpy(then.name, t.name, sizeof then.name);
    }
    return then;
}

_Static_assert(sizeof((struct date_zone *)0)->name == sizeof((struct zone_time *)0)->name,
               "names of the same length");

/* ---- to text ---- */

static void add_number(struct buf *out, long long n, size_t width)
{
    buf_printf(out, "%0*lld", (int)(width < 40 ? width : 40), n);
}

/* The first three letters, all of them, or the first one. */
static void add_name(struct buf *out, const char *name, size_t count)
{
    buf_add(out, name, count < 4 ? 3 : count == 4 ? strlen(name) : 1);
}

/* Four places or more have a sign where the year is longer. */
static void add_year(struct buf *out, int year, size_t count)
{
    char text[16];
    size_t len = (size_t)snprintf(text, sizeof text, "%d", year);
    if (count >= 4 && len > count && year > 0) {
        buf_add_byte(out, '+');
    }
    add_number(out, count == 2 ? year % 100 : year, count);
}

/* The distance from UTC, with a colon or without; NOTHING, if there is one, for none at all. */
static void add_offset(struct buf *out, int offset, bool colon, const char *nothing)
{
    int size = offset < 0 ? -offset : offset;
    if (offset == 0 && nothing) {
        buf_add_text(out, nothing);
        return;
    }
    buf_printf(out, "%c%02d%s%02d", offset < 0 ? '-' : '+', size / 3600 % 100, colon ? ":" : "",
               size / 60 % 60);
}

static void add_zone(struct buf *out, char letter, size_t count, const struct date_zone *zone)
{
    bool iso = letter == 'X' || letter == 'x';
    if (letter == 'z') {
        buf_add_text(out, zone->name);
    } else if (letter == 'Z' && count == 4) {
        buf_add_text(out, "GMT");
        add_offset(out, zone->offset, true, "");
    } else {
        bool z = letter == 'X' || (letter == 'Z' && count > 4);
        add_offset(out, zone->offset, count > (iso ? 2 : 4), z ? "Z" : NULL);
        if (iso && count == 1 && zone->offset % 3600 == 0 && !(z && zone->offset == 0)) {
            out->len -= 2; /* whole hours */
        }
    }
}

/* Milliseconds as the first COUNT digits of the fraction. */
static void add_fraction(struct buf *out, int millis, size_t count)
{
    char text[8];
    snprintf(text, sizeof text, "%03d", millis);
    for (size_t i = 0; i < count && i < 40; i++) {
        buf_add_byte(out, i < 3 ? text[i] : '0');
    }
}

static void add_field(struct buf *out, const struct field *f, const struct tm *tm, int millis,
                      const struct date_zone *zone)
{
    int year = tm->tm_year + 1900;
    switch (f->letter) {
    case 'y': /* of the era: there is no year 0 */
        add_year(out, year > 0 ? year : 1 - year, f->count);
        break;
    case 'u':
        add_year(out, year, f->count);
        break;
    case 'M':
    case 'L':
        if (f->count > 2) {
            add_name(out, months[tm->tm_mon], f->count);
        } else {
            add_number(out, tm->tm_mon + 1, f->count);
        }
        break;
    case 'E':
        add_name(out, days[tm->tm_wday], f->count);
        break;
    case 'a':
        buf_add_text(out, tm->tm_hour < 12 ? "AM" : "PM");
        break;
    case 'S':
        add_fraction(out, millis, f->count);
        break;
    case 'z':
    case 'Z':
    case 'X':
    case 'x':
        add_zone(out, f->letter, f->count, zone);
        break;
    default: {
        int values[128] = {
            ['d'] = tm->tm_mday,      ['D'] = tm->tm_yday + 1,
            ['H'] = tm->tm_hour,      ['k'] = tm->tm_hour ? tm->tm_hour : 24,
            ['K'] = tm->tm_hour % 12, ['h'] = tm->tm_hour % 12 ? tm->tm_hour % 12 : 12,
            ['m'] = tm->tm_min,       ['s'] = tm->tm_sec};
        add_number(out, values[(unsigned char)f->letter & 127], f->count);
    }
    }
}

const char *date_format(int64_t date, struct span pattern, const struct date_zone *zone,
                        struct buf *out)
{
    const char *fault = check_pattern(pattern);
    bool before = date % 1000 < 0; /* the part of a second counts from the one before */
    int64_t millis = date % 1000 + (before ? 1000 : 0);
    int64_t utc = date / 1000 - before;
    struct date_zone then = zone_then(zone, utc);
    time_t seconds = (time_t)(utc + then.offset);
    struct tm tm;
    struct field f;
    struct pattern p = pattern_of(pattern);
    if (fault) {
        return fault;
    }
    if (!gmtime_r(&seconds, &tm)) {
        return "the date is out of range";
    }
    while (next_field(&p, &f)) {
        if (f.letter) {
            add_field(out, &f, &tm, (int)millis, &then);
        } else {
            buf_add_span(out, f.text);
        }
    }
    return NULL;
}

size_t date_print(int64_t date, char *out)
{
    static const struct date_zone utc = {.name = "UTC"};
    struct buf b = {0};
    if (date_format(date, SPAN_LIT("EEE MMM dd HH:mm:ss zzz y"), &utc, &b)) {
        buf_reset(&b);
        buf_add_i64(&b, date);
    }
    size_t len = b.len < DATE_TEXT_MAX ? b.len : DATE_TEXT_MAX;
    memcpy(out, b.at, len);
    buf_release(&b);
    return len;
}

/* ---- from text ---- */

struct reading {
    const char *at;
    const char *end;
    struct tm tm;
    int millis;
    int hour12; /* of 'h' and 'K', or -1 */
    bool pm;
    int day_of_year; /* or 0 */
    struct date_zone zone;
};

/* Digits: exactly WIDTH of them where another number follows, else as many as there are. */
static bool read_number(struct reading *r, size_t width, bool exact, int *out)
{
    size_t max = exact ? width : 9;
    size_t n = 0;
    int value = 0;
    while (n < max && r->at < r->end && is_digit(*r->at)) {
        value = value * 10 + (*r->at++ - '0');
        n++;
    }
    *out = value;
    return n > 0 && (!exact || n == width);
}

/* One of COUNT names, whole or its first three letters, in any case. */
static bool read_name(struct reading *r, const char *const *names, int count, int *out)
{
    for (int i = 0; i < count; i++) {
        size_t len = strlen(names[i]);
        size_t left = (size_t)(r->end - r->at);
        size_t take = left >= len && strncasecmp(r->at, names[i], len) == 0 ? len
                      : left >= 3 && strncasecmp(r->at, names[i], 3) == 0   ? 3
                                                                            : 0;
        if (take > 0) {
            r->at += take;
            *out = i;
            return true;
        }
    }
    return false;
}

static bool read_half(struct reading *r)
{
    if (r->end - r->at < 2 || (r->at[1] | 0x20) != 'm' ||
        ((*r->at | 0x20) != 'a' && (*r->at | 0x20) != 'p')) {
        return false;
    }
    r->pm = (*r->at | 0x20) == 'p';
    r->at += 2;
    return true;
}

/* The first three digits of a fraction of seconds. */
static bool read_fraction(struct reading *r, size_t width, bool exact)
{
    size_t n = 0;
    r->millis = 0;
    for (; r->at < r->end && is_digit(*r->at) && (!exact || n < width); n++, r->at++) {
        r->millis += n < 3 ? (*r->at - '0') * (n == 0 ? 100 : n == 1 ? 10 : 1) : 0;
    }
    return n > 0;
}

static bool within(int value, int low, int high)
{
    return value >= low && value <= high;
}

static bool read_date_field(struct reading *r, const struct field *f, bool exact)
{
    int n = 0;
    switch (f->letter) {
    case 'y':
    case 'u':
        if (!read_number(r, f->count, exact, &n)) {
            return false;
        }
        r->tm.tm_year = (f->count == 2 && n < 100 ? n + 2000 : n) - 1900;
        return true;
    case 'M':
    case 'L':
        if (f->count > 2 ? !read_name(r, months, 12, &n) : !read_number(r, f->count, exact, &n)) {
            return false;
        }
        r->tm.tm_mon = f->count > 2 ? n : n - 1;
        return within(r->tm.tm_mon, 0, 11);
    case 'd':
        return read_number(r, f->count, exact, &r->tm.tm_mday) && within(r->tm.tm_mday, 1, 31);
    case 'D':
        return read_number(r, f->count, exact, &r->day_of_year) && within(r->day_of_year, 1, 366);
    default: /* E */
        return read_name(r, days, 7, &n);
    }
}

static bool read_time_field(struct reading *r, const struct field *f, bool exact)
{
    size_t zone;
    int n;
    switch (f->letter) {
    case 'S':
        return read_fraction(r, f->count, exact);
    case 'a':
        return read_half(r);
    case 'z':
    case 'Z':
    case 'X':
    case 'x':
        zone = read_zone(span_of(r->at, (size_t)(r->end - r->at)), &r->zone);
        r->at += zone;
        return zone > 0;
    case 'm':
        return read_number(r, f->count, exact, &r->tm.tm_min) && within(r->tm.tm_min, 0, 59);
    case 's':
        return read_number(r, f->count, exact, &r->tm.tm_sec) && within(r->tm.tm_sec, 0, 59);
    default: /* hours */
        if (!read_number(r, f->count, exact, &n)) {
            return false;
        }
        if (f->letter == 'h' || f->letter == 'K') {
            r->hour12 = n % 12;
            return within(n, f->letter == 'h', f->letter == 'h' ? 12 : 11);
        }
        r->tm.tm_hour = n % 24;
        return within(n, f->letter == 'k', f->letter == 'k' ? 24 : 23);
    }
}

/* Do digits follow behind the field that P stands behind? */
static bool digits_follow(const struct pattern *p)
{
    return p->at < p->end && is_letter(*p->at) && strchr("yuMLdDHkhKmsS", *p->at);
}

static bool read_field(struct reading *r, const struct field *f, bool exact)
{
    if (!f->letter) {
        bool same = span_starts(span_of(r->at, (size_t)(r->end - r->at)), f->text);
        r->at += same ? f->text.len : 0;
        return same;
    }
    return strchr("yuMLdDE", f->letter) ? read_date_field(r, f, exact)
                                        : read_time_field(r, f, exact);
}

/* The date that R has read; false where milliseconds of 64 bits do not reach. */
static bool put_together(struct reading *r, int64_t *date)
{
    if (r->hour12 >= 0) {
        r->tm.tm_hour = r->hour12 + (r->pm ? 12 : 0);
    }
    if (r->day_of_year > 0) {
        r->tm.tm_mon = 0;
        r->tm.tm_mday = r->day_of_year;
    }
    int64_t local = timegm(&r->tm);
    int64_t utc = r->zone.place ? zone_to_utc(r->zone.place, local) : local - r->zone.offset;
    return !__builtin_mul_overflow(utc, INT64_C(1000), date) &&
           !__builtin_add_overflow(*date, r->millis, date);
}

const char *date_parse(struct span text, struct span pattern, const struct date_zone *zone,
                       int64_t *date)
{
    const char *fault = check_pattern(pattern);
    struct reading r = {.at = text.at,
                        .end = text.at + text.len,
                        .tm = {.tm_year = 70, .tm_mday = 1},
                        .hour12 = -1,
                        .zone = *zone};
    struct pattern p = pattern_of(pattern);
    struct field f;
    while (!fault && next_field(&p, &f)) {
        fault = read_field(&r, &f, digits_follow(&p)) ? NULL : "the text is not of the pattern";
    }
    if (!fault && r.at < r.end) {
        fault = "the text is longer than the pattern";
    }
    int day = r.tm.tm_mday;
    if (!fault && !put_together(&r, date)) {
        fault = "the date is out of range";
    }
    if (!fault && r.day_of_year == 0 && r.tm.tm_mday != day) {
        fault = "there is no such day";
    }
    return fault;
}
