// The halftone screen, independent of its interface to the host.
#pragma once

#include <stdint.h>

#define HALFTONE_RANKS 1024
#define HALFTONE_SCREENS 4

typedef enum halftone_shape {
  halftone_round,
  halftone_square,
  halftone_diamond,
  halftone_line,
} halftone_shape;

typedef enum halftone_mode {
  /// A single screen, with ink on paper.
  halftone_mono,
  /// Cyan, magenta, yellow and black inks. Each has a screen with its own angle.
  halftone_cmyk,
} halftone_mode;

/// The options that a script passes.
typedef struct halftone_options {
  halftone_mode mode;
  halftone_shape shape;
  /// The distance between dots in pixels.
  double cell;
  /// The angle of the screen in degrees; with four inks, the angle of black's screen.
  double angle;
  /// The width of a dot's edge, 0 to 1.
  double softness;
  float ink[3];
  float paper[3];
} halftone_options;

/// The options, and the tables computed from them, which all pixels share.
typedef struct halftone {
  halftone_options options;
  /// The rotated axes of the screens, in cells per pixel.
  float axes[HALFTONE_SCREENS][2];
  /// For each value of the spot function, the share of the cell with smaller values.
  float rank[HALFTONE_RANKS + 1];
} halftone;

/// Computes the tables.
void halftone_prepare(halftone *screen, const halftone_options *options);

/// Converts `width` pixels of row `y`, starting at column `left`: 8-bit samples with `bands` bands (3, or 4 with alpha
/// last, which is copied). Source and target may be the same.
void halftone_row(const halftone *screen, const uint8_t *source, uint8_t *target, int32_t left, int32_t y,
    int32_t width, uint32_t bands);
