// Starts programs. posix_spawn(3) cannot tie a child to the life of this process before foreign code runs in the child.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// Aligned to 16 bytes, because the stack of the child ends below it.
typedef struct {
  _Alignas(16) const cplatform_program *program;
  sigset_t mask;
  pid_t starter;
  int priority, is_idle;
  // Written by the child, which shares this process's memory until it has become the program.
  volatile int code;
} start;

// Signal handlers are code of this process, and must not run in a child that shares its memory.
static void reset_signals(int all) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0) continue;
    if (action.sa_handler == SIG_DFL || (action.sa_handler == SIG_IGN && !all)) continue;
    action = (struct sigaction){.sa_handler = SIG_DFL};
    (void)sigaction(number, &action, NULL);
  }
}

static void close_from(int first) {
#if defined(__linux__) && defined(SYS_close_range)
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return;
#endif
  struct rlimit limit;
  int count = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  for (int number = first; number < count; number++) (void)close(number);
}

static int open_as(const cplatform_descriptor *step) {
  int file = open(step->path, step->flags, 0666);
  if (file < 0 || file == step->number) return file < 0 ? -1 : 0;
  if (dup2(file, step->number) < 0) return -1;
  return close(file);
}

static int set_descriptor(const cplatform_descriptor *step) {
  switch (step->kind) {
    case cplatform_duplicate:
      // Duplicating a descriptor to itself would leave it close-on-exec.
      return step->source == step->number ? fcntl(step->number, F_SETFD, 0) : dup2(step->source, step->number);
    case cplatform_open: return open_as(step);
    default: close_from(step->number); return 0;
  }
}

// Makes the kernel kill this child when the thread that started it ends; see Docs/Isolation.md. The check of getppid(2)
// detects a parent process that ended before the call.
static int end_with(pid_t starter) {
#ifdef __linux__
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
  if (getppid() != starter) _exit(0);
#else
  (void)starter;
#endif
  return 0;
}

static void set_priority(const start *start) {
#ifdef __linux__
  const struct sched_param none = {0};
  if (start->is_idle) (void)sched_setscheduler(0, SCHED_IDLE, &none);
  if (start->priority > getpriority(PRIO_PROCESS, 0)) (void)setpriority(PRIO_PROCESS, 0, start->priority);
#else
  (void)start;
#endif
}

static int prepare(const start *start) {
  const cplatform_program *program = start->program;
  if (program->ends_with_starter && end_with(start->starter) != 0) return -1;
  reset_signals(program->signals == cplatform_own_group);
  set_priority(start);
  if (program->signals == cplatform_own_group && setpgid(0, 0) != 0) return -1;
  if (program->folder != NULL && chdir(program->folder) != 0) return -1;
  for (int i = 0; i < program->descriptor_count; i++) {
    if (set_descriptor(&program->descriptors[i]) < 0) return -1;
  }
  sigset_t none;
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, program->signals == cplatform_inherited ? &start->mask : &none, NULL);
}

// Becomes the program; returns if the system refuses. A file that has just been written may still be open for writing
// in a child of another thread, until that child has become its own program: golang.org/issue/22315.
static void become_program(const cplatform_program *program) {
  const struct timespec pause = {0, 5000000};
  for (int tries = 0; tries < 40; tries++) {
#ifdef __linux__
    execvpe(program->path, program->words, program->environment);
#else
    extern char **environ;
    environ = (char **)program->environment;
    execvp(program->path, program->words);
#endif
    if (errno != ETXTBSY) return;
    (void)nanosleep(&pause, NULL);
    errno = ETXTBSY;
  }
}

static int become(void *context) {
  start *start = context;
  const cplatform_program *program = start->program;
  if (prepare(start) == 0) become_program(program);
  start->code = errno;
  _exit(127);
}

#ifdef __linux__
// ThreadSanitizer keeps its data in the process's memory, which two processes that share this memory would corrupt, so
// with ThreadSanitizer the child gets a copy.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define COPIES_MEMORY
#endif
#endif
#ifdef COPIES_MEMORY
enum { shared_memory = 0, stack_kind = MAP_SHARED };
#else
enum { shared_memory = CLONE_VM, stack_kind = MAP_PRIVATE };
#endif

// Starts the child as posix_spawn(3) does: none of this process's memory is copied, and the call waits until the child
// has become the program.
static pid_t begin(start *start) {
  size_t words = 0;
  while (start->program->words[words] != NULL) words++;
  // execvpe(3) copies the arguments to the stack if it starts a script that names no interpreter.
  size_t byte_count = (128 << 10) + words * sizeof(char *);
  char *stack = mmap(NULL, byte_count, PROT_READ | PROT_WRITE, stack_kind | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return -1;
  // The data that the child shares with its starter is above its stack.
  __typeof__(start) placed = (__typeof__(start))(stack + (byte_count & ~(size_t)15)) - 1;
  *placed = *start;
  pid_t child = clone(become, placed, shared_memory | CLONE_VFORK | SIGCHLD, placed);
  int code = errno;
  start->code = placed->code;
  munmap(stack, byte_count);
  errno = code;
  return child;
}
#else
static pid_t begin(start *start) {
  pid_t child = fork();
  if (child == 0) become(start);
  return child;
}
#endif

_Static_assert(sizeof(sigset_t) <= sizeof((cplatform_caller){0}.mask), "the mask of signals does not fit");

void cplatform_note_caller(cplatform_caller *caller) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  memcpy(caller->mask, &mask, sizeof mask);
#ifdef __linux__
  caller->priority = getpriority(PRIO_PROCESS, 0);
  caller->is_idle = sched_getscheduler(0) == SCHED_IDLE;
#else
  caller->priority = caller->is_idle = 0;
#endif
}

int cplatform_start(const cplatform_program *program, const cplatform_caller *caller, int *process) {
  start start = {.program = program, .starter = getpid(), .priority = caller->priority, .is_idle = caller->is_idle};
  memcpy(&start.mask, caller->mask, sizeof start.mask);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = begin(&start);
  int code = child < 0 ? errno : start.code;
  if (child > 0 && code != 0) {
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  *process = child;
  return code;
}
