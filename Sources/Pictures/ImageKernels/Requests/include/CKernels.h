#pragma once

// The kernels of an instruction set, as a table of functions, and the request struct of each kernel.
//
// These are C structs because Swift emits no metadata for them. In the modules that are compiled for one instruction
// set, metadata would be weak symbols, which the linker could share with other modules (see Scripts/dev/check-kernels).
//
// Kernels do not check their arguments. Counts are in samples, offsets, distances and strides in bytes, unless stated
// otherwise.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ColourPasses.h"

#pragma clang assume_nonnull begin

/// Addresses of rows that are read.
typedef const void *_Nonnull const *_Nonnull RowAddresses;
/// Addresses of rows that are written.
typedef void *_Nonnull const *_Nonnull OutputAddresses;

/// The vertical pass from 8-bit samples, or from their products with alpha, into target rows of 16-bit samples.
typedef struct VerticalPass8 {
  /// Source rows, or rows made by `interleaveRows8` or `premultiplyPairs8`; readable for `count` samples from `offset`.
  RowAddresses rows;
  /// The distance of the first sample from the rows' addresses.
  ptrdiff_t offset;
  /// For each target row, the index of its first group of rows, and the index after its last group. Neither index
  /// decreases from row to row.
  const int32_t *ranges;
  /// For each target row, the coefficients of its groups.
  const void *coefficients;
  /// The distance from one target row's coefficients to the next row's.
  ptrdiff_t stride;
  /// The number of target rows: 1 to 4, or 1 to 8 for `filterPremultipliedPairs8`.
  ptrdiff_t targets;
  /// The number of samples: a multiple of 128, or of 64 for `filterPremultipliedPairs8`. Outputs have room for as many
  /// 16-bit samples.
  ptrdiff_t count;
  /// The number of fraction bits to drop, 1 to 16.
  ptrdiff_t shift;
  /// The number of bands. Pixels of four bands are stored in pairs, as by `pairPixels`.
  ptrdiff_t bands;
  OutputAddresses outputs;
  /// Rows that will soon be needed: `count` bytes from `aheadOffset` are prefetched.
  RowAddresses ahead;
  ptrdiff_t aheadCount;
  ptrdiff_t aheadOffset;
} VerticalPass8;

/// The multiplication of colours by alpha, for pairs of rows of 8-bit pixels with four bands.
typedef struct PairProducts {
  /// Two rows for each pair.
  RowAddresses rows;
  ptrdiff_t pairs;
  /// The distance of the first sample from the rows' addresses.
  ptrdiff_t offset;
  /// The number of samples, a multiple of 64.
  ptrdiff_t count;
  /// The distance from the current samples of each row to those that are prefetched.
  ptrdiff_t ahead;
  /// For each pair, a row with room for `4 * count` bytes.
  RowAddresses outputs;
} PairProducts;

/// The horizontal pass over rows of 16-bit samples made by `pairPixels`, with four bands per pixel.
typedef struct HorizontalPass {
  /// Rows, readable for `taps` pixels of 8 bytes from each start.
  RowAddresses rows;
  /// For each row, the address of its first target pixel.
  OutputAddresses outputs;
  /// The number of rows. Each group of four loads the coefficients once.
  ptrdiff_t rowCount;
  /// For each target pixel, its first source pixel, an even number.
  const int32_t *starts;
  /// For each target pixel, `taps` coefficients.
  const int16_t *coefficients;
  /// The number of taps, a multiple of 4.
  ptrdiff_t taps;
  /// The number of target pixels.
  ptrdiff_t count;
  /// The number of fraction bits to drop, at least 1; unused by `filterPixelsIntoLanes`.
  ptrdiff_t shift;
  /// The distance from one target pixel to the next. Four samples are written for each pixel, from left to right, so
  /// the next pixel overwrites those beyond `step`.
  ptrdiff_t step;
  /// The factor for the sums of `filterPixelsIntoLanes`, and the number that is then added.
  float scale;
  float middle;
} HorizontalPass;

/// The vertical pass from 16-bit samples into one target row, or into two with the same source rows.
typedef struct VerticalPass16 {
  /// The source rows: `taps` of them, or `2 * taps` for `filterRowSums16`.
  RowAddresses rows;
  /// The coefficients: `taps` of them.
  const int16_t *coefficients;
  /// The number of taps, an even number.
  ptrdiff_t taps;
  /// The number of samples, a multiple of 64.
  ptrdiff_t count;
  /// The number of fraction bits to drop, at least 1.
  ptrdiff_t shift;
  /// The target row, with room for `count` samples.
  void *output;
  /// The coefficients of a second target row, and the row itself, or null; unused by `filterRowSums16`.
  const int16_t *_Nullable nextCoefficients;
  void *_Nullable nextOutput;
} VerticalPass16;

/// The vertical pass over rows of floats into one row: `output[i] = Σ weights[k] rows[k][i]`, added in the order of
/// `k`.
typedef struct VerticalPassFloat {
  RowAddresses rows;
  const float *weights;
  ptrdiff_t taps;
  /// The number of floats, a multiple of 64.
  ptrdiff_t count;
  void *output;
} VerticalPassFloat;

/// The horizontal pass over rows of lanes, four floats per pixel.
typedef struct HorizontalPassFloat {
  /// Rows, readable and finite for `taps` pixels from each start.
  RowAddresses rows;
  /// For each row, the address of its first target pixel.
  OutputAddresses outputs;
  /// The number of rows. Each group of four loads the weights once.
  ptrdiff_t rowCount;
  /// For each target pixel, its first source pixel.
  const int32_t *starts;
  /// For each target pixel, `taps` weights.
  const float *weights;
  /// The number of taps, a multiple of 4.
  ptrdiff_t taps;
  /// The number of target pixels.
  ptrdiff_t count;
} HorizontalPassFloat;

/// The vertical pass over a block of columns of integer samples into several target rows of floats.
typedef struct VerticalPassIntoFloats {
  /// Source rows, readable for `count` samples from `offset`.
  RowAddresses rows;
  /// The distance of the first sample from the rows' addresses.
  ptrdiff_t offset;
  /// The number of samples, a multiple of 64.
  ptrdiff_t count;
  /// For each target row, the index of its first source row, and the index after its last source row. Neither index
  /// decreases from row to row.
  const int32_t *ranges;
  /// For each target row, `taps` weights; for `filterWideRows`, multiples of 2^-24 up to 1.
  const float *weights;
  ptrdiff_t taps;
  /// The number of target rows: 1 to 4, or 1 to 8 for `filterWideRows`.
  ptrdiff_t targets;
  /// The target rows: `count` floats each, `stride` bytes apart. For `filterWideRows`, this is memory for eight rows
  /// of finite floats, because rows beyond `targets` are interleaved, too.
  void *output;
  ptrdiff_t stride;
  /// For `filterWideRows`, room for the `8 * count` floats in interleaved form: eight floats for each sample.
  void *_Nullable interleaved;
  /// Rows that will soon be needed: bytes `aheadFirst..<aheadEnd` are prefetched.
  RowAddresses ahead;
  ptrdiff_t aheadCount;
  ptrdiff_t aheadFirst;
  ptrdiff_t aheadEnd;
} VerticalPassIntoFloats;

/// The horizontal pass over eight interleaved rows of floats into eight interleaved rows of 16-bit samples.
typedef struct HorizontalPassOfEight {
  /// Eight floats for each sample, one from each row; readable and finite for `taps` pixels from each start.
  const void *lanes;
  ptrdiff_t bands;
  /// The source pixel at which `lanes` begins.
  ptrdiff_t origin;
  /// For each target pixel, its first source pixel.
  const int32_t *starts;
  /// For each target pixel, `taps` weights: multiples of 2^-24 up to 1.
  const float *weights;
  /// The number of taps, a multiple of 4.
  ptrdiff_t taps;
  /// The target pixels to write: `first..<first + count`.
  ptrdiff_t first;
  ptrdiff_t count;
  /// The address of target pixel 0.
  void *output;
} HorizontalPassOfEight;

/// The sampling of a picture with four lanes per pixel. A position consists of a pixel and, for each direction, a
/// phase: the position between two pixels.
typedef struct PointSampling {
  const void *frame;
  /// The bytes per lane, 1 or 2.
  ptrdiff_t laneBytes;
  /// The distance from one row of `frame` to the next.
  ptrdiff_t stride;
  /// For each point, the distance from `frame` to its first tap.
  const ptrdiff_t *offsets;
  /// For each point, the horizontal and the vertical phase.
  const int32_t *phases;
  /// For each phase, `taps` horizontal weights.
  const float *across;
  /// For each phase, `taps` vertical weights.
  const float *down;
  /// The number of taps: 2, 4 or 6.
  ptrdiff_t taps;
  /// The number of points.
  ptrdiff_t count;
  /// Four floats for each point.
  void *output;
} PointSampling;

/// The medians of the squares around the samples of one row.
typedef struct MedianPass {
  /// The `side` source rows, each from the leftmost sample of the first square; readable for `byteCount` bytes, for the
  /// horizontal neighbours, and for 64 more bytes.
  RowAddresses rows;
  /// The side of the squares: 3 or 5.
  ptrdiff_t side;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The distance from a sample to its horizontal neighbour, at most 8.
  ptrdiff_t pixelBytes;
  /// The number of bytes of the result; no others are written.
  ptrdiff_t byteCount;
  /// Scratch memory of 12 KiB.
  void *scratch;
  void *output;
} MedianPass;

/// The addition of detail to the samples of a row in place. Detail is the difference between the luma and the blurred
/// luma.
typedef struct DetailPass {
  void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// The number of samples per pixel.
  ptrdiff_t bands;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// For each of the `8 * bands` samples of eight pixels, the index of its pixel, 0 to 7; negative if the sample is not
  /// to be changed.
  const int32_t *places;
  /// The luma and the blurred luma of each pixel.
  const float *luma;
  const float *blurred;
  float amount;
  float threshold;
} DetailPass;

/// The computation of the luma of each pixel of a row.
typedef struct LumaPass {
  const void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// The number of samples per pixel, 3 or 4.
  ptrdiff_t bands;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The result, with room for `count` floats.
  float *output;
} LumaPass;

/// The kernels of one instruction set. All sets give the same bytes.
typedef struct __attribute__((swift_attr("@Sendable"))) ResampleKernels {
  /// The number of source rows in a group of `filterRows8`: 4 rows interleaved by `interleaveRows8`, or 2 separate
  /// rows.
  ptrdiff_t rowsTogether;
  /// The number of neighbouring target pixels that should begin with the same source pixel, which is then loaded once.
  ptrdiff_t pixelsTogether;

  /// Interleaves four rows of 8-bit samples, four bytes per column, in an order specific to the instruction set; null
  /// if `filterRows8` interleaves pairs itself. `count` is a multiple of 128; `output` has room for `4 * count` bytes.
  void (*_Nullable interleaveRows8)(RowAddresses rows, ptrdiff_t count, void *output);
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half) >> shift`, saturated.
  ///
  /// The coefficients of a pair of rows are two 16-bit numbers. Those of four rows, `256 high + low`, are stored as
  /// four signed bytes `high`, followed by four signed bytes `low`.
  void (*filterRows8)(const VerticalPass8 *pass);
  /// Interleaves pixels in pairs: 16-bit samples as `r0 r1 g0 g1 b0 b1 x x`, 16 bytes per pair.
  ///
  /// Four lanes are filled for any number of bands: with 3 or 4 bands from one row, with 2 bands from two rows, with 1
  /// band from four rows. Rows must be readable 64 bytes past the last pair. `pairs` is even; `output` has room for two
  /// more pairs.
  void (*pairPixels)(RowAddresses rows, ptrdiff_t bands, ptrdiff_t pairs, void *output);
  /// `output[step x + band] = clamp((Σ coefficients[x taps + k] row[starts[x] + k][band] + half) >> shift)`, 8 bits.
  void (*filterPixels8)(const HorizontalPass *pass);
  /// Computes the same as `filterPixels8`, but as 16-bit samples, saturated.
  void (*filterPixels16)(const HorizontalPass *pass);
  /// Converts the sums of `filterPixels8`, without `half`, to floats: `output[x] = scale Σ + middle`. The product and
  /// the sum are rounded separately.
  void (*filterPixelsIntoLanes)(const HorizontalPass *pass);

  /// `output[i] = clamp((Σ coefficients[k] rows[k][i] + half) >> shift)`, 8 bits.
  void (*filterRows16)(const VerticalPass16 *pass);
  /// `output[i] = (Σ coefficients[k] (rows[2k][i] + rows[2k + 1][i]) + half) >> shift`, 16 bits, saturated. The sum of
  /// two samples must fit into 16 bits.
  void (*filterRowSums16)(const VerticalPass16 *pass);

  /// Multiplies colours by alpha, and alpha by 255, halves the products, and interleaves the two rows of each pair,
  /// four bytes per column, in an order specific to the instruction set.
  void (*premultiplyPairs8)(const PairProducts *products);
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half - (16256 << shift)) >> shift` for pairs made by
  /// `premultiplyPairs8`; results fit into 16 bits.
  void (*filterPremultipliedPairs8)(const VerticalPass8 *pass);
  /// Returns whether any pixel has a value from `least` to below `most` in the last of its four lanes; both are
  /// positive. `count` is the number of pixels, a multiple of 4.
  bool (*hasFaintPixels)(const void *lanes, ptrdiff_t count, float least, float most);

  /// Converts samples to floats of the same value; colours are multiplied by alpha: `colour × (alpha × (1 / top))`.
  /// `count` is a multiple of 64; `bands` is 4 or 2 for pixels with alpha, which is their last band, else 0.
  void (*floatSamples8)(const void *samples, ptrdiff_t count, ptrdiff_t bands, void *output);
  void (*floatSamples16)(const void *samples, ptrdiff_t count, ptrdiff_t bands, void *output);
  /// Distributes floats over four lanes per pixel: the bands of a pixel from one row with 3 bands, from two rows with 2
  /// bands, from four rows with 1 band. With 3 bands, the fourth lane is the float that follows the pixel.
  ///
  /// `first` and `count` are in pixels; rows and `output` have room for a multiple of 4 pixels, and rows for 16 bytes
  /// more.
  void (*spreadLanes)(RowAddresses rows, ptrdiff_t bands, ptrdiff_t first, ptrdiff_t count, void *output);
  /// The vertical pass over floats.
  void (*filterRowsFloat)(const VerticalPassFloat *pass);
  /// `output[x] = Σ weights[x taps + k] row[starts[x] + k]`, as four interleaved sums, which are added at the end.
  void (*filterPixelsFloat)(const HorizontalPassFloat *pass);
  /// Converts lanes to samples: divides colours by alpha, rounds to nearest, clamps. Pixels whose alpha rounds to 0
  /// become 0. `count` is the number of pixels, a multiple of 4; `bands` is 4 or 2 for pixels with alpha, which is the
  /// last of that many lanes, else 0.
  void (*storeLanes8)(const void *lanes, ptrdiff_t count, ptrdiff_t bands, void *output);
  void (*storeLanes16)(const void *lanes, ptrdiff_t count, ptrdiff_t bands, void *output);

  /// Filters 8-bit pixels of three colour bands and alpha: `(1 / 255) Σ weight × (colour × alpha)` and
  /// `Σ weight × alpha`. Products and sums are rounded separately, in the order of the rows.
  void (*filterPremultipliedRows8)(const VerticalPassIntoFloats *pass);
  /// Filters 16-bit samples into floats, subtracts 32,768, rounds to 64ths, and interleaves eight target rows.
  ///
  /// Each sum starts at -32,768 and adds the products in the order of the rows, each with one fused operation.
  void (*filterWideRows)(const VerticalPassIntoFloats *pass);
  /// `output[x] = clamp(round(32768 + Σ weights[x taps + k] lanes[starts[x] - origin + k]))`, for eight rows.
  ///
  /// The sums over even taps start at 32,768.5, and those over odd taps at 0. Both use fused operations. At the end,
  /// the two are added and truncated.
  void (*filterEightRows16)(const HorizontalPassOfEight *pass);
  /// Separates samples `first..<first + count` of eight interleaved rows.
  void (*splitEightRows16)(const void *samples, ptrdiff_t first, ptrdiff_t count, OutputAddresses outputs);

  /// `output[i] = Σj down[phaseY[i], j] Σk across[phaseX[i], k] pixel(x[i] + k, y[i] + j)`, with even and odd `k`
  /// summed separately.
  void (*samplePoints)(const PointSampling *points);

  /// Interpolates three bands between the four corners of a tetrahedron. A fourth band is interpolated linearly between
  /// two such results, `low` and `high`.
  ///
  /// Computes `P0 (1 - a) + P1 (a - b) + P2 (b - c) + P3 c` from left to right, where a, b and c are the fractions in
  /// descending order, then `low + (high - low) rest`; clamps, and rounds to nearest, ties to even.
  void (*sampleColours)(const ColourSampling *sampling);

  /// Adds the packed contributions of a pixel's samples, and looks up the level of each sum.
  void (*convertMatrix8)(const MatrixPass8 *pass);
  /// `levels[65535 √clamp(Σ columns[band] light[band][sample])]`: the sum runs from left to right, and the index is
  /// rounded to nearest, ties to even.
  void (*convertMatrix16)(const MatrixPass16 *pass);
  /// Maps pixels as described by `ToneKernels`. Tables are interpolated: `a + (b - a) rest`.
  void (*mapTones)(const TonePass *pass);

  /// `output[i]` is the median of `side * side` samples: of sample `i` and its next `side - 1` horizontal neighbours in
  /// each of the `side` rows.
  void (*median)(const MedianPass *pass);

  // The following are null if the plain loops of `ColourKernels`, `SharpenKernels` and `ConvolutionKernels` are as
  // fast.

  /// Changes colours as described by `LabTransform`.
  void (*_Nullable transformLab)(const LabPass *pass);
  /// Adds `amount * (max(0, d - threshold) + min(0, d + threshold))` to samples, where d is `luma - blurred`; clamps,
  /// and rounds to nearest, ties to even.
  void (*_Nullable addDetail)(const DetailPass *pass);
  /// `output[x] = 0.2126 red + 0.7152 green + 0.0722 blue`, added from left to right.
  void (*_Nullable widenLuma)(const LumaPass *pass);
} ResampleKernels;

#pragma clang assume_nonnull end
