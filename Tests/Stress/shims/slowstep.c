// Loaded before SQLite: delays the start of each sqlite3_step by a random time, so that events can occur between a
// check and its step.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

static atomic_long longest;
static atomic_ulong state = 1;

/// Delays each step by up to the given number of microseconds.
void stress_slowstep_set(long microseconds) { longest = microseconds; }

int sqlite3_step(void *statement) {
    static int (*next)(void *);
    if (next == NULL) next = (int (*)(void *))dlsym(RTLD_NEXT, "sqlite3_step");
    long limit = longest;
    if (limit > 0) {
        unsigned long number = atomic_fetch_add(&state, 1) * 6364136223846793005ul + 1442695040888963407ul;
        usleep((useconds_t)((number >> 33) % (unsigned long)limit));
    }
    return next(statement);
}
