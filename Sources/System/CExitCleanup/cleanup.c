#include "CExitCleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FREE, MAKING, MADE };

// Entries are never freed, so that a signal handler can walk the list at any time.
struct CExitCleanupFile {
  atomic_int state;
  int folder;
  char name[48];
  CExitCleanupFile *next, *next_free;
};

static _Atomic(CExitCleanupFile *) first;
static CExitCleanupFile *first_free;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int count, is_closed, is_ending;

static void rest(long nanoseconds) {
  const struct timespec time = {.tv_nsec = nanoseconds};
  nanosleep(&time, NULL);
}

static _Noreturn void wait_for_end(void) {
  for (;;) rest(100000000);
}

static CExitCleanupFile *take_entry(void) {
  pthread_mutex_lock(&lock);
  CExitCleanupFile *entry = first_free;
  if (entry != NULL) {
    first_free = entry->next_free;
  } else if ((entry = calloc(1, sizeof *entry)) != NULL) {
    entry->next = atomic_load(&first);
    atomic_store(&first, entry);
  }
  pthread_mutex_unlock(&lock);
  return entry;
}

void cexitcleanup_forget_file(CExitCleanupFile *file) {
  if (atomic_exchange(&file->state, FREE) == MADE) atomic_fetch_sub(&count, 1);
  pthread_mutex_lock(&lock);
  file->next_free = first_free;
  first_free = file;
  pthread_mutex_unlock(&lock);
}

CExitCleanupFile *cexitcleanup_make_file(int folder, const char *name, unsigned mode, int *descriptor) {
  CExitCleanupFile *file = strlen(name) < sizeof file->name ? take_entry() : NULL;
  if (file == NULL) {
    errno = ENOMEM;
    return NULL;
  }
  file->folder = folder;
  strcpy(file->name, name);
  // The state is set before `is_closed` is read. So if all files are being removed right now, either the removing
  // thread sees this state and waits, or this thread sees `is_closed` and creates nothing.
  atomic_store(&file->state, MAKING);
  *descriptor = -1;
  errno = EINTR;
  if (!atomic_load(&is_closed)) {
    *descriptor = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  }
  if (*descriptor < 0) {
    int code = errno;
    cexitcleanup_forget_file(file);
    // Only `cexitcleanup_end` may write a line, so this thread must not report a failure of its own.
    if (atomic_load(&is_ending)) wait_for_end();
    errno = code;
    return NULL;
  }
  atomic_fetch_add(&count, 1);
  atomic_store(&file->state, MADE);
  return file;
}

int cexitcleanup_file_count(void) { return atomic_load(&count); }

void cexitcleanup_remove_files(void) {
  // The maximum number of waits of half a millisecond for threads that are creating files. It is limited, because a
  // disk may not respond.
  const int patience = 200;
  int code = errno, waits = 0;
  atomic_store(&is_closed, 1);
  for (CExitCleanupFile *file = atomic_load(&first); file != NULL; file = file->next) {
    while (atomic_load(&file->state) == MAKING && waits++ < patience) rest(500000);
    if (atomic_load(&file->state) != FREE) unlinkat(file->folder, file->name, 0);
  }
  errno = code;
}

_Noreturn void cexitcleanup_end(int status, const char *line) {
  if (atomic_exchange(&is_ending, 1)) wait_for_end();
  cexitcleanup_remove_files();
  ssize_t written = write(STDERR_FILENO, line, strlen(line));
  (void)written;
  _exit(status);
}
