#pragma once

// The requests of passes over colours: see CKernels.h.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Pixels of three or four bands that are converted by a grid of samples.
typedef struct ColourSampling {
  const void *source;
  void *output;
  /// The number of pixels.
  ptrdiff_t count;
  /// Bands of colour, 3 or 4, and those of the target, 1, 3 or 4.
  ptrdiff_t sourceBands;
  ptrdiff_t targetBands;
  /// Samples of a pixel, alpha included. It is the last one on both sides.
  ptrdiff_t sourceSamples;
  ptrdiff_t outputSamples;
  bool hasAlpha;
  /// 1 or 2.
  ptrdiff_t sampleBytes;
  /// Four floats a point: levels of the target. The fourth band changes fastest, if there is one, and then the first.
  const void *points;
  /// Points in each direction, at most 40 with four bands.
  ptrdiff_t steps;
  /// Steps of a level.
  float scale;
  /// Bytes from a cell's first corner to the two next ones of its tetrahedron, for each order of the fractions: bit 0
  /// says x >= y, bit 1 y >= z, bit 2 z >= x. Then those to the last corner.
  const int32_t *corners;
} ColourSampling;

/// Pixels of bytes that are converted in place by sums of whole numbers.
typedef struct MatrixPass8 {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// Samples of a pixel, 3, or 4 with alpha, which stays.
  ptrdiff_t bands;
  /// The parts of each value of red, then of green, then of blue. A sum holds 21 bits of red from the lowest on, then 21
  /// of green, and of blue; the highest bit is 0.
  const uint64_t *parts;
  /// The levels of red, green and blue, by the upper bits of their sums.
  const uint8_t *_Nonnull levels[3];
  /// The bits of a sum that do not count.
  ptrdiff_t levelShift;
} MatrixPass8;

/// Pixels of 16-bit samples that are converted in place by curves, a matrix, and curves.
typedef struct MatrixPass16 {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// Samples of a pixel, 3, or 4 with alpha, which stays.
  ptrdiff_t bands;
  /// The light of every sample of red, green and blue.
  const float *_Nonnull light[3];
  /// Red, green and blue of the result, and a number that does not count, for the light of each band.
  const float *columns;
  /// The levels of red, green and blue, at the squares of 65,536 equal steps of light from 0 to 1.
  const uint16_t *_Nonnull levels[3];
} MatrixPass16;

/// Pixels of high dynamic range that are mapped in place.
typedef struct TonePass {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// Samples of a pixel; those after the colours stay.
  ptrdiff_t bands;
  /// 1 or 3.
  ptrdiff_t colours;
  /// 1 or 2.
  ptrdiff_t sampleBytes;
  /// Light at 4,096 equal steps from a sample of 0 to the top, and there, and one number more.
  const float *light;
  /// Red, green and blue of the result, and luminance, for the light of each band; unused for one colour.
  const float *columns;
  /// Curves of light from 0 to 1: 512 numbers for each halving, from 2^-24 on, and that of 1, and one more.
  ///
  /// The factor that luminance gives a scene's light; null for light of a screen.
  const float *_Nullable scene;
  /// The factor of a pixel, by 1/16 of its largest light.
  const float *gain;
  /// The encoded value, from 0 to 1.
  const float *encoded;
} TonePass;

/// Pixels of sRGB that are changed in place in CIE L\*a\*b\*.
typedef struct LabPass {
  void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// Samples of a pixel, 3, or 4 with alpha, which stays.
  ptrdiff_t bands;
  /// 1 or 2.
  ptrdiff_t sampleBytes;
  /// Linear light of every sample.
  const float *decode;
  /// Encoded values from 0 to 1 of light in `encodeSteps` steps from 0 to 1, and one value more.
  const float *encode;
  ptrdiff_t encodeSteps;
  /// The lightness becomes `lightness * scale + shift`, (a, b) becomes `(a cosine - b sine, a sine + b cosine)`.
  float scale;
  float shift;
  float cosine;
  float sine;
} LabPass;

#pragma clang assume_nonnull end
