// A source, or with INPUTS a mixer of so many pictures. SHORT leaves out what the first version-1 headers
// did not have; NAME adds a parameter of that name; STEP reads beyond the input it is given;
// FAILS has a source fail.
#include <stddef.h>
#include <stdint.h>

#include "imghost_plugin.h"

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  (void)call, (void)values;
  static char instance;
  return count <= 1 ? &instance : NULL;
}
static void destroy(void *instance) { (void)instance; }

// A source writes x + 3y + band, a mixer the sum of its inputs, the second counted twice and so on.
static int32_t process(void *instance, const imghost_request *request) {
  (void)instance;
  const imghost_picture *out = request->output;
#ifndef INPUTS
  if (request->input_count != 0 || request->inputs != NULL) return IMGHOST_FAILED;
#ifdef FAILS
  return IMGHOST_FAILED;
#endif
#elif defined(STEP)
  const imghost_picture *in = request->inputs[STEP];
  volatile const uint8_t *last = (const uint8_t *)in->pixels + in->stride * in->height;
  if (*last == 77) return IMGHOST_FAILED;
#endif
  for (int32_t y = 0; y < out->height; y++) {
    uint8_t *row = (uint8_t *)out->writable + out->stride * y;
    for (int32_t i = 0; i < out->width * (int32_t)out->bands; i++) {
      uint32_t sum = 0;
#ifdef INPUTS
      for (uint32_t k = 0; k < request->input_count; k++) {
        const imghost_picture *in = request->inputs[k];
        if (in->width != out->width || in->bands != out->bands) return IMGHOST_FAILED;
        sum += (k + 1) * ((const uint8_t *)in->pixels)[in->stride * y + i];
      }
#else
      sum = (uint32_t)(i / (int32_t)out->bands + 3 * y + i % (int32_t)out->bands);
#endif
      row[i] = (uint8_t)sum;
    }
  }
  return IMGHOST_OK;
}

#ifdef NAME
static const imghost_parameter parameters[] = {
    {.struct_size = sizeof(imghost_parameter), .type = IMGHOST_TYPE_BOOL, .name = NAME}};
#endif

static const imghost_plugin plugin = {
#ifdef SHORT
    .struct_size = offsetof(imghost_plugin, input_count),
#else
    .struct_size = sizeof(imghost_plugin),
#endif
    .abi_version = IMGHOST_ABI_VERSION,
#ifdef INPUTS
    .kind = IMGHOST_KIND_MIXER,
    .input_count = INPUTS,
#else
    .kind = IMGHOST_KIND_SOURCE,
#endif
    .name = "maker",
    .version = "1",
    .summary = "Makes something",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
#ifdef BANDS
    .bands = BANDS,
#else
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
#endif
    .alpha = IMGHOST_ALPHA_STRAIGHT,
    .extent = IMGHOST_EXTENT_FRAME,
#ifdef NAME
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = 1,
    .parameters = parameters,
#endif
    .create = create,
    .destroy = destroy,
    .process = process,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *host) {
  (void)version, (void)host;
  return &plugin;
}
