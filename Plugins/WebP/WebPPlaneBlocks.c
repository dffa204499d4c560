// Computes reduced rows of a photograph as averages of blocks of its planes. libwebp's own scaler would take a quarter
// of the decoding time, because it processes planes byte by byte, and it would stretch a picture whose sides are not
// multiples of the block size.
#include "WebP.h"

#include <string.h>

/// The sums of the samples in each column of a row of blocks.
typedef struct sums {
  uint16_t luma[webp_largest_side], u[webp_largest_side / 2 + 1], v[webp_largest_side / 2 + 1];
} sums;

/// The average colour of a block, in 64ths of a level.
typedef struct average {
  int32_t y, u, v;
} average;

// Adds a row of samples to the sums of columns, `times` times. The sum of a column in 16 rows is at most 16 * 255.
static void add_row(uint16_t *columns, const uint8_t *row, int32_t count, uint16_t times) {
  for (int32_t i = 0; i < count; i++) columns[i] = (uint16_t)(columns[i] + row[i] * times);
}

// Adds up the rows from `top` to before `bottom` in each column.
static void add_rows(sums *sums, const webp_window *window, int32_t top, int32_t bottom) {
  size_t width = (size_t)window->width, half = (width + 1) / 2;
  memset(sums->luma, 0, sizeof *sums->luma * width);
  memset(sums->u, 0, sizeof *sums->u * half);
  memset(sums->v, 0, sizeof *sums->v * half);
  for (int32_t y = top; y < bottom; y++) {
    size_t row = (size_t)(y - window->first);
    add_row(sums->luma, window->bytes + row * width, window->width, 1);
    // A row of chroma belongs to two rows of luma: an even row and the next row.
    if (y % 2 == 1 && y > top) continue;
    uint16_t times = y % 2 == 0 && y + 1 < bottom ? 2 : 1;
    add_row(sums->u, window->u + row / 2 * half, (int32_t)half, times);
    add_row(sums->v, window->v + row / 2 * half, (int32_t)half, times);
  }
}

// Returns the sum of the chroma of the luma columns in `left..<right`. A column of chroma belongs to two columns of
// luma, and is added once for each of them that is in the range.
static inline int32_t chroma_sum(const uint16_t *columns, int32_t left, int32_t right) {
  int32_t total = 0, first = left / 2, end = (right + 1) / 2;
  for (int32_t i = first; i < end; i++) total += columns[i];
  total *= 2;
  if (left % 2 == 1) total -= columns[first];
  if (right % 2 == 1) total -= columns[end - 1];
  return total;
}

// Rounds a sum to 64ths. `inverse` is 2^22 divided by the number of samples.
static inline int32_t rounded(int32_t sum, int32_t inverse) { return (sum * inverse + (1 << 15)) >> 16; }

static inline average average_of(const sums *sums, int32_t left, int32_t right, int32_t inverse) {
  int32_t luma = 0;
  for (int32_t i = left; i < right; i++) luma += sums->luma[i];
  return (average){
      .y = rounded(luma, inverse),
      .u = rounded(chroma_sum(sums->u, left, right), inverse),
      .v = rounded(chroma_sum(sums->v, left, right), inverse),
  };
}

static inline uint8_t level(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

// Converts an average to RGB as VP8YUVToR(), VP8YUVToG() and VP8YUVToB() in libwebp's yuv.h do: by BT.601, in units of
// 2^-20, with rounding.
static inline void put(average average, uint8_t *rgb) {
  int32_t y = 19077 * average.y;
  rgb[0] = level((y + 26149 * average.v - (14234 << 14)) >> 20);
  rgb[1] = level((y - 6419 * average.u - 13320 * average.v + (8708 << 14)) >> 20);
  rgb[2] = level((y + 33050 * average.u - (17685 << 14)) >> 20);
}

// Writes whole blocks. The compiler inlines this function for each block size, so that it can unroll a block's sums.
__attribute__((always_inline)) static inline void put_blocks(
    const sums *sums, int32_t side, int32_t count, int32_t inverse, uint8_t *rgb) {
  for (int32_t i = 0; i < count; i++) put(average_of(sums, i * side, i * side + side, inverse), rgb + 3 * (size_t)i);
}

static void put_row(const sums *sums, int32_t side, int32_t count, int32_t inverse, uint8_t *rgb) {
  switch (side) {
#define CASE(side) \
  case side: put_blocks(sums, side, count, inverse, rgb); break
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
    CASE(7);
    CASE(8);
#undef CASE
    default: put_blocks(sums, side, count, inverse, rgb);
  }
}

void webp_plane_blocks_row(const webp_window *window, uint32_t shrink, int32_t row, uint8_t *rgb) {
  int32_t side = (int32_t)shrink, top = row * side, count = window->width / side, left = count * side;
  int32_t bottom = top + side < window->height ? top + side : window->height;
  sums sums;
  add_rows(&sums, window, top, bottom);
  put_row(&sums, side, count, (1 << 22) / (side * (bottom - top)), rgb);
  if (left == window->width) return;
  int32_t inverse = (1 << 22) / ((window->width - left) * (bottom - top));
  put(average_of(&sums, left, window->width, inverse), rgb + 3 * (size_t)count);
}
