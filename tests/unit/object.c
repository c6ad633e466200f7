/* lib/object, what needs no server: signatures, addresses, files of keys, XML, folders. */
#include "base/buf.h"
#include "base/mem.h"
#include "object/account.h"
#include "object/bucket.h"
#include "object/endpoint.h"
#include "object/escape.h"
#include "object/fault.h"
#include "object/ini.h"
#include "object/retry.h"
#include "object/sign.h"
#include "object/stamp.h"
#include "object/tree.h"
#include "object/url.h"
#include "object/xml.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define EMPTY_HASH   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

/* ---- signatures ---- */

struct sign_row {
    const char *method;
    const char *resource;
    const char *query;
    struct sign_header headers[6];
    const char *payload;
    const char *want; /* the end of the header */
};

/* TEXT ends in WANT. */
static bool ends_in(const char *text, const char *want)
{
    size_t a = strlen(text), b = strlen(want);
    return a >= b && strcmp(text + a - b, want) == 0;
}

static void check_signature(const struct sign_row *row, size_t i, const struct object_key *key,
                            const char *stamp, const char *region,
                            void (*sign)(const struct sign_request *, struct buf *))
{
    struct buf out = {0};
    size_t count = 0;
    while (count < COUNT(row->headers) && row->headers[count].name) {
        count++;
    }
    struct sign_request q = {.method = row->method,
                             .resource = span_text(row->resource),
                             .query = span_text(row->query),
                             .headers = row->headers,
                             .header_count = count,
                             .payload = row->payload,
                             .stamp = stamp,
                             .region = region,
                             .key = key};
    sign(&q, &out);
    cr_expect(ends_in(buf_text(&out), row->want), "row %zu: %s", i, buf_text(&out));
    buf_release(&out);
}

/*
 * The examples of "Signature Calculations for the Authorization Header" in the API reference of
 * Amazon S3.
 */
static const struct sign_row aws_rows[] = {
    {"GET",
     "/test.txt",
     "",
     {{"host", {"examplebucket.s3.amazonaws.com", 30}},
      {"range", {"bytes=0-9", 9}},
      {"x-amz-content-sha256", {EMPTY_HASH, 64}},
      {"x-amz-date", {"20130524T000000Z", 16}}},
     EMPTY_HASH,
     "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
     "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
     "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"},
    {"PUT",
     "/test%24file.text",
     "",
     {{"x-amz-storage-class", {"REDUCED_REDUNDANCY", 18}},
      {"x-amz-date", {"20130524T000000Z", 16}},
      {"date", {"Fri, 24 May 2013 00:00:00 GMT", 29}},
      {"host", {"examplebucket.s3.amazonaws.com", 30}},
      {"x-amz-content-sha256",
       {"44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072", 64}}},
     "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
     "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,"
     "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"},
    {"GET",
     "/",
     "lifecycle=",
     {{"host", {"examplebucket.s3.amazonaws.com", 30}},
      {"x-amz-content-sha256", {EMPTY_HASH, 64}},
      {"x-amz-date", {"20130524T000000Z", 16}}},
     EMPTY_HASH,
     "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"},
    {"GET",
     "/",
     "max-keys=2&prefix=J",
     {{"host", {"examplebucket.s3.amazonaws.com", 30}},
      {"x-amz-content-sha256", {EMPTY_HASH, 64}},
      {"x-amz-date", {"20130524T000000Z", 16}}},
     EMPTY_HASH,
     "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"},
};

Test(object, signatures_of_the_aws_examples)
{
    struct object_key key = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                             NULL};
    char stamp[SIGN_STAMP_MAX];
    sign_stamp(INT64_C(1369353600) * CLOCK_SECOND, stamp);
    cr_expect_str_eq(stamp, "20130524T000000Z");
    for (size_t i = 0; i < COUNT(aws_rows); i++) {
        check_signature(&aws_rows[i], i, &key, stamp, "us-east-1", sign_s3);
    }
}

/* What @smithy/signature-v4 5.3 and aws4 1.13, which agree, and ali-oss 6.23 compute for odd keys.
 */
static const struct {
    const char *key;
    const char *s3;
    const char *s3_with_token;
    const char *oss;
} odd_rows[] = {
    {"plain.txt", "2f8f01e8397ae5091cb8fd8935fc359c8beca1a09788d4d82f5ab376353627a8",
     "8a7f95ef2d649ba153ff7b3c12f2402b3aa954afc17fcb49b8e295771c4b3ede",
     "76a3978e897f7d3208164ec6fc40c7beae562f7d39431e76ce9022e754096fc4"},
    {"a b+c%d'e\"f", "e930f7d44c4f0864511c628af64e54f5a2b53c2bd4fa33d8879e0e53833e6534",
     "4c9a99148cb6c5553f1b48031739b4598889c68083c05c5c3a35267f51f476f9",
     "fcb0b617ff61e878854aabef503e36b4d9e837301964ed572f18229219dab7c5"},
    {"\xc3\xbcn\xc3\xaf"
     "c\xc3\xb6"
     "d\xc3\xa9/\xe6\x97\xa5\xe6\x9c\xac",
     "866a7128925797a4a9e29022fc1951a718f454bad78f04702e843c1a2d01b3c9",
     "2b8c3b5b0ac61dba4272fd952156f57523d56ac41bc5953ae7e61fb0876f6c82",
     "48df57d470cfc7b25e2797a567fb8aad79c866a0c9f4aa47a980d46eebe05fa7"},
    {"x//y/../z", "a7333686dedf34803e2db54e1ced35c40ca5c2ec6ec319f734d8fbefa3ba137d",
     "823b1568efbd279f61f1011faaebecba5fd5415c0bac3bbf8551b4297ee9accf",
     "0cbe05342751faad9c66a2a09acdfe41aad22c8dc4609ab53cd41f9218975413"},
    {"new\nline", "7f12ecf809ac7935bdd712c6b248358c28fd65417cd3893fe868c08196c32367",
     "acffd316ae857e7884c507203a0ea13611026be57cba6d0e04d5d769041b0dce",
     "d435300dca0e81003b5a7a3975ae6ef89f2459b800e9f274e45333850d9e8435"},
    {"!*()~-._=&@:,;$?#[]", "9cd6cdee51cc996442f5c2ba3af6e0d93a89922ead518ba8ab6e20735d73a382",
     "1b897e72565a2cc5d6927269858f485cd4882593895fed88c27fb215aa607ff9",
     "e3e9edcd7be5abccaba74b1fc7baa8f2dd86187661abfb089ed7af72421908c8"},
};

static const struct sign_header odd_headers[] = {
    {"x-amz-date", {"20261130T123456Z", 16}},
    {"host", {"127.0.0.1:9000", 14}},
    {"x-amz-content-sha256", {EMPTY_HASH, 64}},
    {"x-amz-security-token", {"TOKEN/with+odd=chars==", 22}},
};

static const struct sign_header oss_headers[] = {
    {"host", {"bucket.oss-cn-hangzhou.aliyuncs.com", 35}},
    {"x-oss-date", {"20261130T123456Z", 16}},
    {"x-oss-content-sha256", {"UNSIGNED-PAYLOAD", 16}},
    {"x-oss-security-token", {"TOKEN/with+odd=chars==", 22}},
    {"range", {"bytes=1-", 8}},
    {"content-md5", {"CY9rzUYh03PK3k6DJie09g==", 24}},
    {"content-type", {"application/json", 16}},
    {"x-oss-forbid-overwrite", {"true", 4}},
};

static const struct object_key odd_key = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
                                          NULL};
static const struct object_key oss_key = {"LTAIEXAMPLE", "SecretExample+/=", NULL};

static const struct sign_request odd_request = {.method = "GET",
                                                .headers = odd_headers,
                                                .header_count = 3,
                                                .payload = EMPTY_HASH,
                                                .stamp = "20261130T123456Z",
                                                .region = "eu-central-1",
                                                .key = &odd_key};

static const struct sign_request oss_request = {.method = "GET",
                                                .headers = oss_headers,
                                                .header_count = 3,
                                                .payload = "UNSIGNED-PAYLOAD",
                                                .stamp = "20261130T123456Z",
                                                .region = "cn-hangzhou",
                                                .key = &oss_key};

static void expect_signature(void (*sign)(const struct sign_request *, struct buf *),
                             const struct sign_request *q, const char *want, const char *name)
{
    struct buf out = {0};
    sign(q, &out);
    cr_expect(ends_in(buf_text(&out), want), "%s: %s", name, buf_text(&out));
    buf_release(&out);
}

Test(object, signatures_of_odd_keys)
{
    for (size_t i = 0; i < COUNT(odd_rows); i++) {
        struct buf path = {0};
        buf_add_text(&path, "/bucket/");
        escape_put(&path, span_text(odd_rows[i].key), true);

        struct sign_request q = odd_request;
        q.resource = buf_span(&path);
        expect_signature(sign_s3, &q, odd_rows[i].s3, odd_rows[i].key);
        q.header_count = 4;
        expect_signature(sign_s3, &q, odd_rows[i].s3_with_token, odd_rows[i].key);

        q = oss_request;
        q.resource = buf_span(&path);
        expect_signature(sign_oss, &q, odd_rows[i].oss, odd_rows[i].key);
        buf_release(&path);
    }
}

/* By the same clients. */
Test(object, signatures_of_queries)
{
    struct escape_pair list[] = {{"list-type", SPAN_LIT("2")},
                                 {"prefix", SPAN_LIT("a b+c%'/\xc3\xbc")},
                                 {"max-keys", SPAN_LIT("1000")},
                                 {"encoding-type", SPAN_LIT("url")},
                                 {"continuation-token", SPAN_LIT("1/abc+d==")}};
    struct escape_pair uploads[] = {{"uploads", {0}}};
    struct escape_pair part[] = {{"uploadId", SPAN_LIT("A B")}, {"partNumber", SPAN_LIT("3")}};
    struct sign_header named[] = {odd_headers[0],
                                  {"host", {"h", 1}},
                                  odd_headers[2],
                                  {"content-type", {"application/json", 16}}};
    struct buf query = {0};

    escape_query(&query, list, COUNT(list), false);
    cr_expect_str_eq(buf_text(&query),
                     "continuation-token=1%2Fabc%2Bd%3D%3D&encoding-type=url&list-type=2&"
                     "max-keys=1000&prefix=a%20b%2Bc%25%27%2F%C3%BC");
    struct sign_request q = odd_request;
    q.headers = named;
    q.resource = SPAN_LIT("/bucket/");
    q.query = buf_span(&query);
    expect_signature(sign_s3, &q,
                     "034a69d977e8ba316f062f76bfad0daa60517599d547cfc32cf8e7e9efa7f495", "list");
    q = oss_request;
    q.resource = SPAN_LIT("/bucket/");
    q.query = buf_span(&query);
    q.header_count = 4;
    expect_signature(sign_oss, &q,
                     "f425022ff7ba56553b8dd7ab54a6ecf01ae25d9d5df321f32c1de08d2d7f6bdf",
                     "OSS list");

    buf_reset(&query);
    escape_query(&query, uploads, 1, false);
    q = odd_request;
    q.method = "POST";
    q.headers = named;
    q.header_count = 4;
    q.resource = SPAN_LIT("/k");
    q.query = buf_span(&query);
    expect_signature(sign_s3, &q,
                     "SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date,"
                     "Signature=33180f5c36593a640127323324a908ab4d60e91f30461fb906c4d21028e90387",
                     "uploads");

    buf_reset(&query);
    escape_query(&query, uploads, 1, true);
    q = oss_request;
    q.method = "POST";
    q.header_count = 4;
    q.resource = SPAN_LIT("/bucket/dir/k");
    q.query = buf_span(&query);
    expect_signature(sign_oss, &q,
                     "OSS4-HMAC-SHA256 Credential=LTAIEXAMPLE/20261130/cn-hangzhou/oss/"
                     "aliyun_v4_request,Signature="
                     "5fac97b84954feb3a9a8c5dbfb13aeee336acc2a2bb76bbef798937e189d577b",
                     "OSS uploads");

    buf_reset(&query);
    escape_query(&query, part, COUNT(part), true);
    q.method = "PUT";
    q.header_count = COUNT(oss_headers);
    q.query = buf_span(&query);
    expect_signature(sign_oss, &q,
                     "451339e7991fb6db0dad3a5de571a2c75e30091b8fa8a799f06b963f28dd3553",
                     "OSS part");
    buf_release(&query);
}

/* ---- addresses ---- */

static const struct {
    const char *place;
    enum url_scheme scheme;
    const char *bucket;
    const char *key;
    const char *shown;
} url_rows[] = {
    {"a/b", URL_PATH, NULL, NULL, "a/b"},
    {"s3:/x", URL_PATH, NULL, NULL, "s3:/x"},
    {"s3://b", URL_S3, "b", "", "s3://b"},
    {"s3://b/", URL_S3, "b", "", "s3://b/"},
    {"S3://b/k", URL_S3, "b", "k", "S3://b/k"},
    {"s3://b//k/../?x#y%20", URL_S3, "b", "/k/../?x#y%20", "s3://b//k/../?x#y%20"},
    {"oss://my.bucket-1_x/a b", URL_OSS, "my.bucket-1_x", "a b", "oss://my.bucket-1_x/a b"},
    {"http://h/p?q#f", URL_WEB, NULL, NULL, "http://h/p?..."},
    {"https://u:p@h:1/p", URL_WEB, NULL, NULL, "https://h:1/p"},
    {"https://u:p@p@h/p", URL_WEB, NULL, NULL, "https://h/p"},
    {"https://h/p@q", URL_WEB, NULL, NULL, "https://h/p@q"},
    {"https://u:p/x@h/", URL_WEB, NULL, NULL, "https://..."},
    {"http://[::1]:80/x", URL_WEB, NULL, NULL, "http://[::1]:80/x"},
    {"http://[::1]/x#f", URL_WEB, NULL, NULL, "http://[::1]/x"},
};

Test(object, urls)
{
    static const char *const wrong[] = {"s3://", "s3:///k", "s3://a b/k", "oss://-b/k",
                                        "s3://a@b/k"};
    struct err e = {0};
    struct url u;
    for (size_t i = 0; i < COUNT(url_rows); i++) {
        cr_assert_eq(url_parse(&u, url_rows[i].place, &e), 0, "%s", url_rows[i].place);
        cr_expect_eq(u.scheme, url_rows[i].scheme, "%s", url_rows[i].place);
        cr_expect_str_eq(u.shown, url_rows[i].shown);
        if (url_rows[i].bucket) {
            cr_expect_str_eq(u.bucket, url_rows[i].bucket);
            cr_expect_str_eq(u.key, url_rows[i].key);
        }
        url_release(&u);
    }
    for (size_t i = 0; i < COUNT(wrong); i++) {
        cr_expect_eq(url_parse(&u, wrong[i], &e), -1, "%s", wrong[i]);
        cr_expect_eq(e.code, ERR_USAGE);
        url_release(&u);
    }
}

Test(object, escapes)
{
    static const struct {
        const char *plain;
        const char *escaped;
        const char *in_path;
    } rows[] = {
        {"", "", ""},
        {"azAZ09-._~", "azAZ09-._~", "azAZ09-._~"},
        {"a/b", "a%2Fb", "a/b"},
        {" +%\"'()*!", "%20%2B%25%22%27%28%29%2A%21", "%20%2B%25%22%27%28%29%2A%21"},
        {"\n\x7f\xff", "%0A%7F%FF", "%0A%7F%FF"},
    };
    static const char *const broken[] = {"%", "%4", "a%4", "%zz", "%4g", "%%41"};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out = {0};
        escape_put(&out, span_text(rows[i].plain), false);
        cr_expect_str_eq(buf_text(&out), rows[i].escaped);
        struct buf back = {0};
        cr_expect(escape_undo(&back, buf_span(&out)));
        cr_expect_str_eq(buf_text(&back), rows[i].plain);
        buf_reset(&out);
        escape_put(&out, span_text(rows[i].plain), true);
        cr_expect_str_eq(buf_text(&out), rows[i].in_path);
        buf_release(&out);
        buf_release(&back);
    }
    struct buf out = {0};
    cr_expect(escape_undo(&out, SPAN_LIT("a+b%2bc%2B")));
    cr_expect_str_eq(buf_text(&out), "a b+c+");
    for (size_t i = 0; i < COUNT(broken); i++) {
        cr_expect(!escape_undo(&out, span_text(broken[i])), "%s", broken[i]);
    }
    buf_release(&out);
}

static const struct {
    const char *url;
    const char *bucket;
    enum object_style style;
    bool oss;
    const char *address; /* of the key "k"; NULL: an error */
    const char *region;
} endpoint_rows[] = {
    {"s3.eu-west-1.amazonaws.com", "b", OBJECT_STYLE_AUTO, false,
     "https://b.s3.eu-west-1.amazonaws.com/k", "eu-west-1"},
    {"s3.eu-west-1.amazonaws.com", "b.c", OBJECT_STYLE_AUTO, false,
     "https://s3.eu-west-1.amazonaws.com/b.c/k", "eu-west-1"},
    {"s3.eu-west-1.amazonaws.com", "Old_Bucket", OBJECT_STYLE_AUTO, false,
     "https://s3.eu-west-1.amazonaws.com/Old_Bucket/k", "eu-west-1"},
    {"https://s3.amazonaws.com/", "b", OBJECT_STYLE_PATH, false, "https://s3.amazonaws.com/b/k",
     ""},
    {"https://s3.dualstack.us-west-2.amazonaws.com", "b", OBJECT_STYLE_AUTO, false,
     "https://b.s3.dualstack.us-west-2.amazonaws.com/k", "us-west-2"},
    {"s3-ap-south-1.amazonaws.com", "b", OBJECT_STYLE_AUTO, false,
     "https://b.s3-ap-south-1.amazonaws.com/k", "ap-south-1"},
    {"s3.cn-north-1.amazonaws.com.cn", "b", OBJECT_STYLE_AUTO, false,
     "https://b.s3.cn-north-1.amazonaws.com.cn/k", "cn-north-1"},
    {"http://127.0.0.1:9000", "b", OBJECT_STYLE_AUTO, false, "http://127.0.0.1:9000/b/k", ""},
    {"http://[::1]:9000", "b", OBJECT_STYLE_AUTO, true, "http://[::1]:9000/b/k", ""},
    {"http://minio:9000/s3/", "b", OBJECT_STYLE_AUTO, false, "http://minio:9000/s3/b/k", ""},
    {"http://minio:9000", "b", OBJECT_STYLE_VIRTUAL, false, "http://b.minio:9000/k", ""},
    {"oss-cn-hangzhou.aliyuncs.com", "b", OBJECT_STYLE_AUTO, true,
     "https://b.oss-cn-hangzhou.aliyuncs.com/k", "cn-hangzhou"},
    {"http://oss-cn-hangzhou-internal.aliyuncs.com", "b", OBJECT_STYLE_AUTO, true,
     "http://b.oss-cn-hangzhou-internal.aliyuncs.com/k", "cn-hangzhou"},
    {"https://s3.oss-cn-hangzhou.aliyuncs.com", "b", OBJECT_STYLE_AUTO, false,
     "https://b.s3.oss-cn-hangzhou.aliyuncs.com/k", "oss-cn-hangzhou"},
    {"https://s3.oss-cn-hangzhou-internal.aliyuncs.com", "b.c", OBJECT_STYLE_AUTO, false,
     "https://b.c.s3.oss-cn-hangzhou-internal.aliyuncs.com/k", "oss-cn-hangzhou"},
    {"https://oss.example.com", "b", OBJECT_STYLE_AUTO, true, "https://b.oss.example.com/k", ""},
    {"ftp://x", "b", OBJECT_STYLE_AUTO, false, NULL, NULL},
    {"https://", "b", OBJECT_STYLE_AUTO, false, NULL, NULL},
    {"", "b", OBJECT_STYLE_AUTO, false, NULL, NULL},
    {"https://u:p@x", "b", OBJECT_STYLE_AUTO, false, NULL, NULL},
    {"https://x/?q", "b", OBJECT_STYLE_AUTO, false, NULL, NULL},
};

Test(object, endpoints)
{
    for (size_t i = 0; i < COUNT(endpoint_rows); i++) {
        struct endpoint ep = {0};
        struct err e = {0};
        struct buf out = {0};
        const char *bucket = endpoint_rows[i].bucket;
        int rc = endpoint_set(&ep, endpoint_rows[i].url, bucket, endpoint_rows[i].style,
                              endpoint_rows[i].oss, &e);
        cr_assert_eq(rc, endpoint_rows[i].address ? 0 : -1, "%s", endpoint_rows[i].url);
        if (rc == 0) {
            buf_printf(&out, "%s://", ep.scheme);
            endpoint_put_host(&ep, bucket, &out);
            endpoint_put_path(&ep, bucket, SPAN_LIT("k"), &out);
            cr_expect_str_eq(buf_text(&out), endpoint_rows[i].address);
            cr_expect(span_equal(endpoint_region(&ep), span_text(endpoint_rows[i].region)),
                      "%s: %.*s", endpoint_rows[i].url, (int)endpoint_region(&ep).len,
                      endpoint_region(&ep).at);
        }
        endpoint_release(&ep);
        buf_release(&out);
    }
}

Test(object, endpoints_that_send_us_on)
{
    static const struct {
        const char *from;
        const char *to;
        bool trusted;
        const char *host;
    } rows[] = {
        {"s3.us-east-1.amazonaws.com", "b.s3.eu-west-1.amazonaws.com", true,
         "s3.eu-west-1.amazonaws.com"},
        {"s3.us-east-1.amazonaws.com", "s3-eu-west-1.amazonaws.com", true,
         "s3-eu-west-1.amazonaws.com"},
        {"oss-cn-hangzhou.aliyuncs.com", "oss-cn-beijing.aliyuncs.com", true,
         "oss-cn-beijing.aliyuncs.com"},
        {"http://a.test.localhost:99", "z.test.localhost", true, "z.test.localhost:99"},
        {"http://a.test.localhost:99", "b.z.test.localhost:98", true, "z.test.localhost:98"},
        {"s3.us-east-1.amazonaws.com", "s3.evil.com", false, NULL},
        {"s3.us-east-1.amazonaws.com", "evilamazonaws.com", false, NULL},
        {"s3.us-east-1.amazonaws.com", "x.amazonaws.com/@evil.com", false, NULL},
        {"s3.us-east-1.amazonaws.com", "evil.com#.amazonaws.com", false, NULL},
        {"http://127.0.0.1", "127.0.0.2", false, NULL},
        {"http://127.0.0.1", "evil.0.1", false, NULL},
        {"http://minio", "minio", false, NULL},
        {"http://minio", "", false, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct endpoint ep = {0};
        cr_assert_eq(endpoint_set(&ep, rows[i].from, "b", OBJECT_STYLE_AUTO, false, NULL), 0);
        cr_expect_eq(endpoint_trusts(&ep, span_text(rows[i].to)), rows[i].trusted, "%s",
                     rows[i].to);
        if (rows[i].trusted) {
            endpoint_move(&ep, span_text(rows[i].to), "b");
            cr_expect_str_eq(ep.host, rows[i].host);
        }
        endpoint_release(&ep);
    }
}

/* Where a bucket is, to begin with and after a server has said something about it. */
Test(object, buckets)
{
    static const struct {
        const char *place;
        const char *region; /* as set */
        const char *endpoint;
        const char *said_region; /* by the server */
        const char *said_host;
        const char *before; /* host and region; or the message */
        const char *after;  /* NULL: nothing new */
    } rows[] = {
        {"s3://b/k", NULL, NULL, "eu-west-1", "", "b.s3.us-east-1.amazonaws.com us-east-1",
         "b.s3.eu-west-1.amazonaws.com eu-west-1"},
        {"s3://b/k", "cn-north-1", NULL, "", "", "b.s3.cn-north-1.amazonaws.com.cn cn-north-1",
         NULL},
        {"s3://b/k", "eu-west-1", NULL, "eu-west-1", "", "b.s3.eu-west-1.amazonaws.com eu-west-1",
         NULL},
        {"s3://s3/k", NULL, NULL, "eu-west-1", "", "s3.s3.us-east-1.amazonaws.com us-east-1",
         "s3.s3.eu-west-1.amazonaws.com eu-west-1"},
        {"s3://b/k", NULL, NULL, "", "b.s3.ap-south-1.amazonaws.com",
         "b.s3.us-east-1.amazonaws.com us-east-1", "b.s3.ap-south-1.amazonaws.com ap-south-1"},
        {"s3://b/k", NULL, NULL, "../x", "b.s3.evil.com", "b.s3.us-east-1.amazonaws.com us-east-1",
         NULL},
        {"s3://b/k", "r", "http://127.0.0.1:9000", "other", "", "127.0.0.1:9000 r",
         "127.0.0.1:9000 other"},
        {"s3://b/k", NULL, "https://s3.oss-cn-x.aliyuncs.com", "", "",
         "b.s3.oss-cn-x.aliyuncs.com oss-cn-x", NULL},
        {"s3://b/k", "no region", NULL, "", "", "'no region' is no name of a region", NULL},
        {"oss://b/k", "cn-hangzhou", NULL, "", "oss-cn-beijing.aliyuncs.com",
         "b.oss-cn-hangzhou.aliyuncs.com cn-hangzhou", "b.oss-cn-beijing.aliyuncs.com cn-beijing"},
        {"oss://b/k", NULL, "oss-cn-x-internal.aliyuncs.com", "", "",
         "b.oss-cn-x-internal.aliyuncs.com cn-x", NULL},
        {"oss://b/k", NULL, NULL, "", "",
         "no endpoint is set for oss: set OSS_ENDPOINT or OSS_REGION", NULL},
        {"oss://b/k", NULL, "http://localhost", "", "", "no region is set for oss: set OSS_REGION",
         NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct object_settings s = OBJECT_SETTINGS_DEFAULTS;
        struct object_client *c;
        struct url u;
        struct err e = {0};
        struct buf got = {0};
        s.anonymous = true;
        s.s3_region = s.oss_region = rows[i].region;
        s.s3_endpoint = s.oss_endpoint = rows[i].endpoint;
        cr_assert_eq(object_client_open(&c, &s, &e), 0);
        cr_assert_eq(url_parse(&u, rows[i].place, &e), 0);
        struct bucket *b = bucket_of(c, &u, &e);
        if (b) {
            endpoint_put_host(&b->endpoint, b->name, &got);
            buf_printf(&got, " %s", b->region);
            cr_expect_eq(bucket_of(c, &u, &e), b, "row %zu: it is kept", i);
        } else {
            buf_add_text(&got, e.text);
        }
        cr_expect_str_eq(buf_text(&got), rows[i].before, "row %zu", i);
        bool is_new =
            b && bucket_moved(b, span_text(rows[i].said_region), span_text(rows[i].said_host));
        cr_expect_eq(is_new, rows[i].after != NULL, "row %zu", i);
        if (is_new) {
            buf_reset(&got);
            endpoint_put_host(&b->endpoint, b->name, &got);
            buf_printf(&got, " %s", b->region);
            cr_expect_str_eq(buf_text(&got), rows[i].after, "row %zu", i);
        }
        url_release(&u);
        object_client_close(c);
        buf_release(&got);
    }
}

/* ---- files of keys ---- */

static const char ini_text[] = "# comment\n"
                               "[default]\n"
                               "region = eu-west-1\r\n"
                               " \n"
                               "s3 =\n"
                               "    addressing_style = path\n"
                               "  max = 1\n"
                               "output=json\n"
                               "[profile a]\n"
                               "; region = no\n"
                               "region=us-west-2\n"
                               "region=us-west-3\n"
                               "[ spaced ]\n"
                               "key = a = b \n"
                               "[last]\n"
                               "key = end";

Test(object, ini)
{
    static const struct {
        const char *section;
        const char *key;
        const char *want;
    } rows[] = {
        {"default", "region", "eu-west-1"},
        {"default", "s3.addressing_style", "path"},
        {"default", "s3.max", "1"},
        {"default", "output", "json"},
        {"default", "addressing_style", ""},
        {"default", "s3.output", ""},
        {"default", "key", ""},
        {"profile a", "region", "us-west-3"},
        {"a", "region", ""},
        {"spaced", "key", "a = b"},
        {"last", "key", "end"},
        {"none", "key", ""},
    };
    struct span text = SPAN_LIT(ini_text);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct span got = ini_get(text, rows[i].section, rows[i].key);
        cr_expect(span_equal(got, span_text(rows[i].want)), "%s %s: '%.*s'", rows[i].section,
                  rows[i].key, (int)got.len, got.at);
    }
    cr_expect(ini_has(text, "spaced") && ini_has(text, "profile a") && !ini_has(text, "a"));
    cr_expect(!ini_has((struct span){0}, "a"));
}

/* A file in a folder that goes away with the test's process; the name is the caller's to free. */
static char *file_with(const char *text)
{
    char name[SCRATCH_MAX];
    int fd = mkstemp(scratch_name(name));
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    return mem_text(name);
}

Test(object, accounts)
{
    char *credentials = file_with("[default]\naws_access_key_id=ID1\naws_secret_access_key=S1\n"
                                  "[half]\naws_access_key_id=ID2\n"
                                  "[temp]\naws_access_key_id=ID3\naws_secret_access_key=S3\n"
                                  "aws_session_token=T3\n");
    char *config = file_with("[profile default]\nregion=r1\n[profile temp]\nregion=r3\n"
                             "endpoint_url=http://e3\ns3=\n addressing_style=virtual\n"
                             "[profile config]\naws_access_key_id=ID4\naws_secret_access_key=S4\n"
                             "[profile sso]\nsso_region=x\n");
    static const struct {
        struct object_key key;
        const char *profile;
        const char *region;
        bool anonymous;
        const char *want; /* id/secret/token/region/endpoint/style; or the message */
    } rows[] = {
        {{0}, NULL, NULL, false, "ID1/S1/-/r1/-/0"},
        {{0}, "", "mine", false, "ID1/S1/-/mine/-/0"},
        {{0}, "temp", NULL, false, "ID3/S3/T3/r3/http://e3/2"},
        {{"E", "ES", NULL}, "temp", NULL, false, "E/ES/-/r3/http://e3/2"},
        {{"E", "ES", "ET"}, NULL, NULL, false, "E/ES/ET/r1/-/0"},
        {{0}, "config", NULL, false, "ID4/S4/-/-/-/0"},
        {{0}, "temp", NULL, true, "-/-/-/r3/http://e3/2"},
        {{0},
         "half",
         NULL,
         false,
         "aws_access_key_id is set and aws_secret_access_key is not (half)"},
        {{"E", NULL, NULL},
         NULL,
         NULL,
         false,
         "AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not (environment)"},
        {{0}, "sso", NULL, false, "the profile sso has no access key"},
        {{0}, "nobody", NULL, false, "there is no profile nobody for s3"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct account a;
        struct err e = {0};
        struct buf got = {0};
        struct object_settings s = {.s3_key = rows[i].key,
                                    .s3_profile = rows[i].profile,
                                    .s3_region = rows[i].region,
                                    .s3_credentials_file = credentials,
                                    .s3_config_file = config,
                                    .anonymous = rows[i].anonymous};
        if (account_s3(&a, &s, &e) == 0) {
            buf_printf(&got, "%s/%s/%s/%s/%s/%d", a.id ? a.id : "-", a.secret ? a.secret : "-",
                       a.token ? a.token : "-", a.region ? a.region : "-",
                       a.endpoint ? a.endpoint : "-", (int)a.style);
        } else {
            buf_add_text(&got, e.text);
        }
        cr_expect(strncmp(buf_text(&got), rows[i].want, strlen(rows[i].want)) == 0, "row %zu: %s",
                  i, buf_text(&got));
        account_release(&a);
        buf_release(&got);
    }
    unlink(credentials);
    unlink(config);
    free(credentials);
    free(config);
}

Test(object, accounts_of_oss)
{
    char *file = file_with("[Credentials]\nlanguage=EN\nendpoint=oss-cn-x.aliyuncs.com\n"
                           "accessKeyID=ID1\naccessKeySecret=S1\n[profile b]\naccessKeyID=ID2\n"
                           "accessKeySecret=S2\nstsToken=T2\nregion=cn-b\n");
    static const struct {
        struct object_key key;
        const char *profile;
        const char *want;
    } rows[] = {
        {{0}, NULL, "ID1/S1/-/-/oss-cn-x.aliyuncs.com"},
        {{0}, "b", "ID2/S2/T2/cn-b/-"},
        {{"E", "ES", "ET"}, NULL, "E/ES/ET/-/oss-cn-x.aliyuncs.com"},
        {{0}, "c", "there is no profile c for oss"},
        {{NULL, "ES", NULL}, NULL, "OSS_ACCESS_KEY_SECRET is set and OSS_ACCESS_KEY_ID is not"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct account a;
        struct err e = {0};
        struct buf got = {0};
        struct object_settings s = {
            .oss_key = rows[i].key, .oss_profile = rows[i].profile, .oss_config_file = file};
        if (account_oss(&a, &s, &e) == 0) {
            buf_printf(&got, "%s/%s/%s/%s/%s", a.id, a.secret, a.token ? a.token : "-",
                       a.region ? a.region : "-", a.endpoint ? a.endpoint : "-");
        } else {
            buf_add_text(&got, e.text);
        }
        cr_expect(strncmp(buf_text(&got), rows[i].want, strlen(rows[i].want)) == 0, "row %zu: %s",
                  i, buf_text(&got));
        account_release(&a);
        buf_release(&got);
    }
    unlink(file);
    free(file);
}

/* ---- answers ---- */

static void note_end(void *context, const char *path, struct span text)
{
    struct buf *out = context;
    buf_printf(out, "%s=%.*s;", path, (int)text.len, text.len > 0 ? text.at : "");
}

Test(object, xml)
{
    static const struct {
        const char *text;
        const char *want;
        const char *why; /* NULL: no error */
    } rows[] = {
        {"<a/>", "a=;", NULL},
        {" \r\n\t<?xml version='1.0'?><a/>", "a=;", NULL},
        {"  ", "", "no element found"},
        {"<?xml version='1.0' encoding='UTF-8'?>\n<a><b>1 &lt;&#10;&amp;</b> x </a>",
         "a/b=1 <\n&;a= x ;", NULL},
        {"<n:a xmlns:n='u'><n:b><![CDATA[<&]]></n:b></n:a>", "a/b=<&;a=;", NULL},
        {"<a><b></a>", "", "mismatched tag"},
        {"", "", "no element found"},
        {"<a>", "", "no element found"},
        {"<a/><b/>", "a=;", "junk after document element"},
        {"{\"a\":1}", "", "not well-formed"},
        {"<a>\x01</a>", "", "not well-formed"},
        {"<a>\xff</a>", "", "not well-formed"},
        {"<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "", "it has a document type"},
        {"<a>&x;</a>", "", "undefined entity"},
    };
    static const struct xml_reader reader = {.end = note_end};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct buf out = {0};
        struct err e = {0};
        int rc = xml_read(span_text(rows[i].text), &reader, &out, &e);
        cr_expect_eq(rc, rows[i].why ? -1 : 0, "row %zu", i);
        cr_expect_str_eq(buf_text(&out), rows[i].want, "row %zu", i);
        cr_expect(!rows[i].why || strstr(e.text, rows[i].why), "row %zu: %s", i, e.text);
        buf_release(&out);
    }
    struct buf deep = {0}, out = {0};
    struct err e = {0};
    for (int i = 0; i < 100; i++) {
        buf_add_text(&deep, "<a>");
    }
    cr_expect_eq(xml_read(buf_span(&deep), &reader, &out, &e), -1);
    cr_expect(strstr(e.text, "nested too deep"), "%s", e.text);
    buf_release(&deep);
    buf_release(&out);
}

Test(object, faults)
{
    static const struct {
        const char *body;
        long status;
        const char *code;
        const char *message;
        enum err_code class;
    } rows[] = {
        {"<Error><Code>NoSuchKey</Code><Message>It is not there.</Message></Error>", 404,
         "NoSuchKey", "It is not there.", ERR_IO},
        {"<Error><Code>SlowDown</Code></Error>", 503, "SlowDown", "", ERR_LATER},
        {"<Error><Code>InternalError</Code></Error>", 200, "InternalError", "", ERR_LATER},
        {"<Error><Code>RequestTimeout</Code></Error>", 400, "RequestTimeout", "", ERR_LATER},
        {"<Error><Code>SignatureDoesNotMatch</Code></Error>", 403, "SignatureDoesNotMatch", "",
         ERR_USAGE},
        {"<html><body>502</body></html>", 502, "", "", ERR_LATER},
        {"<html><Error><Code>x</Code></Error></html>", 403, "", "", ERR_IO},
        {"<Error><Code>Half</Code><Mess", 403, "Half", "", ERR_IO},
        {"", 429, "", "", ERR_LATER},
        {"", 403, "", "", ERR_IO},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct fault f;
        fault_read(&f, span_text(rows[i].body));
        cr_expect_str_eq(f.code, rows[i].code, "row %zu", i);
        cr_expect_str_eq(f.message, rows[i].message, "row %zu", i);
        cr_expect_eq(fault_class(&f, rows[i].status), rows[i].class, "row %zu", i);
    }
    struct buf body = {0};
    struct fault f;
    buf_add_text(&body, "<Error><Code>");
    for (int i = 0; i < 1000; i++) {
        buf_add_byte(&body, 'c');
    }
    buf_add_text(&body, "</Code></Error>");
    fault_read(&f, buf_span(&body));
    cr_expect_eq(strlen(f.code), sizeof f.code - 1);
    cr_expect(f.there);
    buf_release(&body);
}

Test(object, times)
{
    static const struct {
        const char *in;
        const char *want;
    } stamps[] = {
        {"2024-01-02T03:04:05.000Z", "2024-01-02T03:04:05Z"},
        {"2024-01-02T03:04:05.120Z", "2024-01-02T03:04:05.12Z"},
        {"2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"},
        {"2024-01-02T03:04:50Z", "2024-01-02T03:04:50Z"},
        {"2024-01-02T03:04:05.100+01:00", "2024-01-02T03:04:05.100+01:00"},
        {"", ""},
    };
    struct buf out = {0};
    for (size_t i = 0; i < COUNT(stamps); i++) {
        buf_reset(&out);
        stamp_normalise(span_text(stamps[i].in), &out);
        cr_expect_str_eq(buf_text(&out), stamps[i].want);
    }
    buf_reset(&out);
    stamp_put((struct timespec){1704164645, 120000000}, &out);
    cr_expect_str_eq(buf_text(&out), "2024-01-02T03:04:05.12Z");
    buf_reset(&out);
    stamp_put((struct timespec){-1, 0}, &out);
    cr_expect_str_eq(buf_text(&out), "1969-12-31T23:59:59Z");
    buf_release(&out);

    cr_expect_eq(retry_date(SPAN_LIT("Sun, 06 Nov 1994 08:49:37 GMT")),
                 INT64_C(784111777) * CLOCK_SECOND);
    cr_expect_eq(retry_date(SPAN_LIT("Sun, 06 Nov 1994 08:49:37 GMT+1")), -1);
    cr_expect_eq(retry_date(SPAN_LIT("120")), -1);
    cr_expect_eq(retry_date((struct span){0}), -1);
}

Test(object, tries)
{
    struct object_settings s = OBJECT_SETTINGS_DEFAULTS;
    s.attempts = 3;
    s.retry_base = CLOCK_MILLI;
    struct retry r = {.settings = &s};
    struct err e = {0};
    err_set(&e, ERR_LATER, "busy");
    cr_expect_eq(retry_pause(&r, (struct span){0}, NULL, &e), 0);
    int64_t before = clock_now();
    cr_expect_eq(retry_pause(&r, SPAN_LIT("1"), NULL, &e), 0);
    cr_expect_geq(clock_now() - before, CLOCK_SECOND, "Retry-After is waited for");
    cr_expect_eq(retry_pause(&r, (struct span){0}, NULL, &e), -1);
    cr_expect_str_eq(e.text, "busy (tried 3 times)");

    r.failures = 0;
    err_set(&e, ERR_LATER, "busy");
    cr_expect_eq(retry_pause(&r, SPAN_LIT("301"), NULL, &e), -1);
    cr_expect_str_eq(e.text, "busy (the server asks to come back in 301 s)");
    r.failures = 0;
    err_set(&e, ERR_IO, "gone");
    cr_expect_eq(retry_pause(&r, (struct span){0}, NULL, &e), -1);
    cr_expect_str_eq(e.text, "gone");

    /* Full jitter: below 2 s as the second pause of a base of 1 s, and not always the same. */
    s.retry_base = 20 * CLOCK_MILLI;
    s.attempts = 100;
    int64_t shortest = CLOCK_NEVER, longest = 0;
    for (int i = 0; i < 20; i++) {
        r.failures = 1;
        err_set(&e, ERR_LATER, "busy");
        before = clock_now();
        cr_expect_eq(retry_pause(&r, (struct span){0}, NULL, &e), 0);
        int64_t took = clock_now() - before;
        shortest = took < shortest ? took : shortest;
        longest = took > longest ? took : longest;
    }
    cr_expect_lt(shortest, 20 * CLOCK_MILLI);
    cr_expect_gt(longest, 10 * CLOCK_MILLI);
}

/* ---- folders ---- */

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Make the file NAME of ROOT with the folders above it. */
static void touch(const char *root, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    cr_assert_geq(fd, 0, "%s", path);
    close(fd);
}

/* Names whose order differs from that of keys if folders are sorted by their bare names. */
Test(object, a_tree_is_in_the_order_of_keys)
{
    static const char letters[] = "a-./0Z";
    enum { FILES = 300 };
    char root[SCRATCH_MAX];
    char *names[FILES];
    uint32_t x = 7;
    size_t count = 0;
    cr_assert(mkdtemp(scratch_name(root)));
    for (int i = 0; i < FILES; i++) {
        char name[40] = "f";
        for (size_t j = 1; j < 2 + (size_t)i % 6; j++) {
            x = x * 1664525 + 1013904223;
            name[j] = letters[(x >> 24) % (sizeof letters - 1)];
        }
        /* no name may be that of a folder and of a file, so files end in '+' */
        strcat(name, strchr(name, '/') && name[strlen(name) - 1] == '/' ? "x+" : "+");
        if (strstr(name, "//") || strstr(name, "/./") || strstr(name, "/../")) {
            continue;
        }
        touch(root, name);
        names[count++] = mem_text(name);
    }
    qsort(names, count, sizeof *names, compare_texts);

    struct tree t;
    struct err e = {0};
    struct stat st;
    int fd;
    const char *name;
    cr_assert_eq(tree_open(&t, root, false, &e), 0);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(names[i], names[i - 1]) == 0) {
            continue;
        }
        cr_assert_eq(tree_next(&t, &st, &fd, &name, &e), 1, "%s", e.text);
        cr_expect_str_eq(buf_text(&t.path) + strlen(root) + 1, names[i]);
        cr_expect_eq(unlinkat(fd, name, 0), 0);
    }
    cr_expect_eq(tree_next(&t, &st, &fd, &name, &e), 0);
    tree_release(&t);
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
    char command[SCRATCH_MAX + 8];
    snprintf(command, sizeof command, "rm -rf %s", root);
    cr_expect_eq(system(command), 0);
}
