// Confines a process that runs foreign code. Unless stated otherwise, functions that return int return 0 on success.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Permanently forbids this process, and all threads that it starts later, to start processes and programs, open
/// sockets, signal others and change files. Needs PR_SET_NO_NEW_PRIVS; call it while there is a single thread. Reading
/// files stays allowed, see `shim_refuse_files`. Returns 0, or -1 with `errno` set if the system has no seccomp or the
/// filter does not support the architecture.
///
/// Calls that libraries make without needing them fail with an error (EACCES for files and local sockets, EPERM, ENOSYS
/// for unknown calls). Calls that no library makes by accident raise SIGSYS. Wraps seccomp(2).
///
/// `listener` receives a descriptor at which each start of a thread waits for an answer (`shim_take_thread_request`),
/// and which must not stay open in this process; -1 if the system provides none, so that threads are unrestricted.
int shim_filter_calls(int *listener);

/// A request to start a thread: its identifier for the answer, and the number of threads that the process already has;
/// 0 if /proc does not provide it.
struct shim_thread_request {
  uint64_t identifier;
  long thread_count;
};

/// Takes a request for a new thread from `listener`, which must have one ready. Called by the host. Returns 1 on
/// success, 0 if the request no longer exists or a signal has interrupted the call, or -1 if the listener can no longer
/// be used. Wraps seccomp_unotify(2).
int shim_take_thread_request(int listener, pid_t process, struct shim_thread_request *taken);

/// Lets the thread start, or makes it fail with EAGAIN. Returns 0, or -1 if the listener can no longer be used.
int shim_answer_thread_request(int listener, uint64_t identifier, int is_granted);

/// Permanently forbids all threads of this process to open files. Wraps seccomp(2) with TSYNC.
int shim_refuse_files(void);

/// Returns the kernel's version of Landlock; 0 with `errno` set if it has none.
int shim_landlock_version(void);

/// Restricts this thread, and those that it starts later, to reading files: those below `paths`, one per line, fonts,
/// locales and facts about the machine. With newer versions of Landlock, these threads can neither connect to nor
/// signal other processes. Missing paths are ignored. Wraps landlock_create_ruleset(2) and related calls.
int shim_restrict_files(const char *paths);

/// Allows this process to use `byte_count` bytes of memory in addition to what it has already mapped. RLIMIT_DATA
/// limits private writable memory, including stacks, and stays the same when the host raises RLIMIT_AS for memory that
/// it lends. RLIMIT_AS, which is set only if /proc is mounted, also limits shared memory and memory that is made
/// read-only after writing. The arenas of malloc(3) may reserve at most a quarter of `byte_count`. If the machine runs
/// out of memory, this process is killed first (oom_score_adj).
int shim_limit_memory(uint64_t byte_count);

/// Returns a quarter of the machine's memory, at least 1 GB.
uint64_t shim_memory_share(void);

/// Permanently drops all capabilities, and hides this process's memory from other processes of the same user. Wraps
/// prctl(2) and capset(2).
int shim_drop_privileges(void);

/// Returns the name of a system call ("openat"); NULL if it is not in the tables.
const char *shim_call_name(uint64_t number);
