// Source: https://man7.org/linux/man-pages/man7/epoll.7.html
#define _GNU_SOURCE
#include "CPoller.h"

#include <sys/epoll.h>
#include <sys/socket.h>

const uint32_t poller_readable = EPOLLIN, poller_writable = EPOLLOUT, poller_failed = EPOLLHUP | EPOLLERR,
               poller_ended = EPOLLRDHUP;

int poller_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int poller, int operation, int socket, uint64_t tag, uint32_t events) {
    struct epoll_event event = {.events = events, .data.u64 = tag};
    return epoll_ctl(poller, operation, socket, &event);
}

int poller_add(int poller, int socket, uint64_t tag, uint32_t events) {
    return control(poller, EPOLL_CTL_ADD, socket, tag, events);
}

int poller_modify(int poller, int socket, uint64_t tag, uint32_t events) {
    return control(poller, EPOLL_CTL_MOD, socket, tag, events);
}

int poller_wait(int poller, poller_event *events, int milliseconds) {
    struct epoll_event found[64];
    int count = epoll_wait(poller, found, 64, milliseconds);
    for (int i = 0; i < count; i++) events[i] = (poller_event){found[i].data.u64, found[i].events};
    return count;
}

int poller_accept(int listener, void *address, uint32_t *length) {
    return accept4(listener, address, length, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
