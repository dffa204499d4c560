#define _GNU_SOURCE
#include "CProcesses.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

int shim_channel_pair(int descriptors[2]) { return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, descriptors); }

union control {
  struct cmsghdr header;
  char bytes[CMSG_SPACE(2 * sizeof(int))];
};

int shim_send(int channel, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  union control control;
  if (descriptor_count > 0) {
    memset(&control, 0, sizeof control);
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_SPACE(descriptor_count * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(descriptor_count * sizeof(int));
    memcpy(CMSG_DATA(header), descriptors, descriptor_count * sizeof(int));
  }
  ssize_t sent;
  do {
    sent = sendmsg(channel, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent < 0 ? -1 : 0;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Returns the ready descriptors as bits: 1 for a message, 2 for printed text.
static int ready_ones(const struct pollfd waits[2]) {
  return (waits[0].revents != 0 ? 1 : 0) | (waits[1].revents != 0 ? 2 : 0);
}

int shim_wait(int channel, int output, int milliseconds, int spins) {
  // The time to poll before sleeping, in nanoseconds. Waking a sleeping processor takes longer than a small call.
  const int64_t patience = 30000;
  const int64_t end = milliseconds == 0 || !spins ? 0 : now() + patience;
  struct pollfd waits[2] = {{.fd = channel, .events = POLLIN}, {.fd = output, .events = POLLIN}};
  const nfds_t count = output >= 0 ? 2 : 1;
  for (;;) {
    int ready = poll(waits, count, 0);
    if (ready > 0) return ready_ones(waits);
    if (ready < 0 || milliseconds == 0) return 0;
    if (now() >= end) return poll(waits, count, milliseconds) > 0 ? ready_ones(waits) : 0;
    // Lets the other side run if both share a processor.
    sched_yield();
  }
}

ssize_t shim_receive(int channel, void *bytes, size_t capacity, int descriptors[2]) {
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  union control control;
  if (descriptors != NULL) {
    descriptors[0] = descriptors[1] = -1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
  }
  ssize_t got;
  do {
    got = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return got;
  struct cmsghdr *header = descriptors != NULL ? CMSG_FIRSTHDR(&message) : NULL;
  if (header != NULL && header->cmsg_type == SCM_RIGHTS) {
    memcpy(descriptors, CMSG_DATA(header), header->cmsg_len - CMSG_LEN(0));
  }
  if (message.msg_flags & MSG_TRUNC) {
    errno = EMSGSIZE;
    return -1;
  }
  return got;
}

int shim_shared_memory(const char *name, size_t byte_count) {
  int descriptor = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor < 0) return -1;
  if (ftruncate(descriptor, (off_t)byte_count) != 0
      || fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0) {
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
  }
  return descriptor;
}

void shim_seal_future_writes(int descriptor) { (void)fcntl(descriptor, F_ADD_SEALS, F_SEAL_FUTURE_WRITE); }

int shim_output_pipe(int descriptors[2]) {
  if (pipe2(descriptors, O_CLOEXEC) != 0) return -1;
  return fcntl(descriptors[0], F_SETFL, O_NONBLOCK);
}

int shim_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

int shim_set_dumpable(int value) { return prctl(PR_SET_DUMPABLE, value, 0, 0, 0); }

uint64_t shim_address_space(pid_t process) {
  struct rlimit limit;
  if (prlimit(process, RLIMIT_AS, NULL, &limit) != 0) return 0;
  return limit.rlim_cur == RLIM_INFINITY ? 0 : (uint64_t)limit.rlim_cur;
}

int shim_set_address_space(pid_t process, uint64_t byte_count) {
  struct rlimit limit;
  if (prlimit(process, RLIMIT_AS, NULL, &limit) != 0) return -1;
  limit.rlim_cur = byte_count < limit.rlim_max ? byte_count : limit.rlim_max;
  return prlimit(process, RLIMIT_AS, &limit, NULL);
}

int shim_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

int shim_limit_worker(void) {
  const struct rlimit no_core = {0, 0};
  struct rlimit few_files;
  if (getrlimit(RLIMIT_NOFILE, &few_files) != 0) return -1;
  // Only root can raise the hard limit again.
  if (few_files.rlim_max > 64) few_files.rlim_max = 64;
  few_files.rlim_cur = few_files.rlim_max;
  if (setrlimit(RLIMIT_CORE, &no_core) != 0 || setrlimit(RLIMIT_NOFILE, &few_files) != 0
      || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || signal(SIGPIPE, SIG_IGN) == SIG_ERR) {
    return -1;
  }
  return shim_end_with_parent();
}

void shim_clear_new_memory(int small) {
  (void)small;
#ifdef M_PERTURB
  mallopt(M_PERTURB, small ? 255 : 0);  // The complement of the byte that new memory is filled with.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

void shim_keep_memory_small(int threads) {
  (void)threads;
#ifdef M_ARENA_MAX
  mallopt(M_ARENA_MAX, threads);
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

static size_t page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *shim_map_guarded(int descriptor, size_t offset, size_t byte_count, int writable) {
  size_t page = page_size();
  size_t whole = byte_count + 2 * page;
  char *room = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return NULL;
  void *memory = mmap(room + page, byte_count, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED | MAP_FIXED,
      descriptor, (off_t)offset);
  if (memory == MAP_FAILED) {
    int code = errno;
    munmap(room, whole);
    errno = code;
    return NULL;
  }
  return memory;
}

void shim_unmap_guarded(void *memory, size_t byte_count) {
  size_t page = page_size();
  munmap((char *)memory - page, byte_count + 2 * page);
}

// Written by the only thread that serves calls, and read in the signal handler of any thread that faults.
static struct {
  int channel;
  uint64_t call;
  // The inputs of a call, each with `input_count` bytes.
  const char *inputs[16], *output;
  size_t input_number, input_count, output_count, page;
} watched;

static int is_beside(const char *address, const char *memory, size_t count) {
  size_t page = watched.page;
  return memory != NULL && address >= memory - page && address < memory + count + page;
}

static uint32_t zone_of(const char *address) {
  for (size_t i = 0; i < watched.input_number; i++) {
    const char *input = watched.inputs[i];
    if (address >= input && address < input + watched.input_count) return shim_wrote_input;
    if (is_beside(address, input, watched.input_count)) return shim_outside_input;
  }
  if (is_beside(address, watched.output, watched.output_count)) return shim_outside_output;
  return shim_elsewhere;
}

// Returns whether the faulting instruction wrote or read; `shim_access_unknown` on processors other than x86-64.
static uint32_t access_of(const void *context) {
#if defined(__x86_64__)
  const ucontext_t *state = context;
  return state->uc_mcontext.gregs[REG_ERR] & 2 ? shim_access_write : shim_access_read;
#else
  (void)context;
  return shim_access_unknown;
#endif
}

// Calls only functions that are async-signal-safe. SA_RESETHAND has restored the default action, so a memory fault
// repeats on return and ends the process with its signal. A forbidden call or a sent signal does not repeat, so
// it is raised again.
static void on_fault(int signal, siginfo_t *information, void *context) {
  struct {
    uint32_t magic, kind;
    uint64_t call;
    uint32_t zone, access;
    uint64_t detail;
  } __attribute__((packed)) words = {.magic = 0x50474d49, .kind = 7, .call = watched.call};
  int code = errno;
  if (signal == SIGSYS) {
    words.zone = shim_forbidden_call;
    words.detail = (uint64_t)(uint32_t)information->si_syscall;
  } else if (information->si_code > 0 && information->si_code != SI_KERNEL) {
    // The signal was sent by the processor, with an address.
    words.zone = zone_of(information->si_addr);
    words.access = access_of(context);
    words.detail = (uint64_t)(uintptr_t)information->si_addr;
  }
  if (words.zone != 0) (void)send(watched.channel, &words, sizeof words, MSG_NOSIGNAL);
  if (signal == SIGSYS || information->si_code <= 0) (void)kill(getpid(), signal);
  errno = code;
}

void shim_watch_signals(int channel) {
  static _Alignas(16) char stack[65536];
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  struct sigaction action = {.sa_sigaction = on_fault};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  watched.channel = channel;
  watched.page = page_size();
  sigaltstack(&alternate, NULL);
  sigaction(SIGSEGV, &action, NULL);
  sigaction(SIGSYS, &action, NULL);
}

void shim_watch_faults(int channel, const void *input, size_t input_count, const void *output, size_t output_count) {
  watched.inputs[0] = input;
  watched.input_number = input != NULL;
  watched.input_count = input_count;
  watched.output = output;
  watched.output_count = output_count;
  shim_watch_signals(channel);
}

void shim_watch_inputs(const void *const inputs[], size_t count) {
  watched.input_number = 0;
  for (size_t i = 0; i < count && i < sizeof watched.inputs / sizeof *watched.inputs; i++) {
    watched.inputs[watched.input_number++] = inputs[i];
  }
}

void shim_name_call(uint64_t number) { watched.call = number; }
