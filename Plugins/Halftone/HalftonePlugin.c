// The halftone plugin's interface to the host: parameters, instances, rows.
#include "Halftone.h"
#include "imghost_plugin.h"

static const imghost_host *host;

static const char *const modes[] = {"mono", "cmyk", NULL};
static const char *const shapes[] = {"round", "square", "diamond", "line", NULL};

enum { p_mode, p_shape, p_cell, p_angle, p_softness, p_ink, p_paper, p_count };

static const imghost_parameter parameters[p_count] = {
    [p_mode] = {IMGHOST_PARAMETER("mode", ENUM), .choices = modes, .label = "Inks",
        .help = "One ink on paper, or the four inks of printing"},
    [p_shape] = {IMGHOST_PARAMETER("shape", ENUM), .choices = shapes, .label = "Shape", .group = "Dots",
        .help = "What the dots look like"},
    [p_cell] = {IMGHOST_PARAMETER("cell", FLOAT), .minimum = 2, .maximum = 500, .unit = "px",
        .default_value.numbers = {8}, .label = "Distance", .group = "Dots", .step = 0.5,
        .help = "Distance from dot to dot"},
    [p_angle] = {IMGHOST_PARAMETER("angle", FLOAT), .minimum = -180, .maximum = 180, .unit = "degrees",
        .default_value.numbers = {45}, .label = "Angle", .group = "Dots", .step = 1,
        .help = "Direction of the rows of dots"},
    [p_softness] = {IMGHOST_PARAMETER("softness", FLOAT), .minimum = 0, .maximum = 1, .default_value.numbers = {0.2},
        .label = "Softness", .group = "Dots", .step = 0.05, .help = "Width of a dot's edge, 0 is hard"},
    [p_ink] = {IMGHOST_PARAMETER("ink", COLOUR), .default_value.numbers = {0, 0, 0, 1}, .label = "Ink",
        .group = "Colours", .help = "Colour of the dots in mode mono"},
    [p_paper] = {IMGHOST_PARAMETER("paper", COLOUR), .default_value.numbers = {1, 1, 1, 1}, .label = "Paper",
        .group = "Colours", .help = "Colour between the dots"},
};

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  halftone *screen = count == p_count ? host->alloc(sizeof *screen) : NULL;
  if (screen == NULL) {
    host->set_error(call, "could not set itself up");
    return NULL;
  }
  halftone_options options = {
      .mode = (halftone_mode)values[p_mode].numbers[0],
      .shape = (halftone_shape)values[p_shape].numbers[0],
      .cell = values[p_cell].numbers[0],
      .angle = values[p_angle].numbers[0],
      .softness = values[p_softness].numbers[0],
  };
  for (int i = 0; i < 3; i++) {
    options.ink[i] = (float)values[p_ink].numbers[i];
    options.paper[i] = (float)values[p_paper].numbers[i];
  }
  halftone_prepare(screen, &options);
  return screen;
}

static void destroy(void *instance) { host->free(instance); }

static ptrdiff_t offset(const imghost_picture *picture, int32_t x, int32_t y) {
  return (y - picture->valid.top) * picture->stride + (ptrdiff_t)(x - picture->valid.left) * picture->bands;
}

static int32_t process(void *instance, const imghost_request *request) {
  const imghost_picture *input = request->inputs[0], *output = request->output;
  const imghost_region region = request->region;
  for (int32_t row = 0; row < region.height; row++) {
    if (row % 16 == 0) {
      if (host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
      host->progress(request->call, (double)row / region.height);
    }
    int32_t y = region.top + row;
    halftone_row(instance, (const uint8_t *)input->pixels + offset(input, region.left, y),
        (uint8_t *)output->writable + offset(output, region.left, y), region.left, y, region.width, input->bands);
  }
  return IMGHOST_OK;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_FILTER,
    .flags = IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_IN_PLACE,
    .name = "halftone",
    .version = "1.0",
    .summary = "Turns a picture into the dots of a printing screen",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
    .bands = IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
    .alpha = IMGHOST_ALPHA_STRAIGHT,
    .extent = IMGHOST_EXTENT_ROWS,
    .threads = IMGHOST_THREADS_REGIONS,
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = p_count,
    .parameters = parameters,
    .create = create,
    .destroy = destroy,
    .process = process,
};

const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *functions) {
  host = functions;
  return host_abi_version >= IMGHOST_ABI_VERSION ? &plugin : NULL;
}
