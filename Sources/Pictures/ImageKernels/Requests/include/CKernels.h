#pragma once

// The kernels of resampling: one request struct per pass, and the table that holds the kernels of one instruction set.
//
// These are C structs because Swift emits no metadata for them. Metadata would be weak symbols in the modules that are
// compiled for one instruction set, see Scripts/dev/check-kernels.
//
// Kernels check nothing. Counts are samples, offsets and strides are bytes, unless the comment says otherwise.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ColourPasses.h"

#pragma clang assume_nonnull begin

/// Addresses of rows that are read.
typedef const void *_Nonnull const *_Nonnull RowAddresses;
/// Addresses of rows that are written.
typedef void *_Nonnull const *_Nonnull OutputAddresses;

/// The vertical pass from 8-bit samples into up to four target rows of 16-bit samples.
typedef struct VerticalPass8 {
  /// Source rows, or rows that `interleaveRows8` or `premultiplyPairs8` made; readable for `count` samples from
  /// `offset` on.
  RowAddresses rows;
  /// The first sample's distance from the rows' addresses.
  ptrdiff_t offset;
  /// For each target row, the first of its groups of rows and the end; neither ever goes back.
  const int32_t *ranges;
  /// For each target row, the coefficients of its groups.
  const void *coefficients;
  /// The distance from one target row's coefficients to the next row's.
  ptrdiff_t stride;
  /// The number of target rows, 1 to 4 (of products: up to 8).
  ptrdiff_t targets;
  /// A multiple of 128 (of products: of 64). Outputs have room for as many 16-bit samples.
  ptrdiff_t count;
  /// Fraction bits to drop, 1 to 16.
  ptrdiff_t shift;
  /// With four bands, pixels are stored two by two, as `pairPixels` stores them.
  ptrdiff_t bands;
  /// The target rows.
  OutputAddresses outputs;
  /// Rows of which `count` bytes from `aheadOffset` on are soon needed: prefetched meanwhile.
  RowAddresses ahead;
  ptrdiff_t aheadCount;
  ptrdiff_t aheadOffset;
} VerticalPass8;

/// The products of colour and alpha of pairs of rows of 8-bit pixels with four bands.
typedef struct PairProducts {
  /// Two rows for each pair.
  RowAddresses rows;
  /// The number of pairs.
  ptrdiff_t pairs;
  /// The first sample's distance from the rows' addresses.
  ptrdiff_t offset;
  /// A multiple of 64.
  ptrdiff_t count;
  /// The distance from what is read now to what is needed next in all rows: prefetched meanwhile.
  ptrdiff_t ahead;
  /// Room for `4 * count` bytes for each pair.
  RowAddresses outputs;
} PairProducts;

/// The horizontal pass over rows of 16-bit samples that `pairPixels` made, four bands a pixel.
typedef struct HorizontalPass {
  /// Readable for `taps` pixels of 8 bytes from each start.
  RowAddresses rows;
  /// For each row, the address of its first target pixel.
  OutputAddresses outputs;
  /// The number of rows. Four at a time share the work on coefficients.
  ptrdiff_t rowCount;
  /// For each target pixel, its first source pixel, an even number.
  const int32_t *starts;
  /// For each target pixel, `taps` coefficients.
  const int16_t *coefficients;
  /// A multiple of 4.
  ptrdiff_t taps;
  /// The number of target pixels.
  ptrdiff_t count;
  /// Fraction bits to drop, at least 1; unused by `filterPixelsIntoLanes`.
  ptrdiff_t shift;
  /// The distance from one target pixel to the next. Four samples are written for each, from left to right.
  ptrdiff_t step;
  /// The factor and the summand that `filterPixelsIntoLanes` applies.
  float scale;
  float middle;
} HorizontalPass;

/// The vertical pass from 16-bit samples into one target row, or into two that share their source rows.
typedef struct VerticalPass16 {
  /// `taps` rows (`filterRowSums16`: twice as many).
  RowAddresses rows;
  /// `taps` coefficients.
  const int16_t *coefficients;
  /// An even number.
  ptrdiff_t taps;
  /// A multiple of 64.
  ptrdiff_t count;
  /// Fraction bits to drop, at least 1.
  ptrdiff_t shift;
  /// Room for `count` samples.
  void *output;
  /// The coefficients and the room of a second target row, or null; unused by `filterRowSums16`.
  const int16_t *_Nullable nextCoefficients;
  void *_Nullable nextOutput;
} VerticalPass16;

/// The vertical pass over rows of floats into one row: `output[i] = Σ weights[k] rows[k][i]`, in the order of `k`.
typedef struct VerticalPassFloat {
  RowAddresses rows;
  const float *weights;
  ptrdiff_t taps;
  /// Floats, a multiple of 64.
  ptrdiff_t count;
  void *output;
} VerticalPassFloat;

/// The horizontal pass over rows of lanes, four floats a pixel.
typedef struct HorizontalPassFloat {
  /// Readable, and finite, for `taps` pixels from each start.
  RowAddresses rows;
  /// For each row, the address of its first target pixel.
  OutputAddresses outputs;
  /// The number of rows. Four at a time share the work on weights.
  ptrdiff_t rowCount;
  /// For each target pixel, its first source pixel.
  const int32_t *starts;
  /// For each target pixel, `taps` weights.
  const float *weights;
  /// A multiple of 4.
  ptrdiff_t taps;
  /// The number of target pixels.
  ptrdiff_t count;
} HorizontalPassFloat;

/// The vertical pass over a block of columns of integer samples into several target rows of floats.
typedef struct VerticalPassIntoFloats {
  /// Source rows, readable for `count` samples from `offset` on.
  RowAddresses rows;
  /// The first sample's distance from the rows' addresses.
  ptrdiff_t offset;
  /// A multiple of 64.
  ptrdiff_t count;
  /// For each target row, the first of its rows and the end; neither ever goes back.
  const int32_t *ranges;
  /// For each target row, `taps` weights; for `filterWideRows` whole multiples of 2^-24 up to 1.
  const float *weights;
  ptrdiff_t taps;
  /// The number of target rows: 1 to 4, for `filterWideRows` 1 to 8.
  ptrdiff_t targets;
  /// Room for `count` floats of each target row, `stride` bytes apart; for `filterWideRows` of eight rows, all of which
  /// hold finite numbers before.
  void *output;
  ptrdiff_t stride;
  /// For `filterWideRows`, room for the same `8 * count` floats interleaved: eight floats for each sample.
  void *_Nullable interleaved;
  /// Rows of which bytes `aheadFirst..<aheadEnd` are soon needed: prefetched meanwhile.
  RowAddresses ahead;
  ptrdiff_t aheadCount;
  ptrdiff_t aheadFirst;
  ptrdiff_t aheadEnd;
} VerticalPassIntoFloats;

/// The horizontal pass over eight interleaved rows of floats into eight interleaved rows of 16-bit samples.
typedef struct HorizontalPassOfEight {
  /// Eight floats for each sample, one of each row; readable, and finite, for `taps` pixels from each start.
  const void *lanes;
  ptrdiff_t bands;
  /// The source pixel that `lanes` begins with.
  ptrdiff_t origin;
  /// For each target pixel, its first source pixel.
  const int32_t *starts;
  /// For each target pixel, `taps` weights: whole multiples of 2^-24 up to 1.
  const float *weights;
  /// A multiple of 4.
  ptrdiff_t taps;
  /// The target pixels that are written: `first..<first + count`.
  ptrdiff_t first;
  ptrdiff_t count;
  /// The address of target pixel 0.
  void *output;
} HorizontalPassOfEight;

/// Points of a picture of four lanes a pixel, each given as a whole pixel and a phase.
typedef struct PointSampling {
  const void *frame;
  /// Bytes of a lane, 1 or 2.
  ptrdiff_t laneBytes;
  /// The distance from one row of `frame` to the next.
  ptrdiff_t stride;
  /// For each point, the distance from `frame` to its first tap.
  const ptrdiff_t *offsets;
  /// For each point, the phase across and the phase down.
  const int32_t *phases;
  /// For each phase, `taps` weights across.
  const float *across;
  /// For each phase, `taps` weights down.
  const float *down;
  /// 2, 4 or 6.
  ptrdiff_t taps;
  /// The number of points.
  ptrdiff_t count;
  /// Four floats a point.
  void *output;
} PointSampling;

/// The medians of squares of samples, for one row.
typedef struct MedianPass {
  /// `side` rows that begin with the leftmost sample of the first square; readable for `byteCount`, for the neighbours
  /// across, and for 64 bytes more.
  RowAddresses rows;
  /// The side of the squares: 3 or 5.
  ptrdiff_t side;
  /// 1 or 2.
  ptrdiff_t sampleBytes;
  /// The distance from a sample to its neighbour across, at most 8.
  ptrdiff_t pixelBytes;
  /// Bytes of the result; no others are written.
  ptrdiff_t byteCount;
  /// Room for 12 KB.
  void *scratch;
  void *output;
} MedianPass;

/// Detail that is added in place to the samples of a row.
typedef struct DetailPass {
  void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// Samples of a pixel.
  ptrdiff_t bands;
  /// 1 or 2.
  ptrdiff_t sampleBytes;
  /// For each of the `8 * bands` samples of eight pixels, the pixel that it belongs to, from 0 to 7; less than 0 for
  /// samples that stay.
  const int32_t *places;
  /// A float for each pixel, and the same one blurred.
  const float *luma;
  const float *blurred;
  float amount;
  float threshold;
} DetailPass;

/// The luma of a row.
typedef struct LumaPass {
  const void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// Samples of a pixel, 3 or 4.
  ptrdiff_t bands;
  /// 1 or 2.
  ptrdiff_t sampleBytes;
  /// Room for `count` floats.
  float *output;
} LumaPass;

/// The kernels of one instruction set. All sets give the same bytes.
typedef struct __attribute__((swift_attr("@Sendable"))) ResampleKernels {
  /// The number of source rows in a group of `filterRows8`: 4 that `interleaveRows8` interleaved, or 2 as they are.
  ptrdiff_t rowsTogether;
  /// The number of neighbouring target pixels that had best begin with the same source pixel.
  ptrdiff_t pixelsTogether;

  /// Interleaves four rows of 8-bit samples, four bytes a column, in an order of the set's own; null where `filterRows8`
  /// interleaves pairs itself. `count` is a multiple of 128; `output` has room for `4 * count` bytes.
  void (*_Nullable interleaveRows8)(RowAddresses rows, ptrdiff_t count, void *output);
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half) >> shift`, saturated.
  ///
  /// Coefficients of a pair are two 16-bit numbers. Those of four rows are four high parts, then four low ones, signed
  /// bytes: `256 high + low`.
  void (*filterRows8)(const VerticalPass8 *pass);
  /// Interleaves pixels two by two: 16-bit samples as `r0 r1 g0 g1 b0 b1 x x`, 16 bytes a pair.
  ///
  /// Four lanes are filled whatever the bands: with 3 or 4 bands from one row, with 2 bands from two rows, with 1 band
  /// from four rows. Rows are readable 64 bytes past the last pair. `pairs` is even; `output` has room for two more.
  void (*pairPixels)(RowAddresses rows, ptrdiff_t bands, ptrdiff_t pairs, void *output);
  /// `output[step x + band] = clamp((Σ coefficients[x taps + k] row[starts[x] + k][band] + half) >> shift)`, 8 bits.
  void (*filterPixels8)(const HorizontalPass *pass);
  /// The same into 16-bit samples, saturated.
  void (*filterPixels16)(const HorizontalPass *pass);
  /// The same sums into floats: `output[x] = scale Σ + middle`, product and sum rounded apart.
  void (*filterPixelsIntoLanes)(const HorizontalPass *pass);

  /// `output[i] = clamp((Σ coefficients[k] rows[k][i] + half) >> shift)`, 8 bits.
  void (*filterRows16)(const VerticalPass16 *pass);
  /// `output[i] = (Σ coefficients[k] (rows[2k][i] + rows[2k + 1][i]) + half) >> shift`, 16 bits, saturated. The sums of
  /// two samples fit 16 bits.
  void (*filterRowSums16)(const VerticalPass16 *pass);

  /// Multiplies colours by alpha, and alpha by 255, halves the products, and interleaves the two rows of each pair, four
  /// bytes a column, in an order of the set's own.
  void (*premultiplyPairs8)(const PairProducts *products);
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half - (16256 << shift)) >> shift` of such pairs; results fit 16 bits.
  void (*filterPremultipliedPairs8)(const VerticalPass8 *pass);
  /// Whether the last lane of any pixel, of four floats, is at least `least` and less than `most`, both above 0.
  /// `count` is pixels, a multiple of 4.
  bool (*hasFaintPixels)(const void *lanes, ptrdiff_t count, float least, float most);

  /// Converts samples to floats of the same value; colours are multiplied by alpha: `colour × (alpha × (1 / top))`.
  /// `count` is a multiple of 64; `bands` is 4 or 2 where the last of as many bands is alpha, else 0.
  void (*floatSamples8)(const void *samples, ptrdiff_t count, ptrdiff_t bands, void *output);
  void (*floatSamples16)(const void *samples, ptrdiff_t count, ptrdiff_t bands, void *output);
  /// Spreads floats over four lanes a pixel: pixels of 3 bands from one row, whose fourth lane is what follows them, of
  /// 2 bands from two rows, of 1 band from four rows.
  ///
  /// `first` and `count` are pixels; rows and `output` have room for a multiple of 4, and rows for 16 bytes more.
  void (*spreadLanes)(RowAddresses rows, ptrdiff_t bands, ptrdiff_t first, ptrdiff_t count, void *output);
  /// The vertical pass over floats.
  void (*filterRowsFloat)(const VerticalPassFloat *pass);
  /// `output[x] = Σ weights[x taps + k] row[starts[x] + k]`, even and odd taps in four interleaved sums.
  void (*filterPixelsFloat)(const HorizontalPassFloat *pass);
  /// Converts lanes to samples: divides colours by alpha, rounds to nearest, clamps. Pixels whose alpha rounds to 0
  /// become 0.
  /// `count` is pixels, a multiple of 4; `bands` is 4 or 2 where the last of as many lanes is alpha, else 0.
  void (*storeLanes8)(const void *lanes, ptrdiff_t count, ptrdiff_t bands, void *output);
  void (*storeLanes16)(const void *lanes, ptrdiff_t count, ptrdiff_t bands, void *output);

  /// Filters 8-bit pixels of four bands, the last of which is alpha: `Σ weight × (colour × alpha)`, times 1 / 255, and
  /// `Σ weight × alpha`, products and sums rounded apart, in the order of the rows.
  void (*filterPremultipliedRows8)(const VerticalPassIntoFloats *pass);
  /// Filters 16-bit samples into floats less 32,768, rounded to 64ths, and interleaves eight target rows.
  ///
  /// Each sum begins at -32,768 and adds the products in the order of the rows, each by one fused step.
  void (*filterWideRows)(const VerticalPassIntoFloats *pass);
  /// `output[x] = clamp(round(32768 + Σ weights[x taps + k] lanes[starts[x] - origin + k]))`, eight of each sample.
  ///
  /// Sums run over the even taps, from 32,768.5 on, and over the odd ones, from 0 on, by fused steps; both are added at
  /// the end, and truncated.
  void (*filterEightRows16)(const HorizontalPassOfEight *pass);
  /// Splits samples `first..<first + count` of eight interleaved rows.
  void (*splitEightRows16)(const void *samples, ptrdiff_t first, ptrdiff_t count, OutputAddresses outputs);

  /// `output[i] = Σj down[phaseY[i], j] Σk across[phaseX[i], k] pixel(x[i] + k, y[i] + j)`, even and odd `k` summed
  /// apart.
  void (*samplePoints)(const PointSampling *points);

  /// Interpolates colours among the four corners of a tetrahedron, and along the fourth band between two of those.
  ///
  /// `P0 (1 - a) + P1 (a - b) + P2 (b - c) + P3 c` from left to right, where a, b and c are the fractions from the
  /// largest to the least; `low + (high - low) rest`; clamped, and rounded to nearest, ties to even.
  void (*sampleColours)(const ColourSampling *sampling);

  /// Sums the parts of a pixel's samples, and takes the levels of the sums.
  void (*convertMatrix8)(const MatrixPass8 *pass);
  /// `levels[65535 √clamp(Σ columns[band] light[band][sample])]`: the sum from left to right, the index rounded to
  /// nearest, ties to even.
  void (*convertMatrix16)(const MatrixPass16 *pass);
  /// Maps pixels as `ToneKernels` describes it. Tables are interpolated: `a + (b - a) rest`.
  void (*mapTones)(const TonePass *pass);

  /// `output[i]` = the median of `rows[k][i + j]` for all rows `k` and neighbours `j` across, from 0 to below `side`.
  void (*median)(const MedianPass *pass);

  // Null where the plain loops of `ColourKernels`, `SharpenKernels` and `ConvolutionKernels` are as fast as it gets.

  /// Changes colours, as `LabTransform` describes it.
  void (*_Nullable transformLab)(const LabPass *pass);
  /// Adds `amount * (max(0, d - threshold) + min(0, d + threshold))` to samples, where d is `luma - blurred`; clamps, and
  /// rounds to nearest, ties to even.
  void (*_Nullable addDetail)(const DetailPass *pass);
  /// `output[x] = 0.2126 red + 0.7152 green + 0.0722 blue`, from left to right.
  void (*_Nullable widenLuma)(const LumaPass *pass);
} ResampleKernels;

#pragma clang assume_nonnull end
