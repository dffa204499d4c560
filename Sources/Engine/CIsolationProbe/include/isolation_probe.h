// A library that tries everything that plugins must not do. It does so in its constructor, before any function is
// called.
#pragma once

#include <stdint.h>

/// The attempts, in the order of `imghost_probe_outcomes`; `IsolationReport` has the same order.
enum {
  imghost_try_write_file = 0,
  imghost_try_read_file = 1,
  imghost_try_host = 2,
  imghost_try_capabilities = 3,
  imghost_try_socket = 4,
  imghost_try_process = 5,
  imghost_try_signal = 6,
  imghost_try_memory = 7,
  imghost_try_shared_memory = 8,
  imghost_try_threads = 9,
  imghost_try_count = 10,
};

/// The outcome of each attempt: an `errno`, 0 for success, -1 for SIGSYS, or -2 if it could not be tried.
extern int32_t imghost_probe_outcomes[imghost_try_count];
