#pragma once

// The requests of passes over colours: see CKernels.h.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Pixels of three or four bands to be converted through a grid of samples.
typedef struct ColourSampling {
  const void *source;
  void *output;
  /// The number of pixels.
  ptrdiff_t count;
  /// The number of colour bands of the source, 3 or 4, and of the target, 1, 3 or 4.
  ptrdiff_t sourceBands;
  ptrdiff_t targetBands;
  /// The samples of a pixel of the source and of the target, including alpha, which is the last one.
  ptrdiff_t sourceSamples;
  ptrdiff_t outputSamples;
  bool hasAlpha;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The levels of the target at each point of a grid, as four floats per point. From one point to the next, the first
  /// band of the source changes fastest, but a fourth band even faster.
  const void *points;
  /// The number of points in each direction, at most 40 with four bands.
  ptrdiff_t steps;
  /// The number of grid steps per level.
  float scale;
  /// The distances, in bytes, from a cell's first corner to the other corners of the tetrahedron that contains a
  /// colour. There are two distances for each of eight orders of the fractions x, y and z, then the one to the cell's
  /// last corner. In the number of an order, bit 0 is set if x >= y, bit 1 if y >= z, and bit 2 if z >= x.
  const int32_t *corners;
} ColourSampling;

/// 8-bit pixels to be converted in place with integer sums.
typedef struct MatrixPass8 {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// The samples of a pixel: 3, or 4 with alpha, which is unchanged.
  ptrdiff_t bands;
  /// The packed contributions of each value of red, then of green, then of blue. A sum holds 21 bits of red from the
  /// lowest on, then 21 of green, and 21 of blue; the highest bit is 0.
  const uint64_t *parts;
  /// The levels of red, green and blue, indexed by the upper bits of their sums.
  const uint8_t *_Nonnull levels[3];
  /// The number of low bits of a sum that are dropped.
  ptrdiff_t levelShift;
} MatrixPass8;

/// Pixels of 16-bit samples to be converted in place with curves, a matrix, and curves.
typedef struct MatrixPass16 {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// The samples of a pixel: 3, or 4 with alpha, which is unchanged.
  ptrdiff_t bands;
  /// The light of every sample value of red, green and blue.
  const float *_Nonnull light[3];
  /// The red, green and blue of the result, and an ignored number, that one unit of each source band's light
  /// contributes.
  const float *columns;
  /// The levels of red, green and blue for 65,536 lights: entry i belongs to the light `(i / 65,535)²`.
  const uint16_t *_Nonnull levels[3];
} MatrixPass16;

/// Pixels of high dynamic range to be mapped in place.
typedef struct TonePass {
  void *row;
  /// The number of pixels.
  ptrdiff_t count;
  /// The samples of a pixel; those after the colours are unchanged.
  ptrdiff_t bands;
  /// The number of colour bands, 1 or 3.
  ptrdiff_t colours;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The light at 4,096 equal steps of the sample's range, at the end of the range, and one more number.
  const float *light;
  /// The red, green and blue of the result, and the luminance, that one unit of each source band's light contributes;
  /// unused for one colour.
  const float *columns;
  /// This curve and the next two are functions of light from 0 to 1: 512 numbers for each octave from 2^-24, the number
  /// at 1, and one more.
  ///
  /// The factor for the scene's light, as a function of its luminance; null if the light is that of a screen.
  const float *_Nullable scene;
  /// The factor for a pixel, as a function of 1/16 of its largest light.
  const float *gain;
  /// The encoded value, from 0 to 1.
  const float *encoded;
} TonePass;

/// Pixels of sRGB to be changed in place in CIE L\*a\*b\*.
typedef struct LabPass {
  void *row;
  /// The number of pixels, a multiple of 8.
  ptrdiff_t count;
  /// The samples of a pixel: 3, or 4 with alpha, which is unchanged.
  ptrdiff_t bands;
  /// The bytes per sample, 1 or 2.
  ptrdiff_t sampleBytes;
  /// The linear light of every sample value.
  const float *decode;
  /// Encoded values from 0 to 1 of light at `encodeSteps` steps from 0 to 1, and one value more.
  const float *encode;
  ptrdiff_t encodeSteps;
  /// The lightness becomes `lightness * scale + shift`, (a, b) becomes `(a cosine - b sine, a sine + b cosine)`.
  float scale;
  float shift;
  float cosine;
  float sine;
} LabPass;

#pragma clang assume_nonnull end
