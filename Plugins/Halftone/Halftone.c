// A halftone screen: a spot function over rotated cells, whose values are replaced by their ranks, so that the inked
// share of a cell equals the darkness of the picture. See R. Ulichney, Digital Halftoning, MIT Press 1987, chapter 4.
#include "Halftone.h"

#include <math.h>

// Returns how late the growing dot reaches a point of the cell: 0 is first and 1 is last. `u` and `v`, the coordinates
// in the cell, are from 0 to 1.
static float spot(halftone_shape shape, float u, float v) {
  float a = fabsf(u - 0.5f) * 2, b = fabsf(v - 0.5f) * 2;
  switch (shape) {
    case halftone_square: return a > b ? a : b;
    case halftone_diamond: return (a + b) / 2;
    case halftone_line: return b;
    default: return sqrtf((a * a + b * b) / 2);
  }
}

static uint32_t bin(float value) {
  uint32_t index = (uint32_t)(value * HALFTONE_RANKS);
  return index < HALFTONE_RANKS ? index : HALFTONE_RANKS;
}

// Computes the cumulative distribution of the spot function over a cell, from integer counts, which are identical on
// every machine.
static void rank(halftone *screen) {
  enum { side = 192 };
  uint32_t counts[HALFTONE_RANKS + 1] = {0};
  for (int y = 0; y < side; y++) {
    for (int x = 0; x < side; x++) {
      float u = ((float)x + 0.5f) / side, v = ((float)y + 0.5f) / side;
      counts[bin(spot(screen->options.shape, u, v))]++;
    }
  }
  uint32_t below = 0;
  for (int i = 0; i <= HALFTONE_RANKS; i++) {
    screen->rank[i] = (float)below / (side * side);
    below += counts[i];
  }
}

void halftone_prepare(halftone *screen, const halftone_options *options) {
  // With black at 45 degrees, cyan, magenta and yellow have the angles 15, 75 and 0 degrees, as in printing.
  static const double offsets[HALFTONE_SCREENS] = {-30, 30, -45, 0};
  const double degree = 3.14159265358979323846 / 180;
  screen->options = *options;
  for (int i = 0; i < HALFTONE_SCREENS; i++) {
    double angle = (options->angle + offsets[i]) * degree;
    screen->axes[i][0] = (float)(cos(angle) / options->cell);
    screen->axes[i][1] = (float)(sin(angle) / options->cell);
  }
  rank(screen);
}

// Returns the rank at which a dot with soft edges has to end, so that its ink, including the edges, equals the
// darkness.
static float edge(float darkness, float softness) {
  float half = softness / 2;
  if (darkness < half) return sqrtf(2 * softness * darkness) - half;
  if (darkness > 1 - half) return 1 + half - sqrtf(2 * softness * (1 - darkness));
  return darkness;
}

// Returns the inked share of the pixel, 0 to 1: nothing at darkness 0, everything at 1.
static float inked(const halftone *screen, int index, float x, float y, float darkness) {
  const float *axes = screen->axes[index];
  float u = x * axes[0] + y * axes[1], v = y * axes[0] - x * axes[1];
  float order = screen->rank[bin(spot(screen->options.shape, u - floorf(u), v - floorf(v)))];
  float softness = (float)screen->options.softness;
  if (softness < 1.0f / 255) softness = 1.0f / 255;
  float share = (edge(darkness, softness) + softness / 2 - order) / softness;
  return share < 0 ? 0 : share > 1 ? 1 : share;
}

static uint8_t sample(float value) { return (uint8_t)(value * 255 + 0.5f); }

static void mono(const halftone *screen, const uint8_t *source, uint8_t *target, float x, float y) {
  // Luma by ITU-R BT.709.
  float luma = (0.2126f * source[0] + 0.7152f * source[1] + 0.0722f * source[2]) / 255;
  float share = inked(screen, 3, x, y, 1 - (luma < 1 ? luma : 1));
  for (int i = 0; i < 3; i++) {
    float ink = screen->options.ink[i], paper = screen->options.paper[i];
    target[i] = sample(paper + (ink - paper) * share);
  }
}

static void cmyk(const halftone *screen, const uint8_t *source, uint8_t *target, float x, float y) {
  uint8_t most = source[0] > source[1] ? source[0] : source[1];
  if (source[2] > most) most = source[2];
  float light = 1 - inked(screen, 3, x, y, 1 - most / 255.0f);
  for (int i = 0; i < 3; i++) {
    float darkness = most == 0 ? 0 : 1 - (float)source[i] / most;
    target[i] = sample(screen->options.paper[i] * light * (1 - inked(screen, i, x, y, darkness)));
  }
}

void halftone_row(const halftone *screen, const uint8_t *source, uint8_t *target, int32_t left, int32_t y,
    int32_t width, uint32_t bands) {
  for (int32_t i = 0; i < width; i++, source += bands, target += bands) {
    float across = (float)(left + i) + 0.5f, down = (float)y + 0.5f;
    if (screen->options.mode == halftone_mono) {
      mono(screen, source, target, across, down);
    } else {
      cmyk(screen, source, target, across, down);
    }
    if (bands == 4) target[3] = source[3];
  }
}
