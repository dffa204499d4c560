#define _GNU_SOURCE
#include "CMemoryGuard.h"

#include <CExitCleanup.h>
#include <dlfcn.h>
#include <errno.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif

// Allocations of LARGEST_PIECE bytes or more are only made for pictures, and the code that makes them reports a failure
// itself.
enum { LARGEST_PIECE = 64 << 20, STACK = 64 << 10, MOST_ARENAS = 1024 };

// The exit status for a failed allocation; 0 until the guard is set.
static int status;

static const char words[] =
    "imghost: the memory that 'ulimit -v' allows is used up; lower --jobs, or raise the limit\n";

#if defined(__GLIBC__) && !defined(IS_SANITIZED)
static void miss(size_t byte_count) {
  if (status != 0 && byte_count < LARGEST_PIECE) cexitcleanup_end(status, words);
}

// Sets `next` to the next definition of `name`: that of the C library, or of an allocator loaded by LD_PRELOAD. The
// search must not allocate memory, and dlsym(3) does not if it succeeds.
#define NEXT(name, result, ...) \
  static result (*next)(__VA_ARGS__); \
  if (next == NULL) *(void **)&next = dlsym(RTLD_NEXT, #name);

void *malloc(size_t size) {
  NEXT(malloc, void *, size_t)
  void *memory = next(size);
  if (__builtin_expect(memory == NULL, 0)) miss(size);
  return memory;
}

void *calloc(size_t number, size_t size) {
  NEXT(calloc, void *, size_t, size_t)
  void *memory = next(number, size);
  size_t whole;
  if (memory == NULL && !__builtin_mul_overflow(number, size, &whole)) miss(whole);
  return memory;
}

void *realloc(void *before, size_t size) {
  NEXT(realloc, void *, void *, size_t)
  void *memory = next(before, size);
  if (memory == NULL && size > 0) miss(size);
  return memory;
}

void *aligned_alloc(size_t alignment, size_t size) {
  NEXT(aligned_alloc, void *, size_t, size_t)
  void *memory = next(alignment, size);
  if (memory == NULL) miss(size);
  return memory;
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  NEXT(posix_memalign, int, void **, size_t, size_t)
  int code = next(memory, alignment, size);
  if (code == ENOMEM) miss(size);
  return code;
}

void *mmap(void *place, size_t size, int protection, int flags, int file, off_t offset) {
  NEXT(mmap, void *, void *, size_t, int, int, int, off_t)
  void *memory = next(place, size, protection, flags, file, offset);
  if (memory == MAP_FAILED && errno == ENOMEM) miss(size);
  return memory;
}

void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
#endif

// Makes the system call directly, because the mmap above may call dlsym(3), which is not async-signal-safe.
static int is_used_up(void) {
#ifdef SYS_mmap
  long piece =
      syscall(SYS_mmap, NULL, (size_t)LARGEST_PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (piece == -1) return 1;
  munmap((void *)piece, LARGEST_PIECE);
#endif
  return 0;
}

// This function must be async-signal-safe.
static void on_fault(int number) {
  if (is_used_up()) cexitcleanup_end(status, words);
  signal(number, SIG_DFL);
  raise(number);
}

void cmemory_guard(int exit_status) {
#ifdef RLIMIT_AS
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};
  static char room[STACK];
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
#if defined(__GLIBC__)
  // A thread's arena reserves 64 MB of addresses, and twice as much while it is created. The number of arenas is
  // limited, so that all of them reserve at most an eighth of the address space; one is always allowed. Larger
  // allocations do not come from arenas.
  rlim_t arenas = limit.rlim_cur >> 30;
  mallopt(M_ARENA_MAX, arenas < 1 ? 1 : arenas > MOST_ARENAS ? MOST_ARENAS : (int)arenas);
#endif
  const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
    sigaction(faults[index], &action, NULL);
  }
  status = exit_status;
#endif
}
