// What a process that runs foreign code may still ask of the system.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Refuses processes, programs, sockets, signals to others and changes of files to this process and
/// to all threads it will start, for good. Needs PR_SET_NO_NEW_PRIVS; call it while there is one
/// thread. Reading files stays allowed: see `shim_refuse_files`. 0, or -1 with `errno` set where the
/// system has no seccomp or the machine is none that the filter is written for.
///
/// What a library may try without harm fails with an errno (EACCES for files and local sockets, EPERM,
/// ENOSYS for what is unknown). What none does by accident raises SIGSYS. Wraps seccomp(2).
int shim_filter_calls(void);

/// From now on no thread of this process opens a file. Wraps seccomp(2) with TSYNC.
int shim_refuse_files(void);

/// The version of Landlock that the kernel has, 0 with `errno` set for none.
int shim_landlock_version(void);

/// From now on this thread and those it starts see files below `paths` only, to read them, and
/// neither connect nor signal anything outside. Paths that do not exist are left out.
/// Wraps landlock_create_ruleset(2) and its like.
int shim_restrict_files(const char *const paths[], size_t count);

/// Caps what the process may allocate (RLIMIT_DATA: private memory, stacks of threads included),
/// and offers it first where memory runs out (oom_score_adj).
int shim_limit_memory(uint64_t byte_count);

/// A quarter of the machine's memory, at least 1 GB.
uint64_t shim_memory_share(void);

/// How many threads this process has now; 0 if that cannot be told.
int shim_thread_count(void);

/// The name of a system call ("openat"), NULL for one that has none here.
const char *shim_call_name(uint64_t number);

/// What trying something that must fail came to: an `errno`, 0 for success, -1 for SIGSYS, -2 where
/// it could not be tried. Only for a process that is made for this and ends after it.
enum {
  shim_try_write_file = 0,
  shim_try_read_file = 1,
  shim_try_socket = 2,
  shim_try_process = 3,
  shim_try_signal = 4,
  shim_try_memory = 5,
  shim_try_count = 6,
};
int shim_try(int what);
