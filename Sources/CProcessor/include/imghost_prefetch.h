#pragma once
#include <stddef.h>

/// Starts fetching the cache lines of `count` bytes at `address`, which need not be readable, for reading.
static inline void imghost_prefetch(const void *address, size_t count) {
  const char *line = (const char *)address;
  for (size_t offset = 0; offset < count; offset += 64) __builtin_prefetch(line + offset, 0, 3);
}

/// `imghost_prefetch` into the second-level cache only.
static inline void imghost_prefetch_second_level(const void *address, size_t count) {
  const char *line = (const char *)address;
  for (size_t offset = 0; offset < count; offset += 64) __builtin_prefetch(line + offset, 0, 2);
}
