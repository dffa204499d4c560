// The colour plugin's interface to the host: description, function table, and the pages of a request.
#include "Colour.h"

#include <stdlib.h>
#include <string.h>

const imghost_host *colour_host;

typedef struct reader {
  colour_request request;
  uint32_t page;
  double matrix[9];
  int has_matrix, has_light;
  imghost_fact facts[9];
} reader;

static const char *const names[] = {"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"};

static int32_t turn_to(reader *self, const imghost_call *call, uint32_t page, imghost_image *image) {
  int has_curves = self->has_matrix || self->has_light;
  if (page > (has_curves ? 1u : 0u)) return colour_fail(call, "has no such page");
  self->page = page;
  image->page_count = has_curves ? 2 : 1;
  image->sample = IMGHOST_SAMPLE_U16;
  image->flags = IMGHOST_IMAGE_STREAMED;
  if (page == 1) {
    image->bands = 1;
    image->width = colour_curve_steps;
    image->height = self->has_light ? 3 : 6;
  } else {
    static const int32_t sizes[5][2] = {{0}, {colour_curve_steps, 1}, {0}, {colour_steps * colour_steps, colour_steps},
        {colour_ink_steps * colour_ink_steps, colour_ink_steps * colour_ink_steps}};
    image->bands = (uint32_t)self->request.target_bands;
    image->width = sizes[self->request.source_bands][0];
    image->height = sizes[self->request.source_bands][1];
  }
  image->working_bytes = 8u << 20;
  for (int i = 0; i < 9 && self->has_matrix; i++) {
    self->facts[i] = (imghost_fact){names[i], NULL, self->matrix[i]};
  }
  if (self->has_light) self->facts[0] = (imghost_fact){"light", NULL, 1};
  image->facts = self->facts;
  image->fact_count = self->has_matrix ? 9 : self->has_light;
  return IMGHOST_OK;
}

static void close_request(void *instance) {
  reader *self = instance;
  colour_request_close(&self->request);
  free(self);
}

static int32_t open_request(const imghost_call *call, const imghost_file *file, uint32_t page,
    const imghost_value *values, uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  reader *self = calloc(1, sizeof *self);
  if (self == NULL) return colour_fail(call, "needs more memory than there is");
  int32_t code = colour_request_open(call, file->content, &self->request);
  if (code == IMGHOST_OK) {
    self->has_matrix = colour_has_matrix(&self->request, self->matrix);
    self->has_light = colour_has_light(&self->request);
    code = turn_to(self, call, page, image);
  }
  if (code != IMGHOST_OK) {
    close_request(self);
    return code;
  }
  *instance = self;
  return IMGHOST_OK;
}

static int32_t turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  return turn_to(instance, call, page, image);
}

static int32_t read_rows(void *instance, const imghost_read *read) {
  const reader *self = instance;
  const imghost_region *rows = &read->output->valid;
  if (read->shrink != 1 || rows->left != 0 || rows->width != read->output->width) {
    return colour_fail(read->call, "is read whole");
  }
  return self->page == 1 ? colour_fill_curves(read->call, &self->request, read->output)
                         : colour_fill_samples(read->call, &self->request, read->output);
}

static const char *const extensions[] = {"profilepair", NULL};
// "imghost colour 1" and a line feed.
static const char *const signatures[] = {"0:696d67686f737420636f6c6f757220310a", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS,
    .title = "colour conversion",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pixels = 1u << 20,
    .maximum_pages = 2,
    .read_seconds = 5,
    .open = open_request,
    .turn = turn,
    .read = read_rows,
    .close = close_request,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

#define TEXT_OF(value) #value
#define VERSION(number) "1.0 (lcms2 " TEXT_OF(number) ")"

IMGHOST_CODEC_PLUGIN(colour_host, tables, (void)0, .name = "colour", .version = VERSION(LCMS_VERSION),
    .summary = "Computes conversions between colour profiles, with lcms2")
