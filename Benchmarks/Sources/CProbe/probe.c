#include "CProbe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

uint64_t probe_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void probe_keep_freed_memory(void) {
#ifndef __APPLE__
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

int64_t probe_allocated_bytes(void) {
#ifdef __APPLE__
    malloc_statistics_t statistics;
    malloc_zone_statistics(NULL, &statistics);
    return (int64_t)statistics.size_in_use;
#else
    // Large blocks may have their own mappings, which `hblkhd` counts.
    const struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#endif
}

static pthread_t sampler;
static atomic_bool sampling;
static int64_t baseline;
static int64_t peak;  // Written only by the sampler until it is joined.

static void sample(void) {
    const int64_t bytes = probe_allocated_bytes();
    if (bytes > peak) {
        peak = bytes;
    }
}

static void *sample_until_stopped(void *unused) {
    (void)unused;
    const struct timespec pause = {0, 100000};
    while (atomic_load_explicit(&sampling, memory_order_relaxed)) {
        sample();
        nanosleep(&pause, NULL);
    }
    return NULL;
}

int probe_peak_start(void) {
    atomic_store(&sampling, true);
    peak = 0;
    baseline = probe_allocated_bytes();
    return pthread_create(&sampler, NULL, sample_until_stopped, NULL);
}

int64_t probe_peak_stop(void) {
    atomic_store(&sampling, false);
    pthread_join(sampler, NULL);
    // Includes the final state, in case the whole run fell between two samples.
    sample();
    return peak - baseline;
}
