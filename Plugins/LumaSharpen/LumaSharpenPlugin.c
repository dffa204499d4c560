// The plugin's interface to the host: parameters, instances, and the loop over the rows.
#include <math.h>
#include <string.h>

#include "LumaSharpen.h"
#include "imghost_plugin.h"

static const imghost_host *host;

enum { p_amount, p_radius, p_threshold, p_limit, p_count };

#define NUMBER(id, low, high, value) \
  IMGHOST_PARAMETER(id, FLOAT), .minimum = low, .maximum = high, .default_value.numbers = {value}

static const imghost_parameter parameters[p_count] = {
    [p_amount] = {NUMBER("amount", 0, 5, 0.8), .help = "How much of the detail is added"},
    [p_radius] = {NUMBER("radius", 0.3, 10, 1.2), .unit = "px",
        .help = "Size of the detail: the gaussian's standard deviation"},
    [p_threshold] = {NUMBER("threshold", 0, 0.2, 0.01),
        .help = "Detail weaker than this part of full intensity is left alone, such as noise"},
    [p_limit] = {NUMBER("limit", 0, 1, 0.15),
        .help = "Most a sample changes, in parts of full intensity: bounds halos"},
};

static void *create(const imghost_call *call, const imghost_value *values, uint32_t count) {
  luma_sharpen *filter = count == p_count ? host->alloc(sizeof *filter) : NULL;
  if (filter == NULL) {
    host->set_error(call, "could not set itself up");
    return NULL;
  }
  luma_sharpen_prepare(filter, values[p_amount].numbers[0], values[p_radius].numbers[0], values[p_threshold].numbers[0],
      values[p_limit].numbers[0]);
  return filter;
}

static void destroy(void *instance) { host->free(instance); }

static float top(const imghost_picture *picture) {
  return picture->sample == IMGHOST_SAMPLE_U8 ? 255.0f : picture->sample == IMGHOST_SAMPLE_U16 ? 65535.0f : 1.0f;
}

static const void *row_at(const imghost_picture *picture, int32_t y) {
  return (const char *)picture->pixels + (y - picture->valid.top) * picture->stride;
}

// Converts a row of the input, as far as it is in memory, to floats from 0 to 1.
static void unpack(const imghost_picture *input, int32_t y, float *row) {
  const void *from = row_at(input, y);
  size_t count = (size_t)input->valid.width * input->bands;
  float scale = 1 / top(input);
  for (size_t i = 0; i < count; i++) {
    row[i] = input->sample == IMGHOST_SAMPLE_U8    ? ((const uint8_t *)from)[i] * scale
             : input->sample == IMGHOST_SAMPLE_U16 ? ((const uint16_t *)from)[i] * scale
                                                   : ((const float *)from)[i];
  }
}

static void store(const imghost_picture *output, void *row, size_t index, float value) {
  float scaled = (value < 0 ? 0 : value > 1 ? 1 : value) * top(output);
  if (output->sample == IMGHOST_SAMPLE_U8) {
    ((uint8_t *)row)[index] = (uint8_t)(scaled + 0.5f);
  } else if (output->sample == IMGHOST_SAMPLE_U16) {
    ((uint16_t *)row)[index] = (uint16_t)(scaled + 0.5f);
  } else {
    ((float *)row)[index] = scaled;
  }
}

// A ring buffer of horizontally blurred rows: row `y` of the picture is stored at `y` modulo `height`.
typedef struct {
  const luma_sharpen *filter;
  const imghost_picture *input;
  int32_t height;
  int32_t next;
  float *samples, *luma, *ring;
} window;

static void fill(window *rows, int32_t upto) {
  int32_t width = rows->input->valid.width;
  for (; rows->next <= upto; rows->next++) {
    unpack(rows->input, rows->next, rows->samples);
    luma_sharpen_luma(rows->samples, width, rows->input->bands, rows->luma);
    luma_sharpen_blur_row(rows->filter, rows->luma, width, rows->ring + (size_t)(rows->next % rows->height) * width);
  }
}

static int32_t within(const imghost_picture *input, int32_t y) {
  int32_t top = input->valid.top, bottom = top + input->valid.height - 1;
  return y < top ? top : y > bottom ? bottom : y;
}

// Computes row `y` of the vertical blur from the rows in the ring.
static void blur_down(const window *rows, int32_t y, float *target) {
  int32_t width = rows->input->valid.width;
  memset(target, 0, (size_t)width * sizeof(float));
  for (int i = -rows->filter->reach; i <= rows->filter->reach; i++) {
    int32_t row = within(rows->input, y + i);
    const float *from = rows->ring + (size_t)(row % rows->height) * width;
    float tap = rows->filter->taps[i < 0 ? -i : i];
    for (int32_t x = 0; x < width; x++) target[x] += tap * from[x];
  }
}

static void sharpen_row(const window *rows, const imghost_request *request, int32_t y, const float *blurred) {
  const imghost_picture *input = rows->input, *output = request->output;
  uint32_t bands = input->bands, colours = bands < 3 ? 1 : 3;
  unpack(input, y, rows->samples);
  luma_sharpen_luma(rows->samples, input->valid.width, bands, rows->luma);
  char *target = (char *)output->writable + (y - output->valid.top) * output->stride;
  for (int32_t i = 0; i < request->region.width; i++) {
    int32_t x = request->region.left + i, in = x - input->valid.left;
    float change = luma_sharpen_change(rows->filter, rows->luma[in], blurred[in]);
    for (uint32_t band = 0; band < bands; band++) {
      float value = rows->samples[(size_t)in * bands + band];
      store(output, target, (size_t)(x - output->valid.left) * bands + band, band < colours ? value + change : value);
    }
  }
}

static int32_t walk(window *rows, const imghost_request *request, float *blurred) {
  const imghost_region region = request->region;
  int32_t reach = rows->filter->reach;
  rows->next = within(rows->input, region.top - reach);
  for (int32_t row = 0; row < region.height; row++) {
    if (row % 16 == 0) {
      if (host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
      host->progress(request->call, (double)row / region.height);
    }
    int32_t y = region.top + row;
    fill(rows, within(rows->input, y + reach));
    blur_down(rows, y, blurred);
    sharpen_row(rows, request, y, blurred);
  }
  return IMGHOST_OK;
}

static int32_t process(void *instance, const imghost_request *request) {
  const imghost_picture *input = request->inputs[0];
  window rows = {.filter = instance, .input = input};
  rows.height = 2 * rows.filter->reach + 1;
  size_t width = (size_t)input->valid.width;
  float *memory = host->alloc(width * (input->bands + 2 + (size_t)rows.height) * sizeof(float));
  if (memory == NULL) return imghost_fail(host, request->call, "needs more memory than there is");
  rows.samples = memory;
  rows.luma = rows.samples + width * input->bands;
  rows.ring = rows.luma + 2 * width;
  int32_t result = walk(&rows, request, rows.luma + width);
  host->free(memory);
  return result;
}

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_FILTER,
    .flags = IMGHOST_FLAG_DETERMINISTIC | IMGHOST_FLAG_ANY_RGB,
    .name = "luma_sharpen",
    .version = "1.0",
    .summary = "Sharpens by luminance alone, without coloured fringes or strong halos",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16) | IMGHOST_TAKES(IMGHOST_SAMPLE_F32),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
    .alpha = IMGHOST_ALPHA_STRAIGHT,
    .extent = IMGHOST_EXTENT_ROWS,
    .padding = LUMA_SHARPEN_REACH,
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
