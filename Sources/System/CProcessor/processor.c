#include "CProcessor.h"

#if defined(__x86_64__) && defined(__linux__)
#include <features.h>
#if defined(__GLIBC__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#if !defined(__x86_64__)
static int level(void) { return 0; }
#elif defined(CPU_FEATURE_ACTIVE)
// Uses the results of the loader (glibc 2.34 and later). Executing CPUID again took 0.08 ms of each start in a virtual
// machine, because every CPUID leaves the machine.

// Checks the features that x86-64-v3 and x86-64-v4 add (System V ABI, AMD64 supplement, 3.1.1), and VNNI. All
// processors with AVX2 have the features of v2.
static int level(void) {
  if (!CPU_FEATURE_ACTIVE(AVX2) || !CPU_FEATURE_ACTIVE(FMA) || !CPU_FEATURE_ACTIVE(F16C) || !CPU_FEATURE_ACTIVE(BMI1)
      || !CPU_FEATURE_ACTIVE(BMI2) || !CPU_FEATURE_ACTIVE(LZCNT) || !CPU_FEATURE_ACTIVE(MOVBE))
    return 1;
  if (!CPU_FEATURE_ACTIVE(AVX512F) || !CPU_FEATURE_ACTIVE(AVX512BW) || !CPU_FEATURE_ACTIVE(AVX512CD)
      || !CPU_FEATURE_ACTIVE(AVX512DQ) || !CPU_FEATURE_ACTIVE(AVX512VL) || !CPU_FEATURE_ACTIVE(AVX512_VNNI))
    return 3;
  return 4;
}
#else
static int level(void) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3")) return 1;
  if (!__builtin_cpu_supports("x86-64-v4") || !__builtin_cpu_supports("avx512vnni")) return 3;
  return 4;
}
#endif

int imghost_processor_level(void) { return level(); }

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

bool imghost_has_address_sanitizer(void) { return SANITIZED; }
