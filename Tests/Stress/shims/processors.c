// Loaded before libdispatch: reports STRESS_PROCESSORS as the number of processors, which is the number of threads in
// Swift's cooperative pool.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

/// 0 for the machine's own number.
static int processors(void) {
    const char *text = getenv("STRESS_PROCESSORS");
    return text == NULL ? 0 : atoi(text);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set) {
    static int (*next)(pthread_t, size_t, cpu_set_t *);
    if (next == NULL) next = (int (*)(pthread_t, size_t, cpu_set_t *))dlsym(RTLD_NEXT, "pthread_getaffinity_np");
    int count = processors();
    if (count == 0) return next(thread, size, set);
    CPU_ZERO_S(size, set);
    for (int number = 0; number < count; number++) CPU_SET_S(number, size, set);
    return 0;
}

long sysconf(int name) {
    static long (*next)(int);
    if (next == NULL) next = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
    int count = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF ? processors() : 0;
    return count == 0 ? next(name) : count;
}
