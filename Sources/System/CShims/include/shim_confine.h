// Limits on what a process that runs foreign code may ask of the system.
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

/// From now on this thread and those it starts read files only: those below `paths`, one a line, fonts,
/// locales and facts about the machine. They neither connect nor signal anything outside. Paths that do not
/// exist are left out. Wraps landlock_create_ruleset(2) and its like.
int shim_restrict_files(const char *paths);

/// Caps what the process can take from now on, in whatever way, at `byte_count`: RLIMIT_AS counts memory that is
/// shared, or made read-only once it is written; RLIMIT_DATA what it may write to alone, stacks of threads included,
/// whatever room is lent later. Has malloc(3) reserve no more than a quarter of it for threads. Offers the process first
/// where memory runs out (oom_score_adj).
int shim_limit_memory(uint64_t byte_count);

/// A quarter of the machine's memory, at least 1 GB.
uint64_t shim_memory_share(void);

/// Gives up all capabilities for good, and closes this process's memory to others of the same user.
/// Wraps prctl(2) and capset(2).
int shim_drop_privileges(void);

/// The name of a system call ("openat"), NULL for one that has none here.
const char *shim_call_name(uint64_t number);
