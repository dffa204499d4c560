// A plugin that declares every property that a check tests, and violates one of them, chosen by a macro.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "imghost_plugin.h"

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  (void)call, (void)count;
  double *value = malloc(sizeof(double));
  *value = values[0].numbers[0];
  return value;
}

static void destroy(void *instance) {
  (void)instance;
#ifndef LEAKS_INSTANCES
  free(instance);
#endif
}

static const uint8_t *row(const imghost_picture *picture, int32_t y) {
  return (const uint8_t *)picture->pixels + (y - picture->valid.top) * picture->stride;
}

static int32_t process(void *instance, const imghost_request *request) {
  const imghost_picture *input = request->inputs[0], *output = request->output;
  size_t count = (size_t)input->width * input->bands * (1u << (input->sample - 1));
  double value = *(double *)instance;
  static volatile int32_t shared;
  static int calls;
  calls++;
  (void)value, (void)shared, (void)calls;
#ifdef LEAKS
  memset(malloc(50000), 1, 50000);
#endif
#ifdef CRASHES_AT_THE_END
  if (value == 9) abort();
#endif
#ifdef CRASHES_WHEN_TINY
  if (input->width == 1 && input->height == 9) *(volatile int *)8 = 1;
#endif
  for (int32_t y = request->region.top; y < request->region.top + request->region.height; y++) {
    const uint8_t *from = row(input, y);
#ifdef LOOKS_BEYOND
    // A row above that the plugin has not asked for.
    if (y > 0) from -= input->stride;
#endif
    memcpy((uint8_t *)output->writable + (y - output->valid.top) * output->stride, from, count);
#ifdef SHARES_STATE
    shared = y;
    if (input->height < 200) usleep(50);
    *((uint8_t *)output->writable + (y - output->valid.top) * output->stride) = (uint8_t)shared;
#endif
#ifdef WRITES_REGION
    *((uint8_t *)output->writable + (y - output->valid.top) * output->stride) =
        (uint8_t)(1 + request->region.top % 250);
#endif
#ifdef HANGS_LOW
    while (request->region.top > 0) pause();
#endif
#ifdef CRASHES_LOW
    if (request->region.top > 0) abort();
#endif
#ifdef COUNTS_CALLS
    *((uint8_t *)output->writable + (y - output->valid.top) * output->stride) = (uint8_t)calls;
#endif
  }
  return IMGHOST_OK;
}

static const imghost_parameter parameters[] = {
    {.struct_size = sizeof(imghost_parameter),
        .type = IMGHOST_TYPE_FLOAT,
        .name = "value",
        .minimum = 1,
        .maximum = 9,
        .default_value.numbers = {2}},
};

#ifndef THREADS
#define THREADS IMGHOST_THREADS_REGIONS
#endif
#ifndef EXTENT
#define EXTENT IMGHOST_EXTENT_ROWS
#endif
#ifndef FLAGS
#define FLAGS IMGHOST_FLAG_DETERMINISTIC
#endif

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_FILTER,
    .flags = FLAGS,
    .name = "checked",
    .version = "1",
    .summary = "Claims everything",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
    .alpha = IMGHOST_ALPHA_STRAIGHT,
    .extent = EXTENT,
    .threads = THREADS,
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = 1,
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .process = process,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t version, const imghost_host *functions) {
  (void)version, (void)functions;
  return &plugin;
}
