// dqlite 1.11 continues after a failed write: an entry is then in its memory and not in its log on the disk, later ones
// follow it there, and after a restart, the node applies them to a database without the missing one. A node whose
// process has ended has what it has confirmed, and the others go on without it. So the node ends before dqlite sees the
// failure.
//
// These functions take the place of those of the C library in the whole program, because those of an executable come
// first. Source: https://man7.org/linux/man-pages/man8/ld.so.8.html
#define _GNU_SOURCE
#include "CStorage.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int ends_on_failure;

void storage_end_on_failure(void) {
    // A limit on the size of files is a failure as well, and no signal.
    signal(SIGXFSZ, SIG_IGN);
    ends_on_failure = 1;
}

#define EXPORTED __attribute__((visibility("default")))

#define NEXT(name) \
    static _Atomic(__typeof__(&name)) found; \
    __typeof__(&name) next = found; \
    if (next == NULL) found = next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static void end(const char *call, int code) {
    char line[256];
    int length =
        snprintf(line, sizeof line, "level=error event=storage-failed call=%s error=\"%s\"\n", call, strerror(code));
    // Nothing is left to do if this fails as well.
    if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0) _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

static int is_failure(int code) {
    return code == ENOSPC || code == EDQUOT || code == EIO || code == EROFS || code == EFBIG;
}

/// The standard streams, and whatever is no file, may fail.
static void check(int file, const char *call, int code) {
    struct stat status;
    if (!ends_on_failure || !is_failure(code) || file <= STDERR_FILENO) return;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) end(call, code);
}

EXPORTED int posix_fallocate(int file, off_t start, off_t length) {
    NEXT(posix_fallocate);
    int code = next(file, start, length);
    check(file, "posix_fallocate", code);
    return code;
}

#define CHECKED(name, type, call) \
    NEXT(name); \
    type result = next call; \
    if (result < 0) { \
        int code = errno; \
        check(file, #name, code); \
        errno = code; \
    } \
    return result

EXPORTED ssize_t write(int file, const void *bytes, size_t count) { CHECKED(write, ssize_t, (file, bytes, count)); }

EXPORTED ssize_t pwrite(int file, const void *bytes, size_t count, off_t start) {
    CHECKED(pwrite, ssize_t, (file, bytes, count, start));
}

EXPORTED ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t start) {
    CHECKED(pwrite64, ssize_t, (file, bytes, count, start));
}

EXPORTED ssize_t writev(int file, const struct iovec *parts, int count) {
    CHECKED(writev, ssize_t, (file, parts, count));
}

EXPORTED int fsync(int file) { CHECKED(fsync, int, (file)); }

EXPORTED int fdatasync(int file) { CHECKED(fdatasync, int, (file)); }

/// dqlite writes its log by the asynchronous I/O of the kernel, which the C library does not wrap.
EXPORTED long syscall(long number, ...) {
    NEXT(syscall);
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long), d = va_arg(list, long),
         e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    long result = next(number, a, b, c, d, e, f);
    if (number == SYS_io_getevents && result > 0 && ends_on_failure) {
        const struct io_event *events = (const struct io_event *)d;
        for (long i = 0; i < result; i++)
            if (events[i].res < 0 && is_failure((int)-events[i].res)) end("io_submit", (int)-events[i].res);
    }
    return result;
}
