/*
 * scanner FILE [PEER_MEGABYTES]: how long the scanner takes to check each line of FILE, and how
 * long jansson takes to load it, turn about.
 *
 * Prints `OURS PEER`, the best of three of each in seconds, the peer's scaled up where it got only
 * the first PEER_MEGABYTES (default 20; its rate does not depend on the size).
 */
#include "json/scan.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static char *read_file(const char *name, size_t *len)
{
    FILE *f = fopen(name, "rb");
    char *text = NULL;
    if (f && fseek(f, 0, SEEK_END) == 0) {
        *len = (size_t)ftell(f);
        rewind(f);
        text = malloc(*len + 1);
        if (text && fread(text, 1, *len, f) != *len) {
            free(text);
            text = NULL;
        }
    }
    if (f) {
        fclose(f);
    }
    return text;
}

static int check(struct scan *s, const char *line, size_t len)
{
    return scan_check(s, line, len);
}

static int load(struct scan *s, const char *line, size_t len)
{
    json_t *value = json_loadb(line, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    (void)s;
    json_decref(value);
    return value ? 0 : -1;
}

/* Seconds for all lines; exits if one does not pass. */
static double lines(int (*each)(struct scan *, const char *, size_t), const char *text, size_t len)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    double from = now();
    for (const char *at = text, *end = text + len; at < end;) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((lf ? lf : end) - at);
        if (each(&s, at, n) < 0) {
            fprintf(stderr, "scanner: byte %zu: a line is refused\n", (size_t)(at - text));
            exit(1);
        }
        at += n + 1;
    }
    double took = now() - from;
    scan_release(&s);
    return took;
}

/* The first WANT bytes, and the rest of the line. */
static size_t whole_lines(const char *text, size_t len, size_t want)
{
    const char *lf = want < len ? memchr(text + want, '\n', len - want) : NULL;
    return lf ? (size_t)(lf - text) + 1 : len;
}

int main(int argc, char **argv)
{
    size_t len;
    char *text = argc > 1 ? read_file(argv[1], &len) : NULL;
    if (!text) {
        fprintf(stderr, "usage: scanner FILE [PEER_MEGABYTES]\n");
        return 2;
    }
    size_t part = whole_lines(text, len, (argc > 2 ? strtoull(argv[2], NULL, 10) : 20) * 1000000);
    double ours = 1e9, peer = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        double a = lines(check, text, len);
        double b = lines(load, text, part) * (double)len / (double)part;
        ours = a < ours ? a : ours;
        peer = b < peer ? b : peer;
    }
    printf("%.4f %.4f\n", ours, peer);
    free(text);
    return 0;
}
