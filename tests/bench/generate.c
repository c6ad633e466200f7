/*
 * generate FORMAT MEGABYTES: made-up events of a code host on standard output, for measuring.
 * FORMAT is json (one array, no newline inside), jsonl, csv, inventory, the part of an inventory of
 * a bucket, records, what the runner would write of small items, 340 bytes each, strings or texts.
 * The same arguments give the same bytes.  Events have about 550 bytes: nested objects, 64-bit
 * numbers, escapes, some UTF-8.  Lines of strings hold one string of about 1.2 KB in ASCII, those
 * of texts one in other scripts.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static const char *const kinds[] = {"PushEvent", "CreateEvent", "WatchEvent", "IssuesEvent"};
static const char *const words[] = {"fix",  "add the parser",    "update", "remove dead code",
                                    "test", "caf\xc3\xa9 menus", "README", "make it \\\"fast\\\""};

static const char *const texts[] = {
    "\xe6\x96\x87\xe5\xad\x97\xe5\x8c\x96\xe3\x81\x91",
    "\xd0\xbf\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82 \xd0\xb2\xd1\x81\xd0\xb5\xd0\xbc, ",
    "\xf0\x9f\x8e\x89", "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4 "};

#define PICK(list) list[next() % (sizeof list / sizeof *list)]

/* The message of a commit: some words, JSON escapes included. */
static void message(char *out, size_t cap)
{
    size_t len = 0;
    out[0] = '\0';
    for (int n = (int)(next() % 12); n >= 0; n--) {
        len += (size_t)snprintf(out + len, cap - len, "%s%s", len ? " " : "", PICK(words));
    }
}

static int event(char *out, size_t cap, uint64_t id)
{
    char text[256];
    message(text, sizeof text);
    unsigned user = (unsigned)(next() % 900000), repo = (unsigned)(next() % 9000000);
    return snprintf(
        out, cap,
        "{\"id\":%" PRIu64 ",\"type\":\"%s\",\"actor\":{\"id\":%u,"
        "\"login\":\"user%u\",\"url\":\"https://api.example.org/users/user%u\",\"name\":\"%s\"},"
        "\"repo\":{\"id\":%u,\"name\":\"user%u/project%u\"},"
        "\"payload\":{\"push_id\":%" PRIu64 ",\"size\":%u,\"ref\":\"refs/heads/main\","
        "\"commits\":[{\"sha\":\"%016" PRIx64 "%016" PRIx64 "\",\"message\":\"%s\","
        "\"author\":{\"name\":\"caf\\u00e9 %u\",\"email\":null},\"distinct\":true}],"
        "\"ratio\":0.%u,\"tags\":[]},\"public\":%s,"
        "\"created_at\":\"2015-01-01T%02u:%02u:%02uZ\"}",
        UINT64_C(9223372036800000000) + id, PICK(kinds), user, user, user, PICK(texts), repo, user,
        repo % 5000, next() >> 1, (unsigned)(next() % 40), next(), next(), text, user,
        (unsigned)(next() % 100000), next() % 8 ? "true" : "false", (unsigned)(id / 3600 % 24),
        (unsigned)(id / 60 % 60), (unsigned)(id % 60));
}

/* One string of about 1.2 KB, of LIST. */
static int string(char *out, size_t cap, const char *const *list, size_t count)
{
    size_t len = (size_t)snprintf(out, cap, "{\"text\":\"");
    while (len < 1200) {
        len += (size_t)snprintf(out + len, cap - len, "%s", list[next() % count]);
    }
    return (int)(len + (size_t)snprintf(out + len, cap - len, "\"}"));
}

static int row(char *out, size_t cap, uint64_t id)
{
    unsigned user = (unsigned)(next() % 900000);
    int quoted = next() % 50 == 0;
    return snprintf(out, cap, "%" PRIu64 ",%s,user%u,%u,%s%s%s,2015-01-01,0.%u,%s\n", id,
                    PICK(kinds), user, (unsigned)(next() % 1000), quoted ? "\"" : "",
                    quoted ? "one, \"\"two\"\"" : "plain text here", quoted ? "\"" : "",
                    (unsigned)(next() % 100000), next() % 2 ? "yes" : "no");
}

/* An object, as the service lists it: all fields quoted. */
static int listed(char *out, size_t cap, uint64_t id)
{
    return snprintf(out, cap,
                    "\"example-bucket\",\"logs/2024/%02u/%02u/host%u/part-%08" PRIu64
                    ".json\",\"%u\",\"2024-01-%02uT01:02:03.000Z\",\"%016" PRIx64 "%016" PRIx64
                    "\",\"STANDARD\"\n",
                    (unsigned)(id % 12 + 1), (unsigned)(id % 28 + 1), (unsigned)(id % 100), id,
                    (unsigned)(next() % 1000000), (unsigned)(id % 28 + 1), next(), next());
}

/* An execution of 49 ms; 20 begin in each second. */
static int record(char *out, size_t cap, uint64_t id)
{
    char time[24];
    snprintf(time, sizeof time, "2026-01-02T%02u:%02u:%02u", (unsigned)(id / 72000 % 24),
             (unsigned)(id / 1200 % 60), (unsigned)(id / 20 % 60));
    unsigned ms = (unsigned)(id % 20 * 50);
    return snprintf(out, cap,
                    "{\"ExecutionName\":\"3f2a9d1e-5b7c-4e8f-9a0b-1c2d3e4f5a6b:%" PRIu64
                    "\",\"FlowName\":\"nightly\",\"Index\":%" PRIu64 ",\"Input\":{\"id\":%" PRIu64
                    ",\"name\":\"user%u\",\"path\":\"a/b/%" PRIu64
                    ".json\"},\"Output\":{\"ok\":true,\"n\":%u,\"sum\":\"%08x\"},"
                    "\"Status\":\"Succeeded\",\"StartedTime\":\"%s.%03uZ\",\"StoppedTime\":"
                    "\"%s.%03uZ\",\"Attempts\":1,\"ItemCount\":1}",
                    id, id, id, (unsigned)(next() % 900000), id, (unsigned)(next() % 1000),
                    (unsigned)next(), time, ms, time, ms + 49);
}

/* The line ID of FORMAT. */
static int line(const char *format, char *out, size_t cap, uint64_t id)
{
    static const char *const plain[] = {"the quick brown fox jumps over the lazy dog; ",
                                        "lorem ipsum dolor sit amet, "};
    if (strcmp(format, "csv") == 0) {
        return row(out, cap, id);
    }
    if (strcmp(format, "inventory") == 0) {
        return listed(out, cap, id);
    }
    if (strcmp(format, "records") == 0) {
        return record(out, cap, id);
    }
    if (strcmp(format, "strings") == 0) {
        return string(out, cap, plain, sizeof plain / sizeof *plain);
    }
    if (strcmp(format, "texts") == 0) {
        return string(out, cap, texts, sizeof texts / sizeof *texts);
    }
    return event(out, cap, id);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr,
                "usage: generate json|jsonl|csv|inventory|records|strings|texts MEGABYTES\n");
        return 2;
    }
    int json = strcmp(argv[1], "json") == 0, csv = strcmp(argv[1], "csv") == 0;
    int inventory = strcmp(argv[1], "inventory") == 0;
    uint64_t limit = strtoull(argv[2], NULL, 10) * 1000000u, sent = 0;
    char text[2048];
    if (json) {
        putchar('[');
    } else if (csv) {
        puts("id,kind,user,count,text,day,ratio,flag");
    }
    for (uint64_t id = 0; sent < limit; id++) {
        int n = line(argv[1], text, sizeof text, id);
        if (json && id > 0) {
            putchar(',');
        }
        fwrite(text, 1, (size_t)n, stdout);
        if (!json && !csv && !inventory) {
            putchar('\n');
        }
        sent += (uint64_t)n + 1;
    }
    if (json) {
        putchar(']');
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
