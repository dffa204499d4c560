// Opens and reads WebP files.
#include "WebP.h"

#include <stdlib.h>
#include <string.h>

// The range of reductions for still images. The integer sums of blocks are sized for at most 16 by 16 pixels.
enum { smallest_shrink = 2, largest_shrink = 16 };

static int32_t features_of_still(webp_reader *reader, const imghost_call *call) {
  webp_container *container = &reader->container;
  WebPBitstreamFeatures features;
  VP8StatusCode status = WebPGetFeatures(container->bytes, container->count, &features);
  if (status == VP8_STATUS_NOT_ENOUGH_DATA) return webp_fail(call, "ends in the middle of its header");
  if (status != VP8_STATUS_OK || features.has_animation) return webp_fail(call, "has a damaged header");
  container->width = features.width;
  container->height = features.height;
  container->has_alpha = features.has_alpha;
  container->is_lossless = features.format == 2;
  return IMGHOST_OK;
}

// Estimates libwebp's memory: VP8L keeps the whole picture, VP8 keeps a few rows and the alpha plane.
static uint64_t working_bytes(const webp_reader *reader) {
  const webp_container *container = &reader->container;
  uint64_t width = (uint64_t)container->width, pixels = width * (uint64_t)container->height;
  uint64_t fixed = 1 << 20;
  if (container->is_animated) {
    uint64_t frame = container->is_lossless ? 4 * pixels : pixels;
    return fixed + 4 * pixels + (container->any_blends ? 4 * pixels : 0) + frame;
  }
  if (container->is_lossless) return fixed + 4 * pixels + pixels * reader->bands / 4;
  return fixed + width * 1024 + (container->has_alpha ? 2 * pixels : 0);
}

static void describe(webp_reader *reader, imghost_image *image) {
  const webp_container *container = &reader->container;
  image->flags = IMGHOST_IMAGE_STREAMED;
  if (container->is_animated) image->flags |= IMGHOST_IMAGE_ANIMATED;
  if (container->is_lossless) image->flags |= IMGHOST_IMAGE_LOSSLESS;
  image->page_count = container->is_animated ? container->frame_count : 1;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = reader->bands;
  image->width = container->width;
  image->height = container->height;
  if (!container->is_animated) {
    for (uint32_t i = smallest_shrink; i <= largest_shrink; i++) image->shrinks[image->shrink_count++] = i;
  }
  image->working_bytes = working_bytes(reader);
  if (container->is_animated) {
    image->delay = container->frames[reader->page].milliseconds / 1000.0;
    image->loop_count = container->loop_count;
  }
  image->fact_count = container->is_animated ? 3 : 1;
  reader->facts[0] = (imghost_fact){"compression", container->is_lossless ? "lossless" : "lossy", 0};
  reader->facts[1] = (imghost_fact){"frames", NULL, container->frame_count};
  reader->facts[2] = (imghost_fact){"loop_count", NULL, container->loop_count};
  image->facts = reader->facts;
  image->metadata.orientation = reader->exif.orientation;
  image->metadata.resolution_x = reader->exif.resolution_x;
  image->metadata.resolution_y = reader->exif.resolution_y;
  image->metadata.icc = container->icc;
  image->metadata.exif = container->exif;
  image->metadata.xmp = container->xmp;
}

int32_t webp_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  webp_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return webp_fail(call, "needs more memory than there is");
  int32_t result = webp_container_read(call, file->content, &reader->container);
  if (result == IMGHOST_OK && !reader->container.is_animated) result = features_of_still(reader, call);
  if (result == IMGHOST_OK) {
    reader->bands = reader->container.has_alpha ? 4 : 3;
    reader->exif = webp_exif_read(reader->container.exif);
    reader->canvas.container = &reader->container;
    result = webp_turn(reader, call, page, image);
  }
  if (result == IMGHOST_OK) {
    *instance = reader;
  } else {
    webp_close(reader);
  }
  return result;
}

int32_t webp_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  webp_reader *reader = instance;
  uint32_t count = reader->container.is_animated ? reader->container.frame_count : 1;
  if (page >= count) return webp_fail(call, "has %u %s", count, count == 1 ? "frame" : "frames");
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

static int32_t read_frame(webp_reader *reader, const imghost_read *request) {
  int accepts_damage = (request->flags & IMGHOST_READ_DAMAGED) != 0;
  int32_t result = webp_canvas_show(&reader->canvas, request->call, reader->page, accepts_damage);
  if (result != IMGHOST_OK) return result;
  const imghost_picture *output = request->output;
  const imghost_region *valid = &output->valid;
  for (int32_t row = 0; row < valid->height; row++) {
    size_t first = (size_t)(valid->top + row) * (size_t)reader->container.width + (size_t)valid->left;
    uint8_t *target = (uint8_t *)output->writable + output->stride * row;
    copy_row(reader->canvas.pixels + 4 * first, target, (size_t)valid->width, reader->bands);
  }
  return IMGHOST_OK;
}

int32_t webp_read(void *instance, const imghost_read *request) {
  webp_reader *reader = instance;
  return reader->container.is_animated ? read_frame(reader, request) : webp_rows_read(reader, request);
}

void webp_close(void *instance) {
  webp_reader *reader = instance;
  webp_rows_free(&reader->rows);
  webp_canvas_free(&reader->canvas);
  webp_container_free(&reader->container);
  free(reader);
}
