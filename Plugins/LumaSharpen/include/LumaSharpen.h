// Unsharp masking of the luma alone: colours keep their ratios' differences, so no coloured fringes.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The widest kernel: radius 10 px, cut off at three of them.
#define LUMA_SHARPEN_REACH 30

typedef struct {
  float amount;                        // factor of the detail that is added, 0 to 5
  float threshold;                     // detail below it is left alone, in parts of full intensity
  float limit;                         // most a sample may change, in parts of full intensity
  int reach;                           // taps on each side
  float taps[LUMA_SHARPEN_REACH + 1];  // half of a normalised gaussian, the middle first
} luma_sharpen;

// Fills in the kernel for a gaussian of `radius` pixels.
void luma_sharpen_prepare(luma_sharpen *filter, double amount, double radius, double threshold, double limit);

// Luma by ITU-R BT.709 of one row of 1 to 4 interleaved bands of floats.
void luma_sharpen_luma(const float *row, int32_t width, uint32_t bands, float *luma);

// Blurs a row, its edge pixels repeated; `target` is not `source`.
void luma_sharpen_blur_row(const luma_sharpen *filter, const float *source, int32_t width, float *target);

// Returns the amount to add to each colour sample of a pixel of luma `luma`; `blurred` is the luma after the blur.
float luma_sharpen_change(const luma_sharpen *filter, float luma, float blurred);
