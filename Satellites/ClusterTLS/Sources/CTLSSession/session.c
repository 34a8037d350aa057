// Sources: https://docs.openssl.org/3.0/man3/SSL_get_error/, https://docs.openssl.org/3.0/man3/SSL_CTX_set_verify/
#include "CTLSSession.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>

// The opaque types are those of OpenSSL.
static SSL_CTX *ctx(tls_context *context) { return (SSL_CTX *)context; }
static SSL *ssl(const tls_session *session) { return (SSL *)session; }

static void fail(tls_failure *failure, const char *format, const char *first, const char *second) {
    snprintf(failure->text, sizeof failure->text, format, first, second);
}

/// The reason of the last error of OpenSSL.
static const char *reason(void) {
    const char *text = ERR_reason_error_string(ERR_peek_last_error());
    return text ? text : "unknown error";
}

// MARK: Sockets

#ifndef MSG_NOSIGNAL
// The socket has the option SO_NOSIGPIPE instead.
#define MSG_NOSIGNAL 0
#endif

// OpenSSL's own access to sockets ends the process by SIGPIPE when the other side is gone.

static int descriptor(BIO *bio) { return (int)(intptr_t)BIO_get_data(bio); }

static bool is_temporary(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

static int write_socket(BIO *bio, const char *bytes, int size) {
    ssize_t count = send(descriptor(bio), bytes, (size_t)size, MSG_NOSIGNAL);
    BIO_clear_retry_flags(bio);
    if (count < 0 && is_temporary()) BIO_set_retry_write(bio);
    return (int)count;
}

static int read_socket(BIO *bio, char *buffer, int size) {
    ssize_t count = recv(descriptor(bio), buffer, (size_t)size, 0);
    BIO_clear_retry_flags(bio);
    if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (count < 0 && is_temporary()) BIO_set_retry_read(bio);
    return (int)count;
}

static long control_socket(BIO *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    default: return 0;
    }
}

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static BIO_METHOD *method;

static void create_method(void) {
    method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without signals");
    if (!method) return;
    BIO_meth_set_write(method, write_socket);
    BIO_meth_set_read(method, read_socket);
    BIO_meth_set_ctrl(method, control_socket);
}

static bool set_socket(SSL *session, int socket) {
    if (!CRYPTO_THREAD_run_once(&once, create_method) || !method) return false;
    BIO *bio = BIO_new(method);
    if (!bio) return false;
    BIO_set_data(bio, (void *)(intptr_t)socket);
    BIO_set_init(bio, 1);
    // The session releases it.
    SSL_set_bio(session, bio, bio);
    return true;
}

// MARK: Certificates

/// Nobody can enter the password of a key.
static int no_password(char *buffer, int size, int rwflag, void *data) {
    (void)buffer;
    (void)size;
    (void)rwflag;
    (void)data;
    return -1;
}

/// Whether a certificate says that it belongs to a server. Without a purpose, it may be that of any client.
static bool is_of_node(X509 *certificate) {
    return (X509_get_extension_flags(certificate) & EXFLAG_XKUSAGE)
        && (X509_get_extended_key_usage(certificate) & XKU_SSL_SERVER);
}

static const unsigned host_flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

tls_context *tls_context_create(const char *certificate, const char *key, const char *authority, tls_failure *failure) {
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_method());
    if (!context) {
        fail(failure, "OpenSSL can't be used: %s", reason(), "");
        return NULL;
    }
    SSL_CTX_set_default_passwd_cb(context, no_password);
    STACK_OF(X509_NAME) *names = NULL;
    if (!SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION)) {
        fail(failure, "OpenSSL has no TLS 1.3: %s", reason(), "");
    } else if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1) {
        fail(failure, "the certificate %s can't be read: %s", certificate, reason());
    } else if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1) {
        fail(failure, "the key %s can't be read, has a password, or belongs to another certificate: %s", key, reason());
    } else if (SSL_CTX_load_verify_file(context, authority) != 1 || !(names = SSL_load_client_CA_file(authority))) {
        fail(failure, "the certificate of the authority %s can't be read: %s", authority, reason());
    } else {
        SSL_CTX_set_client_CA_list(context, names);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
        // A resumed session would outlive the certificate.
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
        SSL_CTX_set_num_tickets(context, 0);
        SSL_CTX_set_mode(
            context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
        // Messages have their length: a connection that ends early is noticed by its reader.
        SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
        return (tls_context *)context;
    }
    SSL_CTX_free(context);
    return NULL;
}

void tls_context_release(tls_context *context) { SSL_CTX_free(ctx(context)); }

tls_session *tls_session_create(tls_context *context, int socket, const char *host, tls_failure *failure) {
    ERR_clear_error();
    SSL *session = SSL_new(ctx(context));
    if (!session || !set_socket(session, socket)) {
        fail(failure, "OpenSSL can't create a session: %s", reason(), "");
        SSL_free(session);
        return NULL;
    }
    if (!host) {
        SSL_set_accept_state(session);
        return (tls_session *)session;
    }
    X509_VERIFY_PARAM *parameters = SSL_get0_param(session);
    X509_VERIFY_PARAM_set_hostflags(parameters, host_flags);
    bool is_address = X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1;
    if (!is_address) {
        ERR_clear_error();
        if (X509_VERIFY_PARAM_set1_host(parameters, host, 0) != 1 || SSL_set_tlsext_host_name(session, host) != 1) {
            fail(failure, "'%s' is not the name of a host: %s", host, reason());
            SSL_free(session);
            return NULL;
        }
    }
    SSL_set_connect_state(session);
    return (tls_session *)session;
}

// The socket may be closed already, and its number in use for another one: nothing is sent.
void tls_session_release(tls_session *session) { SSL_free(ssl(session)); }

/// What a call that has returned no bytes means.
static long outcome(SSL *session, int code, tls_failure *failure) {
    switch (SSL_get_error(session, code)) {
    case SSL_ERROR_WANT_READ: return tls_needs_reading;
    case SSL_ERROR_WANT_WRITE: return tls_needs_writing;
    case SSL_ERROR_ZERO_RETURN: return 0;
    default: break;
    }
    long verification = SSL_get_verify_result(session);
    unsigned long error = ERR_peek_last_error();
    int number = ERR_GET_REASON(error);
    if (verification != X509_V_OK) {
        fail(failure, "its certificate is refused: %s%s", X509_verify_cert_error_string(verification), "");
    } else if (number == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE) {
        fail(failure, "it has no certificate%s%s", "", "");
    } else if (number == SSL_R_WRONG_VERSION_NUMBER || number == SSL_R_HTTP_REQUEST || number == SSL_R_UNSUPPORTED_PROTOCOL) {
        fail(failure, "it does not speak TLS 1.3%s%s", "", "");
    } else if (number > SSL_AD_REASON_OFFSET) {
        // An alert of the other side.
        fail(failure, "it refuses this certificate or connection: %s%s", reason(), "");
    } else if (!error) {
        fail(failure, "it closed the connection%s%s", SSL_is_init_finished(session) ? "" : " before it was secured", "");
    } else {
        fail(failure, "TLS has failed: %s%s", reason(), "");
    }
    return tls_has_failed;
}

int tls_session_handshake(tls_session *session, tls_failure *failure) {
    ERR_clear_error();
    int code = SSL_do_handshake(ssl(session));
    if (code == 1) {
        if (SSL_is_server(ssl(session))) return 0;
        X509 *certificate = SSL_get1_peer_certificate(ssl(session));
        bool is_node = certificate && is_of_node(certificate);
        X509_free(certificate);
        if (is_node) return 0;
        fail(failure, "its certificate is refused: it has no extendedKeyUsage=serverAuth, as those of nodes have%s%s", "", "");
        return tls_has_failed;
    }
    long result = outcome(ssl(session), code, failure);
    if (result != 0) return (int)result;
    fail(failure, "it closed the connection before it was secured%s%s", "", "");
    return tls_has_failed;
}

long tls_session_receive(tls_session *session, void *buffer, size_t size, tls_failure *failure) {
    ERR_clear_error();
    size_t count = 0;
    int code = SSL_read_ex(ssl(session), buffer, size, &count);
    return code == 1 ? (long)count : outcome(ssl(session), code, failure);
}

long tls_session_send(tls_session *session, const void *bytes, size_t size, tls_failure *failure) {
    ERR_clear_error();
    size_t count = 0;
    int code = SSL_write_ex(ssl(session), bytes, size, &count);
    return code == 1 ? (long)count : outcome(ssl(session), code, failure);
}

bool tls_session_has_bytes(const tls_session *session) { return SSL_pending(ssl(session)) > 0; }

bool tls_session_is_for(const tls_session *session, const char *host) {
    X509 *certificate = SSL_get1_peer_certificate(ssl(session));
    if (!certificate) return false;
    bool is_for = is_of_node(certificate)
        && (X509_check_ip_asc(certificate, host, 0) == 1 || X509_check_host(certificate, host, 0, host_flags, NULL) == 1);
    X509_free(certificate);
    return is_for;
}
