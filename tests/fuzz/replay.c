/*
 * A main() for fuzz targets outside of libFuzzer: feeds them each file that is named, and each
 * file in a folder that is named.  Properties are asserted by the target; a crash is the verdict.
 */
#include "base/buf.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int feed_file(const char *name)
{
    FILE *in = fopen(name, "rb");
    if (!in) {
        perror(name);
        return -1;
    }
    struct buf text = {0};
    char chunk[65536];
    size_t n;
    while ((n = fread(chunk, 1, sizeof chunk, in)) > 0) {
        buf_add(&text, chunk, n);
    }
    int rc = ferror(in) ? -1 : 0;
    fclose(in);
    LLVMFuzzerTestOneInput((const uint8_t *)text.at, text.len);
    buf_release(&text);
    return rc;
}

static int feed(const char *name)
{
    DIR *folder = opendir(name);
    if (!folder) {
        return feed_file(name);
    }
    int rc = 0;
    struct buf path = {0};
    for (struct dirent *d; (d = readdir(folder));) {
        if (d->d_name[0] != '.') {
            buf_reset(&path);
            buf_printf(&path, "%s/%s", name, d->d_name);
            rc |= feed(buf_text(&path));
        }
    }
    buf_release(&path);
    closedir(folder);
    return rc;
}

int main(int argc, char **argv)
{
    int rc = 0;
    for (int i = 1; i < argc; i++) {
        rc |= feed(argv[i]);
    }
    return rc ? 1 : 0;
}
