#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__GLIBC__) || defined(__APPLE__)
static int argument_count;
static char **argument_values;

__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}

char **cplatform_arguments(int *count) {
  *count = argument_count;
  return argument_values;
}
#else
char **cplatform_arguments(int *count) {
  *count = 0;
  return 0;
}
#endif

const char *cplatform_program_name(void) {
#ifdef __GLIBC__
  return program_invocation_short_name;
#else
  return getprogname();
#endif
}

static _Thread_local void *thread_value;

void *cplatform_thread_value(void) { return thread_value; }
void cplatform_set_thread_value(void *value) { thread_value = value; }

static _Thread_local void *thread_list;

void *cplatform_thread_list(void) { return thread_list; }
void cplatform_set_thread_list(void *value) { thread_list = value; }

#ifdef __linux__
#include <elf.h>
#include <link.h>
#include <linux/magic.h>
#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>

const char *cplatform_started_path(void) { return (const char *)getauxval(AT_EXECFN); }

// Copies the build ID from a segment of notes, and returns the number of copied bytes; 0 if there is no build ID.
static unsigned long build_id_of(const char *notes, unsigned long count, unsigned char *bytes, unsigned long room) {
  ElfW(Nhdr) note;
  for (unsigned long at = 0; count - at >= sizeof note;) {
    memcpy(&note, notes + at, sizeof note);
    unsigned long name = at + sizeof note, value = name + ((note.n_namesz + 3ul) & ~3ul);
    if (value > count || count - value < note.n_descsz) return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
      unsigned long length = note.n_descsz < room ? note.n_descsz : room;
      memcpy(bytes, notes + value, length);
      return length;
    }
    at = value + ((note.n_descsz + 3ul) & ~3ul);
    if (at > count) return 0;
  }
  return 0;
}

unsigned long cplatform_build_id(unsigned char *bytes, unsigned long room) {
  const ElfW(Phdr) *headers = (const ElfW(Phdr) *)getauxval(AT_PHDR);
  unsigned long count = headers ? getauxval(AT_PHNUM) : 0, found = 0;
  const char *base = NULL;
  for (unsigned long i = 0; i < count; i++) {
    if (headers[i].p_type == PT_PHDR) base = (const char *)headers - headers[i].p_vaddr;
  }
  for (unsigned long i = 0; base && i < count && found == 0; i++) {
    if (headers[i].p_type != PT_NOTE) continue;
    found = build_id_of(base + headers[i].p_vaddr, headers[i].p_memsz, bytes, room);
  }
  return found;
}

int cplatform_use_idle_policy(void) {
  struct sched_param parameters = {0};
  return sched_setscheduler(0, SCHED_IDLE, &parameters) == 0 ? 0 : errno;
}

int cplatform_affinity_cores(void) {
  // The kernel refuses a set that is smaller than its own; it is built for at most 8,192 processors.
  cpu_set_t *set = CPU_ALLOC(8192);
  size_t size = CPU_ALLOC_SIZE(8192);
  if (!set) return 0;
  int cores = sched_getaffinity(0, size, set) == 0 ? CPU_COUNT_S(size, set) : 0;
  CPU_FREE(set);
  return cores;
}

int cplatform_is_cached(int descriptor, long long offset) {
  char byte;
  struct iovec space = {.iov_base = &byte, .iov_len = 1};
  return preadv2(descriptor, &space, 1, offset, RWF_NOWAIT) == 1;
}

long cplatform_read_cached(int descriptor, void *bytes, unsigned long count) {
  struct iovec space = {.iov_base = bytes, .iov_len = count};
  return preadv2(descriptor, &space, 1, 0, RWF_NOWAIT);
}

int cplatform_memory_file(const char *label) { return memfd_create(label, MFD_CLOEXEC); }
#else
unsigned long cplatform_build_id(unsigned char *bytes, unsigned long room) {
  (void)bytes, (void)room;
  return 0;
}

int cplatform_is_cached(int descriptor, long long offset) {
  (void)descriptor;
  (void)offset;
  return 1;
}
long cplatform_read_cached(int descriptor, void *bytes, unsigned long count) {
  return pread(descriptor, bytes, count, 0);
}
int cplatform_memory_file(const char *label) {
  (void)label;
  char path[] = P_tmpdir "/imghost-XXXXXX";
  int descriptor = mkstemp(path);
  if (descriptor >= 0) {
    (void)unlink(path);
    (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return descriptor;
}
const char *cplatform_started_path(void) { return NULL; }
int cplatform_use_idle_policy(void) { return ENOSYS; }
int cplatform_affinity_cores(void) { return 0; }
#endif

int cplatform_contains(const void *bytes, unsigned long count, const void *part, unsigned long part_count) {
  return memmem(bytes, count, part, part_count) != NULL;
}

void cplatform_trim_memory(void) {
#ifdef __GLIBC__
  (void)malloc_trim(0);
#endif
}

int cplatform_exchange(int folder, const char *name, const char *other) {
#if defined(__linux__) && defined(SYS_renameat2)
  // The value of RENAME_EXCHANGE is 2.
  if (syscall(SYS_renameat2, folder, name, folder, other, 2) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
#endif
  char third[64];
  if (snprintf(third, sizeof third, "%s-old", name) >= (int)sizeof third) return ENAMETOOLONG;
  if (renameat(folder, other, folder, third) != 0) return errno;
  if (renameat(folder, name, folder, other) != 0) {
    int code = errno;
    (void)renameat(folder, third, folder, other);
    return code;
  }
  return renameat(folder, third, folder, name) == 0 ? 0 : errno;
}

int cplatform_sync(int descriptor) {
#ifdef F_FULLFSYNC
  if (fcntl(descriptor, F_FULLFSYNC) == 0) return 0;
#endif
  while (fsync(descriptor) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

void cplatform_begin_sync(int descriptor) {
#ifdef SYNC_FILE_RANGE_WRITE
  (void)sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
  (void)descriptor;
#endif
}

int cplatform_open_unlinked(const char *path, int flags, unsigned mode) {
#if defined(__linux__) && defined(SYS_openat2) && defined(RESOLVE_NO_SYMLINKS)
  struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_SYMLINKS};
  if (flags & O_CREAT) how.mode = mode;
  return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
#else
  (void)path, (void)flags, (void)mode;
  errno = ENOSYS;
  return -1;
#endif
}

int cplatform_is_process_file(int descriptor) {
#ifdef __linux__
  struct statfs status;
  return fstatfs(descriptor, &status) == 0 && status.f_type == PROC_SUPER_MAGIC;
#else
  (void)descriptor;
  return 0;
#endif
}
