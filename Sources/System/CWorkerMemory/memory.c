#define _GNU_SOURCE
#include "CWorkerMemory.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif

enum { STACK = 192 << 10 };

/// Whether new memory is set. Not before the environment has been read, when all blocks are this program's own.
static int is_active;
static int fill;

__attribute__((constructor(101))) static void begin(void) {
  if (getenv("IMGHOST_WORKER_DEBUGGING") != NULL) return;
  const char *byte = getenv(CWORKER_MEMORY_FILL);
  fill = byte == NULL ? 0 : atoi(byte) & 255;
  is_active = 1;
}

__attribute__((noinline)) void cworker_memory_set_stack(void) {
  if (!is_active) return;
  char room[STACK];
  memset(room, fill, sizeof room);
  // The compiler would leave out what nobody reads.
  __asm__ volatile("" : : "r"(room) : "memory");
}

#if defined(__GLIBC__) && !defined(IS_SANITIZED)
// Defines the next function of that name. Nothing is allocated before the first of them is known; dlsym(3) allocates
// nothing if it succeeds.
#define NEXT(name, result, ...) \
  static result (*next)(__VA_ARGS__); \
  if (__builtin_expect(next == NULL, 0)) *(void **)&next = dlsym(RTLD_NEXT, #name);

/// Blocks up to this size come from the thread's cache, which calloc(3) does not use (glibc 2.36).
enum { SMALL = 1032 };

// Whether glibc made a mapping for the block alone, which the system has filled with zeros: malloc/malloc.c, IS_MMAPPED.
static int is_mapped(const void *memory) { return (((const size_t *)memory)[-1] & 2) != 0; }

// Sets the bytes of a block from `start` on.
static void *set(void *memory, size_t start) {
  if (!is_active || memory == NULL || (fill == 0 && is_mapped(memory))) return memory;
  size_t count = malloc_usable_size(memory);
  if (count > start) memset((char *)memory + start, fill, count - start);
  return memory;
}

static void *clear(size_t number, size_t size) {
  NEXT(calloc, void *, size_t, size_t)
  return next(number, size);
}

void *calloc(size_t number, size_t size) { return clear(number, size); }

void *malloc(size_t size) {
  NEXT(malloc, void *, size_t)
  // It knows which memory is fresh.
  if (is_active && fill == 0 && size > SMALL) return clear(1, size);
  return set(next(size), 0);
}

void *realloc(void *before, size_t size) {
  NEXT(realloc, void *, void *, size_t)
  if (before == NULL) return malloc(size);
  size_t count = is_active ? malloc_usable_size(before) : 0;
  void *memory = next(before, size);
  return size == 0 ? memory : set(memory, count);
}

void *memalign(size_t alignment, size_t size) {
  NEXT(memalign, void *, size_t, size_t)
  return set(next(alignment, size), 0);
}

void *aligned_alloc(size_t alignment, size_t size) {
  NEXT(aligned_alloc, void *, size_t, size_t)
  return set(next(alignment, size), 0);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  NEXT(posix_memalign, int, void **, size_t, size_t)
  int code = next(memory, alignment, size);
  if (code == 0) set(*memory, 0);
  return code;
}

void *valloc(size_t size) {
  NEXT(valloc, void *, size_t)
  return set(next(size), 0);
}

void *pvalloc(size_t size) {
  NEXT(pvalloc, void *, size_t)
  return set(next(size), 0);
}
#endif
