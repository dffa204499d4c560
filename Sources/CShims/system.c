#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "shim_system.h"

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
