#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp_calls.h"
#include "CSandbox.h"
#include "call_numbers.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#else
#define MACHINE 0
#endif

// A program of classic BPF that is built step by step. The kernel accepts at most 4,096 instructions.
static struct {
  struct sock_filter code[1024];
  unsigned short count;
} program;

static void add(uint16_t code, uint32_t value, uint8_t when_true, uint8_t when_false) {
  program.code[program.count++] = (struct sock_filter)BPF_JUMP(code, value, when_true, when_false);
}

static void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }
static void finish(uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }

// Loads the low half of an argument. The high half, which only matters for pointers, comes after it.
static void load_argument(int index) { load(offsetof(struct seccomp_data, args) + 8 * (size_t)index); }

static uint32_t failing(int code) { return SECCOMP_RET_ERRNO | (uint32_t)code; }

static void rule(long call, uint32_t action) {
  if (call < 0) return;
  add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
  finish(action);
}

// Begins a rule that examines arguments; `end` sets its length, so that it can be skipped. Every path through the rule
// must end with a result.
static unsigned short begin(long call) {
  add(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 0);
  return program.count;
}
static void end(unsigned short start) { program.code[start - 1].jf = (uint8_t)(program.count - start); }

// Adds a test that ends the filter with `action` if the argument loaded last has one of these bits, or this value.
static void when_bits(uint32_t bits, uint32_t action) {
  add(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1);
  finish(action);
}
static void when_equal(uint32_t value, uint32_t action) {
  add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
  finish(action);
}

// Adds a whole rule: the call is allowed if argument `index` has one of the values; else the rule returns `otherwise`.
static void only(long call, int index, const uint32_t *values, size_t count, uint32_t otherwise) {
  unsigned short start = begin(call);
  load_argument(index);
  for (size_t i = 0; i < count; i++) when_equal(values[i], SECCOMP_RET_ALLOW);
  finish(otherwise);
  end(start);
}

// Adds a rule that refuses to open files with any flag for writing or creating.
static void opening(long call, int flags) {
  if (call < 0) return;
  unsigned short start = begin(call);
  load_argument(flags);
  when_bits(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY), failing(EACCES));
  finish(SECCOMP_RET_ALLOW);
  end(start);
}

// Adds a rule that refuses memory that RLIMIT_DATA does not count: shared anonymous mappings, and stacks.
static void mapping(void) {
  unsigned short start = begin(SYS_mmap);
  load_argument(3);
  when_bits(MAP_GROWSDOWN, failing(ENOMEM));
  add(BPF_JMP | BPF_JSET | BPF_K, MAP_ANONYMOUS, 1, 0);
  finish(SECCOMP_RET_ALLOW);
  // Both kinds of shared mappings have this bit.
  when_bits(MAP_SHARED, failing(ENOMEM));
  finish(SECCOMP_RET_ALLOW);
  end(start);
}

static void special_rules(uint32_t threads) {
  const uint32_t own = (uint32_t)getpid(), nobody = 0;
  opening(SYS_openat, 2);
  opening(SYS_open, 1);
  unsigned short start = begin(SYS_clone);
  load_argument(0);
  when_bits(CLONE_THREAD, threads);
  finish(SECCOMP_RET_TRAP);
  end(start);
  // glibc looks up names and services through a local socket, and works without it.
  start = begin(SYS_socket);
  load_argument(0);
  when_equal(AF_UNIX, failing(EACCES));
  finish(SECCOMP_RET_TRAP);
  end(start);
  only(SYS_kill, 0, &own, 1, SECCOMP_RET_TRAP);
  only(SYS_tgkill, 0, &own, 1, SECCOMP_RET_TRAP);
  only(SYS_rt_tgsigqueueinfo, 0, &own, 1, SECCOMP_RET_TRAP);
  // PR_SET_PDEATHSIG is not included, because the worker must die with its host.
  const uint32_t options[] = {
      PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_GET_SECCOMP};
  only(SYS_prctl, 0, options, sizeof options / sizeof *options, failing(EPERM));
  // TIOCSTI is not included, because standard error may be a terminal.
  const uint32_t requests[] = {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX};
  only(SYS_ioctl, 1, requests, sizeof requests / sizeof *requests, failing(ENOTTY));
  // F_ADD_SEALS is not included, because the host lends the same memory again.
  const uint32_t commands[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC};
  only(SYS_fcntl, 1, commands, sizeof commands / sizeof *commands, failing(EPERM));
  only(SYS_sched_setaffinity, 0, &nobody, 1, failing(EPERM));
  // Limits may be read but not set: the pointer to new ones must be NULL.
  start = begin(SYS_prlimit64);
  load_argument(2);
  add(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
  finish(failing(EPERM));
  load(offsetof(struct seccomp_data, args) + 8 * 2 + 4);
  when_equal(0, SECCOMP_RET_ALLOW);
  finish(failing(EPERM));
  end(start);
}

// Installs the program as a filter. Returns 0, or a descriptor with SECCOMP_FILTER_FLAG_NEW_LISTENER; -1 on failure.
static int install(unsigned int flags) {
  struct sock_fprog whole = {.len = program.count, .filter = program.code};
  return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &whole);
}

// Kills a process that makes system calls of another architecture, or of x86's ABI with 32-bit pointers (x32), because
// their call numbers have other meanings.
static void check_machine(void) {
  program.count = 0;
  load(offsetof(struct seccomp_data, arch));
  add(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0);
  finish(SECCOMP_RET_KILL_PROCESS);
  load(offsetof(struct seccomp_data, nr));
  add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
  finish(SECCOMP_RET_KILL_PROCESS);
}

static void add_rules(uint32_t threads) {
  check_machine();
  // This rule comes first, because allocations are frequent.
  mapping();
#define CALL(name) {#name, SYS_##name},
  static const struct call allowed[] = {ALLOWED(CALL)}, denied[] = {DENIED(CALL)}, fatal[] = {FATAL(CALL)};
#define EACH(list, action) \
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) rule(list[i].number, action);
  EACH(allowed, SECCOMP_RET_ALLOW)
  special_rules(threads);
  EACH(denied, failing(EACCES))
  EACH(fatal, SECCOMP_RET_TRAP)
  finish(failing(ENOSYS));
}

int shim_filter_calls(int *listener) {
  *listener = -1;
  if (MACHINE == 0) {
    errno = ENOSYS;
    return -1;
  }
  // Answers with SECCOMP_USER_NOTIF_FLAG_CONTINUE need Linux 5.5, and the notification of a process's end needs 5.8.
  // Landlock is newer (5.13), so a kernel with Landlock has both.
  if (shim_landlock_version() > 0) {
    add_rules(SECCOMP_RET_USER_NOTIF);
    *listener = install(SECCOMP_FILTER_FLAG_NEW_LISTENER);
    if (*listener >= 0) return 0;
  }
  // Without a listener, threads are not counted. The kernel allows only one listener, and a container may already have
  // it.
  add_rules(SECCOMP_RET_ALLOW);
  return install(0);
}

// Returns the number of threads of a process, by proc(5); 0 if it is unknown.
static long thread_count(pid_t process) {
  char path[40], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t count = file >= 0 ? read(file, text, sizeof text - 1) : -1;
  if (file >= 0) close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  // The name in parentheses may contain any characters. The number of threads is the 18th field after it.
  char *field = strrchr(text, ')');
  for (int i = 0; field != NULL && i < 18; i++) field = strchr(field + 1, ' ');
  return field != NULL ? strtol(field, NULL, 10) : 0;
}

int shim_take_thread_request(int listener, pid_t process, struct shim_thread_request *taken) {
  // The kernel's structure may be larger than that in the headers.
  union {
    struct seccomp_notif request;
    char bytes[512];
  } request;
  memset(&request, 0, sizeof request);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) return errno == ENOENT || errno == EINTR ? 0 : -1;
  taken->identifier = request.request.id;
  taken->thread_count = thread_count(process);
  return 1;
}

int shim_answer_thread_request(int listener, uint64_t identifier, int is_granted) {
  union {
    struct seccomp_notif_resp answer;
    char bytes[512];
  } answer;
  memset(&answer, 0, sizeof answer);
  answer.answer.id = identifier;
  if (is_granted) {
    // The filter has checked the flags, and registers do not change while the thread waits.
    answer.answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  } else {
    answer.answer.error = -EAGAIN;
  }
  // ENOENT means that the thread was killed, or that a signal has interrupted its system call.
  return ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer) == 0 || errno == ENOENT ? 0 : -1;
}

int shim_refuse_files(void) {
  check_machine();
  rule(SYS_openat, failing(EACCES));
  rule(SYS_open, failing(EACCES));
  finish(SECCOMP_RET_ALLOW);
  return install(SECCOMP_FILTER_FLAG_TSYNC);
}

const char *shim_call_name(uint64_t number) {
  static const struct call all[] = {ALLOWED(CALL) DENIED(CALL) FATAL(CALL) SPECIAL(CALL)};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if (all[i].number >= 0 && (uint64_t)all[i].number == number) return all[i].name;
  }
  return NULL;
}
