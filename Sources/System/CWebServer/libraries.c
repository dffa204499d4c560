#include "libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#ifdef __APPLE__
#define LIBRARY "libmicrohttpd.12.dylib"
#else
#define LIBRARY "libmicrohttpd.so.12"
#endif

CWebLibrary cweb_library;

static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    missing = LIBRARY;
    return;
  }
#define CWEB_FIND(name) \
  *(void **)&cweb_library.name = dlsym(library, #name); \
  if (cweb_library.name == NULL && missing == NULL) missing = #name;
  CWEB_FUNCTIONS(CWEB_FIND)
#undef CWEB_FIND
}

const char *cweb_load(void) {
  pthread_once(&once, load);
  return missing;
}
