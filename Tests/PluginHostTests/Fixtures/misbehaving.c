// A plugin with one fault, chosen by macros when it is compiled for a test.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "imghost_plugin.h"

static const imghost_host *host;
#ifdef NEEDED
extern int needed(void);
extern const char *needed_version(void);
#endif

// Tries something before the first function is called. `constructed` and `code` keep the outcome.
static long constructed;
static int code;
#ifdef CONSTRUCTOR
static long open_of_host(const char *name);
__attribute__((constructor)) static void construct(void) {
  (void)open_of_host;
  errno = 0;
  constructed = (long)(CONSTRUCTOR);
  code = errno;
}
#endif

// A file of the process that started this one.
static long __attribute__((unused)) open_of_host(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", (int)getppid(), name);
  return open(path, O_RDONLY);
}

// Allocates memory that is written once and then made read-only, which does not count as private data.
static long __attribute__((unused)) hoard(void) {
  for (int i = 0; i < 4096; i++) {
    void *block = mmap(NULL, 1ul << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED || mprotect(block, 1ul << 30, PROT_READ) != 0) return -1;
  }
  return 0;
}

// Allocates memory in every possible way, one after another, until each fails. Returns -1 if the sum is less than
// `limit`.
static long __attribute__((unused)) gather(unsigned long limit) {
  const size_t piece = 16ul << 20;
  unsigned long whole = 0;
  int zero = open("/dev/zero", O_RDONLY), file = memfd_create("gather", 0);
  if (file >= 0 && ftruncate(file, 1l << 40) != 0) file = -1;
  const struct {
    int protection, flags, file;
  } ways[] = {{PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1},
      {PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1}, {PROT_READ, MAP_SHARED, zero},
      {PROT_READ | PROT_WRITE, MAP_SHARED, file}, {PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1},
      {PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1}};
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
    while (whole <= limit) {
      if (ways[way].file < 0 && !(ways[way].flags & MAP_ANONYMOUS)) break;
      if (mmap(NULL, piece, ways[way].protection, ways[way].flags, ways[way].file, 0) == MAP_FAILED) break;
      whole += piece;
    }
  }
  for (int id; whole <= limit && (id = shmget(IPC_PRIVATE, piece, IPC_CREAT | 0600)) >= 0; whole += piece) {
    if (shmat(id, NULL, 0) == (void *)-1) break;
  }
  errno = ENOMEM;
  return whole <= limit ? -1 : 0;
}

// Starts as many threads as possible, which is more than a worker may have. Returns -1 if they are fewer than `most`.
static void *__attribute__((unused)) wait_for_ever(void *context) {
  for (;;) pause();
  return context;
}
static long __attribute__((unused)) crowd(long most) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  pthread_t thread;
  for (long count = 0; count < most; count++) {
    errno = pthread_create(&thread, &attributes, wait_for_ever, NULL);
    if (errno != 0) return -1;
  }
  return 0;
}

static void *__attribute__((unused)) return_at_once(void *context) { return context; }

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  (void)values, (void)count;
#ifdef CREATE_FAILS
  host->set_error(call, "needs a lens");
  return NULL;
#endif
  return malloc(1);
}

static void destroy(void *instance) { free(instance); }

// Writes to a result that was already handed over, and sends messages that were not requested.
static void *__attribute__((unused)) go_on(void *memory) {
  for (unsigned char value = 0;; value++) {
    memset(memory, value, 16);
    if (value % 64 == 0) send(3, "IMGP\4\0\0\0\1\0\0\0\0\0\0\0", 16, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  return NULL;
}

static void *__attribute__((unused)) spin(void *context) {
  for (volatile unsigned turn = 0;;) turn++;
  return context;
}

static int32_t process(void *instance, const imghost_request *request) {
  (void)instance;
  const imghost_picture *input = request->inputs[0], *output = request->output;
  static int calls;
  calls++;
#ifdef ONLY_ONCE
  // As a library that keeps an error: all but the first picture of a process fail.
  if (calls > 1) {
    host->set_error(request->call, "suffers from an earlier picture");
    return IMGHOST_FAILED;
  }
#endif
#ifdef HEAP_OVERFLOW
  char *volatile block = malloc(10);
  block[10] = 1;
  free(block);
#endif
#ifdef CRASH
  *(volatile int *)8 = 1;
#endif
#ifdef CRASH_ON_WHITE
  if (*(const uint8_t *)input->pixels == 255) abort();
#endif
#ifdef CRASH_ONCE
  // Once: the retry finds the mark that the first try left in the output's memory.
  if (*(const uint8_t *)output->pixels != 0xa5) {
    *(uint8_t *)output->writable = 0xa5;
    raise(SIGSEGV);
  }
#endif
#ifdef BY_FIRST_SAMPLE
  // 1 crashes, 2 hangs, 3 writes to its input; each picture says what it is to be.
  switch (*(const uint8_t *)input->pixels) {
    case 1: abort();
    case 2:
      for (;;) pause();
    case 3: memset((void *)input->pixels, 0, 16);
  }
#endif
#ifdef HANG
  for (;;) pause();
#endif
#ifdef COMPUTE
  // So many seconds of processor time.
  for (clock_t end = clock() + (clock_t)((COMPUTE)*CLOCKS_PER_SEC); clock() < end;) {
  }
#endif
#ifdef SPIN
  for (volatile unsigned turn = 0;;) turn++;
#endif
#ifdef STUBBORN
  // Nothing that it may refuse ends it, and a thread of its own goes on as well.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  prctl(PR_SET_PDEATHSIG, 0);
  pthread_t other;
  pthread_create(&other, NULL, spin, NULL);
  spin(NULL);
#endif
#ifdef WAIT_FOR_CANCEL
  while (!host->is_cancelled(request->call)) usleep(1000);
  return IMGHOST_CANCELLED;
#endif
#ifdef WRITE_INPUT
  memset((void *)input->pixels, 0, 16);
#endif
#ifdef READ_PAST_INPUT
  volatile uint8_t sum = 0;
  for (int i = 0; i < 4096; i++) {
    sum += ((const uint8_t *)input->pixels)[input->stride * input->height + i];
  }
#endif
#ifdef WRITE_PAST_OUTPUT
  memset((uint8_t *)output->writable + output->stride * output->height, 0, 64);
#endif
#ifdef EXIT
  exit(3);
#endif
#ifdef ERROR_TEXT
  host->set_error(request->call, ERROR_TEXT);
  return IMGHOST_FAILED;
#endif
#ifdef SILENT
  return 77;
#endif
#ifdef LOGS
  for (int i = 0; i < LOGS; i++) host->log(request->call, IMGHOST_LOG_WARNING, "line\nand \x1b[31mmore");
  host->progress(request->call, 0.5);
  usleep(60000);
#endif
#ifdef PRINTS
  for (int i = 0; i < PRINTS; i++) printf("\033[31mchatter\033[0m\a \033]0;title\a%d\n", i);
  fflush(stdout);
#endif
#ifdef AFTERWARDS
  pthread_create((pthread_t[1]){}, NULL, go_on, output->writable);
#endif
#ifdef STARTS_THREADS
  // One after the other: there are never more than two.
  for (int i = 0; i < STARTS_THREADS; i++) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, return_at_once, NULL) != 0) {
      host->set_error(request->call, "was refused a thread");
      return IMGHOST_FAILED;
    }
    pthread_join(thread, NULL);
  }
#endif
#ifdef OPENS_FILES
  while (open("/dev/null", 0) >= 0) {
  }
#endif
#ifdef TRIES
  char words[100];
  errno = 0;
  long result = (TRIES);
  snprintf(words, sizeof words, result < 0 ? "got error %d" : "succeeded", errno);
  host->set_error(request->call, words);
  return IMGHOST_FAILED;
#endif
#ifdef EATS_MEMORY
  // A page of each is touched; what counts is what has been promised.
  long gigabytes = 0;
  for (char *block; gigabytes < 4096 && (block = malloc(1ul << 30)) != NULL; gigabytes++) block[0] = 1;
  host->set_error(request->call, gigabytes < 4096 ? "was stopped" : "ate it all");
  return IMGHOST_FAILED;
#endif
  int32_t height = input->height;
#ifdef FIRST_SAMPLE_ROWS
  // Writes as many rows as the picture's first sample says.
  height = *(const uint8_t *)input->pixels;
#endif
  for (int32_t y = 0; y < height; y++) {
    const uint8_t *from = (const uint8_t *)input->pixels + y * input->stride;
    uint8_t *to = (uint8_t *)output->writable + y * output->stride;
    memcpy(to, from, (size_t)input->width * input->bands * (1u << (input->sample - 1)));
#ifdef WRITE_CALLS
    memset(to, calls, (size_t)input->width * input->bands);
#endif
  }
  return IMGHOST_OK;
}

#ifndef NAME
#define NAME "odd"
#endif
#ifndef SAMPLES
#define SAMPLES (IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16))
#endif
#ifndef BANDS
#define BANDS (IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4))
#endif
#ifndef ALPHA
#define ALPHA IMGHOST_ALPHA_STRAIGHT
#endif
#ifndef KIND
#define KIND IMGHOST_KIND_FILTER
#endif
#ifndef VERSION
#define VERSION IMGHOST_ABI_VERSION
#endif
#ifndef SIZE
#define SIZE sizeof(imghost_plugin)
#endif
#ifndef LIBRARY
#define LIBRARY "1"
#endif
#ifndef SUMMARY
#define SUMMARY "Does one thing wrong"
#endif
#ifndef MINIMUM
#define MINIMUM 0
#endif
#ifndef MAXIMUM
#define MAXIMUM 1
#endif
#ifndef DEFAULT
#define DEFAULT 0
#endif
#ifndef TYPE
#define TYPE IMGHOST_TYPE_FLOAT
#endif
#ifndef SECOND
#define SECOND "second"
#endif
#ifndef CHOICES
#define CHOICES NULL
#endif
#ifndef COUNT
#define COUNT 2
#endif

static const char *const twice[] = {"one", "one", NULL};
static const char *const none[] = {NULL};

static imghost_parameter parameters[] = {
    {.struct_size = sizeof(imghost_parameter),
        .type = TYPE,
        .name = "first",
        .minimum = MINIMUM,
        .maximum = MAXIMUM,
        .default_value.numbers = {DEFAULT},
        .choices = CHOICES},
    {.struct_size = sizeof(imghost_parameter),
        .type = IMGHOST_TYPE_STRING,
        .name = SECOND,
        .default_value.text = "text"},
};

static imghost_plugin plugin = {
    .struct_size = SIZE,
    .abi_version = VERSION,
    .kind = KIND,
    .name = NAME,
    .version = LIBRARY,
    .summary = SUMMARY,
    .samples = SAMPLES,
    .bands = BANDS,
    .alpha = ALPHA,
    .extent = IMGHOST_EXTENT_FRAME,
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = COUNT,
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
#ifndef NO_PROCESS
    .process = process,
#endif
};

#ifdef WRONG_ENTRY
#define imghost_plugin_entry another_entry
#endif
IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *functions) {
  (void)version, (void)twice, (void)none, (void)plugin, (void)process, (void)constructed, (void)code;
  host = functions;
#ifdef ENTRY_CRASHES
  abort();
#endif
#ifdef NEEDED
  (void)needed();
  plugin.version = needed_version();
#ifdef LIBRARY_SUMMARY
  plugin.summary = needed_version();
#endif
#endif
#ifdef ENTRY_HANGS
  for (;;) pause();
#endif
#ifdef NOTHING
  return NULL;
#endif
#ifdef GARBAGE
  return (const imghost_plugin *)(uintptr_t)0x1234;
#endif
#ifdef HUGE_TEXT
  char *text = malloc(1u << 26);
  memset(text, 'x', (1u << 26) - 1);
  text[(1u << 26) - 1] = 0;
  plugin.summary = text;
#endif
  return &plugin;
}
