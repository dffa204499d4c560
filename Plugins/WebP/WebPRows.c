// Decodes the rows of a still image while the file is passed to libwebp piece by piece.
#include "WebP.h"

#include <stdlib.h>
#include <string.h>

// The approximate number of rows whose data is passed to libwebp at once. For plain pictures, whose data is short, the
// number may be ten times as large.
enum { rows_at_once = 4 };

static int32_t reduced(int32_t side, uint32_t shrink) { return (int32_t)(((uint32_t)side + shrink - 1) / shrink); }

static int is_whole(const imghost_region *region, int32_t width, int32_t height) {
  return region->left == 0 && region->top == 0 && region->width == width && region->height == height;
}

void webp_rows_free(webp_rows *rows) {
  if (rows->decoder != NULL) WebPIDelete(rows->decoder);
  webp_window_free(&rows->window);
  free(rows->columns);
  rows->decoder = NULL;
  rows->columns = NULL;
}

// Makes the decoder crop, with a margin of two columns and rows, because the decoder interpolates chroma as if the
// picture ended at the edge of the crop. Returns the size of the decoder's output.
static void set_cropping(webp_rows *rows, int32_t *width, int32_t *height) {
  enum { margin = 2 };
  WebPDecoderOptions *options = &rows->config.options;
  const imghost_region *region = &rows->region;
  int32_t right = region->left + region->width + margin, bottom = region->top + region->height + margin;
  rows->left = region->left < margin ? 0 : (region->left - margin) & ~1;
  rows->top = region->top < margin ? 0 : (region->top - margin) & ~1;
  *width = (right < *width ? right : *width) - rows->left;
  *height = (bottom < *height ? bottom : *height) - rows->top;
  options->use_cropping = 1;
  options->crop_left = rows->left;
  options->crop_top = rows->top;
  options->crop_width = *width;
  options->crop_height = *height;
}

// Makes the decoder write directly into the requested rows if it produces only these, else into a window.
static int32_t set_output(webp_rows *rows, const imghost_read *request, uint32_t bands, int32_t width, int32_t height) {
  const imghost_picture *output = request->output;
  webp_window *window = &rows->window;
  WebPDecBuffer *buffer = &rows->config.output;
  buffer->colorspace = window->has_planes ? MODE_YUV : bands == 4 ? MODE_RGBA : MODE_RGB;
  buffer->is_external_memory = 1;
  if (rows->shrink == 1 && is_whole(&output->valid, width, height) && output->stride <= INT32_MAX) {
    buffer->u.RGBA.rgba = output->writable;
    buffer->u.RGBA.stride = (int)output->stride;
    buffer->u.RGBA.size = (size_t)output->stride * (size_t)(height - 1) + (size_t)width * bands;
    return IMGHOST_OK;
  }
  window->width = width;
  window->height = height;
  window->stride = window->has_planes ? width : width * (int32_t)bands;
  int has_columns = rows->shrink > 1 && !window->has_planes;
  if (has_columns) rows->columns = malloc((size_t)window->stride * sizeof *rows->columns);
  if (!webp_window_make(window) || (has_columns && rows->columns == NULL)) {
    return webp_fail(request->call, "needs more memory than there is");
  }
  webp_window_tell(window, buffer);
  return IMGHOST_OK;
}

static int32_t begin(webp_reader *reader, const imghost_read *request) {
  webp_rows *rows = &reader->rows;
  const webp_container *container = &reader->container;
  webp_rows_free(rows);
  *rows = (webp_rows){.region = request->region, .shrink = request->shrink, .status = VP8_STATUS_SUSPENDED};
  if (!WebPInitDecoderConfig(&rows->config)) return webp_fail(request->call, "needs another version of libwebp");
  rows->window.has_planes = rows->shrink > 1 && !container->is_lossless && !container->has_alpha;
  int32_t width = container->width, height = container->height;
  if (rows->shrink > 1) {
    // The deblocking filter hardly changes averages; libwebp also omits it for scales below 3/4.
    rows->config.options.bypass_filtering = 1;
  } else if (!is_whole(&rows->region, width, height)) {
    set_cropping(rows, &width, &height);
  }
  int32_t result = set_output(rows, request, reader->bands, width, height);
  if (result != IMGHOST_OK) return result;
  // For VP8L, each piece makes libwebp decode up to eight rows again, and all pixels stay in memory anyway.
  int32_t pieces = container->is_lossless ? 8 : container->height / rows_at_once + 1;
  rows->step = container->count / (size_t)pieces + 64;
  rows->decoder = WebPIDecode(NULL, 0, &rows->config);
  return rows->decoder == NULL ? webp_fail(request->call, "needs more memory than there is") : IMGHOST_OK;
}

// Decodes a piece of the file. Rows before `next` are no longer needed. Returns whether there was a piece.
static int decode_piece(webp_reader *reader, int32_t next) {
  webp_rows *rows = &reader->rows;
  const webp_container *container = &reader->container;
  if (rows->status != VP8_STATUS_SUSPENDED || rows->fed == container->count) return 0;
  if (rows->window.bytes != NULL) {
    int32_t unused = next * (int32_t)rows->shrink;
    webp_window_slide(&rows->window, unused < rows->lines ? unused : rows->lines, rows->lines);
    webp_window_tell(&rows->window, &rows->config.output);
  }
  size_t rest = container->count - rows->fed;
  rows->fed += rest < rows->step ? rest : rows->step;
  rows->status = WebPIUpdate(rows->decoder, container->bytes, rows->fed);
  int last = 0;
  const uint8_t *known = rows->window.has_planes
                             ? WebPIDecGetYUVA(rows->decoder, &last, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)
                             : WebPIDecGetRGB(rows->decoder, &last, NULL, NULL, NULL);
  if (known != NULL) rows->lines = last;
  return 1;
}

// Returns the number of complete rows of the output, which may be reduced.
static int32_t ready(const webp_rows *rows) {
  if (rows->shrink == 1) return rows->lines;
  int32_t height = rows->window.height;
  return rows->lines == height ? reduced(height, rows->shrink) : rows->lines / (int32_t)rows->shrink;
}

static int32_t missing(const webp_rows *rows, const imghost_call *call) {
  if (rows->status == VP8_STATUS_OUT_OF_MEMORY) return webp_fail(call, "needs more memory than there is");
  if (rows->status == VP8_STATUS_SUSPENDED) return webp_fail(call, "ends in the middle of its pixels");
  return webp_fail(call, "has damaged pixels from row %d on", rows->top + ready(rows));
}

// Writes a row that is ready.
static void hand_over(const webp_rows *rows, const imghost_picture *output, int32_t row, uint8_t *target) {
  uint8_t whole[4 * (webp_largest_side / 2 + 1)];
  const webp_window *window = &rows->window;
  if (window->bytes == NULL) return;
  const uint8_t *source = whole;
  if (rows->shrink == 1) {
    source = window->bytes + (ptrdiff_t)window->stride * (row - window->first);
  } else if (window->has_planes) {
    webp_plane_blocks_row(window, rows->shrink, row, whole);
  } else {
    webp_pixel_blocks_row(window, rows->shrink, row, rows->columns, whole);
  }
  size_t left = (size_t)(output->valid.left - rows->left) * output->bands;
  memcpy(target, source + left, (size_t)output->valid.width * output->bands);
}

// Writes the requested rows. In the decoder's output, they extend from row `first` to before row `end`.
static int32_t read_rows(webp_reader *reader, const imghost_read *request, int32_t first, int32_t end) {
  const webp_rows *rows = &reader->rows;
  const imghost_picture *output = request->output;
  uint8_t *target = output->writable;
  int32_t row = first;
  while (row < end) {
    if (row < ready(rows)) {
      hand_over(rows, output, row, target + output->stride * (row - first));
      row++;
    } else if (webp_host->is_cancelled(request->call)) {
      return IMGHOST_CANCELLED;
    } else if (!decode_piece(reader, row)) {
      break;
    }
  }
  if (row < end && !(request->flags & IMGHOST_READ_DAMAGED)) return missing(rows, request->call);
  // Rows that cannot be read are black.
  for (; row < end; row++) {
    memset(target + output->stride * (row - first), 0, (size_t)output->valid.width * output->bands);
  }
  return IMGHOST_OK;
}

static int is_same(const imghost_region *a, const imghost_region *b) {
  return a->left == b->left && a->top == b->top && a->width == b->width && a->height == b->height;
}

int32_t webp_rows_read(webp_reader *reader, const imghost_read *request) {
  webp_rows *rows = &reader->rows;
  const imghost_region *valid = &request->output->valid;
  int32_t bottom = valid->top + valid->height;
  int goes_on = rows->decoder != NULL && valid->top != request->region.top && valid->top >= rows->next_row
                && rows->shrink == request->shrink && is_same(&rows->region, &request->region);
  int32_t result = goes_on ? IMGHOST_OK : begin(reader, request);
  if (result == IMGHOST_OK) result = read_rows(reader, request, valid->top - rows->top, bottom - rows->top);
  rows->next_row = bottom;
  // A decoder that writes into the host's rows must not outlive the call.
  if (result != IMGHOST_OK || rows->window.bytes == NULL || bottom == rows->region.top + rows->region.height) {
    webp_rows_free(rows);
  }
  return result;
}
