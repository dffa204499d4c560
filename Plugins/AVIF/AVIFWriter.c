// Writes AVIF: rows are converted to planes as they arrive, and aom encodes a page after its last row.
#include "AVIF.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The ticks per second of an animation's clock.
enum { timescale = 1000 };

typedef struct writer {
  avifEncoder *encoder;
  avifImage *image;
  imghost_picture format;
  int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
  int is_animated, is_tuned;
  /// Whether the picture is encoded without the smooth and the Paeth predictor, which saves time.
  int is_fast;
  /// The rows that wait for conversion: `pending` rows of the picture, from `row` on.
  uint8_t *rows;
  size_t row_bytes;
  int32_t row, pending;
} writer;

/// The values of `irot` and `imir` for EXIF orientations: quarter turns anticlockwise, then none (-1), top and bottom
/// exchanged (0), or left and right exchanged (1).
static const int8_t transforms[8][2] = {{0, -1}, {0, 1}, {2, -1}, {0, 0}, {1, 0}, {3, -1}, {1, 1}, {1, -1}};

static avifResult set_option(avifEncoder *encoder, const char *key, const char *value) {
  return avif_result_of(avifEncoderSetCodecSpecificOption(encoder, key, value));
}

// Unless the picture looks like a screenshot, turns off the tools for screenshots, and with `is_fast` two predictors as
// well. aom mistakes photographs with plain areas for screenshots, and then takes 50 % longer for the same size. For
// more than 8 bits, aom's own detection is used.
static avifResult tune(writer *self) {
  static const char *const unused[] = {"enable-palette", "enable-intrabc", "enable-smooth-intra", "enable-paeth-intra"};
  self->is_tuned = 1;
  if (self->image->depth > 8 || avif_shows_screen(self->image)) return AVIF_RESULT_OK;
  avifResult result = AVIF_RESULT_OK;
  for (int i = 0; i < (self->is_fast ? 4 : 2) && result == AVIF_RESULT_OK; i++) {
    result = set_option(self->encoder, unused[i], "0");
  }
  return result;
}

static void set_orientation(avifImage *image, uint32_t orientation) {
  image->transformFlags = AVIF_TRANSFORM_NONE;
  if (orientation < 2 || orientation > 8) return;
  const int8_t *transform = transforms[orientation - 1];
  if (transform[0] > 0) image->transformFlags |= AVIF_TRANSFORM_IROT;
  if (transform[1] >= 0) image->transformFlags |= AVIF_TRANSFORM_IMIR;
  image->irot.angle = (uint8_t)transform[0];
  image->imir.avif_mirror_axis = (uint8_t)(transform[1] > 0);
}

static avifResult set_metadata(avifImage *image, const imghost_metadata *metadata) {
  const imghost_bytes *icc = &metadata->icc, *exif = &metadata->exif, *xmp = &metadata->xmp;
  avifResult result = AVIF_RESULT_OK;
  if (icc->count) result = avif_result_of(avifImageSetProfileICC(image, icc->bytes, icc->count));
  if (result == AVIF_RESULT_OK && exif->count)
    result = avif_result_of(avifImageSetMetadataExif(image, exif->bytes, exif->count));
  if (result == AVIF_RESULT_OK && xmp->count)
    result = avif_result_of(avifImageSetMetadataXMP(image, xmp->bytes, xmp->count));
  // libavif 1.0 derives `irot` and `imir` from EXIF, but the orientation of the caller must be used.
  set_orientation(image, metadata->orientation);
  return result;
}

// Sets aom's constant quality on the scale of libheif and of avifenc 1.0: the qualities 100 to 0 become the levels 0 to
// 63.
static avifResult set_quality(avifEncoder *encoder, int quality, int is_lossless) {
  encoder->minQuantizer = encoder->minQuantizerAlpha = AVIF_QUANTIZER_BEST_QUALITY;
  encoder->maxQuantizer = encoder->maxQuantizerAlpha =
      is_lossless ? AVIF_QUANTIZER_LOSSLESS : AVIF_QUANTIZER_WORST_QUALITY;
  if (is_lossless) return AVIF_RESULT_OK;
  char level[16];
  snprintf(level, sizeof level, "%d", ((100 - quality) * 63 + 50) / 100);
  avifResult result = set_option(encoder, "end-usage", "q");
  if (result == AVIF_RESULT_OK) result = set_option(encoder, "cq-level", level);
  // This is also libheif's default.
  if (result == AVIF_RESULT_OK) result = set_option(encoder, "tune", "ssim");
  return result;
}

static avifImage *make_image(const imghost_picture *format, const imghost_value *values, int has_profile) {
  static const uint8_t depths[] = {0, 8, 10, 12};
  int is_lossless = values[avif_lossless].numbers[0] != 0;
  uint32_t depth = depths[(int)values[avif_bitdepth].numbers[0] & 3];
  if (depth == 0) depth = format->sample == IMGHOST_SAMPLE_U16 ? 10 : 8;
  avifPixelFormat pixels = format->bands < 3                                         ? AVIF_PIXEL_FORMAT_YUV400
                           : is_lossless || values[avif_subsampling].numbers[0] == 1 ? AVIF_PIXEL_FORMAT_YUV444
                                                                                     : AVIF_PIXEL_FORMAT_YUV420;
  avifImage *image = avifImageCreate((uint32_t)format->width, (uint32_t)format->height, depth, pixels);
  if (!image) return NULL;
  image->yuvRange = AVIF_RANGE_FULL;
  image->colorPrimaries = has_profile ? AVIF_COLOR_PRIMARIES_UNSPECIFIED : AVIF_COLOR_PRIMARIES_BT709;
  image->transferCharacteristics =
      has_profile ? AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED : AVIF_TRANSFER_CHARACTERISTICS_SRGB;
  image->matrixCoefficients =
      is_lossless && format->bands > 2 ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
  avifPlanesFlags planes = AVIF_PLANES_YUV | (format->bands % 2 == 0 ? AVIF_PLANES_A : 0);
  if (avifImageAllocatePlanes(image, planes) != AVIF_RESULT_OK) {
    avifImageDestroy(image);
    return NULL;
  }
  return image;
}

void *avif_begin(const imghost_writing *writing) {
  const imghost_picture *format = writing->format;
  const imghost_value *values = writing->values;
  int is_lossless = values[avif_lossless].numbers[0] != 0;
  if (format->width > 65536 || format->height > 65536) {
    avif_fail(writing->call, "cannot have a side of more than 65536 pixels in AVIF");
    return NULL;
  }
  if (is_lossless && format->sample == IMGHOST_SAMPLE_U16 && values[avif_bitdepth].numbers[0] == 0) {
    avif_fail(writing->call, "cannot keep 16 bits without loss in AVIF: give a bitdepth, or save as PNG or TIFF");
    return NULL;
  }
  writer *self = calloc(1, sizeof *self);
  if (self) {
    self->format = *format;
    self->write = writing->write;
    self->is_animated = writing->page_count > 1;
    self->row_bytes = (size_t)format->width * format->bands * format->sample;
    self->encoder = avifEncoderCreate();
    self->image = make_image(format, values, writing->metadata && writing->metadata->icc.count);
    self->rows = malloc(self->row_bytes * avif_strip_rows);
  }
  if (!self || !self->encoder || !self->image || !self->rows) {
    if (self) avif_abandon(self);
    avif_fail(writing->call, "needs more memory than there is");
    return NULL;
  }
  self->encoder->codecChoice = AVIF_CODEC_CHOICE_AOM;
  self->encoder->maxThreads = 1;
  self->encoder->autoTiling = AVIF_FALSE;
  self->encoder->speed = (int)values[avif_speed].numbers[0];
  self->encoder->timescale = timescale;
  avifResult result = set_quality(self->encoder, (int)values[avif_quality].numbers[0], is_lossless);
  if (result == AVIF_RESULT_OK && writing->metadata) result = set_metadata(self->image, writing->metadata);
  if (result != AVIF_RESULT_OK) {
    avif_abandon(self);
    avif_fail_with(writing->call, result);
    return NULL;
  }
  // The two predictors take 8 % of the time at speed 6, and save 0.5 % of the bytes at equal quality. They stay on at
  // faster speeds, at quality 100 and without loss, where they save more; at slower speeds, which are chosen for small
  // files; for animations; and for alpha, whose soft edges they were designed for.
  self->is_fast = self->encoder->speed == 6 && !is_lossless && values[avif_quality].numbers[0] < 100
                  && !self->is_animated && format->bands % 2 == 1;
  return self;
}

static uint32_t sample_at(const uint8_t *row, uint32_t sample, size_t index) {
  return sample == IMGHOST_SAMPLE_U16 ? ((const uint16_t *)row)[index] : row[index];
}

// Writes one band of a row into a plane with full range.
static void set_plane(const writer *self, const uint8_t *row, uint32_t band, uint8_t *target) {
  uint32_t depth = self->image->depth, most = (1u << depth) - 1;
  uint32_t from = self->format.sample == IMGHOST_SAMPLE_U16 ? 65535 : 255;
  for (size_t x = 0; x < (size_t)self->format.width; x++) {
    uint32_t value = sample_at(row, self->format.sample, x * self->format.bands + band);
    if (from != most) value = (uint32_t)(((uint64_t)value * most + from / 2) / from);
    if (depth > 8)
      ((uint16_t *)target)[x] = (uint16_t)value;
    else
      target[x] = (uint8_t)value;
  }
}

static avifResult convert_colours(writer *self) {
  avifCropRect rect = {0, (uint32_t)self->row, self->image->width, (uint32_t)self->pending};
  avifImage *view = avifImageCreateEmpty();
  if (!view) return AVIF_RESULT_OUT_OF_MEMORY;
  avifResult result = avifImageSetViewRect(view, self->image, &rect);
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, view);
  rgb.depth = self->format.sample * 8;
  rgb.format = self->format.bands == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
  // The rounding of libyuv differs between processors.
  rgb.avoidLibYUV = AVIF_TRUE;
  rgb.pixels = self->rows;
  rgb.rowBytes = (uint32_t)self->row_bytes;
  if (result == AVIF_RESULT_OK) result = avifImageRGBToYUV(view, &rgb);
  // From here on, libavif 0.11 would assume that the view owns the planes of the image.
  view->imageOwnsYUVPlanes = view->imageOwnsAlphaPlane = AVIF_FALSE;
  avifImageDestroy(view);
  return result;
}

// Converts the waiting rows to planes.
static int32_t convert(writer *self, const imghost_call *call) {
  avifImage *image = self->image;
  int is_identity = image->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY;
  if (self->format.bands > 2 && image->depth == 8 && self->format.sample == IMGHOST_SAMPLE_U8 && !is_identity) {
    avif_fill_planes(image, self->rows, self->row_bytes, self->format.bands, (size_t)self->row, (size_t)self->pending);
  } else if (self->format.bands > 2) {
    avifResult result = convert_colours(self);
    if (result != AVIF_RESULT_OK) return avif_fail_with(call, result);
  }
  for (int32_t y = 0; y < self->pending && self->format.bands < 3; y++) {
    size_t at = (size_t)(self->row + y);
    const uint8_t *row = self->rows + (size_t)y * self->row_bytes;
    set_plane(self, row, 0, image->yuvPlanes[AVIF_CHAN_Y] + at * image->yuvRowBytes[AVIF_CHAN_Y]);
    if (self->format.bands == 2) set_plane(self, row, 1, image->alphaPlane + at * image->alphaRowBytes);
  }
  self->row += self->pending;
  self->pending = 0;
  return IMGHOST_OK;
}

int32_t avif_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows) {
  writer *self = encoder;
  for (int32_t y = 0; y < rows->valid.height; y++) {
    if (self->row + self->pending >= self->format.height) return avif_fail(call, "got more rows than it has");
    const uint8_t *row = (const uint8_t *)rows->pixels + y * rows->stride;
    memcpy(self->rows + (size_t)self->pending++ * self->row_bytes, row, self->row_bytes);
    int32_t code = self->pending == avif_strip_rows ? convert(self, call) : IMGHOST_OK;
    if (code != IMGHOST_OK) return code;
  }
  return avif_host->is_cancelled(call) ? IMGHOST_CANCELLED : IMGHOST_OK;
}

int32_t avif_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next) {
  writer *self = encoder;
  const imghost_picture *format = &self->format;
  if (self->pending > 0 && convert(self, call) != IMGHOST_OK) return IMGHOST_FAILED;
  if (self->row != format->height) return avif_fail(call, "got fewer rows than it has");
  double ticks = delay > 0 && delay < 1e6 ? round(delay * timescale) : 0;
  avifResult result = self->is_tuned ? AVIF_RESULT_OK : tune(self);
  if (result == AVIF_RESULT_OK)
    result = avifEncoderAddImage(self->encoder, self->image, ticks < 1 ? 1 : (uint64_t)ticks,
        self->is_animated ? AVIF_ADD_IMAGE_FLAG_NONE : AVIF_ADD_IMAGE_FLAG_SINGLE);
  if (result != AVIF_RESULT_OK) return avif_fail_with(call, result);
  self->row = 0;
  if (next
      && (next->width != format->width || next->height != format->height || next->bands != format->bands
          || next->sample != format->sample)) {
    return avif_fail(call, "needs frames of one size and kind");
  }
  return IMGHOST_OK;
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Clears the times of creation and change in the boxes of an animation (ISO/IEC 14496-12, 8.2.2, 8.3.2 and 8.4.2).
// libavif takes them from the clock, but equal frames must result in equal bytes.
static void clear_times(uint8_t *boxes, size_t count) {
  for (size_t size; count >= 8; boxes += size, count -= size) {
    size = big_endian(boxes);
    if (size < 8 || size > count) return;
    const uint8_t *type = boxes + 4;
    if (!memcmp(type, "moov", 4) || !memcmp(type, "trak", 4) || !memcmp(type, "mdia", 4)) {
      clear_times(boxes + 8, size - 8);
    } else if (size >= 28 && (!memcmp(type, "mvhd", 4) || !memcmp(type, "tkhd", 4) || !memcmp(type, "mdhd", 4))) {
      // The version determines the size of the two times.
      memset(boxes + 12, 0, boxes[8] == 1 ? 16 : 8);
    }
  }
}

int32_t avif_finish(void *encoder, const imghost_call *call) {
  writer *self = encoder;
  avifRWData file = AVIF_DATA_EMPTY;
  avifResult result = avifEncoderFinish(self->encoder, &file);
  if (result == AVIF_RESULT_OK) clear_times(file.data, file.size);
  int32_t code = IMGHOST_OK;
  if (result != AVIF_RESULT_OK)
    code = avif_fail_with(call, result);
  else if (self->write(call, file.data, file.size) != 0)
    code = IMGHOST_CANCELLED;
  avifRWDataFree(&file);
  return code;
}

void avif_abandon(void *encoder) {
  writer *self = encoder;
  if (self->encoder) avifEncoderDestroy(self->encoder);
  if (self->image) avifImageDestroy(self->image);
  free(self->rows);
  free(self);
}
