#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim_confine.h"

// Of <linux/landlock.h>, which may be older than the kernel: numbers and layout are the same everywhere.
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446, rule_path_beneath = 1 };
enum { right_read_file = 1 << 2, right_read_folder = 1 << 3 };

struct ruleset {
  uint64_t files, network, scopes;
};
struct __attribute__((packed)) path_rule {
  uint64_t allowed;
  int32_t parent;
};

int shim_landlock_version(void) {
  long version = syscall(create_ruleset, NULL, 0, 1);
  return version > 0 ? (int)version : 0;
}

// What a version knows, all of which is refused where no rule allows it.
static struct ruleset all_rights(int version, size_t *size) {
  struct ruleset rules = {.files = (1u << 13) - 1};
  *size = 8;
  if (version >= 2) rules.files |= 1u << 13;
  if (version >= 3) rules.files |= 1u << 14;
  if (version >= 5) rules.files |= 1u << 15;
  if (version >= 4) {
    rules.network = 3;
    *size = 16;
  }
  if (version >= 6) {
    rules.scopes = 3;
    *size = 24;
  }
  return rules;
}

static void allow_reading(int ruleset, const char *path) {
  int parent = open(path, O_PATH | O_CLOEXEC);
  if (parent < 0) return;
  struct stat status;
  int is_folder = fstat(parent, &status) == 0 && S_ISDIR(status.st_mode);
  struct path_rule rule = {
      .allowed = right_read_file | (is_folder ? right_read_folder : 0), .parent = parent};
  (void)syscall(add_rule, ruleset, rule_path_beneath, &rule, 0);
  close(parent);
}

int shim_restrict_files(const char *const paths[], size_t count) {
  size_t size;
  int version = shim_landlock_version();
  if (version == 0) return -1;
  struct ruleset rules = all_rights(version, &size);
  int ruleset = (int)syscall(create_ruleset, &rules, size, 0);
  if (ruleset < 0) return -1;
  for (size_t i = 0; i < count; i++) allow_reading(ruleset, paths[i]);
  long result = syscall(restrict_self, ruleset, 0);
  int code = errno;
  close(ruleset);
  errno = code;
  return result == 0 ? 0 : -1;
}

uint64_t shim_memory_share(void) {
  const uint64_t least = 1ull << 30;
  uint64_t whole = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  return whole / 4 > least ? whole / 4 : least;
}

int shim_limit_memory(uint64_t byte_count) {
  struct rlimit limit;
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    if (write(file, "1000", 4) < 0) errno = 0;  // Not being first is no reason not to start.
    close(file);
  }
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return -1;
  if (limit.rlim_max < byte_count) byte_count = limit.rlim_max;
  limit.rlim_cur = limit.rlim_max = byte_count;
  return setrlimit(RLIMIT_DATA, &limit);
}

int shim_thread_count(void) {
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL) return 0;
  int count = 0;
  for (struct dirent *entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
    if (entry->d_name[0] != '.') count++;
  }
  closedir(threads);
  return count;
}

// ---- Trying

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

static int start_process(void) {
  // Not fork(3), whose handlers of other libraries are not wanted here.
  long process = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
  if (process == 0) _exit(0);
  if (process > 0) (void)waitpid((pid_t)process, NULL, 0);
  return process > 0 ? 0 : -1;
}

static int allocate_too_much(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  void *memory = mmap(
      NULL, limit.rlim_cur + 1, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? -1 : munmap(memory, limit.rlim_cur + 1);
}

static int attempt(int what) {
  switch (what) {
    case shim_try_write_file: return open_and_close("/dev/full", O_WRONLY);
    case shim_try_read_file: return open_and_close("/etc/passwd", O_RDONLY);
    case shim_try_socket: {
      int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
      if (made >= 0) close(made);
      return made >= 0 ? 0 : -1;
    }
    case shim_try_process: return start_process();
    // Signal 0 only asks whether a signal could be sent.
    case shim_try_signal: return kill(getppid(), 0);
    case shim_try_memory: return allocate_too_much();
    default: errno = EINVAL; return -1;
  }
}

int shim_try(int what) {
  struct sigaction action = {.sa_handler = on_refusal}, before;
  sigaction(SIGSYS, &action, &before);
  was_refused = 0;
  errno = 0;
  int result = attempt(what);
  int code = errno;
  sigaction(SIGSYS, &before, NULL);
  if (was_refused) return -1;
  if (result == 0) return 0;
  return code == ENOENT || code == ENXIO ? -2 : code;
}
