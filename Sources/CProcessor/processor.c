#include "CProcessor.h"

int imghost_processor_level(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v3")) return 1;
  if (!__builtin_cpu_supports("x86-64-v4") || !__builtin_cpu_supports("avx512vnni")) return 3;
  return 4;
#else
  return 0;
#endif
}
