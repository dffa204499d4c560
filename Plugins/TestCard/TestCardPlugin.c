// The test card's interface to the host: parameters, instances, rows in every format.
#include "TestCard.h"
#include "imghost_plugin.h"

static const imghost_host *host;

enum { p_level, p_steps, p_grid, p_circle, p_wedges, p_background, p_count };

static const imghost_parameter parameters[p_count] = {
    [p_level] = {IMGHOST_PARAMETER("level", FLOAT), .minimum = 0, .maximum = 1, .default_value.numbers = {0.75},
        .help = "Intensity of the colour bars"},
    [p_steps] = {IMGHOST_PARAMETER("steps", INT), .minimum = 2, .maximum = 256, .default_value.numbers = {11},
        .help = "Fields of the gray steps, from black to white"},
    [p_grid] = {IMGHOST_PARAMETER("grid", INT), .minimum = 0, .maximum = 200, .default_value.numbers = {12},
        .help = "Squares of the grid from top to bottom, 0 for none"},
    [p_circle] = {IMGHOST_PARAMETER("circle", BOOL), .default_value.numbers = {1},
        .help = "A circle, which shows whether pixels stay square"},
    [p_wedges] = {IMGHOST_PARAMETER("wedges", BOOL), .default_value.numbers = {1},
        .help = "Wedges of lines from 0.1 to 0.5 cycles a pixel"},
    [p_background] = {IMGHOST_PARAMETER("background", COLOUR), .default_value.numbers = {0.5, 0.5, 0.5, 1},
        .help = "Colour behind it all; its alpha is not used"},
};

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  test_card_options *options = count == p_count ? host->alloc(sizeof *options) : NULL;
  if (options == NULL) {
    host->set_error(call, "could not set itself up");
    return NULL;
  }
  options->level = (float)values[p_level].numbers[0];
  options->steps = (int)values[p_steps].numbers[0];
  options->grid = (int)values[p_grid].numbers[0];
  options->has_circle = values[p_circle].numbers[0] != 0;
  options->has_wedges = values[p_wedges].numbers[0] != 0;
  for (int i = 0; i < 3; i++) {
    options->background[i] = (float)values[p_background].numbers[i];
  }
  return options;
}

static void destroy(void *instance) { host->free(instance); }

static void store(const imghost_picture *output, void *row, size_t index, float value) {
  if (output->sample == IMGHOST_SAMPLE_U8) {
    ((uint8_t *)row)[index] = (uint8_t)(value * 255 + 0.5f);
  } else if (output->sample == IMGHOST_SAMPLE_U16) {
    ((uint16_t *)row)[index] = (uint16_t)(value * 65535 + 0.5f);
  } else {
    ((float *)row)[index] = value;
  }
}

// Stores a row: as luma by ITU-R BT.709 in gray pictures, and with opaque alpha.
static void store_row(const imghost_picture *output, int32_t y, int32_t left, int32_t count, const float *rgb) {
  char *row = (char *)output->writable + (y - output->valid.top) * output->stride;
  uint32_t bands = output->bands;
  size_t index = (size_t)(left - output->valid.left) * bands;
  for (int32_t i = 0; i < count; i++, rgb += 3) {
    if (bands < 3) {
      store(output, row, index++, 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2]);
    } else {
      for (int band = 0; band < 3; band++) store(output, row, index++, rgb[band]);
    }
    if (bands % 2 == 0) store(output, row, index++, 1);
  }
}

static int32_t process(void *instance, const imghost_request *request) {
  const imghost_picture *output = request->output;
  const imghost_region region = request->region;
  test_card card;
  test_card_prepare(&card, instance, output->width, output->height);
  float *rgb = host->alloc((size_t)region.width * 3 * sizeof(float));
  if (rgb == NULL) return imghost_fail(host, request->call, "needs more memory than there is");
  int32_t result = IMGHOST_OK;
  for (int32_t row = 0; row < region.height && result == IMGHOST_OK; row++) {
    if (row % 16 == 0) {
      if (host->is_cancelled(request->call)) result = IMGHOST_CANCELLED;
      host->progress(request->call, (double)row / region.height);
    }
    test_card_row(&card, region.top + row, region.left, region.width, rgb);
    store_row(output, region.top + row, region.left, region.width, rgb);
  }
  host->free(rgb);
  return result;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_SOURCE,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "test_card",
    .version = "1.0",
    .summary = "Draws a test card: colour bars, grays, resolution wedges, a grid and a circle",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16) | IMGHOST_TAKES(IMGHOST_SAMPLE_F32),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
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
