/*
 * faults.c: a store that conflicts and breaks on demand, for the conformance cases.
 *
 * Linked into second copies of notify and wait (make faulty), where the linker leads the calls of
 * store_fetch, store_replace, store_remove and clock_real here (-Wl,--wrap); the programs and the
 * library have no hook.  FANLINE_CASE says what happens, as words divided by ';':
 *
 *     down                  every call fails
 *     numbers               revisions are numbers, which begin at 0 again when an entry is made
 * anew, and an entry that vanished is made anew by a replace (NiFi's own server) lose=all, lose=1,3
 * these calls of replace find the entry changed break=N               call N of replace fails
 *     bump=N                before call N of fetch somebody writes the entry as it is
 *     remove=N              before call N of fetch somebody removes it
 *     make=N ENTRY          before call N of fetch somebody puts ENTRY (NiFi's JSON) in its place
 *     signal=N COUNTER      before call N of fetch somebody notifies COUNTER once
 *     vanish=N              before call N of replace somebody removes it
 *     change=ENTRY          before the first remove somebody puts ENTRY in its place
 *
 * FANLINE_CASE_NOW is the time, in ms since 1970.  A letter for each call of replace goes to the
 * file that FANLINE_CASE_LOG names.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "store/nifi_json.h"
#include "store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __real_store_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e);
int __real_store_replace(struct store *s, struct span id, const struct store_entry *entry,
                         struct span expected, int64_t ttl, struct err *e);
int __real_store_remove(struct store *s, struct span id, struct err *e);
int64_t __real_clock_real(void);
int __wrap_store_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e);
int __wrap_store_replace(struct store *s, struct span id, const struct store_entry *entry,
                         struct span expected, int64_t ttl, struct err *e);
int __wrap_store_remove(struct store *s, struct span id, struct err *e);
int64_t __wrap_clock_real(void);

static int fetches, replaces, removes;
static long number; /* the revision, where revisions are numbers; a case has one entry at fault */

/* ---- what happens ---- */

/* The argument of WORD in FANLINE_CASE, up to ';', in a buffer; NULL if it is not there. */
static const char *argument(const char *word)
{
    static char text[4096];
    const char *at = getenv("FANLINE_CASE");
    size_t len = strlen(word);
    while (at && *at) {
        size_t end = strcspn(at, ";");
        if (strncmp(at, word, len) == 0 && (end == len || at[len] == '=')) {
            snprintf(text, sizeof text, "%.*s", (int)(end > len ? end - len - 1 : 0),
                     at + (end > len ? len + 1 : len));
            return text;
        }
        at += end + (at[end] == ';');
    }
    return NULL;
}

/* Does WORD name call CALL: "all", or a number of a list? What follows the number goes to *REST. */
static bool is_call(const char *word, int call, const char **rest)
{
    const char *at = argument(word);
    if (at && strcmp(at, "all") == 0) {
        return true;
    }
    while (at && *at) {
        char *end;
        bool hit = strtol(at, &end, 10) == call;
        if (hit && rest) {
            *rest = *end == ' ' ? end + 1 : end;
        }
        if (hit || *end != ',') {
            return hit;
        }
        at = end + 1;
    }
    return false;
}

static int broken(struct err *e)
{
    return err_set(e, ERR_LATER, "the store failed, as the case has it");
}

/* ---- what others do meanwhile ---- */

static void put(struct store *s, struct span id, const char *json)
{
    struct store_entry there = {0}, entry = {0};
    struct err e = {0};
    if (__real_store_fetch(s, id, &there, &e) < 0 ||
        nifi_json_read(span_text(json), &entry, &e) < 0 ||
        __real_store_replace(s, id, &entry, buf_span(&there.revision), 0, &e) != 1) {
        fprintf(stderr, "faults.c: %s: %s\n", json, e.text);
        exit(99);
    }
    store_entry_release(&there);
    store_entry_release(&entry);
}

static void signal_once(struct store *s, struct span id, const char *counter)
{
    struct store_entry entry = {0};
    struct err e = {0};
    struct buf json = {0};
    if (__real_store_fetch(s, id, &entry, &e) < 0) {
        exit(99);
    }
    size_t i = 0;
    while (i < entry.counter_count && !span_equal(entry.counters[i].name, span_text(counter))) {
        i++;
    }
    if (i < entry.counter_count) {
        entry.counters[i].value++;
    } else {
        store_entry_counter(&entry, span_text(counter), 1);
    }
    nifi_json_write(&entry, &json);
    put(s, id, buf_text(&json));
    store_entry_release(&entry);
    buf_release(&json);
    number++;
}

static void before_fetch(struct store *s, struct span id)
{
    const char *rest = NULL;
    struct err e;
    fetches++;
    if (is_call("bump", fetches, NULL)) {
        number++;
    }
    if (is_call("remove", fetches, NULL)) {
        (void)__real_store_remove(s, id, &e);
    }
    if (is_call("make", fetches, &rest)) {
        char *json = mem_text(rest);
        (void)__real_store_remove(s, id, &e);
        put(s, id, json);
        number = 0;
        free(json);
    }
    if (is_call("signal", fetches, &rest)) {
        char *counter = mem_text(rest);
        signal_once(s, id, counter);
        free(counter);
    }
}

/* ---- the calls ---- */

int __wrap_store_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e)
{
    if (argument("down")) {
        return broken(e);
    }
    before_fetch(s, id);
    int got = __real_store_fetch(s, id, out, e);
    if (got > 0 && argument("numbers")) {
        buf_reset(&out->revision);
        buf_printf(&out->revision, "%ld", number);
    }
    return got;
}

/* As NiFi's own server does it. */
static int replace_by_number(struct store *s, struct span id, const struct store_entry *entry,
                             struct span expected, int64_t ttl, struct err *e)
{
    struct store_entry there = {0};
    struct buf now = {0};
    int got = __real_store_fetch(s, id, &there, e);
    buf_printf(&now, "%ld", number);
    int done = got;
    if (got == 0) {
        done = __real_store_replace(s, id, entry, (struct span){0}, ttl, e);
        number = 0;
    } else if (got > 0) {
        bool same = span_equal(buf_span(&now), expected);
        done = same ? __real_store_replace(s, id, entry, buf_span(&there.revision), ttl, e) : 0;
        number += done > 0;
    }
    store_entry_release(&there);
    buf_release(&now);
    return done;
}

static void log_call(void)
{
    const char *path = getenv("FANLINE_CASE_LOG");
    int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        ssize_t ignored = write(fd, "r", 1);
        (void)ignored;
        close(fd);
    }
}

int __wrap_store_replace(struct store *s, struct span id, const struct store_entry *entry,
                         struct span expected, int64_t ttl, struct err *e)
{
    struct err ignored;
    replaces++;
    log_call();
    if (argument("down") || is_call("break", replaces, NULL)) {
        return broken(e);
    }
    if (is_call("lose", replaces, NULL)) {
        return 0;
    }
    if (is_call("vanish", replaces, NULL)) {
        (void)__real_store_remove(s, id, &ignored);
    }
    return argument("numbers") ? replace_by_number(s, id, entry, expected, ttl, e)
                               : __real_store_replace(s, id, entry, expected, ttl, e);
}

int __wrap_store_remove(struct store *s, struct span id, struct err *e)
{
    const char *json = argument("change");
    if (argument("down")) {
        return broken(e);
    }
    if (json && removes++ == 0) {
        char *copy = mem_text(json);
        put(s, id, copy);
        free(copy);
    }
    return __real_store_remove(s, id, e);
}

int64_t __wrap_clock_real(void)
{
    const char *now = getenv("FANLINE_CASE_NOW");
    return now ? strtoll(now, NULL, 10) * CLOCK_MILLI : __real_clock_real();
}
