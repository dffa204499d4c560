// System calls that Swift's view of the C library lacks.
#pragma once
#include <stdint.h>

/// Processors that the calling thread may run on, by sched_getaffinity(2); 0 where the system cannot say.
int imghost_affinity_cores(void);

/// Copies up to `count` bytes at `offset` of `from` to the current position of `to`, inside the kernel
/// where it can: copy_file_range(2), else through a buffer. Returns 0, or the value of errno; a source
/// that ends early gives EIO.
int imghost_copy_range(int from, int64_t offset, int to, int64_t count);
