#include <math.h>
#include <stdlib.h>

#include "TIFF.h"

/** The number of steps in the table of encoded values. */
#define STEPS 4096

/** Returns sRGB's transfer function (IEC 61966-2-1) at equal steps of the square root of linear light. */
float *tiff_gamma_table(void) {
  float *table = malloc((STEPS + 2) * sizeof *table);
  for (int i = 0; table != NULL && i < STEPS + 2; i++) {
    double root = (double)i / STEPS, linear = root * root;
    table[i] = (float)(linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
  }
  return table;
}

static uint16_t encoded(const float *table, float linear, float full) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return (uint16_t)full;
  float place = sqrtf(linear) * STEPS;
  int index = (int)place;
  float part = place - (float)index;
  return (uint16_t)((table[index] + (table[index + 1] - table[index]) * part) * full + 0.5f);
}

/** Computes the inverse of the function f of CIE 1976 L*a*b*. */
static float cube(float f) { return f > 6.0f / 29 ? f * f * f : (f - 4.0f / 29) * (108.0f / 841); }

/** Returns the encoded sRGB gray for each value of L*. */
uint16_t *tiff_lightness_table(const tiff_layout *layout) {
  bool wide = layout->sample == IMGHOST_SAMPLE_U16, icc = layout->photometric == PHOTOMETRIC_ICCLAB;
  uint32_t full = wide ? 65535 : 255;
  float scale = 100.0f / (wide && icc && layout->bits == 16 ? 65280.0f : (float)full), *gamma = tiff_gamma_table();
  uint16_t *table = gamma == NULL ? NULL : malloc(((size_t)full + 1) * sizeof *table);
  for (uint32_t i = 0; table != NULL && i <= full; i++) {
    table[i] = encoded(gamma, cube(((float)i * scale + 16) / 116), (float)full);
  }
  free(gamma);
  return table;
}

/** Converts L*a*b* with the white point D50 to sRGB, in place. The matrix is Lindbloom's for D50 (Bradford). */
void tiff_lab_to_rgb(const float *gamma, const tiff_layout *layout, uint16_t *pixels, uint32_t count) {
  bool wide = layout->bits == 16, icc = layout->photometric == PHOTOMETRIC_ICCLAB;
  float full = wide ? 65535 : 255, lightness = 100.0f / (wide ? (icc ? 65280.0f : 65535.0f) : 255.0f);
  float unit = wide ? 1.0f / 256 : 1;
  for (uint32_t i = 0; i < count; i++, pixels += layout->samples) {
    int a = wide ? (icc ? pixels[1] - 32768 : (int16_t)pixels[1]) : (icc ? pixels[1] - 128 : (int8_t)pixels[1]);
    int b = wide ? (icc ? pixels[2] - 32768 : (int16_t)pixels[2]) : (icc ? pixels[2] - 128 : (int8_t)pixels[2]);
    float fy = ((float)pixels[0] * lightness + 16) / 116;
    float x = 0.96422f * cube(fy + (float)a * unit / 500), y = cube(fy),
          z = 0.82521f * cube(fy - (float)b * unit / 200);
    pixels[0] = encoded(gamma, 3.1338561f * x - 1.6168667f * y - 0.4906146f * z, full);
    pixels[1] = encoded(gamma, -0.9787684f * x + 1.9161415f * y + 0.0334540f * z, full);
    pixels[2] = encoded(gamma, 0.0719453f * x - 0.2289914f * y + 1.4052427f * z, full);
  }
}
