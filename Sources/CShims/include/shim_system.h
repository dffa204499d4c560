// System calls that Swift's view of the C library lacks.
#pragma once

/// Processors that the calling thread may run on, by sched_getaffinity(2); 0 where the system cannot say.
int imghost_affinity_cores(void);
