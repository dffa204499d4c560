// Computes reduced rows of a lossless image, or of one with alpha, as averages of blocks of its pixels.
#include "WebP.h"

#include <string.h>

// Adds the pixels of a row to the sums of columns. Colours are weighted by alpha.
static void add_row(uint32_t *columns, const uint8_t *row, size_t width, size_t bands) {
  if (bands == 3) {
    for (size_t i = 0; i < 3 * width; i++) columns[i] += row[i];
    return;
  }
  for (size_t x = 0; x < width; x++, row += 4, columns += 4) {
    for (size_t band = 0; band < 3; band++) columns[band] += (uint32_t)row[band] * row[3];
    columns[3] += row[3];
  }
}

static uint8_t average(uint32_t sum, uint32_t count) { return count == 0 ? 0 : (uint8_t)((sum + count / 2) / count); }

void webp_pixel_blocks_row(
    const webp_window *window, uint32_t shrink, int32_t row, uint32_t *columns, uint8_t *target) {
  size_t width = (size_t)window->width, bands = (size_t)window->stride / width, side = shrink;
  int32_t top = row * (int32_t)shrink, rest = window->height - top;
  int32_t count = rest < (int32_t)shrink ? rest : (int32_t)shrink;
  memset(columns, 0, width * bands * sizeof *columns);
  const uint8_t *source = window->bytes + (ptrdiff_t)window->stride * (top - window->first);
  for (int32_t y = 0; y < count; y++) add_row(columns, source + (ptrdiff_t)window->stride * y, width, bands);
  for (size_t left = 0; left < width; left += side, target += bands) {
    size_t right = left + side < width ? left + side : width;
    uint32_t pixels = (uint32_t)(right - left) * (uint32_t)count;
    // The sums of 256 pixels, with colours of at most 255 times 255, are below 2^25.
    uint32_t sums[4] = {0, 0, 0, pixels};
    if (bands == 4) sums[3] = 0;
    for (size_t x = left; x < right; x++) {
      for (size_t band = 0; band < bands; band++) sums[band] += columns[x * bands + band];
    }
    for (size_t band = 0; band < 3; band++) target[band] = average(sums[band], sums[3]);
    if (bands == 4) target[3] = average(sums[3], pixels);
  }
}
