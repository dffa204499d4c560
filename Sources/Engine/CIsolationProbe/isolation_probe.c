#define _GNU_SOURCE
#include "isolation_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int32_t imghost_probe_outcomes[imghost_try_count];

static volatile sig_atomic_t was_refused;

static void on_refusal(int signal) {
  (void)signal;
  was_refused = 1;
}

static int open_and_close(const char *path, int flags) {
  int file = open(path, flags | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0 ? 0 : -1;
}

// Tries to read the memory and environment of the parent process, and files through its root folder in `/proc`.
static int look_at_host(void) {
  static const char *const names[] = {"mem", "environ", "maps", "root/etc/passwd"};
  int result = -1, code = ENOENT;
  for (size_t i = 0; i < sizeof names / sizeof *names && result != 0; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), names[i]);
    result = open_and_close(path, O_RDONLY);
    if (errno != ENOENT) code = errno;
  }
  errno = code;
  return result;
}

static int have_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2] = {0};
  if (syscall(SYS_capget, &header, sets) != 0) return errno = ENOENT, -1;
  errno = EPERM;
  return sets[0].permitted != 0 || sets[1].permitted != 0 ? 0 : -1;
}

static int make_socket(void) {
  int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (made >= 0) close(made);
  return made >= 0 ? 0 : -1;
}

static int start_process(void) {
  // fork(3) would call handlers of other libraries, so this uses the system call.
  long process = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (process == 0) _exit(0);
  if (process > 0) (void)waitpid((pid_t)process, NULL, 0);
  return process > 0 ? 0 : -1;
}

// Allocates one byte more than the limit for data memory. Succeeds if there is no limit.
static int allocate_too_much(int sharing) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  void *memory = mmap(NULL, limit.rlim_cur + 1, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? -1 : munmap(memory, limit.rlim_cur + 1);
}

static atomic_int may_end;

static void *wait_for_end(void *context) {
  while (!may_end) usleep(1000);
  return context;
}

// Starts more threads than any library would.
static int start_many_threads(void) {
  enum { most = 8192 };
  static pthread_t threads[most];
  long limit = 4 * sysconf(_SC_NPROCESSORS_ONLN) + 512, count = 0;
  int code = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  while (count < limit && count < most && code == 0) {
    code = pthread_create(&threads[count], &attributes, wait_for_end, NULL);
    count += code == 0;
  }
  pthread_attr_destroy(&attributes);
  may_end = 1;
  while (count > 0) pthread_join(threads[--count], NULL);
  errno = code;
  return code != 0 ? -1 : 0;
}

static int attempt(int what) {
  switch (what) {
    case imghost_try_write_file: return open_and_close("/dev/full", O_WRONLY);
    case imghost_try_read_file: {
      int result = open_and_close("/proc/self/net/dev", O_RDONLY);
      return result == 0 ? result : open_and_close("/etc/passwd", O_RDONLY);
    }
    case imghost_try_host: return look_at_host();
    case imghost_try_capabilities: return have_capabilities();
    case imghost_try_socket: return make_socket();
    case imghost_try_process: return start_process();
    // Signal 0 only tests whether a signal could be sent.
    case imghost_try_signal: return kill(getppid(), 0);
    case imghost_try_memory: return allocate_too_much(MAP_PRIVATE);
    case imghost_try_shared_memory: return allocate_too_much(MAP_SHARED);
    case imghost_try_threads: return start_many_threads();
    default: return errno = EINVAL, -1;
  }
}

static int32_t outcome(int what) {
  was_refused = 0;
  errno = 0;
  int result = attempt(what);
  int code = errno;
  if (was_refused) return -1;
  if (result == 0) return 0;
  return code == ENOENT || code == ENXIO ? -2 : code;
}

__attribute__((constructor)) static void probe(void) {
  struct sigaction action = {.sa_handler = on_refusal}, before;
  sigaction(SIGSYS, &action, &before);
  for (int what = 0; what < imghost_try_count; what++) imghost_probe_outcomes[what] = outcome(what);
  sigaction(SIGSYS, &before, NULL);
}
