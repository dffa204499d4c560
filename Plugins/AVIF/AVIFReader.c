// Reads AVIF: libavif keeps the planes of one frame, and their rows are converted strip by strip.
#include "AVIF.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_facts = 4 };

typedef struct reader {
  avifDecoder *decoder;
  /// The visible part of the frame (`clap`).
  avifCropRect crop;
  uint32_t bands, sample, page;
  /// Whether `decoder` contains the decoded planes of `page`.
  int is_decoded;
  imghost_fact facts[most_facts];
  char colour[48];
} reader;

/// The EXIF orientation by `irot` (quarter turns anticlockwise) and `imir` (none, top and bottom exchanged, left and
/// right exchanged). As in ISO 23008-12, `irot` is applied first.
static const uint8_t orientations[4][3] = {{1, 4, 2}, {8, 5, 7}, {3, 2, 4}, {6, 7, 5}};

static uint32_t orientation_of(const avifImage *image) {
  int turns = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
  int mirror = image->transformFlags & AVIF_TRANSFORM_IMIR ? 1 + (image->imir.avif_mirror_axis & 1) : 0;
  return orientations[turns][mirror];
}

// Returns EXIF data without the bytes before its TIFF header, such as "Exif\0\0"; empty if no such header is found.
static imghost_bytes exif_of(const avifRWData *exif) {
  for (size_t at = 0; at + 8 <= exif->size && at <= 10; at++) {
    if (memcmp(exif->data + at, "II*\0", 4) == 0 || memcmp(exif->data + at, "MM\0*", 4) == 0) {
      return (imghost_bytes){exif->data + at, exif->size - at};
    }
  }
  return (imghost_bytes){0};
}

static void describe_facts(reader *self, imghost_image *image) {
  const avifImage *header = self->decoder->image;
  uint32_t count = 0;
  self->facts[count++] = (imghost_fact){"compression", "AV1", 0};
  self->facts[count++] = (imghost_fact){"bits", NULL, header->depth};
  if (header->yuvFormat != AVIF_PIXEL_FORMAT_YUV400) {
    static const char *const names[] = {"", "4:4:4", "4:2:2", "4:2:0"};
    self->facts[count++] = (imghost_fact){"subsampling", names[header->yuvFormat & 3], 0};
  }
  int is_srgb = (header->colorPrimaries == AVIF_COLOR_PRIMARIES_BT709
                    || header->colorPrimaries == AVIF_COLOR_PRIMARIES_UNSPECIFIED)
                && (header->transferCharacteristics == AVIF_TRANSFER_CHARACTERISTICS_SRGB
                    || header->transferCharacteristics == AVIF_TRANSFER_CHARACTERISTICS_UNSPECIFIED);
  int is_hdr = header->transferCharacteristics == AVIF_TRANSFER_CHARACTERISTICS_SMPTE2084
               || header->transferCharacteristics == AVIF_TRANSFER_CHARACTERISTICS_HLG;
  if (is_hdr || (header->icc.size == 0 && !is_srgb)) {
    // The code points are those of ITU-T H.273.
    snprintf(self->colour, sizeof self->colour, "primaries %u, transfer %u, matrix %u", header->colorPrimaries,
        header->transferCharacteristics, header->matrixCoefficients);
    self->facts[count++] = (imghost_fact){"cicp", self->colour, 0};
  }
  image->facts = self->facts;
  image->fact_count = count;
}

static void describe(reader *self, imghost_image *image) {
  const avifDecoder *decoder = self->decoder;
  const avifImage *header = decoder->image;
  int is_animated = decoder->imageCount > 1;
  image->flags = IMGHOST_IMAGE_STREAMED | (is_animated ? IMGHOST_IMAGE_ANIMATED : 0);
  image->page_count = decoder->imageCount > 0 ? (uint32_t)decoder->imageCount : 1;
  image->sample = self->sample;
  image->bands = self->bands;
  image->width = (int32_t)self->crop.width;
  image->height = (int32_t)self->crop.height;
  // The memory of the planes and of an animation's reference frames, and 8 MB for the filters; measured with dav1d 1.0.
  uint64_t pixels = (uint64_t)header->width * header->height;
  double planes = header->yuvFormat == AVIF_PIXEL_FORMAT_YUV444   ? 3
                  : header->yuvFormat == AVIF_PIXEL_FORMAT_YUV422 ? 2
                  : header->yuvFormat == AVIF_PIXEL_FORMAT_YUV420 ? 1.5
                                                                  : 1;
  planes = (planes + (decoder->alphaPresent ? 1 : 0)) * (header->depth > 8 ? 2 : 1) * (is_animated ? 3 : 1);
  image->working_bytes =
      (uint64_t)((double)pixels * planes) + (8u << 20) + (uint64_t)(header->width + 4) * (avif_strip_rows + 4) * 8;
  avifImageTiming timing;
  if (is_animated && avifDecoderNthImageTiming(decoder, self->page, &timing) == AVIF_RESULT_OK) {
    image->delay = timing.duration;
  }
  image->metadata.orientation = orientation_of(header);
  image->metadata.icc = (imghost_bytes){header->icc.size ? header->icc.data : NULL, header->icc.size};
  image->metadata.xmp = (imghost_bytes){header->xmp.size ? header->xmp.data : NULL, header->xmp.size};
  image->metadata.exif = exif_of(&header->exif);
  if (image->struct_size >= sizeof *image) {
    image->colour_primaries = header->colorPrimaries;
    image->transfer_characteristics = header->transferCharacteristics;
  }
  describe_facts(self, image);
}

static int32_t look_at_header(reader *self, const imghost_call *call) {
  const avifImage *header = self->decoder->image;
  if (header->width == 0 || header->height == 0) return avif_fail(call, "has a picture without pixels");
  if (header->depth != 8 && header->depth != 10 && header->depth != 12) {
    return avif_fail(call, "has samples of %u bits, which imghost does not read", header->depth);
  }
  if (header->yuvFormat <= AVIF_PIXEL_FORMAT_NONE || header->yuvFormat >= AVIF_PIXEL_FORMAT_COUNT) {
    return avif_fail(call, "does not say how its colours are stored");
  }
  self->sample = header->depth > 8 ? IMGHOST_SAMPLE_U16 : IMGHOST_SAMPLE_U8;
  self->bands = (header->yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? 1u : 3u) + (self->decoder->alphaPresent ? 1u : 0u);
  self->crop = (avifCropRect){0, 0, header->width, header->height};
  if (header->transformFlags & AVIF_TRANSFORM_CLAP) {
    avifDiagnostics diagnostics;
    avifDiagnosticsClearError(&diagnostics);
    if (!avifCropRectConvertCleanApertureBox(
            &self->crop, &header->clap, header->width, header->height, header->yuvFormat, &diagnostics)) {
      return avif_fail(call, "is cropped (clap) at a place between pixels, which imghost does not read");
    }
  }
  return IMGHOST_OK;
}

int32_t avif_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  reader *self = calloc(1, sizeof *self);
  if (self && !(self->decoder = avifDecoderCreate())) avif_close(self), self = NULL;
  if (!self) return avif_fail(call, "needs more memory than there is");
  avifDecoder *decoder = self->decoder;
  decoder->codecChoice = AVIF_CODEC_CHOICE_DAV1D;
  decoder->maxThreads = 1;
  decoder->imageDimensionLimit = 65536;
  decoder->imageCountLimit = 65535;
  // Files of old encoders lack properties that imghost does not need; browsers accept such files, too.
  decoder->strictFlags = AVIF_STRICT_DISABLED;
  avifResult result = avifDecoderSetIOMemory(decoder, file->content.bytes, file->content.count);
  if (result == AVIF_RESULT_OK) result = avifDecoderParse(decoder);
  int32_t code = result == AVIF_RESULT_OK ? look_at_header(self, call) : avif_fail_with(call, result);
  if (code == IMGHOST_OK) code = avif_turn(self, call, page, image);
  if (code != IMGHOST_OK) {
    avif_close(self);
    return code;
  }
  *instance = self;
  return IMGHOST_OK;
}

int32_t avif_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  reader *self = instance;
  if (page >= (uint32_t)self->decoder->imageCount) {
    return avif_fail(call, "has %d frame%s", self->decoder->imageCount, self->decoder->imageCount == 1 ? "" : "s");
  }
  self->is_decoded = self->is_decoded && page == self->page;
  self->page = page;
  describe(self, image);
  return IMGHOST_OK;
}

// Decodes the frame. libavif continues from the previous frame, or from the nearest key frame.
static int32_t decode(reader *self, const imghost_call *call) {
  if (self->is_decoded) return IMGHOST_OK;
  const avifImage *image = self->decoder->image;
  int is_gray = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400;
  uint32_t width = image->width, height = image->height, depth = image->depth;
  avifResult result = avifDecoderNthImage(self->decoder, self->page);
  if (result != AVIF_RESULT_OK) return avif_fail_with(call, result);
  image = self->decoder->image;
  int has_alpha = self->bands % 2 == 0;
  // The chroma subsampling is not compared: some encoders declare (in av1C) another one than that of the pixels.
  if (image->width != width || image->height != height || image->depth != depth
      || (image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400) != is_gray || !image->yuvPlanes[AVIF_CHAN_Y]
      || (has_alpha && !image->alphaPlane)) {
    return avif_fail(call, "has pixels of another kind than its header says");
  }
  self->is_decoded = 1;
  return IMGHOST_OK;
}

static uint32_t sample_at(const uint8_t *row, uint32_t depth, uint32_t x) {
  return depth > 8 ? ((const uint16_t *)row)[x] : row[x];
}

// Scales a full-range value of `depth` bits to 16 bits; returns 8-bit values unchanged.
static uint32_t widen(uint32_t value, uint32_t depth) {
  uint32_t most = (1u << depth) - 1;
  if (depth == 8) return value;
  return (uint32_t)(((uint64_t)(value > most ? most : value) * 65535 + most / 2) / most);
}

// Copies one row of gray: expands limited range to full range, and undoes premultiplied alpha.
static void copy_gray(const reader *self, uint32_t y, uint32_t left, uint32_t width, uint8_t *target) {
  const avifImage *image = self->decoder->image;
  const uint8_t *luma = image->yuvPlanes[AVIF_CHAN_Y] + (size_t)y * image->yuvRowBytes[AVIF_CHAN_Y];
  const uint8_t *alphas = self->bands == 2 ? image->alphaPlane + (size_t)y * image->alphaRowBytes : NULL;
  uint32_t depth = image->depth, most = depth > 8 ? 65535 : 255;
  int is_limited = image->yuvRange == AVIF_RANGE_LIMITED;
  for (uint32_t x = 0; x < width; x++) {
    uint32_t gray = sample_at(luma, depth, left + x);
    if (is_limited) gray = (uint32_t)avifLimitedToFullY((int)depth, (int)gray);
    gray = widen(gray, depth);
    uint32_t alpha = alphas ? widen(sample_at(alphas, depth, left + x), depth) : most;
    if (alphas && image->alphaPremultiplied && alpha > 0) {
      gray = (uint32_t)(((uint64_t)gray * most + alpha / 2) / alpha);
      if (gray > most) gray = most;
    }
    uint32_t values[2] = {gray, alpha};
    for (uint32_t band = 0; band < self->bands; band++, target += self->sample) {
      if (self->sample == IMGHOST_SAMPLE_U8)
        *target = (uint8_t)values[band];
      else
        *(uint16_t *)target = (uint16_t)values[band];
    }
  }
}

// Converts a rectangle of the frame. Because chroma is interpolated, a margin is converted, too, so that the pixels at
// the edges are the same as in a conversion of the whole frame.
static int32_t copy_colours(const reader *self, const imghost_call *call, avifCropRect wanted, uint8_t *target,
    ptrdiff_t stride, uint8_t *scratch) {
  const avifImage *image = self->decoder->image;
  uint32_t left = wanted.x & ~1u, top = wanted.y & ~1u;
  left -= left ? 2 : 0, top -= top ? 2 : 0;
  uint32_t right = (wanted.x + wanted.width + 3) & ~1u, bottom = (wanted.y + wanted.height + 3) & ~1u;
  if (right > image->width) right = image->width;
  if (bottom > image->height) bottom = image->height;
  avifCropRect rect = {left, top, right - left, bottom - top};
  avifImage *view = avifImageCreateEmpty();
  if (!view) return avif_fail(call, "needs more memory than there is");
  avifResult result = avifImageSetViewRect(view, image, &rect);
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, view);
  view->alphaPremultiplied = image->alphaPremultiplied;
  size_t pixel = (size_t)self->bands * self->sample;
  rgb.depth = self->sample * 8;
  rgb.format = self->bands == 4 ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
  rgb.pixels = scratch;
  rgb.rowBytes = (uint32_t)(rect.width * pixel);
  if (result == AVIF_RESULT_OK) result = avifImageYUVToRGB(view, &rgb);
  avifImageDestroy(view);
  if (result != AVIF_RESULT_OK) return avif_fail_with(call, result);
  for (uint32_t y = 0; y < wanted.height; y++) {
    const uint8_t *row = scratch + (wanted.y - top + y) * (size_t)rgb.rowBytes + (wanted.x - left) * pixel;
    memcpy(target + (ptrdiff_t)y * stride, row, wanted.width * pixel);
  }
  return IMGHOST_OK;
}

int32_t avif_read(void *instance, const imghost_read *request) {
  reader *self = instance;
  const imghost_picture *output = request->output;
  const imghost_region valid = output->valid;
  int32_t code = decode(self, request->call);
  if (code != IMGHOST_OK) {
    if (!(request->flags & IMGHOST_READ_DAMAGED)) return code;
    for (int32_t y = 0; y < valid.height; y++) {
      memset((uint8_t *)output->writable + y * output->stride, 0, (size_t)valid.width * self->bands * self->sample);
    }
    return IMGHOST_OK;
  }
  uint8_t *scratch = NULL;
  if (self->bands > 2) {
    scratch = malloc(((size_t)valid.width + 6) * (avif_strip_rows + 6) * self->bands * self->sample);
    if (!scratch) return avif_fail(request->call, "needs more memory than there is");
  }
  for (int32_t y = 0; y < valid.height && code == IMGHOST_OK; y += avif_strip_rows) {
    if (avif_host->is_cancelled(request->call)) code = IMGHOST_CANCELLED;
    int32_t rows = valid.height - y < avif_strip_rows ? valid.height - y : avif_strip_rows;
    avifCropRect wanted = {self->crop.x + (uint32_t)valid.left, self->crop.y + (uint32_t)(valid.top + y),
        (uint32_t)valid.width, (uint32_t)rows};
    uint8_t *target = (uint8_t *)output->writable + y * output->stride;
    for (int32_t i = 0; self->bands < 3 && i < rows; i++) {
      copy_gray(self, wanted.y + (uint32_t)i, wanted.x, wanted.width, target + i * output->stride);
    }
    if (self->bands > 2 && code == IMGHOST_OK) {
      code = copy_colours(self, request->call, wanted, target, output->stride, scratch);
    }
  }
  free(scratch);
  return code;
}

void avif_close(void *instance) {
  reader *self = instance;
  if (self->decoder) avifDecoderDestroy(self->decoder);
  free(self);
}
