// Composes the frames of an animation as browsers do: on a transparent canvas, whatever background the file specifies.
#include "WebP.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *place(const webp_canvas *canvas, const webp_frame *frame, int32_t row) {
  size_t index = (size_t)(frame->top + row) * (size_t)canvas->container->width + (size_t)frame->left;
  return canvas->pixels + 4 * index;
}

static int is_full(const webp_canvas *canvas, const webp_frame *frame) {
  return frame->width == canvas->container->width && frame->height == canvas->container->height;
}

// Returns whether earlier frames are completely covered or cleared.
static int is_key(const webp_canvas *canvas, uint32_t index) {
  if (index == 0) return 1;
  const webp_frame *frame = canvas->container->frames + index, *last = frame - 1;
  if (is_full(canvas, frame) && (!frame->has_alpha || !frame->blends)) return 1;
  return last->disposes && is_full(canvas, last);
}

static void clear(const webp_canvas *canvas, const webp_frame *frame) {
  for (int32_t row = 0; row < frame->height; row++) memset(place(canvas, frame, row), 0, 4 * (size_t)frame->width);
}

// Blends straight alpha with the arithmetic of libwebp's own animation decoder.
static void blend(const uint8_t *source, uint8_t *target) {
  uint32_t alpha = source[3], below = target[3] * (256 - alpha) >> 8;
  if (alpha == 0) return;
  if (alpha == 255 || target[3] == 0) {
    memcpy(target, source, 4);
    return;
  }
  uint32_t sum = alpha + below, scale = (1u << 24) / sum;
  for (int band = 0; band < 3; band++) {
    target[band] = (uint8_t)((source[band] * alpha + target[band] * below) * scale >> 24);
  }
  target[3] = (uint8_t)sum;
}

static int32_t decode(
    const webp_canvas *canvas, const imghost_call *call, uint32_t index, uint8_t *pixels, size_t stride) {
  const webp_frame *frame = canvas->container->frames + index;
  const uint8_t *bytes = canvas->container->bytes + frame->offset;
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return webp_fail(call, "needs another version of libwebp");
  VP8StatusCode status = WebPGetFeatures(bytes, frame->count, &config.input);
  if (status == VP8_STATUS_OK && (config.input.width != frame->width || config.input.height != frame->height)) {
    return webp_fail(call, "has a frame %u whose size is not the one announced", index + 1);
  }
  if (status == VP8_STATUS_OK) {
    config.output.colorspace = MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * (size_t)(frame->height - 1) + 4 * (size_t)frame->width;
    status = WebPDecode(bytes, frame->count, &config);
  }
  if (status == VP8_STATUS_OK) return IMGHOST_OK;
  if (status == VP8_STATUS_OUT_OF_MEMORY) return webp_fail(call, "needs more memory than there is");
  int is_cut = status == VP8_STATUS_NOT_ENOUGH_DATA || status == VP8_STATUS_SUSPENDED;
  return webp_fail(call, is_cut ? "ends in the middle of frame %u" : "has damaged pixels in frame %u", index + 1);
}

// Draws one frame over the previous one.
static int32_t draw(webp_canvas *canvas, const imghost_call *call, uint32_t index) {
  const webp_container *container = canvas->container;
  const webp_frame *frame = container->frames + index;
  int key = is_key(canvas, index);
  if (key) {
    memset(canvas->pixels, 0, 4 * (size_t)container->width * (size_t)container->height);
  } else if (!key && frame[-1].disposes) {
    clear(canvas, frame - 1);
  }
  if (key || !frame->blends || !frame->has_alpha) {
    return decode(canvas, call, index, place(canvas, frame, 0), 4 * (size_t)container->width);
  }
  size_t stride = 4 * (size_t)frame->width;
  memset(canvas->scratch, 0, stride * (size_t)frame->height);
  int32_t result = decode(canvas, call, index, canvas->scratch, stride);
  for (int32_t row = 0; row < frame->height; row++) {
    const uint8_t *source = canvas->scratch + stride * (size_t)row;
    uint8_t *target = place(canvas, frame, row);
    for (size_t i = 0; i < stride; i += 4) blend(source + i, target + i);
  }
  return result;
}

static int32_t prepare(webp_canvas *canvas, const imghost_call *call) {
  if (canvas->pixels != NULL) return IMGHOST_OK;
  const webp_container *container = canvas->container;
  size_t largest = 0;
  for (uint32_t i = 1; i < container->frame_count; i++) {
    const webp_frame *frame = container->frames + i;
    size_t count = (size_t)frame->width * (size_t)frame->height;
    if (frame->blends && frame->has_alpha && count > largest) largest = count;
  }
  canvas->shown = -1;
  canvas->pixels = calloc((size_t)container->width * (size_t)container->height, 4);
  canvas->scratch = largest == 0 ? NULL : calloc(largest, 4);
  if (canvas->pixels != NULL && (largest == 0 || canvas->scratch != NULL)) return IMGHOST_OK;
  webp_canvas_free(canvas);
  return webp_fail(call, "needs more memory than there is");
}

int32_t webp_canvas_show(webp_canvas *canvas, const imghost_call *call, uint32_t frame, int accepts_damage) {
  int32_t result = prepare(canvas, call);
  if (result != IMGHOST_OK) return result;
  int is_usable = !canvas->is_damaged || accepts_damage;
  if (canvas->shown == (int64_t)frame && is_usable) return IMGHOST_OK;
  int64_t after = canvas->shown < (int64_t)frame && is_usable ? canvas->shown : -1;
  uint32_t first = frame;
  while ((int64_t)first - 1 > after && !is_key(canvas, first)) first--;
  canvas->shown = -1;
  if (is_key(canvas, first)) canvas->is_damaged = 0;
  for (uint32_t i = first; i <= frame; i++) {
    if (webp_host->is_cancelled(call)) return IMGHOST_CANCELLED;
    result = draw(canvas, call, i);
    if (result != IMGHOST_OK && !accepts_damage) return result;
    canvas->is_damaged |= result != IMGHOST_OK;
  }
  canvas->shown = frame;
  return IMGHOST_OK;
}

void webp_canvas_free(webp_canvas *canvas) {
  free(canvas->pixels);
  free(canvas->scratch);
  canvas->pixels = canvas->scratch = NULL;
}
