#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "shim_system.h"
#include <errno.h>
#include <unistd.h>

#ifdef __linux__
#include <sched.h>

int imghost_affinity_cores(void) {
  // The kernel refuses a set smaller than its own; 8,192 processors are the most it is built for.
  cpu_set_t *set = CPU_ALLOC(8192);
  size_t size = CPU_ALLOC_SIZE(8192);
  if (!set) return 0;
  int cores = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
  CPU_FREE(set);
  return cores;
}
#else
int imghost_affinity_cores(void) { return 0; }
#endif

static int copy_through_buffer(int from, int64_t offset, int to, int64_t count) {
  char buffer[65536];
  while (count > 0) {
    size_t wanted = count < (int64_t)sizeof buffer ? (size_t)count : sizeof buffer;
    ssize_t got = pread(from, buffer, wanted, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return EIO;
    for (ssize_t done = 0; done < got;) {
      ssize_t put = write(to, buffer + done, (size_t)(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return errno;
      done += put;
    }
    offset += got;
    count -= got;
  }
  return 0;
}

int imghost_copy_range(int from, int64_t offset, int to, int64_t count) {
#ifdef __linux__
  while (count > 0) {
    off_t position = offset;
    ssize_t got = copy_file_range(from, &position, to, 0, (size_t)count, 0);
    if (got < 0 && errno == EINTR) continue;
    // Other file systems, pipes, old kernels: fall back for what is left.
    if (got <= 0) break;
    offset += got;
    count -= got;
  }
#endif
  return copy_through_buffer(from, offset, to, count);
}
