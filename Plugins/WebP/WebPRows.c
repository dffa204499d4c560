// Rows of a still image, decoded while the file is handed to libwebp piece by piece. Its output is a whole frame, but
// pages of rows that have been handed over go back to the system: a photograph takes a few strips of memory.
#include "WebP.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Rows that come at once, about.
enum { rows_at_once = 64 };

static int32_t reduced(int32_t side, uint32_t shrink) { return (int32_t)(((uint32_t)side + shrink - 1) / shrink); }

static int is_whole(const imghost_region *region, int32_t width, int32_t height) {
  return region->left == 0 && region->top == 0 && region->width == width && region->height == height;
}

void webp_rows_free(webp_rows *rows) {
  if (rows->decoder != NULL) WebPIDelete(rows->decoder);
  if (rows->buffer != NULL) munmap(rows->buffer, rows->buffer_count);
  rows->decoder = NULL;
  rows->buffer = NULL;
}

// Sets the window of the decoder. Where it scales it computes the whole picture, since a scaled part would differ from
// the same part of the scaled whole. Where it crops it gets two more columns and rows, since its interpolation of
// chroma takes the edge of the window for the edge of the picture.
static void set_window(webp_rows *rows, const webp_container *container, int32_t *width, int32_t *height) {
  enum { margin = 2 };
  WebPDecoderOptions *options = &rows->config.options;
  const imghost_region *region = &rows->region;
  *width = reduced(container->width, rows->shrink);
  *height = reduced(container->height, rows->shrink);
  rows->left = rows->top = 0;
  if (is_whole(region, *width, *height)) {
    options->use_cropping = 0;
  } else if (rows->shrink == 1) {
    int32_t right = region->left + region->width + margin, bottom = region->top + region->height + margin;
    rows->left = region->left < margin ? 0 : (region->left - margin) & ~1;
    rows->top = region->top < margin ? 0 : (region->top - margin) & ~1;
    *width = (right < *width ? right : *width) - rows->left;
    *height = (bottom < *height ? bottom : *height) - rows->top;
    options->use_cropping = 1;
    options->crop_left = rows->left;
    options->crop_top = rows->top;
    options->crop_width = *width;
    options->crop_height = *height;
  }
  options->use_scaling = rows->shrink > 1;
  options->scaled_width = *width;
  options->scaled_height = *height;
}

// Lets the decoder write into the rows wanted if they are the whole picture, else into pages of its own.
static int32_t set_output(webp_rows *rows, const imghost_read *request, uint32_t bands, int32_t width, int32_t height) {
  const imghost_picture *output = request->output;
  size_t row = (size_t)width * bands;
  int is_direct = is_whole(&output->valid, width, height) && output->stride <= INT32_MAX;
  rows->stride = is_direct ? output->stride : (ptrdiff_t)row;
  rows->buffer_count = (size_t)rows->stride * (size_t)(height - 1) + row;
  uint8_t *pixels = output->writable;
  if (!is_direct) {
    pixels = mmap(NULL, rows->buffer_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pixels == MAP_FAILED) return webp_fail(request->call, "needs more memory than there is");
    rows->buffer = pixels;
  }
  WebPDecBuffer *buffer = &rows->config.output;
  buffer->colorspace = bands == 4 ? MODE_RGBA : MODE_RGB;
  buffer->is_external_memory = 1;
  buffer->u.RGBA.rgba = pixels;
  buffer->u.RGBA.stride = (int)rows->stride;
  buffer->u.RGBA.size = rows->buffer_count;
  return IMGHOST_OK;
}

static int32_t begin(webp_reader *reader, const imghost_read *request) {
  webp_rows *rows = &reader->rows;
  const webp_container *container = &reader->container;
  webp_rows_free(rows);
  if (!WebPInitDecoderConfig(&rows->config)) return webp_fail(request->call, "needs another version of libwebp");
  rows->region = request->region;
  rows->shrink = request->shrink;
  rows->fed = 0;
  rows->ready = 0;
  rows->status = VP8_STATUS_SUSPENDED;
  rows->next_row = request->region.top;
  int32_t width, height;
  set_window(rows, container, &width, &height);
  int32_t result = set_output(rows, request, reader->bands, width, height);
  if (result != IMGHOST_OK) return result;
  // Each piece costs VP8L up to eight rows that it decodes again, and its pixels stay in memory anyway.
  int32_t pieces = container->is_lossless ? 8 : container->height / rows_at_once + 1;
  rows->step = container->count / (size_t)pieces + 1024;
  rows->decoder = WebPIDecode(NULL, 0, &rows->config);
  return rows->decoder == NULL ? webp_fail(request->call, "needs more memory than there is") : IMGHOST_OK;
}

// Decodes until `wanted` rows are ready, or the file ends.
static int32_t advance(webp_reader *reader, const imghost_call *call, int32_t wanted) {
  webp_rows *rows = &reader->rows;
  const webp_container *container = &reader->container;
  while (rows->ready < wanted && rows->status == VP8_STATUS_SUSPENDED && rows->fed < container->count) {
    if (webp_host->is_cancelled(call)) return IMGHOST_CANCELLED;
    size_t rest = container->count - rows->fed;
    rows->fed += rest < rows->step ? rest : rows->step;
    rows->status = WebPIUpdate(rows->decoder, container->bytes, rows->fed);
    int last = 0;
    if (WebPIDecGetRGB(rows->decoder, &last, NULL, NULL, NULL) != NULL) rows->ready = last;
  }
  return IMGHOST_OK;
}

static int32_t missing(const webp_rows *rows, const imghost_call *call) {
  if (rows->status == VP8_STATUS_OUT_OF_MEMORY) return webp_fail(call, "needs more memory than there is");
  if (rows->status == VP8_STATUS_SUSPENDED) return webp_fail(call, "ends in the middle of its pixels");
  return webp_fail(call, "has damaged pixels from row %d on", rows->top + rows->ready);
}

// Gives the pages of rows above `row` back to the system.
static void release(webp_rows *rows, int32_t row) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), count = (size_t)rows->stride * (size_t)row / page * page;
  madvise(rows->buffer, count, MADV_DONTNEED);
}

// Copies the rows that are ready, and makes the others black.
static void hand_over(webp_rows *rows, const imghost_picture *output) {
  size_t count = (size_t)output->valid.width * output->bands;
  size_t left = (size_t)(output->valid.left - rows->left) * output->bands;
  for (int32_t row = 0; row < output->valid.height; row++) {
    uint8_t *target = (uint8_t *)output->writable + output->stride * row;
    int32_t source = output->valid.top + row - rows->top;
    if (source >= rows->ready) {
      memset(target, 0, count);
    } else if (rows->buffer != NULL) {
      memcpy(target, rows->buffer + rows->stride * source + left, count);
    }
  }
  if (rows->buffer != NULL) release(rows, output->valid.top + output->valid.height - rows->top);
}

static int is_same(const imghost_region *a, const imghost_region *b) {
  return a->left == b->left && a->top == b->top && a->width == b->width && a->height == b->height;
}

int32_t webp_rows_read(webp_reader *reader, const imghost_read *request) {
  webp_rows *rows = &reader->rows;
  const imghost_region *valid = &request->output->valid;
  int32_t bottom = valid->top + valid->height;
  int goes_on = rows->decoder != NULL && valid->top != request->region.top && valid->top >= rows->next_row
                && rows->shrink == request->shrink && is_same(&rows->region, &request->region);
  int32_t result = goes_on ? IMGHOST_OK : begin(reader, request);
  if (result == IMGHOST_OK) result = advance(reader, request->call, bottom - rows->top);
  if (result == IMGHOST_OK && rows->ready < bottom - rows->top && !(request->flags & IMGHOST_READ_DAMAGED)) {
    result = missing(rows, request->call);
  }
  if (result == IMGHOST_OK) hand_over(rows, request->output);
  rows->next_row = bottom;
  // A decoder that writes into the host's rows must not outlive the call.
  if (result != IMGHOST_OK || rows->buffer == NULL || bottom == rows->region.top + rows->region.height) {
    webp_rows_free(rows);
  }
  return result;
}
