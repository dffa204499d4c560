#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CSandbox.h"

// The system call numbers and constants of Landlock, because <asm/unistd.h> and <linux/landlock.h> may be older than
// the running kernel. They are the same on all architectures that imghost supports.
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

// Returns all rights that a version supports. Each one is refused unless a rule allows it.
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
  struct path_rule rule = {.allowed = right_read_file | (is_folder ? right_read_folder : 0), .parent = parent};
  (void)syscall(add_rule, ruleset, rule_path_beneath, &rule, 0);
  close(parent);
}

// Locales, encodings (used by iconv(3), which libxml2 calls if it has no ICU), fonts, models of OpenCV, and facts about
// the machine and this process for the C library. Only single files of /proc/self are allowed, because others show the
// machine's connections (net), its mounts, and the same for each thread (task). /dev/zero is not included, because a
// shared mapping of it is memory that RLIMIT_DATA does not count.
static const char *const common[] = {"/etc/ld.so.cache", "/etc/localtime", "/usr/share/zoneinfo", "/usr/lib/locale",
    "/usr/share/locale", "/etc/locale.alias", "/usr/lib/x86_64-linux-gnu/gconv", "/usr/lib/aarch64-linux-gnu/gconv",
    "/usr/lib64/gconv", "/usr/lib/gconv", "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts",
    "/usr/share/fontconfig", "/var/cache/fontconfig", "/usr/share/opencv4", "/usr/share/opencv",
    "/sys/devices/system/cpu", "/sys/devices/system/node", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
    "/proc/self/auxv", "/proc/self/cgroup", "/proc/self/cmdline", "/proc/self/maps", "/proc/self/stat",
    "/proc/self/statm", "/proc/self/status", "/dev/null", "/dev/urandom", "/dev/random"};

// Uses no memory of malloc(3), because plugins that read uninitialised memory would find the paths in it.
static void allow_each(int ruleset, const char *lines) {
  static char path[PATH_MAX];
  while (lines != NULL && *lines != 0) {
    size_t length = strcspn(lines, "\n");
    if (length < sizeof path) {
      memcpy(path, lines, length);
      path[length] = 0;
      allow_reading(ruleset, path);
    }
    lines += length + (lines[length] == '\n');
  }
}

int shim_restrict_files(const char *paths) {
  size_t size;
  int version = shim_landlock_version();
  if (version == 0) return -1;
  struct ruleset rules = all_rights(version, &size);
  int ruleset = (int)syscall(create_ruleset, &rules, size, 0);
  if (ruleset < 0) return -1;
  for (size_t i = 0; i < sizeof common / sizeof *common; i++) allow_reading(ruleset, common[i]);
  allow_each(ruleset, paths);
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

// Returns the number of bytes mapped so far: libraries, and the shadow memory of a sanitizer.
static uint64_t mapped_byte_count(void) {
  char text[64] = "";
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  return count > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static int set_limit(int resource, uint64_t byte_count, int for_good) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) != 0) return -1;
  if (limit.rlim_max < byte_count) byte_count = limit.rlim_max;
  limit.rlim_cur = byte_count;
  if (for_good) limit.rlim_max = byte_count;
  return setrlimit(resource, &limit);
}

int shim_limit_memory(uint64_t byte_count) {
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    if (write(file, "1000", 4) < 0) errno = 0;  // Not essential, so a failure is ignored.
    close(file);
  }
  uint64_t mapped = mapped_byte_count();
#ifdef M_ARENA_MAX
  // Each arena reserves 64 MB of addresses, and twice that while it is created.
  mallopt(M_ARENA_MAX, (int)(byte_count >> 28));
#endif
  if (mapped == 0) return set_limit(RLIMIT_DATA, byte_count, 1);
  // Only the soft limit is set, because the host raises it by the memory that it lends. Foreign code cannot raise it,
  // because the system call filter forbids that.
  int result = set_limit(RLIMIT_AS, mapped + byte_count, 0);
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  // RLIMIT_DATA is not set, because it would also count the sanitizer's shadow memory.
  return result;
#endif
#endif
  return set_limit(RLIMIT_DATA, byte_count, 1) == 0 ? result : -1;
}

int shim_drop_privileges(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[2] = {0};
  // Fails without CAP_SETPCAP, in which case there is nothing to drop.
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability++) {
    (void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  }
  (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  return (int)syscall(SYS_capset, &header, none);
}
