#include "digest/digest.h"

#include <criterion/criterion.h>

/* Known answers: RFC 1321, FIPS 180-4 and FIPS 202 examples for "abc". */
static const struct {
    const char *name;
    const char *hex;
} abc[] = {
    {"MD5", "900150983cd24fb0d6963f7d28e17f72"},
    {"SHA-1", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"sha", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"SHA1", "a9993e364706816aba3e25717850c26c9cd0d89d"},
    {"SHA-224", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
    {"sha-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"SHA256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"SHA-512/256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
    {"SHA512/256", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"},
    {"SHA3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"},
};

Test(digest, known_answers)
{
    for (size_t i = 0; i < sizeof abc / sizeof *abc; i++) {
        struct buf out = {0};
        struct err e = {0};
        const struct digest *d = digest_find(span_text(abc[i].name));
        cr_assert(d, "%s", abc[i].name);
        cr_expect_eq(digest_hex(d, SPAN_LIT("abc"), &out, &e), 0);
        cr_expect_str_eq(buf_text(&out), abc[i].hex, "%s", abc[i].name);
        buf_release(&out);
    }
}

Test(digest, unknown_names)
{
    static const char *const names[] = {"",     "NOPE", "SHA-",   "SHA-2",
                                        "MD-5", "MD5 ", "SHA-51", "SHA3256"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_expect(!digest_find(span_text(names[i])), "%s", names[i]);
    }
}

Test(digest, of_nothing)
{
    struct buf out = {0};
    struct err e = {0};
    cr_expect_eq(digest_hex(digest_find(SPAN_LIT("MD5")), (struct span){0}, &out, &e), 0);
    cr_expect_str_eq(buf_text(&out), "d41d8cd98f00b204e9800998ecf8427e");
    buf_release(&out);
}
