#include "digest/digest.h"
#include "digest/hmac.h"

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

/* A million times "a": FIPS 180, appendix; in pieces of every length. */
Test(digest, in_pieces)
{
    char as[999];
    memset(as, 'a', sizeof as);
    struct digest_run run = {0};
    struct err e = {0};
    for (int again = 0; again < 2; again++) {
        unsigned char bytes[DIGEST_BYTES_MAX];
        struct buf hex = {0};
        cr_assert_eq(digest_begin(&run, digest_find(SPAN_LIT("SHA-256")), &e), 0);
        size_t left = 1000000;
        for (size_t n = 0; left > 0; n = (n + 1) % sizeof as) {
            n = n < left ? n : left;
            digest_add(&run, span_of(as, n));
            left -= n;
        }
        digest_put_hex(&hex, bytes, digest_end(&run, bytes));
        cr_expect_str_eq(buf_text(&hex),
                         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        buf_release(&hex);
    }
    digest_release(&run);
    digest_release(&run);
}

/* RFC 4231, 4.2, 4.3 and 4.7. */
Test(digest, hmac)
{
    char key1[20], key6[131];
    memset(key1, 0x0B, sizeof key1);
    memset(key6, 0xAA, sizeof key6);
    const struct {
        struct span key;
        struct span data;
        const char *want;
    } rows[] = {
        {{key1, sizeof key1},
         SPAN_LIT("Hi There"),
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {SPAN_LIT("Jefe"), SPAN_LIT("what do ya want for nothing?"),
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {{key6, sizeof key6},
         SPAN_LIT("Test Using Larger Than Block-Size Key - Hash Key First"),
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char code[HMAC_BYTES];
        struct buf hex = {0};
        hmac_sha256(rows[i].key, rows[i].data, code);
        digest_put_hex(&hex, code, sizeof code);
        cr_expect_str_eq(buf_text(&hex), rows[i].want, "row %zu", i);
        buf_release(&hex);
    }
}
