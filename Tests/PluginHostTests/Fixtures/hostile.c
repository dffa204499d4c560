// A program that pretends to be imghost-plugin-worker, and sends answers that no worker may send. It describes itself
// properly if BODY is defined, then does what its macro selects at the first call.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { description = 1, refused = 2, done = 4, failed = 5, log_line = 6 };

static unsigned char bytes[200000];
static size_t count;

static void put(const void *data, size_t size) {
  memcpy(bytes + count, data, size);
  count += size;
}
static void word(uint32_t value) { put(&value, 4); }
static void number(double value) { put(&value, 8); }
static void text(const char *value) {
  word((uint32_t)strlen(value));
  put(value, strlen(value));
}
static void begin(uint32_t kind, uint64_t call) {
  count = 0;
  word(0x50474d49);
  word(kind);
  put(&call, 8);
}
static void flush(void) { send(3, bytes, count, MSG_NOSIGNAL); }

#ifdef SEED
// Returns xorshift numbers that depend on the seed and on the process, so that a retry gets others.
static uint32_t any(void) {
  static uint32_t state;
  if (state == 0) state = SEED * 2654435761u + (uint32_t)getpid();
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}
#endif

#ifdef SCRIBBLES
static int descriptors[2];

// Writes to the output, including the flags, until the process ends.
static void *go_on(void *size) {
  volatile unsigned char *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptors[1], 0);
  for (unsigned char value = 0;; value++) {
    for (size_t i = 0; i < (size_t)size; i++) memory[i] = value;
  }
  return NULL;
}

static void scribble(void) {
  static pthread_t thread;
  struct stat status;
  if (thread != 0 || fstat(descriptors[1], &status) != 0) return;
  pthread_create(&thread, NULL, go_on, (void *)(size_t)status.st_size);
}

// Receives a message like recv(2), and keeps its descriptors.
static ssize_t take(int channel, void *into, size_t size) {
  char control[CMSG_SPACE(sizeof descriptors)] = {0};
  struct iovec part = {into, size};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t got = recvmsg(channel, &message, 0);
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  if (header != NULL) memcpy(descriptors, CMSG_DATA(header), sizeof descriptors);
  return got;
}
#define recv(channel, into, size, flags) take(channel, into, size)
#endif

static void describe(void) {
  begin(description, 0);
  text("odd");
  text("1");
#ifdef BAD_UTF8
  text("a\xff\x1b[2Jb\nc");
#else
  text("Pretends");
#endif
  const uint32_t fields[] = {1, 0, 2, 2 | 8, 1, 1, 0, 0, 1, 0};
  for (int i = 0; i < 10; i++) word(fields[i]);
#ifdef MANY_PARAMETERS
  word(4000000000u);
#else
  word(0);
#endif
#ifdef SHORT_DESCRIPTION
  count -= 10;
#endif
#ifdef LONG_DESCRIPTION
  word(7);
#endif
#ifdef LYING_TEXT
  begin(description, 0);
  word(0xffffffff);
  word(0);
#endif
#ifdef HUGE_MESSAGE
  count = 150000;
#endif
  flush();
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
#ifdef CLOSES_AT_ONCE
  close(3);
  sleep(1000);
#endif
#ifdef EXITS_AT_ONCE
  return 9;
#endif
#ifdef SILENT
  sleep(1000);
#endif
#ifdef GARBAGE
  send(3, "hello", 5, 0);
  sleep(1000);
#endif
#ifdef CHANGES
  if (strcmp(argv[1], "serve") == 0) {
    begin(refused, 0);
    word(2);
    flush();
    return 0;
  }
#endif
  describe();
  if (strcmp(argv[1], "serve") != 0) return 0;
  unsigned char call[65536];
  for (;;) {
    ssize_t size = recv(3, call, sizeof call, 0);
    if (size <= 0) return 0;
    uint64_t identity;
    memcpy(&identity, call + 8, 8);
#ifdef WRONG_NUMBER
    begin(done, identity + 1);
    flush();
#elif defined(TWICE)
    begin(done, identity);
    flush();
    flush();
#elif defined(SCRIBBLES)
    scribble();
    begin(done, identity);
    flush();
#elif defined(SEED)
    // Anything at all: messages of every kind and length, damaged, doubled, from nowhere, late.
    for (int i = 0; i < 4; i++) {
      begin(any() % 10, any() % 4 ? identity : any());
      size_t more = any() % 40;
      for (size_t j = 0; j < more; j++) bytes[count++] = (unsigned char)any();
      if (any() % 6 == 0) bytes[any() % count] ^= (unsigned char)(1 << any() % 8);
      if (any() % 8 == 0) count = any() % count;
      if (any() % 32 == 0) count = 120000;
      if (any() % 8 == 0) usleep(any() % 60000);
      flush();
      if (any() % 16 == 0) close(3);
      if (any() % 16 == 0) abort();
    }
#elif defined(LATE)
    sleep(1000);
#elif defined(SHUTS)
    shutdown(3, SHUTS);
    sleep(1000);
#elif defined(CLOSES)
    close(3);
    sleep(1000);
#elif defined(LONG_ERROR)
    begin(failed, identity);
    word(0x7fffffff);
    flush();
#elif defined(FLOODS)
    for (;;) {
      begin(log_line, identity);
      word(1);
      text("again");
      if (send(3, bytes, count, MSG_NOSIGNAL) < 0) return 0;
    }
#else
    begin(done, identity);
    flush();
#endif
  }
}
