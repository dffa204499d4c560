// Processes for untrusted code: starting them, messages, and shared memory.
//
// Every descriptor created here is close-on-exec. Unless stated otherwise, functions that return int return 0 or a
// descriptor, and -1 with `errno` set if the system refuses.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// ---- Host side

/// Creates a pair of connected sockets that keep message boundaries; wraps socketpair(2), SOCK_SEQPACKET.
int shim_channel_pair(int descriptors[2]);

/// Creates a pipe for the output of a worker. The read end does not block. Wraps pipe2(2).
int shim_output_pipe(int descriptors[2]);

/// Returns, and sets, whether other processes of the same user may read this process's memory (1) or not (0); wraps
/// prctl(2) with PR_GET_DUMPABLE and PR_SET_DUMPABLE.
int shim_dumpable(void);
int shim_set_dumpable(int value);

/// Returns, and sets, the soft limit of a child's address space in bytes. The first function returns 0 if there is no
/// limit or it is unknown; the second one sets at most the hard limit. They wrap prlimit(2), RLIMIT_AS.
uint64_t shim_address_space(pid_t process);
int shim_set_address_space(pid_t process, uint64_t byte_count);

/// Sends one message with up to 2 descriptors, without raising SIGPIPE; wraps sendmsg(2).
int shim_send(int channel, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

/// Waits until there is something to receive, the channel is closed, or something was printed to `output` (-1 for
/// none). It waits at most `milliseconds`; -1 means without limit. If `spins` is set, it polls for 30 microseconds
/// before it sleeps. Returns 1 for the channel, 2 for the output, 3 for both, 0 for neither. Wraps poll(2).
int shim_wait(int channel, int output, int milliseconds, int spins);

/// Receives one message of at most `capacity` bytes. Descriptors that come with it are closed if `descriptors` is NULL;
/// else up to 2 are stored, and the rest is set to -1. Returns the size, 0 for a closed channel, -1 with `errno` set
/// (EMSGSIZE if the message was larger). Wraps recvmsg(2).
ssize_t shim_receive(int channel, void *bytes, size_t capacity, int descriptors[2]);

/// Creates shared memory of a fixed size, which no process can shrink or grow; wraps memfd_create(2) and F_ADD_SEALS.
int shim_shared_memory(const char *name, size_t byte_count);

/// Forbids new writable mappings of the shared memory; existing ones do not change. Wraps F_ADD_SEALS with
/// F_SEAL_FUTURE_WRITE (Linux 5.1). Has no effect on older kernels, where read-only mappings are the only protection.
void shim_seal_future_writes(int descriptor);

/// Keeps malloc(3) from reserving much more than is in use: it uses at most `threads` arenas, and always maps blocks
/// above 128 KB separately; by default, glibc raises this threshold as blocks are freed. Must be called before other
/// threads start. Wraps mallopt(3); has no effect where there is no such function.
void shim_keep_memory_small(int threads);

// ---- Worker side

/// Makes the system kill this process when the thread that started it ends; wraps prctl(2), PR_SET_PDEATHSIG. The host
/// requests the same when it starts the program, so this matters only for a worker that a debugger has started.
int shim_end_with_parent(void);

/// Limits the calling process: no core dump, few descriptors, no new privileges, and death with the thread that started
/// it. Writing output that is no longer read does not end the process.
int shim_limit_worker(void);

/// Makes malloc(3) return memory filled with zeros from now on, so that code that reads it before writing behaves the
/// same every time. Blocks above 128 KB come from the system with zeros at no cost; smaller ones are only filled if
/// `small` is set. Wraps mallopt(3); has no effect where there is no such function.
void shim_clear_new_memory(int small);

/// Maps shared memory between two inaccessible pages, so that an access outside of it ends the process instead of
/// hitting other memory. Returns NULL with `errno` set if the system refuses.
void *shim_map_guarded(int descriptor, size_t offset, size_t byte_count, int writable);
void shim_unmap_guarded(void *memory, size_t byte_count);

/// The cause of a worker's end, which it sends in its last message: zone, kind of access, and an address or the number
/// of a system call. The numbers are part of the worker's protocol.
enum {
  shim_wrote_input = 1,
  shim_outside_input = 2,
  shim_outside_output = 3,
  shim_elsewhere = 4,
  shim_forbidden_call = 5,
};
enum { shim_access_unknown = 0, shim_access_read = 1, shim_access_write = 2 };

/// Makes a memory fault (SIGSEGV) or a forbidden system call (SIGSYS) send a last message on `channel` before the
/// process ends. In the calling thread, the handler runs on a stack of its own. Wraps sigaction(2).
void shim_watch_signals(int channel);

/// Does the same as `shim_watch_signals`, and distinguishes faults in or near two guarded mappings, `input` and
/// `output`, from others. Later calls replace the mappings.
void shim_watch_faults(int channel, const void *input, size_t input_count, const void *output, size_t output_count);

/// Replaces the input of the last `shim_watch_faults` by at most 16 inputs of the same size.
void shim_watch_inputs(const void *const inputs[], size_t count);

/// Sets the number of the call that is reported in a last message.
void shim_name_call(uint64_t number);

// ---- Both sides: words in shared memory

static inline uint32_t shim_load(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

static inline void shim_store(uint32_t *word, uint32_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }
