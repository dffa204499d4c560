#include "libraries.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include <CExitCleanup.h>
#include "CText.h"

#ifdef __APPLE__
#define LIBRARY(name, version) "lib" name "." version ".dylib"
#else
#define LIBRARY(name, version) "lib" name ".so." version
#endif

CTextLibraries ctext_libraries;

static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// Ends the process with one line on a fatal error. Without this handler, GLib would abort for lack of memory, threads
// or descriptors.
static void on_log(const char *domain, int level, const char *text, void *data) {
  enum { ERROR = 1 << 2 };
  if (!(level & ERROR)) {
    CALL(g_log_default_handler)(domain, level, text, data);
    return;
  }
  cexitcleanup_end(1, strstr(text, "files") != NULL
                          ? "imghost: there are too many open files; raise the limit with ulimit -n\n"
                          : "imghost: the system gives the text's library no memory or thread; lower --jobs, or raise "
                            "'ulimit -v' and -u\n");
}

static void *open_library(const char *name) {
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL && missing == NULL) missing = name;
  return library;
}

// The libraries stay open until the process ends, because GLib cannot be unloaded.
static void load(void) {
  void *glib = open_library(LIBRARY("glib-2.0", "0"));
  void *gobject = open_library(LIBRARY("gobject-2.0", "0"));
  void *fontconfig = open_library(LIBRARY("fontconfig", "1"));
  void *harfbuzz = open_library(LIBRARY("harfbuzz", "0"));
  void *subset = open_library(LIBRARY("harfbuzz-subset", "0"));
  void *pango = open_library(LIBRARY("pango-1.0", "0"));
  void *pangoft2 = open_library(LIBRARY("pangoft2-1.0", "0"));
  if (missing != NULL) return;
#define CTEXT_FIND(library, result, name, arguments) \
  *(void **)&ctext_libraries.name = dlsym(library, #name); \
  if (ctext_libraries.name == NULL && missing == NULL) missing = #name;
  CTEXT_FUNCTIONS(CTEXT_FIND)
#undef CTEXT_FIND
  if (missing == NULL) CALL(g_log_set_default_handler)(on_log, NULL);
}

int ctext_load(const char **what) {
  pthread_once(&once, load);
  *what = missing;
  return missing == NULL ? 0 : -1;
}
