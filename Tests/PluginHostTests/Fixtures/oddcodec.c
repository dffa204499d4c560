// A codec with a fault that the file states ("odd:crash-open"), or the option `how` when it writes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "imghost_plugin.h"

static const imghost_host *host;

// The longest name of a fault.
enum { NAME_BYTES = 32, SIDE = 40 };

typedef struct {
  char how[NAME_BYTES];
  uint32_t page;
  imghost_bytes content;
  uint8_t sum;
} odd_file;

static int is(const char *how, const char *name) { return strcmp(how, name) == 0; }

// Crashes, hangs, ends or fails if the fault is `VERB-place`. Returns 0 for any other fault.
static int32_t misbehave(const char *how, const char *place, const imghost_call *call) {
  // The place at which every file fails from now on, as with a library that keeps an error.
  static char ruined[NAME_BYTES];
  const char *dash = strchr(how, '-');
  if (is(ruined, place) && (dash == NULL || !is(dash + 1, place))) {
    host->set_error(call, "suffers from an earlier file");
    return IMGHOST_FAILED;
  }
  if (dash == NULL || !is(dash + 1, place)) return 0;
  if (strncmp(how, "ruin", 4) == 0 || strncmp(how, "quiet", 5) == 0 || strncmp(how, "warn", 4) == 0) {
    strcpy(ruined, place);
    if (how[0] == 'w') host->log(call, IMGHOST_LOG_WARNING, "has a scratch");
    if (how[0] == 'r') host->set_error(call, "lacks a lens");
    return how[0] == 'r' ? IMGHOST_FAILED : 0;
  }
  // `crashtold-read` is counted.
  if (strstr(how, "told") != NULL) host->log(call, IMGHOST_LOG_NOTE, "goes wrong");
  if (strncmp(how, "crash", 5) == 0) abort();
  if (strncmp(how, "exit", 4) == 0) _exit(3);
  if (strncmp(how, "forge", 5) == 0) send(3, "IMGP\4\0\0\0\1\0\0\0\0\0\0\0", 16, MSG_NOSIGNAL);
  if (strncmp(how, "chat", 4) == 0) {
    for (int i = 0; i < 300; i++) host->log(call, IMGHOST_LOG_NOTE, "line\nand \x1b[31mmore");
  }
  if (strncmp(how, "hang", 4) == 0) {
    for (;;) pause();
  }
  if (strncmp(how, "fail", 4) == 0) host->set_error(call, "lacks a lens");
  if (strncmp(how, "escape", 6) == 0) host->set_error(call, "lacks\na \x1b[31mlens\a \xff\xfe");
  if (strncmp(how, "long", 4) == 0) {
    char *text = malloc(1 << 20);
    memset(text, 'x', (1 << 20) - 1);
    text[(1 << 20) - 1] = 0;
    host->set_error(call, text);
    free(text);
  }
  if (strncmp(how, "strange", 7) == 0) return 77;
  if (strncmp(how, "cancel", 6) == 0) return IMGHOST_CANCELLED;
  if (strncmp(how, "other", 5) == 0) return IMGHOST_NOT_MINE;
  if (strncmp(how, "eat", 3) == 0) {
    for (char *block; (block = malloc(1ul << 30)) != NULL;) block[0] = 1;
    host->set_error(call, "needs more memory than there is");
  }
  return IMGHOST_FAILED;
}

// ---- Reading

static const imghost_fact nameless = {.name = NULL, .text = "text"};

static void add_facts(imghost_image *image) {
  static char text[600];
  static imghost_fact facts[64];
  static char names[64][600];
  memset(text, 'x', sizeof text - 1);
  for (int i = 0; i < 64; i++) {
    memset(names[i], 'n', sizeof names[i] - 1);
    names[i][0] = (char)('0' + i % 64);
    facts[i] = (imghost_fact){.name = names[i], .text = text};
  }
  image->facts = facts;
  image->fact_count = 64;
}

static void describe(odd_file *file, imghost_image *image) {
  const char *how = file->how;
  image->page_count = 3;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = 3;
  image->width = SIDE;
  image->height = SIDE;
  image->flags = IMGHOST_IMAGE_STREAMED;
  if (is(how, "pages-vanish") && file->page > 0) image->page_count = 1;
  if (is(how, "no-pages")) image->page_count = 0;
  if (is(how, "many-pages")) image->page_count = UINT32_MAX;
  if (is(how, "no-width")) image->width = 0;
  if (is(how, "negative-height")) image->height = -5;
  if (is(how, "huge")) image->width = image->height = INT32_MAX;
  if (is(how, "wide")) image->width = 60000, image->height = 60000;
  if (is(how, "no-bands")) image->bands = 0;
  if (is(how, "many-bands")) image->bands = 5;
  if (is(how, "floats")) image->sample = IMGHOST_SAMPLE_F32;
  if (is(how, "turned")) image->metadata.orientation = 9;
  if (is(how, "not-numbers")) {
    image->delay = image->metadata.resolution_x = image->metadata.resolution_y = 0.0 / 0.0;
    image->flags |= IMGHOST_IMAGE_ANIMATED;
  }
  if (is(how, "shrink-one")) image->shrink_count = 1, image->shrinks[0] = 1;
  if (is(how, "shrink-back")) image->shrink_count = 2, image->shrinks[0] = 4, image->shrinks[1] = 2;
  if (is(how, "many-shrinks")) image->shrink_count = UINT32_MAX;
  if (is(how, "missing-facts")) image->fact_count = 2;
  if (is(how, "nameless-fact")) image->fact_count = 1, image->facts = &nameless;
  if (is(how, "long-facts") || is(how, "many-facts")) add_facts(image);
  if (is(how, "many-facts")) image->fact_count = UINT32_MAX;
  if (is(how, "memory")) image->working_bytes = UINT64_MAX;
  if (is(how, "missing-profile")) image->metadata.icc.count = 100;
  if (is(how, "huge-profile")) image->metadata.icc = (imghost_bytes){(const uint8_t *)how, 1ul << 40};
  if (is(how, "long-profile")) image->metadata.icc = (imghost_bytes){(const uint8_t *)16, 15u << 20};
  if (strncmp(how, "slow", 4) == 0 || is(how, "touch") || is(how, "quiet-later") || is(how, "wide-good")) {
    image->width = 10000;
  }
  if (is(how, "changes")) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    image->width += (int32_t)(now.tv_nsec / 1000 % 50000);
  }
}

static int32_t open_file(const imghost_call *call, const imghost_file *source, uint32_t page,
    const imghost_value *values, uint32_t count, void **instance, imghost_image *image) {
  (void)values, (void)count;
  odd_file *file = calloc(1, sizeof *file);
  file->content = source->content;
  // The name of the fault ends with the file, or with a line.
  for (size_t i = 4; i < source->content.count && i - 4 < sizeof file->how - 1; i++) {
    if (source->content.bytes[i] == '\n') break;
    file->how[i - 4] = (char)source->content.bytes[i];
  }
  int32_t result = misbehave(file->how, "open", call);
  if (is(file->how, "nobody")) return IMGHOST_OK;
  *instance = file;
  file->page = page;
  if (result == 0) describe(file, image);
  return result;
}

static int32_t turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  odd_file *file = instance;
  int32_t result = misbehave(file->how, "turn", call);
  file->page = page;
  if (result == 0) describe(file, image);
  return result;
}

static int32_t read_rows(void *instance, const imghost_read *request) {
  odd_file *file = instance;
  int32_t result = misbehave(file->how, request->output->valid.top > 0 ? "later" : "read", request->call);
  if (result != 0) return result;
  const imghost_picture *output = request->output;
  int32_t from = 0, to = output->valid.height;
  if (strncmp(file->how, "slow", 4) == 0 || is(file->how, "touch")) {
    // One strip a fifth of a second, each told.
    host->log(request->call, IMGHOST_LOG_NOTE, "reads rows");
    usleep(200000);
    for (size_t i = 0; is(file->how, "touch") && i < file->content.count; i += 4096)
      file->sum += file->content.bytes[i];
  }
  if (is(file->how, "fewer-rows")) to /= 2;
  if (is(file->how, "more-rows")) to += 200;
  if (is(file->how, "rows-above")) from = -4000;
  if (is(file->how, "wide-rows")) {
    memset(output->writable, 9, (size_t)(output->stride * to + 4096));
    return IMGHOST_OK;
  }
  if (strncmp(file->how, "unset", 5) == 0) {
    // As a library that leaves rows undecoded: a block of memory, or a variable.
    size_t count = (size_t)output->valid.width * output->bands;
    uint8_t *volatile block = malloc(count);
    volatile uint8_t row[SIDE * 3];
    for (int32_t y = 0; y < to; y++) {
      for (size_t i = 0; i < count && i < sizeof row; i++) {
        ((uint8_t *)output->writable)[y * output->stride + (ptrdiff_t)i] =
            is(file->how, "unset-block") ? block[i] : row[i];
      }
    }
    free(block);
    return IMGHOST_OK;
  }
  for (int32_t y = from; y < to; y++) {
    memset((uint8_t *)output->writable + y * output->stride, 100 + (int)file->page,
        (size_t)output->valid.width * output->bands);
  }
  return IMGHOST_OK;
}

static void close_file(void *instance) {
  odd_file *file = instance;
  misbehave(file->how, "close", NULL);
  free(file);
}

// ---- Writing

typedef struct {
  char how[NAME_BYTES];
  int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
} odd_encoder;

static void *begin(const imghost_writing *writing) {
  odd_encoder *encoder = calloc(1, sizeof *encoder);
  strncpy(encoder->how, writing->values[0].text, sizeof encoder->how - 1);
  encoder->write = writing->write;
  if (misbehave(encoder->how, "begin", writing->call) != 0) {
    free(encoder);
    return NULL;
  }
  return encoder;
}

static int32_t write_rows(void *instance, const imghost_call *call, const imghost_picture *rows) {
  odd_encoder *encoder = instance;
  int32_t result = misbehave(encoder->how, "rows", call);
  if (result != 0) return result;
  if (is(encoder->how, "slow")) {
    host->log(call, IMGHOST_LOG_NOTE, "writes rows");
    usleep(200000);
  }
  if (is(encoder->how, "nothing")) return IMGHOST_OK;
  if (is(encoder->how, "write-input")) memset((void *)rows->pixels, 0, 16);
  if (is(encoder->how, "long-input")) encoder->write(call, rows->pixels, 1ul << 30);
  if (is(encoder->how, "no-bytes")) return encoder->write(call, NULL, 1ul << 30);
  return encoder->write(call, "odd:good", 8);
}

static int32_t end_page(void *instance, const imghost_call *call, double delay, const imghost_picture *next) {
  (void)delay, (void)next;
  odd_encoder *encoder = instance;
  return misbehave(encoder->how, "page", call);
}

static int32_t finish(void *instance, const imghost_call *call) {
  odd_encoder *encoder = instance;
  if (is(encoder->how, "endless")) {
    // Slowly: the host keeps what it gets.
    static uint8_t bytes[1 << 14];
    while (encoder->write(call, bytes, sizeof bytes) == 0) usleep(1000);
    return IMGHOST_OK;
  }
  return misbehave(encoder->how, "finish", call);
}

static void abandon(void *instance) {
  odd_encoder *encoder = instance;
  misbehave(encoder->how, "abandon", NULL);
  free(encoder);
}

// ---- Description

static const char *const extensions[] = {"odd", NULL};
static const char *const signatures[] = {"0:6f64643a", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES,
    .title = "Odd",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = 1000,
    .read_seconds = 3,
    .write_seconds = 2,
    .open = open_file,
    .turn = turn,
    .read = read_rows,
    .close = close_file,
    .begin = begin,
    .write_rows = write_rows,
    .end_page = end_page,
    .finish = finish,
    .abandon = abandon,
};

static const imghost_parameter parameters[] = {{
    .struct_size = sizeof(imghost_parameter),
    .type = IMGHOST_TYPE_STRING,
    .name = "how",
    .help = "the fault",
    .default_value.text = "good",
}};

// Its result is never what encoding gives.
static int32_t rewrite_file(imghost_bytes file, const imghost_writing *writing) {
  (void)file;
  return writing->write(writing->call, "odd:else", 8);
}

static const imghost_rewriting_codec rewriting = {.struct_size = sizeof rewriting, .rewrite = rewrite_file};

static const void *extension(const char *id) {
  if (is(id, IMGHOST_REWRITING_EXTENSION)) return &rewriting;
  return is(id, IMGHOST_CODEC_EXTENSION) ? &codec : NULL;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .name = "odd",
    .version = "1.0",
    .summary = "Does wrong with files",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(3),
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = 1,
    .parameters = parameters,
    .extension = extension,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *functions) {
  (void)version;
  host = functions;
  return &plugin;
}
