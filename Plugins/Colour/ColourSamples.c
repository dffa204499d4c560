// Computes samples of conversions and of curves.
#include "Colour.h"

#include <math.h>
#include <stdlib.h>

static uint16_t level(double value) {
  return (uint16_t)(value <= 0 || !(value == value) ? 0 : value >= 1 ? 65535 : value * 65535 + 0.5);
}

static uint16_t *row_at(const imghost_picture *output, int32_t row) {
  return (uint16_t *)((uint8_t *)output->writable + (size_t)row * output->stride);
}

// Finds the encoded value that a rising curve maps to `light`, by bisection, because a profile's curve may have any
// shape.
static double found_by_halving(const cmsToneCurve *curve, double light) {
  double low = 0, high = 1;
  if (cmsEvalToneCurveFloat(curve, 1) <= light) return 1;
  for (int i = 0; i < 24; i++) {
    double middle = (low + high) / 2;
    if (cmsEvalToneCurveFloat(curve, (cmsFloat32Number)middle) < light)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

// Computes the encoded value of the light (x / 4095)^2 for each column x. Parametric curves have an exact inverse. The
// inverse of a table would have only 16 bits, so tables are searched instead.
static int32_t fill_encoded(const imghost_call *call, const cmsToneCurve *curve, uint16_t *samples) {
  if (!cmsIsToneCurveMonotonic(curve)) return colour_fail(call, "has a curve that turns back");
  cmsToneCurve *inverse = cmsGetToneCurveParametricType(curve) > 0 ? cmsReverseToneCurve(curve) : NULL;
  for (int x = 0; x < colour_curve_steps; x++) {
    double step = (double)x / (colour_curve_steps - 1), light = step * step;
    samples[x] = level(
        inverse == NULL ? found_by_halving(curve, light) : cmsEvalToneCurveFloat(inverse, (cmsFloat32Number)light));
  }
  if (inverse != NULL) cmsFreeToneCurve(inverse);
  return IMGHOST_OK;
}

int32_t colour_fill_curves(const imghost_call *call, const colour_request *request, const imghost_picture *output) {
  static const cmsTagSignature tags[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  for (int32_t y = 0; y < output->valid.height; y++) {
    int32_t row = output->valid.top + y + (colour_has_light(request) ? 3 : 0);
    const cmsToneCurve *curve = cmsReadTag(row < 3 ? request->source : request->target, tags[row % 3]);
    if (curve == NULL) return colour_fail(call, "has no curve");
    uint16_t *samples = row_at(output, y);
    if (row > 2) {
      int32_t code = fill_encoded(call, curve, samples);
      if (code != IMGHOST_OK) return code;
      continue;
    }
    for (int x = 0; x < colour_curve_steps; x++) {
      double light = cmsEvalToneCurveFloat(curve, (cmsFloat32Number)x / (colour_curve_steps - 1));
      samples[x] = level(light > 0 ? sqrt(light) : 0);
    }
  }
  return IMGHOST_OK;
}

// Returns the ink or light of a step, on the scale that Little CMS expects.
static float step_of(int32_t index, int32_t steps, float most) { return most * (float)index / (float)(steps - 1); }

static void fill_inputs(const colour_request *request, int32_t y, int32_t width, float *inputs) {
  for (int32_t x = 0; x < width; x++) {
    float *pixel = inputs + x * request->source_bands;
    if (request->source_bands == 1) {
      pixel[0] = step_of(x, colour_curve_steps, 1);
    } else if (request->source_bands == 3) {
      pixel[0] = step_of(x % colour_steps, colour_steps, 1);
      pixel[1] = step_of(x / colour_steps, colour_steps, 1);
      pixel[2] = step_of(y, colour_steps, 1);
    } else {
      pixel[0] = step_of(x % colour_ink_steps, colour_ink_steps, 100);
      pixel[1] = step_of(x / colour_ink_steps, colour_ink_steps, 100);
      pixel[2] = step_of(y % colour_ink_steps, colour_ink_steps, 100);
      pixel[3] = step_of(y / colour_ink_steps, colour_ink_steps, 100);
    }
  }
}

// Results from -0.5 to 1.5 are kept, because clipping colours outside of the target's range would distort the
// interpolation between samples.
int32_t colour_fill_samples(const imghost_call *call, const colour_request *request, const imghost_picture *output) {
  static const cmsUInt32Number types[] = {0, TYPE_GRAY_FLT, 0, TYPE_RGB_FLT, TYPE_CMYK_FLT};
  cmsHPROFILE linear = colour_has_light(request) ? colour_linear_target(request) : NULL;
  if (colour_has_light(request) && linear == NULL) return colour_fail(call, "cannot be converted");
  cmsHTRANSFORM transform = cmsCreateTransform(request->source, types[request->source_bands],
      linear ? linear : request->target, types[request->target_bands], request->intent, request->flags);
  if (linear != NULL) cmsCloseProfile(linear);
  if (transform == NULL) return colour_fail(call, "cannot be converted");
  size_t width = (size_t)output->width;
  float *inputs = calloc(width * 4, sizeof *inputs), *results = calloc(width * 4, sizeof *results);
  int32_t code = inputs && results ? IMGHOST_OK : colour_fail(call, "needs more memory than there is");
  double scale = request->target_bands == 4 ? 0.01 : 1;
  for (int32_t y = 0; y < output->valid.height && code == IMGHOST_OK; y++) {
    fill_inputs(request, output->valid.top + y, output->width, inputs);
    cmsDoTransform(transform, inputs, results, (cmsUInt32Number)width);
    uint16_t *samples = row_at(output, y);
    for (size_t i = 0; i < width * (size_t)request->target_bands; i++)
      samples[i] = level((results[i] * scale + 0.5) / 2);
  }
  free(inputs);
  free(results);
  cmsDeleteTransform(transform);
  return code;
}
