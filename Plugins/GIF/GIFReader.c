// Opens and reads GIF files.
#include "GIF.h"

#include <stdlib.h>
#include <string.h>

// Returns whether the current frame can be read without a canvas. If damage is accepted, an interlaced frame needs a
// canvas, because missing rows may be anywhere.
static int is_streamed(const gif_reader *reader, int accepts_damage) {
  return reader->page == 0 && (!reader->blocks.frames->is_interlaced || !accepts_damage);
}

// Estimates the memory for the canvas and for the saved pixels below a frame. The first frame often needs no canvas.
static uint64_t working_bytes(const gif_reader *reader) {
  enum { fixed = 64 << 10 };
  const gif_blocks *blocks = &reader->blocks;
  const gif_frame *first = blocks->frames;
  uint64_t pixels = (uint64_t)blocks->width * (uint64_t)blocks->height;
  if (reader->page == 0) {
    return fixed + (first->is_interlaced ? 4 * pixels : (uint64_t)first->width);
  }
  return fixed + 4 * pixels + (blocks->any_restores ? 4 * pixels : 0);
}

static void describe(gif_reader *reader, imghost_image *image) {
  const gif_blocks *blocks = &reader->blocks;
  const gif_frame *frame = blocks->frames + reader->page;
  image->flags = IMGHOST_IMAGE_STREAMED | IMGHOST_IMAGE_LOSSLESS;
  if (blocks->frame_count > 1) image->flags |= IMGHOST_IMAGE_ANIMATED;
  image->page_count = blocks->frame_count;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = reader->bands;
  image->width = blocks->width;
  image->height = blocks->height;
  image->working_bytes = working_bytes(reader);
  if (blocks->frame_count > 1) {
    image->delay = frame->delay / 100.0;
    image->loop_count = blocks->loop_count;
  }
  reader->facts[0] = (imghost_fact){"colors", NULL, frame->color_count > 0 ? frame->color_count : blocks->color_count};
  reader->facts[1] = (imghost_fact){"interlaced", NULL, frame->is_interlaced};
  reader->facts[2] = (imghost_fact){"frames", NULL, blocks->frame_count};
  reader->facts[3] = (imghost_fact){"loop_count", NULL, blocks->loop_count};
  image->fact_count = blocks->frame_count > 1 ? 4 : 2;
  image->facts = reader->facts;
  image->metadata.orientation = 0;
  image->metadata.icc = (imghost_bytes){blocks->icc_count > 0 ? blocks->icc : NULL, blocks->icc_count};
  image->metadata.xmp = blocks->xmp;
}

int32_t gif_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  gif_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return gif_fail(call, "needs more memory than there is");
  int32_t result = gif_blocks_read(call, file->content, &reader->blocks);
  if (result == IMGHOST_OK) {
    reader->bands = gif_has_alpha(&reader->blocks) ? 4 : 3;
    reader->canvas.blocks = &reader->blocks;
    result = gif_turn(reader, call, page, image);
  }
  if (result == IMGHOST_OK) {
    *instance = reader;
  } else {
    gif_close(reader);
  }
  return result;
}

int32_t gif_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  gif_reader *reader = instance;
  uint32_t count = reader->blocks.frame_count;
  if (page >= count) return gif_fail(call, "has %u %s", count, count == 1 ? "frame" : "frames");
  reader->page = page;
  describe(reader, image);
  return IMGHOST_OK;
}

static void copy_row(const uint8_t *source, uint8_t *target, size_t count, uint32_t bands) {
  if (bands == 4) {
    memcpy(target, source, 4 * count);
    return;
  }
  for (size_t i = 0; i < count; i++) memcpy(target + 3 * i, source + 4 * i, 3);
}

int32_t gif_read(void *instance, const imghost_read *request) {
  gif_reader *reader = instance;
  int accepts_damage = (request->flags & IMGHOST_READ_DAMAGED) != 0;
  if (is_streamed(reader, accepts_damage)) return gif_stream_read(reader, request);
  int32_t result = gif_canvas_show(&reader->canvas, request->call, reader->page, accepts_damage);
  if (result != IMGHOST_OK) return result;
  const imghost_picture *output = request->output;
  const imghost_region *valid = &output->valid;
  for (int32_t row = 0; row < valid->height; row++) {
    size_t first = (size_t)(valid->top + row) * (size_t)reader->blocks.width + (size_t)valid->left;
    uint8_t *target = (uint8_t *)output->writable + output->stride * row;
    copy_row(reader->canvas.pixels + 4 * first, target, (size_t)valid->width, reader->bands);
  }
  return IMGHOST_OK;
}

void gif_close(void *instance) {
  gif_reader *reader = instance;
  gif_stream_free(&reader->stream);
  gif_canvas_free(&reader->canvas);
  gif_blocks_free(&reader->blocks);
  free(reader);
}
