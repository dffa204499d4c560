// Reads PDF: poppler draws a page with cairo, whose BGRX pixels are converted to RGB.
#include "PDF.h"

#include <CGLibMessages.h>
#include <math.h>
#include <poppler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest_side = 32767, most_facts = 4 };

typedef struct reader {
  PopplerDocument *document;
  PopplerPage *page;
  uint32_t page_count;
  /// The number of pixels per point.
  double scale;
  double dpi, wanted_width, background[3];
  int32_t width, height;
  char *title, *producer;
  imghost_fact facts[most_facts];
  char size[64];
} reader;

// Loads the document from a stream, because otherwise poppler 22.12 reads freed memory after a wrong password.
static PopplerDocument *load_with_password(imghost_bytes file, const char *password, GError **error) {
  GInputStream *stream = g_memory_input_stream_new_from_data(file.bytes, (gssize)file.count, NULL);
  PopplerDocument *document = poppler_document_new_from_stream(stream, (goffset)file.count, password, NULL, error);
  g_object_unref(stream);
  return document;
}

static PopplerDocument *load_without_password(imghost_bytes file, GError **error) {
  GBytes *bytes = g_bytes_new_static(file.bytes, file.count);
  PopplerDocument *document = poppler_document_new_from_bytes(bytes, NULL, error);
  g_bytes_unref(bytes);
  return document;
}

static int32_t load(reader *self, const imghost_call *call, imghost_bytes file, const char *password) {
  GError *error = NULL;
  int has_password = password && *password;
  self->document = has_password ? load_with_password(file, password, &error) : load_without_password(file, &error);
  if (self->document) return IMGHOST_OK;
  int32_t code = IMGHOST_FAILED;
  if (g_error_matches(error, POPPLER_ERROR, POPPLER_ERROR_ENCRYPTED)) {
    code = has_password ? pdf_fail(call, "is encrypted, and does not open with this password")
                        : pdf_fail(call, "is encrypted: give its password");
  } else if (g_error_matches(error, POPPLER_ERROR, POPPLER_ERROR_BAD_CATALOG)) {
    code = pdf_fail(call, "has no list of pages");
  } else {
    code = pdf_fail(call, "is damaged beyond repair or no PDF");
  }
  g_clear_error(&error);
  return code;
}

// Truncates text at a character boundary within the limit of the interface.
static void limit(char *text) {
  if (!text || strlen(text) <= 400) return;
  size_t end = 400;
  while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) end--;
  text[end] = 0;
}

int32_t pdf_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)value_count;
  reader *self = calloc(1, sizeof *self);
  if (!self) return pdf_fail(call, "needs more memory than there is");
  self->dpi = values[pdf_dpi].numbers[0];
  self->wanted_width = values[pdf_width].numbers[0];
  for (int i = 0; i < 3; i++) self->background[i] = values[pdf_background].numbers[i];
  cglib_messages_begin(pdf_host, call);
  int32_t code = load(self, call, file->content, values[pdf_password].text);
  if (code == IMGHOST_OK) {
    int count = poppler_document_get_n_pages(self->document);
    self->page_count = count > 0 ? (uint32_t)count : 0;
    self->title = poppler_document_get_title(self->document);
    self->producer = poppler_document_get_producer(self->document);
    limit(self->title);
    limit(self->producer);
    code = self->page_count ? pdf_turn(self, call, page, image) : pdf_fail(call, "has no pages");
  }
  cglib_messages_end();
  if (code != IMGHOST_OK) {
    pdf_close(self);
    return code;
  }
  *instance = self;
  return IMGHOST_OK;
}

static int32_t set_size(reader *self, const imghost_call *call) {
  double width, height;
  poppler_page_get_size(self->page, &width, &height);
  if (!(width > 0 && height > 0)) return pdf_fail(call, "has a page without a size");
  self->scale = self->wanted_width > 0 ? self->wanted_width / width : self->dpi / 72;
  // The size is rounded up as in pdftoppm, except that rounding errors of the division do not add a pixel.
  double across = fmax(1, ceil(width * self->scale - 1e-6)), down = fmax(1, ceil(height * self->scale - 1e-6));
  if (!(across <= largest_side && down <= largest_side)) {
    return pdf_fail(call, "would be %.0f by %.0f pixels, and at most %d a side can be drawn: give less dpi", across,
        down, largest_side);
  }
  self->width = (int32_t)across;
  self->height = (int32_t)down;
  snprintf(self->size, sizeof self->size, "%.2fx%.2f", width, height);
  return IMGHOST_OK;
}

int32_t pdf_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  reader *self = instance;
  if (self->page) g_object_unref(self->page);
  self->page = NULL;
  if (page >= self->page_count) {
    return pdf_fail(call, "has %u page%s", self->page_count, self->page_count == 1 ? "" : "s");
  }
  cglib_messages_begin(pdf_host, call);
  self->page = poppler_document_get_page(self->document, (int)page);
  cglib_messages_end();
  if (!self->page) return pdf_fail(call, "has a damaged page %u", page + 1);
  int32_t code = set_size(self, call);
  if (code != IMGHOST_OK) return code;
  image->page_count = self->page_count;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = 3;
  image->width = self->width;
  image->height = self->height;
  // Pages are drawn directly at smaller sizes, instead of being reduced.
  image->flags = IMGHOST_IMAGE_FINE_SHRINKS;
  static const uint32_t shrinks[] = {2, 4, 8, 16};
  image->shrink_count = sizeof shrinks / sizeof *shrinks;
  memcpy(image->shrinks, shrinks, sizeof shrinks);
  // The memory of the page, of a transparency group or picture of the page's size, and of fonts.
  image->working_bytes = 8 * (uint64_t)self->width * (uint64_t)self->height + (48u << 20);
  image->metadata.orientation = 1;
  image->metadata.resolution_x = image->metadata.resolution_y = 72 * self->scale;
  uint32_t count = 0;
  self->facts[count++] = (imghost_fact){"page_points", self->size, 0};
  if (self->title && *self->title) self->facts[count++] = (imghost_fact){"title", self->title, 0};
  if (self->producer && *self->producer) self->facts[count++] = (imghost_fact){"producer", self->producer, 0};
  image->facts = self->facts;
  image->fact_count = count;
  return IMGHOST_OK;
}

static void unpack(const uint8_t *pixels, int32_t width, uint8_t *row) {
  for (int32_t x = 0; x < width; x++, row += 3) {
    uint32_t word;
    memcpy(&word, pixels + 4 * (size_t)x, 4);
    row[0] = (uint8_t)(word >> 16);
    row[1] = (uint8_t)(word >> 8);
    row[2] = (uint8_t)word;
  }
}

// Draws the whole page even if only a part is requested, because drawing strips would decode the page's pictures
// repeatedly.
int32_t pdf_read(void *instance, const imghost_read *request) {
  reader *self = instance;
  imghost_region valid = request->output->valid;
  if (pdf_host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
  cairo_surface_t *surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, request->output->width, request->output->height);
  cairo_t *context = cairo_create(surface);
  cairo_set_source_rgb(context, self->background[0], self->background[1], self->background[2]);
  cairo_paint(context);
  cairo_scale(context, self->scale * request->output->width / self->width,
      self->scale * request->output->height / self->height);
  int32_t code = IMGHOST_OK;
  cglib_messages_begin(pdf_host, request->call);
  if (cairo_status(context) == CAIRO_STATUS_SUCCESS) poppler_page_render(self->page, context);
  cglib_messages_end();
  cairo_surface_flush(surface);
  const uint8_t *pixels = cairo_image_surface_get_data(surface);
  if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS || !pixels) {
    code = pdf_fail(request->call, "needs more memory than there is");
  } else if (cairo_status(context) != CAIRO_STATUS_SUCCESS) {
    code =
        pdf_fail(request->call, "has a page that cannot be drawn: %s", cairo_status_to_string(cairo_status(context)));
    // If damage is accepted, the drawn part is kept.
    if (request->flags & IMGHOST_READ_DAMAGED) code = IMGHOST_OK;
  }
  ptrdiff_t stride = cairo_image_surface_get_stride(surface);
  for (int32_t y = 0; y < valid.height && code == IMGHOST_OK; y++) {
    const uint8_t *row = pixels + (valid.top + y) * stride + 4 * (ptrdiff_t)valid.left;
    unpack(row, valid.width, (uint8_t *)request->output->writable + y * request->output->stride);
  }
  cairo_destroy(context);
  cairo_surface_destroy(surface);
  return code;
}

void pdf_close(void *instance) {
  reader *self = instance;
  if (self->page) g_object_unref(self->page);
  if (self->document) g_object_unref(self->document);
  g_free(self->title);
  g_free(self->producer);
  free(self);
}
