// epoll and accept4, which Swift's module for the C library does not contain.
#ifndef ROWAN_CPOLLER_H
#define ROWAN_CPOLLER_H

#include <stdint.h>

/// A socket that is ready.
typedef struct {
    uint64_t tag;
    uint32_t events;
} poller_event;

/// The events of a socket.
extern const uint32_t poller_readable, poller_writable, poller_failed, poller_ended;

/// Each returns -1, and sets errno, if it fails.
int poller_create(void);
int poller_add(int poller, int socket, uint64_t tag, uint32_t events);
int poller_modify(int poller, int socket, uint64_t tag, uint32_t events);

/// The number of events, at most 64.
int poller_wait(int poller, poller_event *events, int milliseconds);

/// Accepts a connection that does not block. The address has the size of a sockaddr_storage.
int poller_accept(int listener, void *address, uint32_t *length);

#endif
