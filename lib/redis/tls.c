#include "redis/tls.h"

#include "base/buf.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

struct tls {
    SSL_CTX *context;
    SSL *session;
    BIO *from_server, *to_server; /* owned by the session */
    struct buf outgoing;
    size_t sent;
};

/* Put what OpenSSL says went wrong into E. */
static int fail(enum err_code code, const char *what, struct err *e)
{
    unsigned long number = ERR_peek_last_error();
    const char *reason = number ? ERR_reason_error_string(number) : NULL;
    ERR_clear_error();
    return err_set(e, code, "TLS: %s%s%s", what, reason ? ": " : "", reason ? reason : "");
}

static int load(struct tls *t, const struct address *a, struct err *e)
{
    if (a->ca ? SSL_CTX_load_verify_file(t->context, a->ca) != 1
              : SSL_CTX_set_default_verify_paths(t->context) != 1) {
        return fail(ERR_USAGE, a->ca ? a->ca : "no list of authorities", e);
    }
    if (a->cert && (SSL_CTX_use_certificate_chain_file(t->context, a->cert) != 1 ||
                    SSL_CTX_use_PrivateKey_file(t->context, a->key, SSL_FILETYPE_PEM) != 1 ||
                    SSL_CTX_check_private_key(t->context) != 1)) {
        return fail(ERR_USAGE, "cert or key", e);
    }
    return 0;
}

/* The certificate must be for NAME, a host's name or an address. */
static bool expect_name(struct tls *t, const char *name)
{
    unsigned char ignored[sizeof(struct in6_addr)];
    if (inet_pton(AF_INET, name, ignored) == 1 || inet_pton(AF_INET6, name, ignored) == 1) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(t->session), name) == 1;
    }
    return SSL_set1_host(t->session, name) == 1 && SSL_set_tlsext_host_name(t->session, name) == 1;
}

static int start(struct tls *t, const struct address *a, const char *name, struct err *e)
{
    ERR_clear_error();
    t->context = SSL_CTX_new(TLS_client_method());
    if (!t->context || SSL_CTX_set_min_proto_version(t->context, TLS1_2_VERSION) != 1) {
        return fail(ERR_IO, "no session", e);
    }
    SSL_CTX_set_verify(t->context, SSL_VERIFY_PEER, NULL);
    if (load(t, a, e) < 0) {
        return -1;
    }
    t->session = SSL_new(t->context);
    t->from_server = BIO_new(BIO_s_mem());
    t->to_server = BIO_new(BIO_s_mem());
    if (!t->session || !t->from_server || !t->to_server) {
        BIO_free(t->from_server);
        BIO_free(t->to_server);
        return fail(ERR_IO, "no session", e);
    }
    SSL_set_bio(t->session, t->from_server, t->to_server);
    SSL_set_connect_state(t->session);
    return expect_name(t, name) ? 0 : fail(ERR_USAGE, name, e);
}

int tls_open(struct tls **out, const struct address *a, const char *name, struct err *e)
{
    struct tls *t = mem_new(1, sizeof *t);
    if (start(t, a, name, e) < 0) {
        tls_close(t);
        return -1;
    }
    *out = t;
    return 0;
}

void tls_close(struct tls *t)
{
    if (t) {
        SSL_free(t->session);
        SSL_CTX_free(t->context);
        buf_release(&t->outgoing);
        free(t);
    }
}

int tls_shake(struct tls *t, struct err *e)
{
    ERR_clear_error();
    int rc = SSL_do_handshake(t->session);
    if (rc == 1) {
        return 1;
    }
    int why = SSL_get_error(t->session, rc);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        return 0;
    }
    long verdict = SSL_get_verify_result(t->session);
    if (verdict != X509_V_OK) {
        ERR_clear_error();
        return err_set(e, ERR_USAGE, "TLS: the certificate of the server is refused: %s",
                       X509_verify_cert_error_string(verdict));
    }
    return fail(ERR_USAGE, "no handshake", e);
}

void tls_feed(struct tls *t, struct span encrypted)
{
    while (encrypted.len > 0) {
        int n = encrypted.len > INT_MAX ? INT_MAX : (int)encrypted.len;
        if (BIO_write(t->from_server, encrypted.at, n) != n) {
            (void)mem_resize(NULL, SIZE_MAX, 1); /* only for lack of memory: ends the process */
        }
        encrypted = span_of(encrypted.at + n, encrypted.len - (size_t)n);
    }
}

int tls_get(struct tls *t, char *out, size_t cap, struct err *e)
{
    ERR_clear_error();
    int n = SSL_read(t->session, out, cap > INT_MAX ? INT_MAX : (int)cap);
    if (n > 0) {
        return n;
    }
    int why = SSL_get_error(t->session, n);
    if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE) {
        return 0;
    }
    if (why == SSL_ERROR_ZERO_RETURN) {
        return err_set(e, ERR_LATER, "the server closed the connection");
    }
    /* A server that wants to know who we are says so only here. */
    return fail(ERR_USAGE, "the server broke off", e);
}

int tls_put(struct tls *t, struct span plain, struct err *e)
{
    ERR_clear_error();
    while (plain.len > 0) {
        int n = SSL_write(t->session, plain.at, plain.len > INT_MAX ? INT_MAX : (int)plain.len);
        if (n <= 0) {
            return fail(ERR_LATER, "cannot send", e);
        }
        plain = span_of(plain.at + n, plain.len - (size_t)n);
    }
    return 0;
}

struct span tls_outgoing(struct tls *t)
{
    size_t waiting = BIO_ctrl_pending(t->to_server);
    if (waiting > 0) {
        int n = BIO_read(t->to_server, buf_room(&t->outgoing, waiting), (int)waiting);
        t->outgoing.len += n > 0 ? (size_t)n : 0;
    }
    return span_of(t->outgoing.at + t->sent, t->outgoing.len - t->sent);
}

void tls_sent(struct tls *t, size_t n)
{
    t->sent += n;
    if (t->sent == t->outgoing.len) {
        t->sent = 0;
        buf_reset(&t->outgoing);
    }
}
