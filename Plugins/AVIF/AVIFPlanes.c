// Converts RGB to the planes of 8-bit AVIF pictures, and detects screenshots.
#include "AVIF.h"

#include <stdlib.h>

/// The weights of BT.601 in full range (ITU-R BT.601-7, 2.5.1 and 2.5.2), as fixed-point numbers with 16 fractional
/// bits.
enum { luma_r = 19595, luma_g = 38470, luma_b = 7471, half = 1 << 15 };
enum { cb_r = -11058, cb_g = -21710, cb_b = 32768, cr_r = 32768, cr_g = -27439, cr_b = -5329 };

static uint8_t clamped(int32_t value) { return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value); }

/// Converts the sums of 2^`shift` pixels to a chroma sample.
static uint8_t chroma(int32_t r, int32_t g, int32_t b, int32_t wr, int32_t wg, int32_t wb, int32_t shift) {
  return clamped(((r * wr + g * wg + b * wb + (half << shift)) >> (16 + shift)) + 128);
}

static void luma_row(const uint8_t *row, size_t bands, size_t width, uint8_t *luma, uint8_t *alpha) {
  for (size_t x = 0; x < width; x++) {
    const uint8_t *pixel = row + x * bands;
    luma[x] = (uint8_t)((pixel[0] * luma_r + pixel[1] * luma_g + pixel[2] * luma_b + half) >> 16);
  }
  for (size_t x = 0; x < width && alpha; x++) alpha[x] = row[x * bands + 3];
}

/// Computes a row of chroma: if `halved`, at half the width from `row` and `next`, else at the full width from `row`.
/// For the last row of an odd height, `next` equals `row`.
static void chroma_row(
    const uint8_t *row, const uint8_t *next, size_t bands, size_t width, int halved, uint8_t *cb, uint8_t *cr) {
  if (!halved) {
    for (size_t x = 0; x < width; x++) {
      const uint8_t *p = row + x * bands;
      cb[x] = chroma(p[0], p[1], p[2], cb_r, cb_g, cb_b, 0);
      cr[x] = chroma(p[0], p[1], p[2], cr_r, cr_g, cr_b, 0);
    }
    return;
  }
  for (size_t x = 0; x < width; x += 2) {
    // The last column of an odd width counts twice.
    size_t right = (x + 1 < width ? bands : 0);
    const uint8_t *p = row + x * bands, *q = next + x * bands;
    int32_t sum[3];
    for (int band = 0; band < 3; band++) sum[band] = p[band] + p[right + band] + q[band] + q[right + band];
    cb[x / 2] = chroma(sum[0], sum[1], sum[2], cb_r, cb_g, cb_b, 2);
    cr[x / 2] = chroma(sum[0], sum[1], sum[2], cr_r, cr_g, cr_b, 2);
  }
}

void avif_fill_planes(avifImage *image, const uint8_t *rows, size_t row_bytes, size_t bands, size_t top, size_t count) {
  int halved = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV420;
  for (size_t y = 0; y < count; y++) {
    const uint8_t *row = rows + y * row_bytes;
    size_t at = top + y;
    luma_row(row, bands, image->width, image->yuvPlanes[AVIF_CHAN_Y] + at * image->yuvRowBytes[AVIF_CHAN_Y],
        bands == 4 ? image->alphaPlane + at * image->alphaRowBytes : NULL);
    if (halved && y % 2) continue;
    size_t down = halved ? at / 2 : at;
    // The last row of an odd height counts twice.
    chroma_row(row, halved && y + 1 < count ? row + row_bytes : row, bands, image->width, halved,
        image->yuvPlanes[AVIF_CHAN_U] + down * image->yuvRowBytes[AVIF_CHAN_U],
        image->yuvPlanes[AVIF_CHAN_V] + down * image->yuvRowBytes[AVIF_CHAN_V]);
  }
}

/// Returns whether a block of 16x16 pixels has few levels and strong contrast, like letters and lines on plain areas.
static int is_drawn(const uint8_t *luma, size_t stride) {
  uint8_t seen[256] = {0};
  int levels = 0, least = 255, most = 0;
  for (size_t y = 0; y < 16; y++) {
    for (size_t x = 0; x < 16; x++) {
      int level = luma[y * stride + x];
      levels += !seen[level];
      seen[level] = 1;
      if (level < least) least = level;
      if (level > most) most = level;
    }
    if (levels > 8) return 0;
  }
  return most - least >= 32;
}

int avif_shows_screen(const avifImage *image) {
  size_t blocks = 0, drawn = 0;
  for (size_t y = 0; y + 16 <= image->height; y += 16) {
    for (size_t x = 0; x + 16 <= image->width; x += 16, blocks++) {
      size_t stride = image->yuvRowBytes[AVIF_CHAN_Y];
      drawn += (size_t)is_drawn(image->yuvPlanes[AVIF_CHAN_Y] + y * stride + x, stride);
    }
  }
  return drawn * 50 >= blocks;
}
