// The test card, independent of its interface to the host.
#pragma once

#include <stdint.h>

/// The options that a script passes.
typedef struct test_card_options {
  /// The intensity of the bars' colours, 0 to 1.
  float level;
  /// The number of steps of gray, from black to white.
  int steps;
  /// The number of squares of the grid from top to bottom; 0 for no grid.
  int grid;
  int has_circle;
  int has_wedges;
  /// Red, green and blue, 0 to 1.
  float background[3];
} test_card_options;

/// A part of the card, in pixels; `right` and `bottom` are exclusive.
typedef struct test_card_box {
  int32_t left, top, right, bottom;
} test_card_box;

/// The options and layout of a card of one size, which all rows share.
typedef struct test_card {
  test_card_options options;
  int32_t width, height;
  /// The thickness of lines, in pixels.
  int32_t line;
  test_card_box bars, ramp, steps, upright, level;
  /// The circle's centre and radius, in pixels.
  float middle_x, middle_y, radius;
} test_card;

/// Computes the layout of the card.
void test_card_prepare(test_card *card, const test_card_options *options, int32_t width, int32_t height);

/// Draws `count` pixels of row `y` from column `left` on: red, green and blue from 0 to 1, encoded as in sRGB. Each
/// pixel depends only on its position.
void test_card_row(const test_card *card, int32_t y, int32_t left, int32_t count, float *rgb);

/// Returns the black share, 0 to 1, of the pixel at (`x`, `y`) of a wedge. Upright lines become narrower from top to
/// bottom, level lines from left to right.
float test_card_wedge(const test_card_box *box, int is_upright, int32_t x, int32_t y);
