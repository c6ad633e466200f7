/* lib/source: manifests, the keys in inventories, where their files are; statuses of results. */
#include "source/key.h"
#include "source/manifest.h"
#include "source/results.h"
#include "source/whereabouts.h"

#include "base/buf.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

Test(inventory, keys_are_decoded)
{
    static const struct {
        const char *in;
        const char *out; /* NULL: refused */
    } cases[] = {
        {"", "\"\""},
        {"plain/key.txt", "\"plain/key.txt\""},
        {"a%20b+c%2Bd", "\"a b c+d\""},
        {"%C3%A9%e2%82%ac", "\"\xC3\xA9\xE2\x82\xAC\""},
        {"%0A%22%5C%00", "\"\\n\\\"\\\\\\u0000\""},
        {"100%25", "\"100%\""},
        {"%", NULL},
        {"a%2", NULL},
        {"%G0", NULL},
        {"%0g", NULL},
        {"%FF", NULL},
        {"%C3", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct writer w;
        struct err e = {0};
        writer_init(&w, -1, "test");
        int rc = key_put(&w, span_text(cases[i].in), &e);
        cr_expect_eq(rc, cases[i].out ? 0 : -1, "%s", cases[i].in);
        cr_expect(span_equal(span_of(w.at, w.len), span_text(cases[i].out ? cases[i].out : "")),
                  "%s: %.*s", cases[i].in, (int)w.len, w.at);
        cr_expect_eq(e.code, cases[i].out ? ERR_NONE : ERR_DATA);
        writer_release(&w);
    }
}

/* BUCKET|column|column|key size md5|key size md5, or the message. */
static void dump_manifest(const char *text, struct buf *out)
{
    struct manifest m;
    struct reader r;
    struct err e = {0};
    reader_init_text(&r, span_text(text), "m");
    if (manifest_read(&m, &r, 100, &e) < 0) {
        cr_expect_eq(e.code, ERR_DATA);
        buf_add_text(out, e.text);
    } else {
        buf_add_text(out, m.bucket);
        for (size_t i = 0; i < m.columns_count; i++) {
            buf_add_byte(out, '|');
            buf_add_span(out, m.columns[i]);
        }
        for (size_t i = 0; i < m.parts_count; i++) {
            buf_printf(out, "|%s %d %s", m.parts[i].key,
                       m.parts[i].sized ? (int)m.parts[i].size : -1, m.parts[i].md5);
        }
    }
    manifest_release(&m);
    reader_release(&r);
}

Test(inventory, manifests_of_both_services)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"{\"destinationBucket\":\"arn:aws:s3:::dest\",\"fileFormat\":\"CSV\",\"fileSchema\":"
         "\"Bucket, Key, Size\",\"files\":[{\"key\":\"a/b.csv.gz\",\"size\":12,"
         "\"MD5checksum\":\"F11166069f1990abeb9c97ace9cdfABC\"}]}",
         "dest|Bucket|Key|Size|a/b.csv.gz 12 f11166069f1990abeb9c97ace9cdfabc"},
        {"{\"files\":[{\"key\":\"x\",\"MD5checksum\":\"F774****\",\"size\":\"5\"},{\"key\":\"y\\/"
         "z\"}],"
         "\"fileSchema\":\"Key\",\"destinationBucket\":\"d\"}",
         "d|Key|x -1 |y/z -1 "},
        {"{\"fileSchema\":\" A ,B,, C\",\"files\":[]}", "|A|B||C"},
        {"{\"fileFormat\":\"csv\",\"fileSchema\":\"A\",\"files\":[]}", "|A"},
        {"{\"fileFormat\":\"ORC\",\"fileSchema\":\"A\",\"files\":[]}",
         "m: the inventory is ORC; only CSV can be read"},
        {"{\"fileSchema\":\"A\",\"files\":[{\"size\":1}]}", "m: file 1 of the manifest has no key"},
        {"{\"fileSchema\":\"\",\"files\":[]}",
         "m is no manifest of an inventory: it has no fileSchema, which names the columns"},
        {"[]", "m is no manifest: it is no object"},
        {"{\"destinationBucket\":\"a/b\",\"fileSchema\":\"A\",\"files\":[]}",
         "m: the destinationBucket is no bucket's name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};
        dump_manifest(cases[i].in, &out);
        cr_expect_str_eq(buf_text(&out), cases[i].out, "row %zu", i);
        buf_release(&out);
    }
}

static void make_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    cr_assert_geq(fd, 0, "%s", path);
    close(fd);
}

Test(inventory, files_of_a_manifest_are_looked_for_upwards)
{
    static const char *const folders[] = {"d",           "d/s",         "d/s/id",
                                          "d/s/id/date", "d/s/id/data", "flat"};
    static const char *const files[] = {"d/s/id/data/x", "flat/x", "y", "d/s/id/z"};
    static const struct {
        const char *manifest, *key;
        const char *found; /* NULL: not */
    } cases[] = {
        {"d/s/id/date/manifest.json", "d/s/id/data/x", "d/s/id/data/x"},
        {"d/s/id/date/manifest.json", "other/prefix/id/data/x", "d/s/id/data/x"},
        {"./d/s/id/date/manifest.json", "d/s/id/data/x", "./d/s/id/data/x"},
        {"flat/manifest.json", "d/s/id/data/x", "d/s/id/data/x"}, /* the longest name first */
        {"flat/manifest.json", "q/x", "flat/x"},
        {"manifest.json", "p/y", "y"},
        {"-", "d/s/id/data/x", "d/s/id/data/x"},
        {"flat/manifest.json", "p/y", "y"},
        {"d/s/id/date/m", "z", NULL}, /* no folder in the key: only beside the manifest */
        {"d/s/id/date/m", "q/z", "d/s/id/z"},
        {"d/s/m", "id", NULL}, /* a folder is no file */
        {"m", "/y", NULL},
        {"m", "a//y", NULL},
        {"m", "../y", NULL},
        {"m", "a/../y", NULL},
        {"m", "./y", NULL},
        {"m", "y/", NULL},
    };
    char scratch[SCRATCH_MAX];
    cr_assert(mkdtemp(scratch_name(scratch)) && chdir(scratch) == 0);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        cr_assert_eq(mkdir(folders[i], 0700), 0);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        make_file(files[i]);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        char *found = whereabouts(NULL, cases[i].manifest, "bucket", cases[i].key, &e);
        cr_expect_str_eq(found ? found : "", cases[i].found ? cases[i].found : "", "row %zu: %s", i,
                         e.text);
        cr_expect_eq(e.code == ERR_NONE, cases[i].found != NULL);
        free(found);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        unlink(files[i]);
    }
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
        rmdir(folders[i]);
    }
    cr_expect(chdir("/") == 0 && rmdir(scratch) == 0);
}

Test(inventory, statuses)
{
    static const struct {
        const char *in;
        unsigned statuses; /* 0: an error */
    } cases[] = {
        {"Failed", RESULTS_FAILED},
        {"Succeeded,Pending", RESULTS_SUCCEEDED | RESULTS_PENDING},
        {"failed,TIMED_OUT,TimedOut,aborted", RESULTS_FAILED | RESULTS_TIMED_OUT | RESULTS_ABORTED},
        {"", 0},
        {"Failed,", 0},
        {"Fail", 0},
        {"Failedx", 0},
        {"Failed Pending", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err e = {0};
        unsigned statuses = 0;
        int rc = results_statuses(cases[i].in, &statuses, &e);
        cr_expect_eq(rc, cases[i].statuses ? 0 : -1, "%s", cases[i].in);
        cr_expect_eq(statuses, cases[i].statuses, "%s", cases[i].in);
        cr_expect_eq(e.code, cases[i].statuses ? ERR_NONE : ERR_USAGE);
    }
}
