// The test card, apart from its face to the host.
#pragma once

#include <stdint.h>

/// The options that a script passes.
typedef struct test_card_options {
  /// Intensity of the bars' colours, 0 to 1.
  float level;
  /// Fields of the gray wedge.
  int steps;
  /// Squares of the grid from top to bottom, 0 for none.
  int grid;
  int has_circle;
  int has_wedges;
  /// Red, green and blue, 0 to 1.
  float background[3];
} test_card_options;

/// A part of the card, in pixels; `right` and `bottom` lie outside.
typedef struct test_card_box {
  int32_t left, top, right, bottom;
} test_card_box;

/// Everything that does not change from row to row of a card of one size.
typedef struct test_card {
  test_card_options options;
  int32_t width, height;
  /// Thickness of lines, in pixels.
  int32_t line;
  test_card_box bars, ramp, steps, upright, level;
  /// The circle's middle and radius, in pixels.
  float middle_x, middle_y, radius;
} test_card;

/// Lays the card out.
void test_card_prepare(test_card *card, const test_card_options *options, int32_t width, int32_t height);

/// Draws `count` pixels of row `y` from column `left` on: red, green and blue from 0 to 1, encoded as
/// sRGB is. Each depends on its place alone.
void test_card_row(const test_card *card, int32_t y, int32_t left, int32_t count, float *rgb);

/// The box with upright lines, which stand closer from its top to its bottom, or the one with level
/// lines, closer from left to right: how much of the pixel at (`x`, `y`) is black, 0 to 1.
float test_card_wedge(const test_card_box *box, int is_upright, int32_t x, int32_t y);
