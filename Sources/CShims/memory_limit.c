// Faults that come of a used up address space, see shim_system.h.
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shim_system.h"

// More than anything but pictures takes at once: their memory is asked for by who can tell.
enum { LARGEST_PIECE = 64 << 20, STACK = 64 << 10 };

static const char words[] =
    "imghost: the memory that 'ulimit -v' allows is used up; lower --jobs, or raise the limit\n";

static int is_used_up(void) {
  void *piece = mmap(
      NULL, LARGEST_PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (piece == MAP_FAILED) return 1;
  munmap(piece, LARGEST_PIECE);
  return 0;
}

// Calls nothing but what a signal handler may.
static void on_fault(int number) {
  if (is_used_up()) {
    ssize_t written = write(STDERR_FILENO, words, sizeof words - 1);
    (void)written;
    _exit(1);
  }
  signal(number, SIG_DFL);
  raise(number);
}

void shim_tell_memory_faults(void) {
#ifdef RLIMIT_AS
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT};
  static char room[STACK];
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
  sigaltstack(&stack, NULL);
  struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
  for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) {
    sigaction(faults[index], &action, NULL);
  }
#endif
}
