// Processes of their own for code that is not trusted: spawning, messages, shared memory.
//
// Every descriptor made here is close-on-exec. Functions that return int give 0 or a descriptor,
// and -1 with `errno` set when the system refuses.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- Host side

/// A pair of connected sockets that keep message boundaries; wraps socketpair(2), SOCK_SEQPACKET.
int shim_channel_pair(int descriptors[2]);

/// A pipe for what a worker prints, whose end for reading does not block; wraps pipe2(2).
int shim_output_pipe(int descriptors[2]);

/// Whether others of the same user may look into this process's memory (1), or not (0); wraps prctl(2) with
/// PR_GET_DUMPABLE and PR_SET_DUMPABLE.
int shim_dumpable(void);
int shim_set_dumpable(int value);

/// The bytes of address space that a child may have now, 0 for no limit; wraps prlimit(2), RLIMIT_AS.
uint64_t shim_address_space(pid_t process);
int shim_set_address_space(pid_t process, uint64_t byte_count);

/// Sends one message with up to 2 descriptors, never raising SIGPIPE; wraps sendmsg(2).
int shim_send(int channel, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

/// Waits until there is something to receive, the channel is closed, or something was printed to `output`
/// (-1 for none): at most so many milliseconds, -1 for as long as it takes. Where it spins, it asks again and again
/// for 30 microseconds before it sleeps. 1 for the channel, 2 for the output, 3 for both, 0 for neither. Wraps
/// poll(2).
int shim_wait(int channel, int output, int milliseconds, int spins);

/// Receives one message of at most `capacity` bytes. Descriptors that come with it are closed when
/// `descriptors` is NULL, else up to 2 are stored and the rest set to -1. Gives the size, 0 for a closed
/// channel, -1 with `errno` set (EMSGSIZE for a message that was larger). Wraps recvmsg(2).
ssize_t shim_receive(int channel, void *bytes, size_t capacity, int descriptors[2]);

/// Shared memory of a fixed size that nobody can shrink or grow; wraps memfd_create(2) and F_ADD_SEALS.
int shim_shared_memory(const char *name, size_t byte_count);

/// From now on no new mapping of the shared memory can be written to; existing ones stay as they are.
/// Wraps F_ADD_SEALS with F_SEAL_FUTURE_WRITE (Linux 5.1). Fails quietly on older kernels, where a
/// mapping that is only readable is all the protection there is.
void shim_seal_future_writes(int descriptor);

/// Keeps what malloc(3) holds near to what is in use: at most `threads` arenas, and blocks above 128 KB from
/// the system and back to it, which glibc otherwise gives up after the first few. Before other threads begin.
/// Wraps mallopt(3); does nothing where there is none.
void shim_keep_memory_small(int threads);

// ---- Worker side

/// Has the system kill this process when the thread that started it has ended; wraps prctl(2), PR_SET_PDEATHSIG. The
/// host asks for the same before the program begins. This is for a worker that a debugger started.
int shim_end_with_parent(void);

/// Limits the calling process: no core dump, few descriptors, no new privileges, and death with the
/// process that started it. What it prints when nobody listens any more is lost, and no harm is done.
int shim_limit_worker(void);

/// From now on new memory of malloc(3) holds zeros, so that code that reads before it writes does the same
/// every time: blocks above 128 KB, which come fresh from the system and cost nothing until they are
/// used, and with `small` the others, too. Wraps mallopt(3); does nothing where there is none.
void shim_clear_new_memory(int small);

/// Maps shared memory between two pages that cannot be touched, so that a step outside ends the
/// process instead of hitting other memory. NULL with `errno` set when the system refuses.
void *shim_map_guarded(int descriptor, size_t offset, size_t byte_count, int writable);
void shim_unmap_guarded(void *memory, size_t byte_count);

/// The cause that ended a worker: sent in its last words, as zone, kind of access, and an address or the number of
/// a system call. Numbers of the worker's protocol.
enum {
  shim_wrote_input = 1,
  shim_outside_input = 2,
  shim_outside_output = 3,
  shim_elsewhere = 4,
  shim_forbidden_call = 5,
};
enum { shim_access_unknown = 0, shim_access_read = 1, shim_access_write = 2 };

/// From now on a memory fault (SIGSEGV) or a forbidden system call (SIGSYS) sends last words on `channel`
/// before it ends the process. For the calling thread on a stack of its own. Wraps sigaction(2).
void shim_watch_signals(int channel);

/// Likewise, and tells faults in or beside these guarded mappings from others. Later calls replace the
/// mappings.
void shim_watch_faults(int channel, const void *input, size_t input_count, const void *output, size_t output_count);

/// Tells `shim_watch_faults`, after it was called, of all inputs where there are several of its
/// `input_count` bytes.
void shim_watch_inputs(const void *const inputs[], size_t count);

/// The number under which last words are sent.
void shim_name_call(uint64_t number);

// ---- Both sides: words in shared memory

static inline uint32_t shim_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void shim_store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
