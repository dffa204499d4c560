// Decodes the rows of one frame while the file is passed to libjxl piece by piece. Memory pages of rows that the host
// has received are returned to the system.
#include "JPEGXL.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// The approximate number of rows whose data is passed to libjxl at once. libjxl decodes groups of 256 rows.
enum { rows_at_once = 128 };

static void end_frame(jpegxl_rows *rows) {
  if (rows->buffer != NULL) munmap(rows->buffer, rows->buffer_count);
  free(rows->counts);
  rows->buffer = rows->pixels = NULL;
  rows->counts = NULL;
}

static void end_decoder(jpegxl_rows *rows) {
  if (rows->decoder != NULL) JxlDecoderDestroy(rows->decoder);
  rows->decoder = NULL;
}

void jpegxl_rows_free(jpegxl_rows *rows) {
  end_frame(rows);
  end_decoder(rows);
}

// Rounds and clamps a sample. NaN becomes 0.
static uint32_t rounded(float value, float maximum) {
  if (!(value > 0)) return 0;
  return (uint32_t)((value < 1 ? value : 1) * maximum + 0.5f);
}

static void store(const jpegxl_reader *reader, const float *source, uint8_t *target, size_t count) {
  size_t bands = reader->bands, has_alpha = bands % 2 == 0, given = has_alpha ? 4 : 3, colors = bands - has_alpha;
  for (size_t i = 0; i < count; i++, source += given) {
    for (size_t band = 0; band < bands; band++) {
      float value = source[band < colors ? band : 3];
      size_t index = i * bands + band;
      if (reader->sample == IMGHOST_SAMPLE_U8) {
        target[index] = (uint8_t)rounded(value, 255);
      } else {
        ((uint16_t *)(void *)target)[index] = (uint16_t)rounded(value, 65535);
      }
    }
  }
}

// Receives decoded pixels of part of a row from libjxl.
static void take(void *context, size_t x, size_t y, size_t count, const void *pixels) {
  jpegxl_reader *reader = context;
  jpegxl_rows *rows = &reader->rows;
  const imghost_region *region = &rows->region;
  size_t pixel = (size_t)reader->bands * reader->sample, given = reader->bands % 2 == 0 ? 4 : 3, end = x + count;
  if (rows->counts == NULL || y >= reader->info.ysize || end > reader->info.xsize) return;
  rows->counts[y] += (uint32_t)count;
  size_t top = (size_t)region->top, left = (size_t)region->left, right = left + (size_t)region->width;
  if (y < top || y >= top + (size_t)region->height || rows->pixels == NULL) return;
  size_t from = x > left ? x : left, to = end < right ? end : right;
  if (from >= to) return;
  uint8_t *target = rows->pixels + rows->stride * (ptrdiff_t)(y - top) + (from - left) * pixel;
  store(reader, (const float *)pixels + (from - x) * given, target, to - from);
}

static int start_decoder(jpegxl_reader *reader) {
  jpegxl_rows *rows = &reader->rows;
  end_decoder(rows);
  rows->decoder = JxlDecoderCreate(NULL);
  rows->fed = rows->frame = 0;
  if (rows->decoder == NULL) return 0;
  JxlDecoderSubscribeEvents(rows->decoder, JXL_DEC_COLOR_ENCODING | JXL_DEC_FULL_IMAGE);
  JxlDecoderSetKeepOrientation(rows->decoder, JXL_TRUE);
  JxlDecoderSetUnpremultiplyAlpha(rows->decoder, JXL_TRUE);
  return 1;
}

// Starts to decode the current page from its first row.
static int32_t begin(jpegxl_reader *reader, const imghost_read *request) {
  jpegxl_rows *rows = &reader->rows;
  const imghost_picture *output = request->output;
  end_frame(rows);
  rows->region = request->region;
  rows->next_row = request->region.top;
  rows->ready = rows->is_cut = rows->is_damaged = 0;
  rows->counts = calloc(reader->info.ysize, sizeof *rows->counts);
  if (rows->counts == NULL) return jpegxl_fail(request->call, "needs more memory than there is");
  size_t row = (size_t)rows->region.width * reader->bands * reader->sample;
  int is_direct = output->valid.top == rows->region.top && output->valid.height == rows->region.height;
  if (is_direct) {
    rows->pixels = output->writable;
    rows->stride = output->stride;
  } else {
    rows->stride = (ptrdiff_t)row;
    rows->buffer_count = row * (size_t)rows->region.height;
    rows->buffer = mmap(NULL, rows->buffer_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (rows->buffer == MAP_FAILED) rows->buffer = NULL;
    if (rows->buffer == NULL) return jpegxl_fail(request->call, "needs more memory than there is");
    rows->pixels = rows->buffer;
  }
  size_t pieces = reader->info.ysize / rows_at_once + 1;
  rows->step = is_direct ? reader->content.count : reader->content.count / pieces + 4096;
  if (rows->decoder == NULL || rows->is_in_frame || rows->frame > reader->page) {
    if (!start_decoder(reader)) return jpegxl_fail(request->call, "needs more memory than there is");
  }
  if (reader->page > rows->frame) JxlDecoderSkipFrames(rows->decoder, reader->page - rows->frame);
  rows->frame = reader->page;
  rows->is_in_frame = 1;
  return IMGHOST_OK;
}

// Passes more of the file to the decoder. Returns 0 at the end.
static int feed(jpegxl_reader *reader) {
  jpegxl_rows *rows = &reader->rows;
  size_t left = JxlDecoderReleaseInput(rows->decoder), rest = reader->content.count - rows->fed;
  if (rest == 0) return 0;
  size_t start = rows->fed - left;
  rows->fed += rest < rows->step ? rest : rows->step;
  JxlDecoderSetInput(rows->decoder, reader->content.bytes + start, rows->fed - start);
  return 1;
}

static void count_ready(jpegxl_reader *reader) {
  jpegxl_rows *rows = &reader->rows;
  int32_t height = (int32_t)reader->info.ysize;
  while (rows->ready < height && rows->counts[rows->ready] >= reader->info.xsize) rows->ready++;
}

// Decodes until `wanted` rows are ready, or the file ends or turns out to be damaged.
static int32_t advance(jpegxl_reader *reader, const imghost_call *call, int32_t wanted) {
  jpegxl_rows *rows = &reader->rows;
  // With any other format, libjxl 0.7 keeps the whole picture in floats.
  JxlPixelFormat format = {reader->bands % 2 == 0 ? 4 : 3, JXL_TYPE_FLOAT, JXL_NATIVE_ENDIAN, 0};
  while (rows->ready < wanted && rows->is_in_frame && !rows->is_cut && !rows->is_damaged) {
    if (jpegxl_host->is_cancelled(call)) return IMGHOST_CANCELLED;
    JxlDecoderStatus status = JxlDecoderProcessInput(rows->decoder);
    if (status == JXL_DEC_COLOR_ENCODING) {
      jpegxl_prefer_srgb(rows->decoder, &reader->info);
    } else if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
      rows->is_damaged = JxlDecoderSetImageOutCallback(rows->decoder, &format, take, reader) != JXL_DEC_SUCCESS;
    } else if (status == JXL_DEC_FULL_IMAGE) {
      rows->is_in_frame = 0;
      rows->frame++;
    } else if (status == JXL_DEC_NEED_MORE_INPUT) {
      rows->is_cut = !feed(reader);
    } else {
      rows->is_damaged = 1;
    }
    count_ready(reader);
  }
  if (rows->ready < wanted && !rows->is_in_frame) rows->is_damaged = 1;
  return IMGHOST_OK;
}

// Reads the end of a frame whose rows are complete, which must be done before the next frame.
static void finish_frame(jpegxl_reader *reader) {
  jpegxl_rows *rows = &reader->rows;
  end_frame(rows);
  while (rows->is_in_frame && reader->page + 1 < reader->page_count) {
    JxlDecoderStatus status = JxlDecoderProcessInput(rows->decoder);
    if (status == JXL_DEC_FULL_IMAGE) {
      rows->is_in_frame = 0;
      rows->frame++;
    } else if (status != JXL_DEC_NEED_MORE_INPUT || !feed(reader)) {
      break;
    }
  }
  if (rows->is_in_frame || reader->page + 1 >= reader->page_count) end_decoder(rows);
}

static void hand_over(jpegxl_rows *rows, const imghost_picture *output) {
  size_t count = (size_t)output->valid.width * output->bands * output->sample;
  for (int32_t row = 0; row < output->valid.height; row++) {
    uint8_t *target = (uint8_t *)output->writable + output->stride * row;
    int32_t source = output->valid.top + row;
    if (source >= rows->ready) {
      memset(target, 0, count);
    } else if (rows->buffer != NULL) {
      memcpy(target, rows->buffer + rows->stride * (source - rows->region.top), count);
    }
  }
  if (rows->buffer == NULL) return;
  size_t page = (size_t)sysconf(_SC_PAGESIZE), done = (size_t)(output->valid.top + output->valid.height);
  size_t bytes = (size_t)rows->stride * (done - (size_t)rows->region.top) / page * page;
  if (bytes > 0) madvise(rows->buffer, bytes, MADV_DONTNEED);
}

int32_t jpegxl_read(void *instance, const imghost_read *request) {
  jpegxl_reader *reader = instance;
  jpegxl_rows *rows = &reader->rows;
  const imghost_region *valid = &request->output->valid;
  int32_t bottom = valid->top + valid->height;
  int goes_on = rows->buffer != NULL && rows->frame >= reader->page && valid->top != request->region.top
                && valid->top >= rows->next_row;
  int32_t result = goes_on ? IMGHOST_OK : begin(reader, request);
  if (result == IMGHOST_OK) result = advance(reader, request->call, bottom);
  if (result == IMGHOST_OK && rows->ready < bottom && !(request->flags & IMGHOST_READ_DAMAGED)) {
    result = rows->is_cut ? jpegxl_fail(request->call, "ends in the middle of its pixels")
                          : jpegxl_fail(request->call, "has damaged pixels");
  }
  if (result == IMGHOST_OK) hand_over(rows, request->output);
  rows->next_row = bottom;
  if (result != IMGHOST_OK || rows->is_cut || rows->is_damaged) {
    // If damage is accepted, the rows so far are kept for later calls.
    if (result != IMGHOST_OK || rows->buffer == NULL) jpegxl_rows_free(rows);
  } else if (bottom == rows->region.top + rows->region.height) {
    finish_frame(reader);
  }
  return result;
}
