#pragma once
#include <stddef.h>

/// Prefetches the cache lines of `count` bytes at `address`, which need not be readable.
static inline void imghost_prefetch(const void *address, size_t count) {
  const char *line = (const char *)address;
  for (size_t offset = 0; offset < count; offset += 64) __builtin_prefetch(line + offset, 0, 3);
}

/// Prefetches four cache lines at `address`, which need not be readable, into the second-level cache.
static inline __attribute__((always_inline)) void imghost_prefetch_four_lines(const void *address) {
  const char *line = (const char *)address;
  __builtin_prefetch(line, 0, 2);
  __builtin_prefetch(line + 64, 0, 2);
  __builtin_prefetch(line + 128, 0, 2);
  __builtin_prefetch(line + 192, 0, 2);
}

/// Prefetches the cache line at `address`, which need not be readable, into the second-level cache.
static inline __attribute__((always_inline)) void imghost_prefetch_line(const void *address) {
  __builtin_prefetch(address, 0, 2);
}
