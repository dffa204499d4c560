// Reads SVG: librsvg draws with cairo, whose premultiplied BGRA is converted to straight RGBA.
#include "SVG.h"

#include <CGLibMessages.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { largest_side = 32767, most_facts = 2 };

/// The size of a drawing that specifies none, as CSS 2.2 suggests for replaced elements.
static const double default_width = 300, default_height = 150;

typedef struct reader {
  RsvgHandle *handle;
  int32_t width, height;
  /// The size of the drawing in pixels before it is rounded to `width` and `height`.
  double drawn_width, drawn_height;
  imghost_fact facts[most_facts];
} reader;

// Reports an error of librsvg, whose message may end with a line feed.
static int32_t fail_with(const imghost_call *call, const char *words, const GError *error) {
  const char *reason = error && error->message ? error->message : "no reason given";
  return svg_fail(call, "%s: %.*s", words, (int)strcspn(reason, "\n"), reason);
}

// Returns a length in pixels; 0 if it is relative or missing.
static double pixels(gboolean is_given, RsvgLength length, double dpi) {
  if (!is_given || !(length.length > 0)) return 0;
  switch (length.unit) {
    case RSVG_UNIT_PX: return length.length;
    case RSVG_UNIT_IN: return length.length * dpi;
    case RSVG_UNIT_CM: return length.length * dpi / 2.54;
    case RSVG_UNIT_MM: return length.length * dpi / 25.4;
    case RSVG_UNIT_PT: return length.length * dpi / 72;
    case RSVG_UNIT_PC: return length.length * dpi / 6;
    default: return 0;
  }
}

// Finds the size in pixels that the file specifies. If only one side is given, the other one follows from the view box,
// as in browsers.
static void intrinsic_size(RsvgHandle *handle, double dpi, double *width, double *height) {
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle, width, height) && *width > 0 && *height > 0) return;
  gboolean has_width, has_height, has_box;
  RsvgLength across, down;
  RsvgRectangle box;
  rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &across, &has_height, &down, &has_box, &box);
  gboolean is_boxed = has_box && box.width > 0 && box.height > 0;
  double ratio = is_boxed ? box.width / box.height : 0;
  double wide = pixels(has_width, across, dpi), high = pixels(has_height, down, dpi);
  *width = wide > 0 ? wide : is_boxed ? (high > 0 ? high * ratio : box.width) : default_width;
  *height = high > 0 ? high : is_boxed ? (wide > 0 ? wide / ratio : box.height) : default_height;
}

// Rounds a size as browsers do, so that rounding errors of lengths in millimetres do not add a column.
static double rounded(double size) { return fmax(1, round(size)); }

static int32_t set_size(reader *self, const imghost_call *call, const imghost_value *values) {
  double width, height;
  intrinsic_size(self->handle, values[svg_dpi].numbers[0], &width, &height);
  double wanted_width = values[svg_width].numbers[0], wanted_height = values[svg_height].numbers[0];
  double scale = values[svg_scale].numbers[0];
  self->facts[0] = (imghost_fact){"width", NULL, width};
  self->facts[1] = (imghost_fact){"height", NULL, height};
  if (wanted_width > 0 && wanted_height > 0) {
    width = self->drawn_width = wanted_width, height = self->drawn_height = wanted_height;
  } else if (wanted_width > 0 || wanted_height > 0) {
    double factor = wanted_width > 0 ? wanted_width / width : wanted_height / height;
    self->drawn_width = width * factor, self->drawn_height = height * factor;
    width = wanted_width > 0 ? wanted_width : rounded(self->drawn_width);
    height = wanted_height > 0 ? wanted_height : rounded(self->drawn_height);
  } else {
    self->drawn_width = width * scale, self->drawn_height = height * scale;
    width = rounded(self->drawn_width), height = rounded(self->drawn_height);
  }
  if (!(width <= largest_side && height <= largest_side)) {
    return svg_fail(call, "would be %.0f by %.0f pixels, and at most %d a side can be drawn: give a width", width,
        height, largest_side);
  }
  self->width = (int32_t)width;
  self->height = (int32_t)height;
  return IMGHOST_OK;
}

static RsvgHandle *load(imghost_bytes file, RsvgHandleFlags flags, GError **error) {
  GInputStream *stream = g_memory_input_stream_new_from_data(file.bytes, (gssize)file.count, NULL);
  RsvgHandle *handle = rsvg_handle_new_from_stream_sync(stream, NULL, flags, NULL, error);
  g_object_unref(stream);
  return handle;
}

static int is_packed(imghost_bytes file) { return file.count > 1 && file.bytes[0] == 0x1f && file.bytes[1] == 0x8b; }

// Parses the file. There is no base URL, so librsvg only loads data URLs. libxml2 limits the size of attributes to 10
// MB, and the expansion of entities. Its limits are therefore only disabled for files that may have a larger attribute,
// and that have no nested entities; the worker's own limits of memory and time still apply.
static int32_t parse(reader *self, const imghost_call *call, imghost_bytes file, double dpi, int nests) {
  const size_t most = 10000000;
  GError *error = NULL;
  int is_long = file.count > most && !nests;
  self->handle = load(file, is_long ? RSVG_HANDLE_FLAG_UNLIMITED : RSVG_HANDLE_FLAGS_NONE, &error);
  // A compressed file of this length may contain more than `most` bytes. An error about its entities is final.
  if (!self->handle && is_packed(file) && file.count > most / 1000 && !(error && strstr(error->message, "ntit"))) {
    g_clear_error(&error);
    self->handle = load(file, RSVG_HANDLE_FLAG_UNLIMITED, &error);
  }
  if (!self->handle) {
    svg_fail(
        call, "is no SVG that librsvg reads: %.200s", error && error->message ? error->message : "no reason given");
    g_clear_error(&error);
    return IMGHOST_FAILED;
  }
  rsvg_handle_set_dpi(self->handle, dpi);
  return IMGHOST_OK;
}

int32_t svg_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)value_count;
  if (page > 0) return svg_fail(call, "has 1 page");
  int may_be_other = is_packed(file->content), nests = 0;
  if (!may_be_other && !svg_has_root(file->content, &nests)) return IMGHOST_NOT_MINE;
  reader *self = calloc(1, sizeof *self);
  if (!self) return svg_fail(call, "needs more memory than there is");
  cglib_messages_begin(svg_host, call);
  int32_t code = parse(self, call, file->content, values[svg_dpi].numbers[0], nests);
  cglib_messages_end();
  // Any gzip file begins like an svgz file, so other codecs may read it.
  if (code != IMGHOST_OK && may_be_other) code = IMGHOST_NOT_MINE;
  if (code == IMGHOST_OK) code = set_size(self, call, values);
  if (code != IMGHOST_OK) {
    svg_close(self);
    return code;
  }
  image->page_count = 1;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = 4;
  image->width = self->width;
  image->height = self->height;
  // Drawings are drawn directly at smaller sizes, instead of being reduced.
  image->flags = IMGHOST_IMAGE_FINE_SHRINKS;
  static const uint32_t shrinks[] = {2, 4, 8, 16};
  image->shrink_count = sizeof shrinks / sizeof *shrinks;
  memcpy(image->shrinks, shrinks, sizeof shrinks);
  // Filters and blended groups need memory for surfaces of their own.
  image->working_bytes =
      20 * (uint64_t)self->width * (uint64_t)self->height + 20 * (uint64_t)file->content.count + (8u << 20);
  image->metadata.orientation = 1;
  image->facts = self->facts;
  image->fact_count = most_facts;
  *instance = self;
  return IMGHOST_OK;
}

// Converts cairo's premultiplied words to straight RGBA, in place.
static void unpack(uint8_t *row, int32_t width) {
  for (int32_t x = 0; x < width; x++, row += 4) {
    uint32_t word;
    memcpy(&word, row, 4);
    uint32_t alpha = word >> 24;
    row[3] = (uint8_t)alpha;
    for (int band = 0; band < 3; band++) {
      uint32_t value = word >> (16 - 8 * band) & 255;
      if (alpha != 255) value = alpha ? (value * 255 + alpha / 2) / alpha : 0;
      row[band] = (uint8_t)(value > 255 ? 255 : value);
    }
  }
}

// Draws the whole picture into `pixels`, in cairo's pixel layout.
static int32_t draw(const reader *self, const imghost_read *request, uint8_t *pixels, ptrdiff_t stride) {
  int32_t width = request->output->width, height = request->output->height;
  for (int32_t y = 0; y < height; y++) memset(pixels + y * stride, 0, 4 * (size_t)width);
  cairo_surface_t *surface =
      cairo_image_surface_create_for_data(pixels, CAIRO_FORMAT_ARGB32, width, height, (int)stride);
  cairo_t *context = cairo_create(surface);
  // A drawing with a fractional size is scaled to fill its rounded size.
  cairo_scale(context, width / self->drawn_width, height / self->drawn_height);
  RsvgRectangle viewport = {0, 0, self->drawn_width, self->drawn_height};
  GError *error = NULL;
  int32_t code = IMGHOST_OK;
  cglib_messages_begin(svg_host, request->call);
  if (cairo_status(context) != CAIRO_STATUS_SUCCESS) code = svg_fail(request->call, "needs more memory than there is");
  if (code == IMGHOST_OK && !rsvg_handle_render_document(self->handle, context, &viewport, &error)) {
    code = fail_with(request->call, "cannot be drawn", error);
    g_clear_error(&error);
    // If damage is accepted, the drawn part is kept.
    if (request->flags & IMGHOST_READ_DAMAGED) code = IMGHOST_OK;
  }
  cglib_messages_end();
  cairo_surface_finish(surface);
  cairo_destroy(context);
  cairo_surface_destroy(surface);
  for (int32_t y = 0; y < height && code == IMGHOST_OK; y++) unpack(pixels + y * stride, width);
  return code;
}

// Draws the whole picture even if only a part is requested, because antialiased edges in a part would differ from those
// of the whole by up to 9 levels. A request for all of the picture is drawn directly into the output.
int32_t svg_read(void *instance, const imghost_read *request) {
  reader *self = instance;
  const imghost_picture *output = request->output;
  imghost_region valid = output->valid;
  uint8_t *target = output->writable;
  if (svg_host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
  int is_whole = valid.width == output->width && valid.height == output->height;
  if (is_whole && output->stride % 4 == 0 && (uintptr_t)target % 4 == 0) {
    return draw(self, request, target, output->stride);
  }
  size_t stride = 4 * (size_t)output->width;
  uint8_t *pixels = malloc((size_t)output->height * stride);
  if (!pixels) return svg_fail(request->call, "needs more memory than there is");
  int32_t code = draw(self, request, pixels, (ptrdiff_t)stride);
  for (int32_t y = 0; y < valid.height && code == IMGHOST_OK; y++) {
    const uint8_t *row = pixels + (size_t)(valid.top + y) * stride + 4 * (size_t)valid.left;
    memcpy(target + y * output->stride, row, 4 * (size_t)valid.width);
  }
  free(pixels);
  return code;
}

void svg_close(void *instance) {
  reader *self = instance;
  if (self->handle) g_object_unref(self->handle);
  free(self);
}
