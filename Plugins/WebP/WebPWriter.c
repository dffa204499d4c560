// Writes WebP files, with the settings of libvips and sharp.
#include "WebP.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <webp/encode.h>
#include <webp/mux.h>

// The number of rows that are converted to YUV at once, an even number.
enum { strip_rows = 64 };

typedef struct webp_encoder {
  WebPConfig config;
  /// The page: ARGB for lossless files, `use_sharp_yuv` and animations, else YUV planes.
  WebPPicture page;
  int has_page;
  /// A single row that waits for the second row of its pair.
  uint8_t *waiting;
  int is_waiting;
  int32_t next_row;
  uint32_t bands;
  WebPMemoryWriter file;
  /// The encoder of an animation; NULL for a still image.
  WebPAnimEncoder *animation;
  int64_t milliseconds;
  WebPData icc, exif, xmp;
  int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
} webp_encoder;

static int32_t no_memory(const imghost_call *call) { return webp_fail(call, "needs more memory than there is"); }

static int configure(WebPConfig *config, const imghost_value *values) {
  int quality = (int)values[webp_p_quality].numbers[0];
  int is_near = values[webp_p_near_lossless].numbers[0] != 0;
  int is_lossless = values[webp_p_lossless].numbers[0] != 0;
  if (!WebPConfigInit(config)) return 0;
  if (is_lossless || is_near) {
    config->lossless = 1;
    if (is_lossless) config->quality = (float)quality;
    if (is_near) config->near_lossless = quality;
  } else if (!WebPConfigPreset(config, (WebPPreset)(int)values[webp_p_preset].numbers[0], (float)quality)) {
    return 0;
  }
  config->alpha_quality = (int)values[webp_p_alpha_quality].numbers[0];
  config->method = (int)values[webp_p_effort].numbers[0];
  config->use_sharp_yuv = values[webp_p_smart_subsample].numbers[0] != 0;
  config->thread_level = 0;
  return WebPValidateConfig(config);
}

static int is_wanted(int percent, const WebPPicture *picture) {
  webp_host->progress(picture->user_data, percent / 100.0);
  return !webp_host->is_cancelled(picture->user_data);
}

static int32_t begin_page(webp_encoder *encoder, const imghost_call *call, const imghost_picture *format) {
  if (format->width > WEBP_MAX_DIMENSION || format->height > WEBP_MAX_DIMENSION) {
    return webp_fail(call, "would be %d x %d pixels, and a side of a WebP has at most %d", format->width,
        format->height, WEBP_MAX_DIMENSION);
  }
  if (encoder->has_page && (format->width != encoder->page.width || format->height != encoder->page.height)) {
    return webp_fail(call, "has frames of different sizes, and an animation needs one size");
  }
  encoder->next_row = 0;
  if (encoder->has_page) return IMGHOST_OK;
  WebPPicture *page = &encoder->page;
  if (!WebPPictureInit(page)) return webp_fail(call, "needs another version of libwebp");
  page->width = format->width;
  page->height = format->height;
  page->use_argb = encoder->config.lossless || encoder->config.use_sharp_yuv || encoder->animation != NULL;
  page->colorspace = format->bands == 4 ? WEBP_YUV420A : WEBP_YUV420;
  encoder->bands = format->bands;
  encoder->waiting = malloc(2 * (size_t)format->width * format->bands);
  encoder->has_page = WebPPictureAlloc(page);
  return encoder->waiting != NULL && encoder->has_page ? IMGHOST_OK : no_memory(call);
}

static int copy(WebPData *target, imghost_bytes source) {
  if (source.count == 0) return 1;
  target->bytes = WebPMalloc(source.count);
  target->size = source.count;
  if (target->bytes != NULL) memcpy((uint8_t *)target->bytes, source.bytes, source.count);
  return target->bytes != NULL;
}

static int32_t begin_animation(webp_encoder *encoder, const imghost_writing *writing) {
  WebPAnimEncoderOptions options;
  if (!WebPAnimEncoderOptionsInit(&options)) return webp_fail(writing->call, "needs another version of libwebp");
  options.anim_params.loop_count = writing->loop_count > 65535 ? 65535 : (int)writing->loop_count;
  options.anim_params.bgcolor = 0;
  // Only the first frame is a key frame, which makes files smaller, as in libvips.
  options.kmin = INT_MAX - 1;
  options.kmax = INT_MAX;
  encoder->animation = WebPAnimEncoderNew(writing->format->width, writing->format->height, &options);
  return encoder->animation == NULL ? no_memory(writing->call) : IMGHOST_OK;
}

void *webp_begin(const imghost_writing *writing) {
  webp_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL || writing->value_count != webp_p_count || !configure(&encoder->config, writing->values)) {
    webp_fail(writing->call, "could not be set up for writing");
    free(encoder);
    return NULL;
  }
  WebPMemoryWriterInit(&encoder->file);
  encoder->write = writing->write;
  const imghost_metadata *metadata = writing->metadata;
  int32_t result = IMGHOST_OK;
  if (!copy(&encoder->icc, metadata->icc) || !copy(&encoder->exif, metadata->exif)
      || !copy(&encoder->xmp, metadata->xmp)) {
    result = no_memory(writing->call);
  }
  int fits = writing->format->width <= WEBP_MAX_DIMENSION && writing->format->height <= WEBP_MAX_DIMENSION;
  if (result == IMGHOST_OK && writing->page_count > 1 && fits) result = begin_animation(encoder, writing);
  if (result == IMGHOST_OK) result = begin_page(encoder, writing->call, writing->format);
  if (result == IMGHOST_OK) return encoder;
  webp_abandon(encoder);
  return NULL;
}

static void store_argb(webp_encoder *encoder, const uint8_t *source) {
  uint32_t *target = encoder->page.argb + (size_t)encoder->next_row++ * (size_t)encoder->page.argb_stride;
  uint32_t bands = encoder->bands;
  for (int32_t i = 0; i < encoder->page.width; i++, source += bands) {
    uint32_t alpha = bands == 4 ? source[3] : 255;
    target[i] = alpha << 24 | (uint32_t)source[0] << 16 | (uint32_t)source[1] << 8 | source[2];
  }
}

static void copy_plane(uint8_t *target, int target_stride, const uint8_t *source, int stride, int width, int height) {
  for (int row = 0; row < height; row++) {
    memcpy(target + (ptrdiff_t)target_stride * row, source + (ptrdiff_t)stride * row, (size_t)width);
  }
}

// Converts rows, beginning with an even-numbered one. Chroma belongs to pairs of rows, so strips give the same result
// as the whole picture.
static int store_yuv(webp_encoder *encoder, const uint8_t *rows, ptrdiff_t stride, int count) {
  WebPPicture strip, *page = &encoder->page;
  if (!WebPPictureInit(&strip)) return 0;
  strip.width = page->width;
  strip.height = count;
  int is_done = encoder->bands == 4 ? WebPPictureImportRGBA(&strip, rows, (int)stride)
                                    : WebPPictureImportRGB(&strip, rows, (int)stride);
  if (is_done) {
    ptrdiff_t row = encoder->next_row, half = row / 2;
    int chroma_width = (page->width + 1) / 2, chroma_rows = (count + 1) / 2;
    copy_plane(page->y + row * page->y_stride, page->y_stride, strip.y, strip.y_stride, page->width, count);
    uint8_t *u = page->u + half * page->uv_stride, *v = page->v + half * page->uv_stride;
    copy_plane(u, page->uv_stride, strip.u, strip.uv_stride, chroma_width, chroma_rows);
    copy_plane(v, page->uv_stride, strip.v, strip.uv_stride, chroma_width, chroma_rows);
    uint8_t *alpha = page->a == NULL ? NULL : page->a + row * page->a_stride;
    if (alpha != NULL && strip.a != NULL) {
      copy_plane(alpha, page->a_stride, strip.a, strip.a_stride, page->width, count);
    } else if (alpha != NULL) {
      // An opaque strip has no alpha plane.
      for (int i = 0; i < count; i++) memset(alpha + (ptrdiff_t)page->a_stride * i, 255, (size_t)page->width);
    }
    encoder->next_row += count;
  }
  WebPPictureFree(&strip);
  return is_done;
}

// Converts rows to the planes: pairs directly, and a single row when its partner arrives or the page ends.
static int take_yuv(webp_encoder *encoder, const imghost_picture *rows) {
  const uint8_t *source = rows->pixels;
  size_t row_count = (size_t)encoder->page.width * encoder->bands;
  int32_t count = rows->valid.height;
  if (encoder->is_waiting && count > 0) {
    memcpy(encoder->waiting + row_count, source, row_count);
    if (!store_yuv(encoder, encoder->waiting, (ptrdiff_t)row_count, 2)) return 0;
    encoder->is_waiting = 0;
    source += rows->stride;
    count--;
  }
  while (count > 0) {
    int32_t rest = encoder->page.height - encoder->next_row;
    int32_t now = count < strip_rows ? count : strip_rows;
    if (now % 2 == 1 && now < rest) now--;
    if (now == 0) {
      memcpy(encoder->waiting, source, row_count);
      encoder->is_waiting = 1;
      return 1;
    }
    if (!store_yuv(encoder, source, rows->stride, now)) return 0;
    source += rows->stride * now;
    count -= now;
  }
  return 1;
}

int32_t webp_write_rows(void *instance, const imghost_call *call, const imghost_picture *rows) {
  webp_encoder *encoder = instance;
  if (rows->valid.height > encoder->page.height - encoder->next_row - encoder->is_waiting
      || rows->valid.width != encoder->page.width || rows->bands != encoder->bands) {
    return webp_fail(call, "got more pixels than were announced");
  }
  if (!encoder->page.use_argb) return take_yuv(encoder, rows) ? IMGHOST_OK : no_memory(call);
  for (int32_t row = 0; row < rows->valid.height; row++) {
    store_argb(encoder, (const uint8_t *)rows->pixels + rows->stride * row);
  }
  return IMGHOST_OK;
}

static int32_t encoding_failed(const imghost_call *call, WebPEncodingError error) {
  switch (error) {
    case VP8_ENC_ERROR_USER_ABORT: return IMGHOST_CANCELLED;
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: return no_memory(call);
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
      return webp_fail(call, "has more detail than a WebP holds at this quality; use a lower 'quality'");
    default: return webp_fail(call, "could not be encoded (error %d of libwebp)", (int)error);
  }
}

// Encodes a still image. In a large, detailed picture, the prediction modes may exceed the maximum size of their
// partition; the picture is then encoded again with fewer modes.
static int32_t encode(webp_encoder *encoder, const imghost_call *call) {
  WebPPicture *page = &encoder->page;
  page->writer = WebPMemoryWrite;
  page->custom_ptr = &encoder->file;
  for (int limit = 0; limit <= 100; limit += 50) {
    encoder->config.partition_limit = limit;
    if (WebPEncode(&encoder->config, page)) return IMGHOST_OK;
    if (page->error_code != VP8_ENC_ERROR_PARTITION0_OVERFLOW) break;
    WebPMemoryWriterClear(&encoder->file);
  }
  return encoding_failed(call, page->error_code);
}

int32_t webp_end_page(void *instance, const imghost_call *call, double delay, const imghost_picture *next) {
  webp_encoder *encoder = instance;
  WebPPicture *page = &encoder->page;
  if (encoder->is_waiting || encoder->next_row != page->height) return webp_fail(call, "got too few pixels");
  page->progress_hook = is_wanted;
  page->user_data = (void *)(uintptr_t)call;
  if (encoder->animation == NULL) return encode(encoder, call);
  if (encoder->milliseconds > INT_MAX - (1 << 24)) return webp_fail(call, "lasts longer than a WebP can");
  if (!WebPAnimEncoderAdd(encoder->animation, page, (int)encoder->milliseconds, &encoder->config)) {
    return encoding_failed(call, page->error_code);
  }
  double milliseconds = round(delay * 1000);
  encoder->milliseconds += milliseconds > 0xffffff ? 0xffffff : milliseconds > 0 ? (int64_t)milliseconds : 0;
  return next == NULL ? IMGHOST_OK : begin_page(encoder, call, next);
}

// Adds metadata to the file of the image.
static int32_t add_metadata(webp_encoder *encoder, const imghost_call *call, WebPData *file) {
  const struct {
    const char *tag;
    const WebPData *data;
  } parts[] = {{"ICCP", &encoder->icc}, {"EXIF", &encoder->exif}, {"XMP ", &encoder->xmp}};
  WebPMux *mux = WebPMuxCreate(file, 0);
  int is_done = mux != NULL;
  for (int i = 0; i < 3 && is_done; i++) {
    if (parts[i].data->size > 0) is_done = WebPMuxSetChunk(mux, parts[i].tag, parts[i].data, 0) == WEBP_MUX_OK;
  }
  WebPData result;
  WebPDataInit(&result);
  if (is_done) is_done = WebPMuxAssemble(mux, &result) == WEBP_MUX_OK;
  WebPMuxDelete(mux);
  if (!is_done) return no_memory(call);
  WebPDataClear(file);
  *file = result;
  return IMGHOST_OK;
}

int32_t webp_finish(void *instance, const imghost_call *call) {
  webp_encoder *encoder = instance;
  WebPData file = {encoder->file.mem, encoder->file.size};
  WebPMemoryWriterInit(&encoder->file);
  int32_t result = IMGHOST_OK;
  if (encoder->animation != NULL) {
    if (!WebPAnimEncoderAdd(encoder->animation, NULL, (int)encoder->milliseconds, NULL)
        || !WebPAnimEncoderAssemble(encoder->animation, &file)) {
      result = webp_fail(call, "could not be assembled: %.200s", WebPAnimEncoderGetError(encoder->animation));
    }
  }
  if (result == IMGHOST_OK && encoder->icc.size + encoder->exif.size + encoder->xmp.size > 0) {
    result = add_metadata(encoder, call, &file);
  }
  if (result == IMGHOST_OK && encoder->write(call, file.bytes, file.size) != 0) result = IMGHOST_CANCELLED;
  WebPDataClear(&file);
  return result;
}

void webp_abandon(void *instance) {
  webp_encoder *encoder = instance;
  if (encoder->has_page) WebPPictureFree(&encoder->page);
  if (encoder->animation != NULL) WebPAnimEncoderDelete(encoder->animation);
  WebPMemoryWriterClear(&encoder->file);
  WebPDataClear(&encoder->icc);
  WebPDataClear(&encoder->exif);
  WebPDataClear(&encoder->xmp);
  free(encoder->waiting);
  free(encoder);
}
