// A program that pretends to be imghost-plugin-worker and answers as no worker may. It describes
// itself properly where BODY says so, then does what its macro says with the first call.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
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
  sleep(5);
#endif
#ifdef EXITS_AT_ONCE
  return 9;
#endif
#ifdef SILENT
  sleep(5);
#endif
#ifdef GARBAGE
  send(3, "hello", 5, 0);
  sleep(5);
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
#elif defined(LATE)
    sleep(5);
#elif defined(CLOSES)
    close(3);
    sleep(5);
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
