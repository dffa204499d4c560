#define _GNU_SOURCE
#include "CPopplerData.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

const char *poppler_get_version(void);

// A std::string of the GNU C++ library since GCC 5, with the fields that a function reads from a constant argument.
// Poppler's C++ headers are not installed with its GLib interface.
typedef struct {
  const char *bytes;
  size_t count, capacity, unused;
} cxx_string;

// bool GlobalParamsIniter::setCustomDataDir(const std::string &), of poppler 0.83 and later, which copies the text.
static const char name[] =
    "_ZN18GlobalParamsIniter16setCustomDataDirERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";

int cpoppler_use_data(const char *folder) {
  // The function is in a library that poppler-glib depends on. It is looked up through poppler-glib, because the
  // libraries of a plugin are not in the global scope of dlsym(3).
  Dl_info place;
  if (dladdr((void *)poppler_get_version, &place) == 0) return -1;
  void *library = dlopen(place.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  if (library == NULL) return -1;
  _Bool (*set)(const cxx_string *) = NULL;
  *(void **)&set = dlsym(library, name);
  cxx_string text = {.bytes = folder, .count = strlen(folder), .capacity = strlen(folder)};
  int code = set != NULL && set(&text) ? 0 : -1;
  dlclose(library);
  return code;
}
