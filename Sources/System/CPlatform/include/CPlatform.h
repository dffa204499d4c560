// Functions of the system that are missing in Swift's module of the C library, and thread-specific values.
#pragma once

/// Returns the number of processors that the calling thread may run on, by sched_getaffinity(2); 0 if it is unknown.
int cplatform_affinity_cores(void);

/// Returns the arguments that the process was started with, and sets their count; null if the C library does not pass
/// them to constructors. They belong to the system.
char **cplatform_arguments(int *count);

/// Returns the name of the running program, without its folder.
const char *cplatform_program_name(void);

/// Returns the path used to start the process, relative to its working directory at that time; null if it is unknown.
/// On Linux, wraps getauxval(3) with AT_EXECFN.
const char *cplatform_started_path(void);

/// Returns, and sets, a pointer that is specific to the calling thread; null until it is set.
void *cplatform_thread_value(void);
void cplatform_set_thread_value(void *value);

/// Returns, and sets, a second such pointer, for the list of waiting calls in `Scheduling`.
void *cplatform_thread_list(void);
void cplatform_set_thread_list(void *value);

/// Copies at most `room` bytes of the running program's build ID, a digest of its contents that the linker has stored
/// in it. Returns the number of copied bytes; 0 if there is no build ID.
unsigned long cplatform_build_id(unsigned char *bytes, unsigned long room);

/// Gives the calling thread the policy SCHED_IDLE, so that it only runs when no other thread needs the processor.
///
/// Returns 0, or an error number if the system has no such policy.
int cplatform_use_idle_policy(void);

/// Returns 1 if the byte at `offset` of the file can be read without waiting for a disk, by preadv2(2) with RWF_NOWAIT;
/// 0 if not, or if the file system does not support the call. Always 1 on systems other than Linux.
int cplatform_is_cached(int descriptor, long long offset);
/// Reads the first bytes of a file as far as they are cached, without waiting for a disk; on systems other than Linux,
/// reads them even if it has to wait. Returns their count, or a negative number on failure.
long cplatform_read_cached(int descriptor, void *bytes, unsigned long count);

/// Creates an empty, unnamed file in memory. Wraps memfd_create(2); on systems without that call, it is a deleted file
/// in /tmp.
///
/// Returns its descriptor, or -1 with `errno` set. `label` appears in lists of open files.
int cplatform_memory_file(const char *label);

/// Returns 1 if a sequence of bytes contains another one, else 0. Wraps memmem(3).
int cplatform_contains(const void *bytes, unsigned long count, const void *part, unsigned long part_count);

/// A change to the initial descriptors of a program.
typedef struct {
  enum { cplatform_duplicate, cplatform_open, cplatform_close_from } kind;
  /// The descriptor to create; for `cplatform_close_from`, the first one to close.
  int number;
  int source;
  const char *path;
  int flags;
} cplatform_descriptor;

/// The signals of a new program, see `ChildProcess.Signals`. `cplatform_inherited` blocks and ignores the same ones as
/// the calling thread, and `cplatform_unblocked` blocks none. `cplatform_own_group` neither blocks nor ignores any, and
/// gives the program a process group of its own.
enum { cplatform_inherited, cplatform_unblocked, cplatform_own_group };

/// A program to start, see `ChildProcess`. If `path` contains no slash, it is searched for on the PATH.
typedef struct {
  const char *path;
  char *const *words, *const *environment;
  /// The working directory; null for that of this process.
  const char *folder;
  const cplatform_descriptor *descriptors;
  int descriptor_count, signals;
  /// Whether the system kills the program when the thread that started it ends.
  int ends_with_starter;
} cplatform_program;

/// The properties that a program inherits from the calling thread.
typedef struct {
  /// A sigset_t. Including its header here would make types of the system part of this module.
  unsigned long mask[16];
  int priority, is_idle;
} cplatform_caller;
void cplatform_note_caller(cplatform_caller *caller);

/// Starts a program, and sets its process identifier. Wraps clone(2) and execvpe(3).
///
/// Returns 0, or an error number.
int cplatform_start(const cplatform_program *program, const cplatform_caller *caller, int *process);

/// Returns unused memory of malloc(3) to the system. Wraps malloc_trim(3); has no effect where there is no such
/// function.
void cplatform_trim_memory(void);

/// Exchanges two files of an open folder. Wraps renameat2(2) with RENAME_EXCHANGE. If the system or the file system
/// does not support it, three renames are used, between which first `other` and then `name` is missing for a moment.
///
/// Returns 0, or an error number.
int cplatform_exchange(int folder, const char *name, const char *other);

/// Waits until a file or folder is on the disk. Wraps fsync(2), or fcntl(2) with F_FULLFSYNC on macOS, where fsync(2)
/// may leave data in the disk's cache. Returns 0, or an error number.
int cplatform_sync(int descriptor);

/// Asks the system to begin writing a file to the disk. Wraps sync_file_range(2); has no effect where there is no such
/// function.
void cplatform_begin_sync(int descriptor);

/// Opens a file like openat(2), if no part of its path is a link. Wraps openat2(2) with RESOLVE_NO_SYMLINKS.
///
/// Returns its descriptor, or -1 with `errno` set: ELOOP if the path contains a link, ENOSYS if the system does not
/// support the call.
int cplatform_open_unlinked(const char *path, int flags, unsigned mode);

/// Returns 1 if a descriptor belongs to the file system /proc, whose links only the system can follow. Wraps
/// fstatfs(2).
int cplatform_is_process_file(int descriptor);
