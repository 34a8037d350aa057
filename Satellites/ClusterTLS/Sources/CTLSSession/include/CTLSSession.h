// Mutual TLS 1.3 over connected sockets that don't block, by OpenSSL.
#ifndef ROWAN_CTLS_SESSION_H
#define ROWAN_CTLS_SESSION_H

#include <stdbool.h>
#include <stddef.h>

/// A certificate with its key, and the authority that signs those of the others. Any thread may use it.
typedef struct tls_context tls_context;
/// A connection. One thread at a time uses it.
typedef struct tls_session tls_session;

/// A sentence for a failure.
typedef struct {
    char text[256];
} tls_failure;

/// What a function returns instead of a number of bytes.
enum { tls_needs_reading = -1, tls_needs_writing = -2, tls_has_failed = -3 };

/// Reads the files, in PEM. Null if it fails.
tls_context *tls_context_create(const char *certificate, const char *key, const char *authority, tls_failure *failure);
void tls_context_release(tls_context *context);

/// Creates a session that has the context for as long as it exists. The socket stays with the caller.
///
/// With a host, it connects, and the certificate of the other side must be that of a node, and valid for it. Without
/// one, it accepts.
tls_session *tls_session_create(tls_context *context, int socket, const char *host, tls_failure *failure);
void tls_session_release(tls_session *session);

/// 0 once both sides have proved who they are.
int tls_session_handshake(tls_session *session, tls_failure *failure);

/// The number of bytes; 0 at the end of the connection.
long tls_session_receive(tls_session *session, void *buffer, size_t size, tls_failure *failure);
long tls_session_send(tls_session *session, const void *bytes, size_t size, tls_failure *failure);

/// Whether bytes have arrived that the socket no longer reports.
bool tls_session_has_bytes(const tls_session *session);

/// Whether the certificate of the other side is that of a node, and valid for a name or an IP address.
bool tls_session_is_for(const tls_session *session, const char *host);

#endif
