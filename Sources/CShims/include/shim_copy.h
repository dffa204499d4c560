// Moving file contents inside the kernel.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Wraps copy_file_range(2): moves up to `count` bytes from `offset` of one descriptor to the position of
/// another. Returns the bytes moved, or -1 with errno set; ENOSYS where the system has no such call.
int64_t shim_copy_file_range(int from, int64_t offset, int to, size_t count);
