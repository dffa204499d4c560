// A plugin for version 1 of imghost_plugin.h as it was first published: see README.md.
#include "imghost_plugin.h"

static const imghost_host *host;

static const char *const axes[] = {"across", "down", NULL};

static const imghost_parameter parameters[] = {
    {.struct_size = sizeof(imghost_parameter), .type = IMGHOST_TYPE_ENUM, .name = "axis",
     .help = "Which way to mirror", .choices = axes},
    {.struct_size = sizeof(imghost_parameter), .type = IMGHOST_TYPE_FLOAT, .name = "gain",
     .help = "Factor on every sample", .minimum = 0, .maximum = 2, .default_value.numbers = {1}},
    {.struct_size = sizeof(imghost_parameter), .type = IMGHOST_TYPE_STRING, .name = "refuse",
     .help = "The error to fail with", .default_value.text = ""},
};

typedef struct {
  int down;
  double gain;
} state;

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  if (count != 3) return NULL;
  if (values[2].text != NULL && values[2].text[0] != 0) {
    host->set_error(call, values[2].text);
    return NULL;
  }
  state *instance = host->alloc(sizeof *instance);
  if (instance == NULL) return NULL;
  instance->down = values[0].numbers[0] != 0;
  instance->gain = values[1].numbers[0];
  return instance;
}

static void destroy(void *instance) { host->free(instance); }

static int32_t process(void *instance, const imghost_request *request) {
  const state *mirror = instance;
  const imghost_picture *in = request->inputs[0], *out = request->output;
  if (request->input_count != 1) return IMGHOST_FAILED;
  for (int32_t y = 0; y < out->height; y++) {
    if (host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
    const uint8_t *from =
        (const uint8_t *)in->pixels + in->stride * (mirror->down ? in->height - 1 - y : y);
    uint8_t *to = (uint8_t *)out->writable + out->stride * y;
    for (int32_t x = 0; x < out->width; x++) {
      int32_t source = mirror->down ? x : in->width - 1 - x;
      for (uint32_t band = 0; band < out->bands; band++) {
        double value = from[source * (int32_t)in->bands + (int32_t)band] * mirror->gain + 0.5;
        to[x * (int32_t)out->bands + (int32_t)band] = value > 255 ? 255 : (uint8_t)value;
      }
    }
    host->progress(request->call, (double)(y + 1) / out->height);
  }
  host->log(request->call, IMGHOST_LOG_NOTE, "mirrored");
  return IMGHOST_OK;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin), .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_FILTER, .name = "mirror", .version = "1.0",
    .summary = "Mirrors a picture",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
    .alpha = IMGHOST_ALPHA_STRAIGHT, .extent = IMGHOST_EXTENT_FRAME,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .parameter_size = sizeof(imghost_parameter), .parameter_count = 3, .parameters = parameters,
    .create = create, .destroy = destroy, .process = process,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(
    uint32_t host_abi_version, const imghost_host *functions) {
  host = functions;
  return host_abi_version >= 1 ? &plugin : NULL;
}
