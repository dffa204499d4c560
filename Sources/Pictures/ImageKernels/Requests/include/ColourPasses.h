#pragma once

// The requests of passes over colours: see CKernels.h.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// A conversion of pixels with three or four bands through a grid of sampled colours.
typedef struct ColourSampling {
  const void *source;
  void *output;
  /// The number of pixels.
  ptrdiff_t count;
  /// The numbers of colour bands: of the source, 3 or 4, and of the target, 1, 3 or 4.
  ptrdiff_t sourceBands;
  ptrdiff_t targetBands;
  /// The numbers of samples per pixel of the source and of the target, including alpha, which is the last sample.
  ptrdiff_t sourceSamples;
  ptrdiff_t outputSamples;
  bool hasAlpha;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The levels of the target at each point of the grid, as four floats. From point to point, the first band of the
  /// source changes fastest; with four bands, the fourth band changes fastest, then the first.
  const void *points;
  /// The number of points in each direction, at most 40 with four bands.
  ptrdiff_t steps;
  /// The number of grid steps per sample level.
  float scale;
  /// The distances, in bytes, from the first corner of a cell to the other corners of the tetrahedron that contains the
  /// colour: for each of eight orders of the fractions x, y and z, the distances to the two middle corners; then, for
  /// all orders, the distance to the last corner. In the number of an order, bit 0 is set if x >= y, bit 1 if y >= z,
  /// and bit 2 if z >= x.
  const int32_t *corners;
} ColourSampling;

/// A conversion of 8-bit pixels in place, by a matrix with integer sums.
typedef struct MatrixPass8 {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// The number of samples per pixel: 3, or 4 with alpha, which is unchanged.
  ptrdiff_t bands;
  /// The contributions of each value of red, then of green, then of blue, to the result. A contribution is packed into
  /// 64 bits: from the lowest bit, 21 bits for red, 21 for green and 21 for blue. The highest bit is 0.
  const uint64_t *parts;
  /// The levels of red, green and blue, indexed by the upper bits of their sums.
  const uint8_t *_Nonnull levels[3];
  /// The number of low bits of a sum that are dropped.
  ptrdiff_t levelShift;
} MatrixPass8;

/// A conversion of 16-bit pixels in place: by a curve for each band, a matrix, and another curve for each band.
typedef struct MatrixPass16 {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// The number of samples per pixel: 3, or 4 with alpha, which is unchanged.
  ptrdiff_t bands;
  /// The light of every sample value of red, green and blue.
  const float *_Nonnull light[3];
  /// For each source band, the contributions of one unit of its light to red, green and blue of the result, and a
  /// fourth number, which is ignored.
  const float *columns;
  /// The levels of red, green and blue for 65,536 values of light: entry i is for the light `(i / 65,535)²`.
  const uint16_t *_Nonnull levels[3];
} MatrixPass16;

/// Tone mapping of HDR pixels in place.
typedef struct TonePass {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// The number of samples per pixel; samples after the colours are unchanged.
  ptrdiff_t bands;
  /// The number of colour bands, 1 or 3.
  ptrdiff_t colours;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The light at 4,096 equal steps of the sample's range, at the end of the range, and one more number.
  const float *light;
  /// For each source band, the contributions of one unit of its light to red, green and blue of the result, and to the
  /// luminance; unused for one colour.
  const float *columns;
  /// The factor from the light of the scene to that of a screen, as a function of luminance; null if samples already
  /// describe the light of a screen.
  ///
  /// This curve and the next two have arguments from 0 to 1: 512 numbers for each octave from 2^-24, the number at 1,
  /// and one more number, which interpolation reads.
  const float *_Nullable scene;
  /// The factor that maps a pixel to the target's range, as a function of the light of its brightest colour band,
  /// divided by 16.
  const float *gain;
  /// The encoded value, from 0 to 1, as a function of light.
  const float *encoded;
} TonePass;

/// A change of sRGB pixels in place, in CIE L\*a\*b\*.
typedef struct LabPass {
  void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// The number of samples per pixel: 3, or 4 with alpha, which is unchanged.
  ptrdiff_t bands;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The linear light of every sample value.
  const float *decode;
  /// The encoded values of light at `encodeSteps` equal steps from 0 to 1, at 1, and one more value.
  const float *encode;
  ptrdiff_t encodeSteps;
  /// The lightness becomes `lightness * scale + shift`, (a, b) becomes `(a cosine - b sine, a sine + b cosine)`.
  float scale;
  float shift;
  float cosine;
  float sine;
} LabPass;

#pragma clang assume_nonnull end
