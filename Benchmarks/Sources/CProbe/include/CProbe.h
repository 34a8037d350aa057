// Two instruments that Swift cannot reach portably: a monotonic clock, and the bytes that malloc has handed out.
#ifndef CPROBE_H
#define CPROBE_H

#include <stdint.h>

/// Nanoseconds of CLOCK_MONOTONIC.
uint64_t probe_nanoseconds(void);

/// Bytes allocated and not freed, in all arenas and mappings of the process.
int64_t probe_allocated_bytes(void);

/// Starts a thread that follows the highest number of allocated bytes. Returns zero, or an errno.
///
/// The thread locks malloc's arenas whenever it looks: measure time in another run.
int probe_peak_start(void);

/// Stops the thread, and returns the peak since `probe_peak_start`, relative to the bytes allocated by then.
int64_t probe_peak_stop(void);

#endif
