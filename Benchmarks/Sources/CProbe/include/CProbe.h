// Functions that are not portably available in Swift: a monotonic clock, and the allocator's statistics.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdint.h>

/// Nanoseconds of CLOCK_MONOTONIC.
uint64_t probe_nanoseconds(void);

/// Makes malloc keep freed pages, instead of returning them to the system.
///
/// Without this, a side pays for page faults caused by the frees of the previous side: the floor of a large fetch
/// varies by a fifth. Call this before anything is measured.
void probe_keep_freed_memory(void);

/// The bytes allocated and not freed, in all arenas and mappings of the process.
int64_t probe_allocated_bytes(void);

/// Starts a thread that tracks the maximum number of allocated bytes. Returns zero or an errno.
///
/// The thread locks malloc's arenas for each sample, so measure time in another run.
int probe_peak_start(void);

/// Stops the thread, and returns the peak since `probe_peak_start`, relative to the bytes allocated then.
int64_t probe_peak_stop(void);

#endif
