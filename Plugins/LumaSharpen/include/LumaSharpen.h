// Unsharp masking of the luma only. All colour samples of a pixel change by the same amount, so there are no colour
// fringes.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The radius of the largest kernel: three standard deviations of 10 pixels.
#define LUMA_SHARPEN_REACH 30

typedef struct {
  float amount;                        // factor of the detail that is added, 0 to 5
  float threshold;                     // smaller detail is not changed; a fraction of full intensity
  float limit;                         // maximum change of a sample, as a fraction of full intensity
  int reach;                           // number of taps on each side
  float taps[LUMA_SHARPEN_REACH + 1];  // half of a normalised Gaussian, from the middle on
} luma_sharpen;

// Computes the kernel of a Gaussian with a standard deviation of `radius` pixels.
void luma_sharpen_prepare(luma_sharpen *filter, double amount, double radius, double threshold, double limit);

// Computes the luma by ITU-R BT.709 of one row of 1 to 4 interleaved bands of floats.
void luma_sharpen_luma(const float *row, int32_t width, uint32_t bands, float *luma);

// Blurs a row, with its edge pixels repeated. `target` must differ from `source`.
void luma_sharpen_blur_row(const luma_sharpen *filter, const float *source, int32_t width, float *target);

// Returns the amount to add to each colour sample of a pixel with luma `luma`; `blurred` is the luma after the blur.
float luma_sharpen_change(const luma_sharpen *filter, float luma, float blurred);
