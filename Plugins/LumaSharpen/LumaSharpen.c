// Unsharp masking (R. C. Gonzalez, R. E. Woods: Digital Image Processing, 4th ed., 3.6) of the luma.
#include "LumaSharpen.h"

#include <math.h>

void luma_sharpen_prepare(luma_sharpen *filter, double amount, double radius, double threshold, double limit) {
  filter->amount = (float)amount;
  filter->threshold = (float)threshold;
  filter->limit = (float)limit;
  int reach = (int)ceil(radius * 3);
  filter->reach = reach < 1 ? 1 : reach > LUMA_SHARPEN_REACH ? LUMA_SHARPEN_REACH : reach;
  double taps[LUMA_SHARPEN_REACH + 1], sum = 0;
  for (int i = 0; i <= filter->reach; i++) {
    taps[i] = exp(-0.5 * i * i / (radius * radius));
    sum += i == 0 ? taps[i] : 2 * taps[i];
  }
  for (int i = 0; i <= filter->reach; i++) filter->taps[i] = (float)(taps[i] / sum);
}

void luma_sharpen_luma(const float *row, int32_t width, uint32_t bands, float *luma) {
  for (int32_t x = 0; x < width; x++, row += bands) {
    luma[x] = bands < 3 ? row[0] : 0.2126f * row[0] + 0.7152f * row[1] + 0.0722f * row[2];
  }
}

static int32_t clamp(int32_t x, int32_t width) { return x < 0 ? 0 : x < width ? x : width - 1; }

void luma_sharpen_blur_row(const luma_sharpen *filter, const float *source, int32_t width, float *target) {
  for (int32_t x = 0; x < width; x++) {
    float sum = filter->taps[0] * source[x];
    if (x >= filter->reach && x < width - filter->reach) {
      for (int i = 1; i <= filter->reach; i++) {
        sum += filter->taps[i] * (source[x - i] + source[x + i]);
      }
    } else {
      for (int i = 1; i <= filter->reach; i++) {
        sum += filter->taps[i] * (source[clamp(x - i, width)] + source[clamp(x + i, width)]);
      }
    }
    target[x] = sum;
  }
}

float luma_sharpen_change(const luma_sharpen *filter, float luma, float blurred) {
  float detail = luma - blurred;
  // The threshold is subtracted, so that there is no step between sharpened and unchanged detail.
  float size = fabsf(detail) - filter->threshold;
  if (size <= 0) return 0;
  float change = filter->amount * size;
  if (change > filter->limit) change = filter->limit;
  return detail < 0 ? -change : change;
}
