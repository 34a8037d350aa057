// Loaded before the C library: makes the Nth call on the files of a test fail. Only files whose path contains
// STRESS_FAULTS are affected, so that the program's own files and pipes work.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define MAX_DESCRIPTORS 4096
static atomic_bool watched[MAX_DESCRIPTORS];

// The number of calls until one fails; 0 for none.
static atomic_long remaining;
static atomic_long calls;
static atomic_int failure;
static atomic_bool isSticky;

/// Makes the Nth watched call from now fail with an errno, and all later ones too if sticky. 0 disarms but keeps the
/// count.
void stress_faults_arm(long number, int error, int sticky) {
    failure = error;
    isSticky = sticky != 0;
    if (number != 0) calls = 0;
    remaining = number;
}

/// The number of watched calls since the shim was armed.
long stress_faults_calls(void) { return calls; }

static int fails(void) {
    atomic_fetch_add(&calls, 1);
    long number = atomic_load(&remaining);
    if (number == 0) return 0;
    if (number > 1) {
        atomic_store(&remaining, number - 1);
        return 0;
    }
    if (!isSticky) atomic_store(&remaining, 0);
    errno = failure;
    return 1;
}

static int is_watched(int descriptor) {
    return descriptor >= 0 && descriptor < MAX_DESCRIPTORS && watched[descriptor];
}

static int is_watched_path(const char *path) {
    const char *part = getenv("STRESS_FAULTS");
    return part != NULL && path != NULL && strstr(path, part) != NULL;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define SHIM(result, name, parameters, arguments, descriptor)                                                          \
    result name parameters {                                                                                          \
        static __typeof__(&name) next;                                                                                \
        if (next == NULL) next = NEXT(name);                                                                          \
        if (is_watched(descriptor) && fails()) return -1;                                                              \
        return next arguments;                                                                                         \
    }

SHIM(ssize_t, read, (int d, void *b, size_t n), (d, b, n), d)
SHIM(ssize_t, write, (int d, const void *b, size_t n), (d, b, n), d)
SHIM(ssize_t, pread, (int d, void *b, size_t n, off_t o), (d, b, n, o), d)
SHIM(ssize_t, pread64, (int d, void *b, size_t n, off64_t o), (d, b, n, o), d)
SHIM(ssize_t, pwrite, (int d, const void *b, size_t n, off_t o), (d, b, n, o), d)
SHIM(ssize_t, pwrite64, (int d, const void *b, size_t n, off64_t o), (d, b, n, o), d)

// Unsynced data is lost in a power failure, but not in a crash of the process, so the test need not wait for the disk.
#define SYNC(name)                                                                                                     \
    int name(int descriptor) {                                                                                         \
        static __typeof__(&name) next;                                                                                 \
        if (next == NULL) next = NEXT(name);                                                                           \
        if (!is_watched(descriptor)) return next(descriptor);                                                          \
        return fails() ? -1 : 0;                                                                                       \
    }

SYNC(fsync)
SYNC(fdatasync)
SHIM(int, ftruncate, (int d, off_t n), (d, n), d)
SHIM(int, ftruncate64, (int d, off64_t n), (d, n), d)

int unlink(const char *path) {
    static int (*next)(const char *);
    if (next == NULL) next = NEXT(unlink);
    if (is_watched_path(path) && fails()) return -1;
    return next(path);
}

int close(int descriptor) {
    static int (*next)(int);
    if (next == NULL) next = NEXT(close);
    if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) watched[descriptor] = 0;
    return next(descriptor);
}

static int opened(int descriptor) {
    if (descriptor >= 0 && descriptor < MAX_DESCRIPTORS) watched[descriptor] = 1;
    return descriptor;
}

#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...) {                                                                       \
        static int (*next)(const char *, int, ...);                                                                    \
        if (next == NULL) next = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, #name);                             \
        mode_t mode = 0;                                                                                               \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                                           \
            va_list list;                                                                                              \
            va_start(list, flags);                                                                                     \
            mode = va_arg(list, mode_t);                                                                               \
            va_end(list);                                                                                              \
        }                                                                                                              \
        if (!is_watched_path(path)) return next(path, flags, mode);                                                    \
        if (fails()) return -1;                                                                                        \
        return opened(next(path, flags, mode));                                                                        \
    }

OPEN(open)
OPEN(open64)
