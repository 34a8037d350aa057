// Preloaded into nodes and clients of a cluster: the clock of their machine, and its full disk. STRESS_MACHINE is a file
// with two numbers, which another process changes: the seconds to add to the time, and whether the disk is full.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *machine;

__attribute__((constructor)) static void open_machine(void) {
    const char *path = getenv("STRESS_MACHINE");
    int file = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void *memory = mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (memory != MAP_FAILED) machine = memory;
}

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (next == NULL) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

// The clock.

static int64_t offset(void) { return machine == NULL ? 0 : machine[0]; }

int clock_gettime(clockid_t clock, struct timespec *result) {
    NEXT(clock_gettime);
    int code = next(clock, result);
    if (code == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) result->tv_sec += offset();
    return code;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    NEXT(gettimeofday);
    int code = next(result, zone);
    if (code == 0) result->tv_sec += offset();
    return code;
}

time_t time(time_t *result) {
    NEXT(time);
    time_t now = next(NULL) + offset();
    if (result != NULL) *result = now;
    return now;
}

// The disk.

static int is_full(int file) {
    struct stat status;
    // The log is elsewhere.
    return machine != NULL && machine[1] != 0 && file > 2 && fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

int posix_fallocate(int file, off_t start, off_t length) {
    NEXT(posix_fallocate);
    return is_full(file) ? ENOSPC : next(file, start, length);
}

#define FAILS_IF_FULL(file) \
    if (is_full(file)) { \
        errno = ENOSPC; \
        return -1; \
    }

ssize_t write(int file, const void *bytes, size_t count) {
    NEXT(write);
    FAILS_IF_FULL(file)
    return next(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t start) {
    NEXT(pwrite);
    FAILS_IF_FULL(file)
    return next(file, bytes, count, start);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    NEXT(writev);
    FAILS_IF_FULL(file)
    return next(file, parts, count);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t start) {
    NEXT(pwritev);
    FAILS_IF_FULL(file)
    return next(file, parts, count, start);
}

int statvfs(const char *restrict path, struct statvfs *restrict result) {
    NEXT(statvfs);
    int code = next(path, result);
    if (code == 0 && machine != NULL && machine[1] != 0) result->f_bavail = result->f_bfree = 0;
    return code;
}
