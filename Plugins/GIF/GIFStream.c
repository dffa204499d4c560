// Reads the first frame without a canvas. This takes memory for one row of indices, or for all rows if the frame is
// interlaced.
#include "GIF.h"

#include <stdlib.h>
#include <string.h>

void gif_stream_free(gif_stream *stream) {
  gif_rows_end(&stream->rows);
  free(stream->indices);
  stream->indices = NULL;
  stream->is_open = 0;
}

static int32_t begin(gif_reader *reader, const imghost_call *call) {
  gif_stream *stream = &reader->stream;
  const gif_frame *frame = reader->blocks.frames;
  gif_stream_free(stream);
  stream->ready = stream->next_row = stream->is_damaged = 0;
  if (frame->width == 0 || frame->height == 0) {
    stream->is_open = 1;
    return IMGHOST_OK;
  }
  int32_t result = gif_palette_read(&stream->palette, call, &reader->blocks, 0);
  if (result == IMGHOST_OK) result = gif_rows_begin(&stream->rows, call, &reader->blocks, 0);
  if (result != IMGHOST_OK) return result;
  stream->indices = malloc((size_t)frame->width * (frame->is_interlaced ? (size_t)frame->height : 1));
  if (stream->indices == NULL) return gif_fail(call, "needs more memory than there is");
  stream->is_open = 1;
  return IMGHOST_OK;
}

// Returns the colour indices of a row of the frame; NULL after a failure, whose code becomes `*result`. Rows must be
// requested from the top down.
static const uint8_t *row_of(gif_reader *reader, const imghost_call *call, int32_t row, int32_t *result) {
  gif_stream *stream = &reader->stream;
  const gif_frame *frame = reader->blocks.frames;
  int32_t wanted = frame->is_interlaced ? frame->height : row + 1;
  while (stream->ready < wanted && !stream->is_damaged) {
    if (stream->ready % 256 == 0 && gif_host->is_cancelled(call)) {
      *result = IMGHOST_CANCELLED;
      return NULL;
    }
    size_t at = frame->is_interlaced ? (size_t)gif_row_at(frame, stream->ready) : 0;
    uint8_t *indices = stream->indices + at * (size_t)frame->width;
    *result = gif_rows_next(&stream->rows, call, indices, frame->width);
    stream->is_damaged = *result != IMGHOST_OK;
    stream->ready += !stream->is_damaged;
  }
  if (stream->ready < wanted) {
    *result = IMGHOST_FAILED;
    return NULL;
  }
  return stream->indices + (frame->is_interlaced ? (size_t)row * (size_t)frame->width : 0);
}

// Writes one row of the canvas. `indices` is NULL if the frame has no such row, or if the row is damaged.
static void write_row(
    const gif_reader *reader, const imghost_picture *output, const uint8_t *indices, uint8_t *target) {
  const gif_frame *frame = reader->blocks.frames;
  size_t bands = output->bands;
  int32_t left = output->valid.left, width = output->valid.width;
  int32_t first = frame->left > left ? frame->left : left;
  int32_t end = frame->left + frame->width < left + width ? frame->left + frame->width : left + width;
  if (indices == NULL || first >= end) {
    memset(target, 0, bands * (size_t)width);
    return;
  }
  memset(target, 0, bands * (size_t)(first - left));
  memset(target + bands * (size_t)(end - left), 0, bands * (size_t)(left + width - end));
  const uint8_t *index = indices + (first - frame->left);
  uint8_t *pixel = target + bands * (size_t)(first - left);
  if (bands == 4) {
    for (int32_t i = 0; i < end - first; i++) memcpy(pixel + 4 * (size_t)i, reader->stream.palette.values[index[i]], 4);
  } else {
    // Four bytes are written at once, except for the last pixel: the row may end after its three bytes.
    int32_t last = end - first - 1;
    for (int32_t i = 0; i < last; i++) memcpy(pixel + 3 * (size_t)i, reader->stream.palette.values[index[i]], 4);
    memcpy(pixel + 3 * (size_t)last, reader->stream.palette.values[index[last]], 3);
  }
}

int32_t gif_stream_read(gif_reader *reader, const imghost_read *request) {
  gif_stream *stream = &reader->stream;
  const gif_frame *frame = reader->blocks.frames;
  const imghost_picture *output = request->output;
  int accepts_damage = (request->flags & IMGHOST_READ_DAMAGED) != 0;
  int32_t top = output->valid.top, result = IMGHOST_OK;
  if (!stream->is_open || top == request->region.top || top < stream->next_row) {
    result = begin(reader, request->call);
    if (result != IMGHOST_OK && !accepts_damage) return result;
    if (result != IMGHOST_OK) stream->is_open = stream->is_damaged = 1;
  }
  for (int32_t i = 0; i < output->valid.height; i++) {
    int32_t row = top + i - frame->top;
    const uint8_t *indices = NULL;
    if (row >= 0 && row < frame->height && frame->width > 0) {
      result = IMGHOST_OK;
      indices = row_of(reader, request->call, row, &result);
      if (indices == NULL && (result == IMGHOST_CANCELLED || !accepts_damage)) {
        gif_stream_free(stream);
        return result;
      }
    }
    write_row(reader, output, indices, (uint8_t *)output->writable + output->stride * i);
  }
  stream->next_row = top + output->valid.height;
  return IMGHOST_OK;
}
