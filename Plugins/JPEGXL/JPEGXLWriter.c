// Writes JPEG XL files.
#include "JPEGXL.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <jxl/encode.h>

typedef struct jpegxl_encoder {
  JxlEncoder *encoder;
  JxlEncoderFrameSettings *settings;
  JxlPixelFormat format;
  int32_t width, height, next_row;
  /// The rows of the page, without padding.
  uint8_t *pixels;
  size_t row_count;
  int is_animated;
  int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
} jpegxl_encoder;

static int32_t failed(const jpegxl_encoder *encoder, const imghost_call *call) {
  switch (JxlEncoderGetError(encoder->encoder)) {
    case JXL_ENC_ERR_OOM: return jpegxl_fail(call, "needs more memory than there is");
    case JXL_ENC_ERR_BAD_INPUT: return jpegxl_fail(call, "has an ICC profile that JPEG XL cannot use");
    default: return jpegxl_fail(call, "could not be encoded as JPEG XL");
  }
}

// Returns the distance that libjxl and libvips use for a quality on the scale of JPEG: 90 gives 1, where losses become
// visible.
static float distance(double quality) {
  if (quality >= 100) return 0;
  if (quality >= 30) return (float)(0.1 + (100 - quality) * 0.09);
  return (float)(53.0 / 3000 * quality * quality - 23.0 / 20 * quality + 25);
}

static int set_colors(JxlEncoder *encoder, const imghost_writing *writing) {
  imghost_bytes icc = writing->metadata->icc;
  if (icc.count > 0) return JxlEncoderSetICCProfile(encoder, icc.bytes, icc.count) == JXL_ENC_SUCCESS;
  JxlColorEncoding encoding;
  JxlColorEncodingSetToSRGB(&encoding, writing->format->bands < 3);
  return JxlEncoderSetColorEncoding(encoder, &encoding) == JXL_ENC_SUCCESS;
}

static int set_info(JxlEncoder *encoder, const imghost_writing *writing, int is_lossless) {
  const imghost_picture *format = writing->format;
  uint32_t orientation = writing->metadata->orientation;
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = (uint32_t)format->width;
  info.ysize = (uint32_t)format->height;
  info.bits_per_sample = format->sample == IMGHOST_SAMPLE_U16 ? 16 : 8;
  info.num_color_channels = format->bands < 3 ? 1 : 3;
  if (format->bands % 2 == 0) {
    info.num_extra_channels = 1;
    info.alpha_bits = info.bits_per_sample;
  }
  info.uses_original_profile = is_lossless ? JXL_TRUE : JXL_FALSE;
  info.orientation = (JxlOrientation)(orientation >= 1 && orientation <= 8 ? orientation : 1);
  if (writing->page_count > 1) {
    info.have_animation = JXL_TRUE;
    info.animation.tps_numerator = 1000;
    info.animation.tps_denominator = 1;
    info.animation.num_loops = writing->loop_count;
  }
  if (JxlEncoderSetBasicInfo(encoder, &info) != JXL_ENC_SUCCESS) return 0;
  return JxlEncoderGetRequiredCodestreamLevel(encoder) != 10
         || JxlEncoderSetCodestreamLevel(encoder, 10) == JXL_ENC_SUCCESS;
}

static int add_boxes(JxlEncoder *encoder, const imghost_metadata *metadata) {
  if (metadata->exif.count + metadata->xmp.count == 0) return 1;
  if (JxlEncoderUseBoxes(encoder) != JXL_ENC_SUCCESS) return 0;
  int is_done = 1;
  if (metadata->exif.count > 0) {
    // The box begins with the offset of the TIFF header.
    uint8_t *box = calloc(metadata->exif.count + 4, 1);
    if (box == NULL) return 0;
    memcpy(box + 4, metadata->exif.bytes, metadata->exif.count);
    is_done = JxlEncoderAddBox(encoder, "Exif", box, metadata->exif.count + 4, JXL_FALSE) == JXL_ENC_SUCCESS;
    free(box);
  }
  if (is_done && metadata->xmp.count > 0) {
    imghost_bytes xmp = metadata->xmp;
    is_done = JxlEncoderAddBox(encoder, "xml ", xmp.bytes, xmp.count, JXL_FALSE) == JXL_ENC_SUCCESS;
  }
  JxlEncoderCloseBoxes(encoder);
  return is_done;
}

static int configure(jpegxl_encoder *encoder, const imghost_writing *writing) {
  const imghost_value *values = writing->values;
  int is_lossless = values[jpegxl_p_lossless].numbers[0] != 0;
  if (!set_info(encoder->encoder, writing, is_lossless) || !set_colors(encoder->encoder, writing)) return 0;
  if (!add_boxes(encoder->encoder, writing->metadata)) return 0;
  encoder->settings = JxlEncoderFrameSettingsCreate(encoder->encoder, NULL);
  if (encoder->settings == NULL) return 0;
  int64_t effort = (int64_t)values[jpegxl_p_effort].numbers[0];
  JxlEncoderFrameSettingsSetOption(encoder->settings, JXL_ENC_FRAME_SETTING_EFFORT, effort);
  if (is_lossless) return JxlEncoderSetFrameLossless(encoder->settings, JXL_TRUE) == JXL_ENC_SUCCESS;
  float value = distance(values[jpegxl_p_quality].numbers[0]);
  return JxlEncoderSetFrameDistance(encoder->settings, value) == JXL_ENC_SUCCESS;
}

void *jpegxl_begin(const imghost_writing *writing) {
  const imghost_picture *format = writing->format;
  jpegxl_encoder *encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL || writing->value_count != jpegxl_p_count) {
    free(encoder);
    jpegxl_fail(writing->call, "could not be set up for writing");
    return NULL;
  }
  encoder->write = writing->write;
  encoder->is_animated = writing->page_count > 1;
  encoder->width = format->width;
  encoder->height = format->height;
  JxlDataType type = format->sample == IMGHOST_SAMPLE_U16 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8;
  encoder->format = (JxlPixelFormat){format->bands, type, JXL_NATIVE_ENDIAN, 0};
  encoder->row_count = (size_t)format->width * format->bands * format->sample;
  encoder->encoder = JxlEncoderCreate(NULL);
  if (encoder->encoder == NULL) {
    jpegxl_fail(writing->call, "needs more memory than there is");
  } else if (configure(encoder, writing)) {
    return encoder;
  } else {
    failed(encoder, writing->call);
  }
  jpegxl_abandon(encoder);
  return NULL;
}

int32_t jpegxl_write_rows(void *instance, const imghost_call *call, const imghost_picture *rows) {
  jpegxl_encoder *encoder = instance;
  size_t samples = (size_t)rows->valid.width * rows->bands * rows->sample;
  if (rows->valid.height > encoder->height - encoder->next_row || samples != encoder->row_count) {
    return jpegxl_fail(call, "got more pixels than were announced");
  }
  if (encoder->pixels == NULL) encoder->pixels = malloc(encoder->row_count * (size_t)encoder->height);
  if (encoder->pixels == NULL) return jpegxl_fail(call, "needs more memory than there is");
  for (int32_t row = 0; row < rows->valid.height; row++) {
    uint8_t *target = encoder->pixels + encoder->row_count * (size_t)encoder->next_row++;
    memcpy(target, (const uint8_t *)rows->pixels + rows->stride * row, encoder->row_count);
  }
  return IMGHOST_OK;
}

// Encodes the queued frames, and passes the bytes to the host.
static int32_t flush(jpegxl_encoder *encoder, const imghost_call *call) {
  uint8_t bytes[65536];
  JxlEncoderStatus status;
  do {
    uint8_t *next = bytes;
    size_t left = sizeof bytes;
    if (jpegxl_host->is_cancelled(call)) return IMGHOST_CANCELLED;
    status = JxlEncoderProcessOutput(encoder->encoder, &next, &left);
    if (status != JXL_ENC_SUCCESS && status != JXL_ENC_NEED_MORE_OUTPUT) return failed(encoder, call);
    size_t count = (size_t)(next - bytes);
    if (count > 0 && encoder->write(call, bytes, count) != 0) return IMGHOST_CANCELLED;
  } while (status == JXL_ENC_NEED_MORE_OUTPUT);
  return IMGHOST_OK;
}

int32_t jpegxl_end_page(void *instance, const imghost_call *call, double delay, const imghost_picture *next) {
  jpegxl_encoder *encoder = instance;
  if (encoder->next_row != encoder->height) return jpegxl_fail(call, "got too few pixels");
  if (encoder->is_animated) {
    JxlFrameHeader header;
    JxlEncoderInitFrameHeader(&header);
    header.duration = delay > 0 ? (uint32_t)fmin(round(delay * 1000), 1e9) : 0;
    if (JxlEncoderSetFrameHeader(encoder->settings, &header) != JXL_ENC_SUCCESS) return failed(encoder, call);
  }
  size_t count = encoder->row_count * (size_t)encoder->height;
  JxlEncoderStatus status = JxlEncoderAddImageFrame(encoder->settings, &encoder->format, encoder->pixels, count);
  if (status != JXL_ENC_SUCCESS) return failed(encoder, call);
  free(encoder->pixels);
  encoder->pixels = NULL;
  encoder->next_row = 0;
  if (next == NULL) JxlEncoderCloseInput(encoder->encoder);
  if (next != NULL && (next->width != encoder->width || next->height != encoder->height)) {
    return jpegxl_fail(call, "has frames of different sizes, and an animation needs one size");
  }
  return flush(encoder, call);
}

int32_t jpegxl_finish(void *instance, const imghost_call *call) { return flush(instance, call); }

void jpegxl_abandon(void *instance) {
  jpegxl_encoder *encoder = instance;
  if (encoder->encoder != NULL) JxlEncoderDestroy(encoder->encoder);
  free(encoder->pixels);
  free(encoder);
}
