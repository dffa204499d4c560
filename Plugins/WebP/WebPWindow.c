// The window of rows that libwebp has decoded and the host has not yet received. libwebp writes each row at its
// position in a whole image, but allows its caller to move that image between calls (see WebPINewDecoder() in
// webp/decode.h). The next row is therefore always placed near the beginning of the window, so that a photograph needs
// only the memory of a few rows, and no new memory pages.
#include "WebP.h"

#include <string.h>
#include <sys/mman.h>

static size_t half(int32_t side) { return ((size_t)side + 1) / 2; }

static size_t luma_count(const webp_window *window) { return (size_t)window->stride * (size_t)window->height; }

static size_t chroma_count(const webp_window *window) { return half(window->width) * half(window->height); }

int webp_window_make(webp_window *window) {
  // One call may decode all remaining rows, so there is space for all of them; memory pages that are never accessed
  // cost nothing.
  size_t chroma = window->has_planes ? chroma_count(window) : 0;
  window->count = luma_count(window) + 2 * chroma;
  void *bytes = mmap(NULL, window->count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (bytes == MAP_FAILED) return 0;
  window->bytes = bytes;
  window->u = window->bytes + luma_count(window);
  window->v = window->u + chroma;
  return 1;
}

void webp_window_free(webp_window *window) {
  if (window->bytes != NULL) munmap(window->bytes, window->count);
  window->bytes = NULL;
}

// Returns the address of row 0 if row `first` is at `bytes`. The address may be outside the window.
static uint8_t *origin(uint8_t *bytes, int32_t first, size_t stride) {
  return (uint8_t *)((uintptr_t)bytes - (size_t)first * stride);
}

void webp_window_tell(const webp_window *window, WebPDecBuffer *buffer) {
  size_t stride = (size_t)window->stride;
  if (!window->has_planes) {
    buffer->u.RGBA.rgba = origin(window->bytes, window->first, stride);
    buffer->u.RGBA.stride = window->stride;
    buffer->u.RGBA.size = luma_count(window);
    return;
  }
  size_t chroma = chroma_count(window), narrow = half(window->width);
  buffer->u.YUVA = (WebPYUVABuffer){
      .y = origin(window->bytes, window->first, stride),
      .u = origin(window->u, window->first / 2, narrow),
      .v = origin(window->v, window->first / 2, narrow),
      .y_stride = window->stride,
      .u_stride = (int)narrow,
      .v_stride = (int)narrow,
      .y_size = luma_count(window),
      .u_size = chroma,
      .v_size = chroma,
  };
}

// Moves rows from `from` to before `end` to the beginning.
static void move_up(uint8_t *bytes, size_t from, size_t end, size_t stride) {
  memmove(bytes, bytes + from * stride, (end - from) * stride);
}

void webp_window_slide(webp_window *window, int32_t first, int32_t end) {
  // A row of chroma belongs to two rows of luma.
  if (window->has_planes) first &= ~1;
  if (first <= window->first) return;
  size_t from = (size_t)(first - window->first), until = (size_t)(end - window->first);
  move_up(window->bytes, from, until, (size_t)window->stride);
  if (window->has_planes) {
    move_up(window->u, from / 2, (until + 1) / 2, half(window->width));
    move_up(window->v, from / 2, (until + 1) / 2, half(window->width));
  }
  window->first = first;
}
