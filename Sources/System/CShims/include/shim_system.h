// System calls that Swift's view of the C library lacks.
#pragma once

/// Processors that the calling thread may run on, by sched_getaffinity(2); 0 where the system cannot say.
int imghost_affinity_cores(void);

/// The words the process was started with, and how many they are; null where the C library does not hand them to
/// constructors. They belong to the system.
char **imghost_arguments(int *count);

/// A pointer that belongs to the calling thread; null until it is set.
void *imghost_thread_value(void);
void imghost_set_thread_value(void *value);

/// Another of the same kind.
void *imghost_thread_list(void);
void imghost_set_thread_list(void *value);

/// Gives the calling thread the policy SCHED_IDLE: it runs when nobody else wants the processor.
///
/// Returns 0, or an error number where the system has none.
int imghost_use_idle_policy(void);

/// Whether the byte of the file at `offset` can be read without waiting for a disk, by preadv2(2) with
/// RWF_NOWAIT: 1 or 0, and 0 where the file system does not say.
int imghost_is_cached(int descriptor, long long offset);
/// Reads the first bytes of a file as far as they are in memory, without waiting for a disk: how many, or less than 0.
long imghost_read_cached(int descriptor, void *bytes, unsigned long count);

/// Whether some bytes occur among others; wraps memmem(3).
int shim_contains(const void *bytes, unsigned long count, const void *part, unsigned long part_count);
