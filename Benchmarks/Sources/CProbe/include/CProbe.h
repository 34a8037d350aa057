// What Swift cannot reach portably: a monotonic clock, and the allocator.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdint.h>

/// Nanoseconds of CLOCK_MONOTONIC.
uint64_t probe_nanoseconds(void);

/// Makes malloc keep the pages that are freed, instead of giving them back to the system.
///
/// Without it, a side pays for the page faults that the frees of the side before it caused: the floor of a large fetch
/// moves by a fifth with its neighbours. Call it before anything is measured.
void probe_keep_freed_memory(void);

/// Bytes allocated and not freed, in all arenas and mappings of the process.
int64_t probe_allocated_bytes(void);

/// Starts a thread that follows the highest number of allocated bytes. Returns zero, or an errno.
///
/// The thread locks malloc's arenas whenever it looks: measure time in another run.
int probe_peak_start(void);

/// Stops the thread, and returns the peak since `probe_peak_start`, relative to the bytes allocated by then.
int64_t probe_peak_stop(void);

#endif
