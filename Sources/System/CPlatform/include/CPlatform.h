// Functions of the system that Swift's module of the C library lacks, and values of threads.
#pragma once

/// Returns the number of processors that the calling thread may run on, by sched_getaffinity(2); 0 where the system
/// does not say.
int cplatform_affinity_cores(void);

/// Returns the words that the process was started with, and sets their count; null where the C library does not hand
/// them to constructors. They belong to the system.
char **cplatform_arguments(int *count);

/// The name of the running program, without its folder.
const char *cplatform_program_name(void);

/// The path that the process was started by, relative to the working directory it had then; null where the system does
/// not say. Linux: getauxval(3) with AT_EXECFN.
const char *cplatform_started_path(void);

/// A pointer that belongs to the calling thread; null until it is set.
void *cplatform_thread_value(void);
void cplatform_set_thread_value(void *value);

/// Another of the same kind.
void *cplatform_thread_list(void);
void cplatform_set_thread_list(void *value);

/// Copies the build ID that the linker has put into the running program, a digest of what it linked, in at most
/// `room` bytes. Returns its length, or 0 where there is none.
unsigned long cplatform_build_id(unsigned char *bytes, unsigned long room);

/// Gives the calling thread the policy SCHED_IDLE: it runs when nobody else wants the processor.
///
/// Returns 0, or an error number where the system has no such policy.
int cplatform_use_idle_policy(void);

/// Returns 1 if the byte of the file at `offset` can be read without waiting for a disk, by preadv2(2) with
/// RWF_NOWAIT; 0 if not, or if the file system does not say.
int cplatform_is_cached(int descriptor, long long offset);
/// Reads the first bytes of a file as far as they are in memory, without waiting for a disk. Returns their count, or
/// less than 0.
long cplatform_read_cached(int descriptor, void *bytes, unsigned long count);

/// Makes an empty file that has no name and takes memory only; wraps memfd_create(2). A deleted file in /tmp where the
/// system has no such call.
///
/// Returns its descriptor, or -1 with `errno` set. `label` is for lists of open files.
int cplatform_memory_file(const char *label);

/// Returns 1 if some bytes occur among others, or else 0; wraps memmem(3).
int cplatform_contains(const void *bytes, unsigned long count, const void *part, unsigned long part_count);

/// A change to the descriptors that a program begins with.
typedef struct {
  enum { cplatform_duplicate, cplatform_open, cplatform_close_from } kind;
  /// The descriptor to be made; of `cplatform_close_from`, the first one that is closed.
  int number;
  int source;
  const char *path;
  int flags;
} cplatform_descriptor;

/// The signals of a new program: blocked and ignored as in the thread that asks for it; none blocked; none blocked or
/// ignored, in a process group of its own.
enum { cplatform_inherited, cplatform_unblocked, cplatform_own_group };

/// A program to be started, see `ChildProcess`. `path` is looked for on the PATH where it has no slash.
typedef struct {
  const char *path;
  char *const *words, *const *environment;
  /// The working directory; null for that of this process.
  const char *folder;
  const cplatform_descriptor *descriptors;
  int descriptor_count, signals;
  /// Whether the system kills it when the thread that starts it has ended.
  int ends_with_starter;
} cplatform_program;

/// The properties of the calling thread that a program inherits.
typedef struct {
  /// A sigset_t: its header here would make types of the system this module's.
  unsigned long mask[16];
  int priority, is_idle;
} cplatform_caller;
void cplatform_note_caller(cplatform_caller *caller);

/// Starts a program and sets the number of its process; wraps clone(2) and execvpe(3).
///
/// Returns 0, or an error number.
int cplatform_start(const cplatform_program *program, const cplatform_caller *caller, int *process);

/// Gives memory that malloc(3) keeps back to the system; wraps malloc_trim(3), and does nothing where there is none.
void cplatform_trim_memory(void);

/// Exchanges two files of an open folder; wraps renameat2(2) with RENAME_EXCHANGE. Where the system or the file system
/// has no such call, three renames stand for it, between which the second name is missing for a moment.
///
/// Returns 0, or an error number.
int cplatform_exchange(int folder, const char *name, const char *other);

/// Opens a file as openat(2) does if no part of its path is a link; wraps openat2(2) with RESOLVE_NO_SYMLINKS.
///
/// Returns its descriptor, or -1 with `errno` set: ELOOP for a path with a link, ENOSYS where the system has no such
/// call.
int cplatform_open_unlinked(const char *path, int flags, unsigned mode);

/// Returns 1 if a descriptor is of the file system of processes, /proc, whose links are followed by the system alone;
/// wraps fstatfs(2).
int cplatform_is_process_file(int descriptor);
