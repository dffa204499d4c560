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

/// Whether new memory is filled. False until the environment has been read; blocks that are allocated before belong to
/// this program, not to a plugin.
static int is_active;
static int fill;

__attribute__((noinline)) void cworker_memory_set_stack(void) {
  if (!is_active) return;
  char room[STACK];
  memset(room, fill, sizeof room);
  // Without this, the compiler would remove an array that is never read.
  __asm__ volatile("" : : "r"(room) : "memory");
}

#if defined(__GLIBC__) && !defined(IS_SANITIZED)
#define IS_WRAPPED 1
/// The value that the plugin has set with `mallopt(M_PERTURB, …)`, whose complement then fills new memory; 0 if there
/// is none.
static volatile int perturbation;

static int byte_of_new_memory(void) { return perturbation ? (perturbation ^ 0xff) & 0xff : fill; }

// The functions of the C library that the definitions here replace.
#define EACH(DO) \
  DO(malloc, void *, size_t) \
  DO(calloc, void *, size_t, size_t) \
  DO(realloc, void *, void *, size_t) \
  DO(memalign, void *, size_t, size_t) \
  DO(aligned_alloc, void *, size_t, size_t) \
  DO(posix_memalign, int, void **, size_t, size_t) \
  DO(mallopt, int, int, int) \
  DO(valloc, void *, size_t) \
  DO(pvalloc, void *, size_t)
#define DECLARE(name, result, ...) static result (*next_##name)(__VA_ARGS__);
#define FIND(name, result, ...) *(void **)&next_##name = dlsym(RTLD_NEXT, #name);
EACH(DECLARE)

// Finds all functions at once, before any library is opened, because dlsym(3) inside dlopen(3) would free the message
// about a failure. dlsym(3) allocates nothing if it succeeds.
static void find_next(void) { EACH(FIND) }

#define NEXT(name) \
  if (__builtin_expect(next_##name == NULL, 0)) find_next();

/// Blocks up to this size come from the thread's cache, which calloc(3) does not use (glibc 2.36).
enum { SMALL = 1032 };

// Returns whether glibc created a mapping for this block alone, which the system has filled with zeros:
// malloc/malloc.c, IS_MMAPPED.
static int is_mapped(const void *memory) { return (((const size_t *)memory)[-1] & 2) != 0; }

// Fills the bytes of a block from `start` on.
static void *set(void *memory, size_t start) {
  int byte = byte_of_new_memory();
  if (!is_active || memory == NULL || (byte == 0 && is_mapped(memory))) return memory;
  size_t count = malloc_usable_size(memory);
  if (count > start) memset((char *)memory + start, byte, count - start);
  return memory;
}

static void *clear(size_t number, size_t size) {
  NEXT(calloc)
  return next_calloc(number, size);
}

void *calloc(size_t number, size_t size) { return clear(number, size); }

void *malloc(size_t size) {
  NEXT(malloc)
  // Uses calloc(3), because the C library knows which memory the system has just cleared.
  if (is_active && size > SMALL && byte_of_new_memory() == 0) return clear(1, size);
  return set(next_malloc(size), 0);
}

void *realloc(void *before, size_t size) {
  NEXT(realloc)
  if (before == NULL) return malloc(size);
  size_t count = is_active ? malloc_usable_size(before) : 0;
  void *memory = next_realloc(before, size);
  return size == 0 ? memory : set(memory, count);
}

void *memalign(size_t alignment, size_t size) {
  NEXT(memalign)
  return set(next_memalign(alignment, size), 0);
}

void *aligned_alloc(size_t alignment, size_t size) {
  NEXT(aligned_alloc)
  return set(next_aligned_alloc(alignment, size), 0);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  NEXT(posix_memalign)
  int code = next_posix_memalign(memory, alignment, size);
  if (code == 0) set(*memory, 0);
  return code;
}

int mallopt(int parameter, int value) {
  NEXT(mallopt)
  // The C library would fill each block again, including those that the system has cleared.
  if (parameter == M_PERTURB && is_active) {
    perturbation = value;
    return 1;
  }
  return next_mallopt(parameter, value);
}

void *valloc(size_t size) {
  NEXT(valloc)
  return set(next_valloc(size), 0);
}

void *pvalloc(size_t size) {
  NEXT(pvalloc)
  return set(next_pvalloc(size), 0);
}
#endif

__attribute__((constructor(101))) static void begin(void) {
#ifdef IS_WRAPPED
  find_next();
#endif
  if (getenv("IMGHOST_WORKER_DEBUGGING") != NULL) return;
  const char *byte = getenv(CWORKER_MEMORY_FILL);
  fill = byte == NULL ? 0 : atoi(byte) & 255;
  is_active = 1;
}
