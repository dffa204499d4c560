// Composes the frames of an animation as browsers do: on a transparent canvas, whatever background the file specifies.
#include "GIF.h"

#include <stdlib.h>
#include <string.h>

/// The part of a frame that is on the canvas.
typedef struct part {
  int32_t left, top, width, height;
} part;

static int32_t inside(int32_t start, int32_t length, int32_t side) {
  int32_t rest = start < side ? side - start : 0;
  return length < rest ? length : rest;
}

static part part_of(const gif_canvas *canvas, const gif_frame *frame) {
  const gif_blocks *blocks = canvas->blocks;
  return (part){frame->left, frame->top, inside(frame->left, frame->width, blocks->width),
      inside(frame->top, frame->height, blocks->height)};
}

static uint8_t *place(const gif_canvas *canvas, int32_t left, int32_t top) {
  return canvas->pixels + 4 * ((size_t)top * (size_t)canvas->blocks->width + (size_t)left);
}

// Saves a part of the canvas, or restores it if `comes_back` is set.
static void exchange(const gif_canvas *canvas, part part, int comes_back) {
  size_t count = 4 * (size_t)part.width;
  for (int32_t row = 0; row < part.height && count > 0; row++) {
    uint8_t *pixels = place(canvas, part.left, part.top + row), *below = canvas->below + count * (size_t)row;
    memcpy(comes_back ? pixels : below, comes_back ? below : pixels, count);
  }
}

static void dispose(gif_canvas *canvas) {
  if (canvas->pending < 0) return;
  const gif_frame *frame = canvas->blocks->frames + canvas->pending;
  part part = part_of(canvas, frame);
  if (frame->disposal == gif_restore) exchange(canvas, part, 1);
  if (frame->disposal == gif_clear) {
    for (int32_t row = 0; row < part.height && part.width > 0; row++) {
      memset(place(canvas, part.left, part.top + row), 0, 4 * (size_t)part.width);
    }
  }
  canvas->pending = -1;
}

// Returns whether a frame can be shown without drawing the earlier ones.
static int is_start(const gif_canvas *canvas, uint32_t index) {
  if (index == 0) return 1;
  const gif_blocks *blocks = canvas->blocks;
  const gif_frame *last = blocks->frames + index - 1;
  if (gif_is_solid(blocks, index) && blocks->frames[index].disposal != gif_restore) return 1;
  part part = part_of(canvas, last);
  int is_full = last->left == 0 && last->top == 0 && part.width == blocks->width && part.height == blocks->height;
  return last->disposal == gif_clear && is_full;
}

static int32_t draw(gif_canvas *canvas, const imghost_call *call, uint32_t index) {
  const gif_frame *frame = canvas->blocks->frames + index;
  part part = part_of(canvas, frame);
  if (frame->disposal == gif_restore) exchange(canvas, part, 0);
  if (part.width == 0 || part.height == 0) return IMGHOST_OK;
  gif_palette palette;
  gif_rows rows = {0};
  int32_t result = gif_palette_read(&palette, call, canvas->blocks, index);
  if (result == IMGHOST_OK) result = gif_rows_begin(&rows, call, canvas->blocks, index);
  int32_t last = frame->is_interlaced ? frame->height : part.height;
  for (int32_t i = 0; i < last && result == IMGHOST_OK; i++) {
    if (i % 256 == 0 && gif_host->is_cancelled(call)) result = IMGHOST_CANCELLED;
    if (result == IMGHOST_OK) result = gif_rows_next(&rows, call, canvas->row, frame->width);
    int32_t row = gif_row_at(frame, i);
    if (result != IMGHOST_OK || row >= part.height) continue;
    uint8_t *pixels = place(canvas, part.left, part.top + row);
    for (int32_t x = 0; x < part.width; x++) {
      const uint8_t *value = palette.values[canvas->row[x]];
      if (value[3] != 0) memcpy(pixels + 4 * (size_t)x, value, 4);
    }
  }
  gif_rows_end(&rows);
  return result;
}

static int32_t prepare(gif_canvas *canvas, const imghost_call *call) {
  if (canvas->pixels != NULL) return IMGHOST_OK;
  const gif_blocks *blocks = canvas->blocks;
  size_t widest = 1, below = 0;
  for (uint32_t i = 0; i < blocks->frame_count; i++) {
    const gif_frame *frame = blocks->frames + i;
    part part = part_of(canvas, frame);
    size_t count = (size_t)part.width * (size_t)part.height;
    if ((size_t)frame->width > widest) widest = (size_t)frame->width;
    if (frame->disposal == gif_restore && count > below) below = count;
  }
  canvas->shown = canvas->pending = -1;
  canvas->row = calloc(widest, 1);
  canvas->pixels = calloc((size_t)blocks->width * (size_t)blocks->height, 4);
  canvas->below = calloc(below + 1, 4);
  if (canvas->row != NULL && canvas->pixels != NULL && canvas->below != NULL) return IMGHOST_OK;
  gif_canvas_free(canvas);
  return gif_fail(call, "needs more memory than there is");
}

int32_t gif_canvas_show(gif_canvas *canvas, const imghost_call *call, uint32_t wanted, int accepts_damage) {
  int32_t result = prepare(canvas, call);
  if (result != IMGHOST_OK) return result;
  int is_usable = !canvas->is_damaged || accepts_damage;
  if (canvas->shown == (int64_t)wanted && is_usable) return IMGHOST_OK;
  int64_t after = canvas->shown < (int64_t)wanted && is_usable ? canvas->shown : -1;
  uint32_t first = wanted;
  while ((int64_t)first - 1 > after && !is_start(canvas, first)) first--;
  if (is_start(canvas, first)) {
    memset(canvas->pixels, 0, 4 * (size_t)canvas->blocks->width * (size_t)canvas->blocks->height);
    canvas->pending = -1;
    canvas->is_damaged = 0;
  }
  canvas->shown = -1;
  for (uint32_t i = first; i <= wanted; i++) {
    gif_disposal disposal = canvas->blocks->frames[i].disposal;
    dispose(canvas);
    result = IMGHOST_OK;
    if (i < wanted && disposal == gif_restore) continue;
    if (i == wanted || disposal == gif_keep) result = draw(canvas, call, i);
    if (result == IMGHOST_CANCELLED || (result != IMGHOST_OK && !accepts_damage)) return result;
    canvas->is_damaged |= result != IMGHOST_OK;
    canvas->pending = i;
  }
  canvas->shown = wanted;
  return IMGHOST_OK;
}

void gif_canvas_free(gif_canvas *canvas) {
  free(canvas->pixels);
  free(canvas->below);
  free(canvas->row);
  canvas->pixels = canvas->below = canvas->row = NULL;
}
