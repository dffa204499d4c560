// Storing a JPEG file as JPEG XL and restoring it, byte for byte.
#include "JPEGXLTranscode.h"
#include "JPEGXL.h"

#include <stdlib.h>
#include <string.h>
#include <jxl/encode.h>

/// Bytes that grow.
typedef struct growing {
  uint8_t *bytes;
  size_t count, capacity;
} growing;

static int grow(growing *target) {
  size_t capacity = target->capacity == 0 ? 1 << 16 : 2 * target->capacity;
  uint8_t *bytes = realloc(target->bytes, capacity);
  if (bytes == NULL) return 0;
  target->bytes = bytes;
  target->capacity = capacity;
  return 1;
}

// Refuses a JPEG by its frame header (ITU-T T.81, B.2.2), with words that say why.
static int32_t check(const imghost_call *call, imghost_bytes jpeg) {
  const uint8_t *bytes = jpeg.bytes;
  if (jpeg.count < 4 || bytes[0] != 0xff || bytes[1] != 0xd8) return jpegxl_fail(call, "is no JPEG");
  for (size_t at = 2; at + 10 <= jpeg.count && bytes[at] == 0xff;) {
    uint8_t marker = bytes[at + 1];
    if (marker == 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
      if (marker >= 0xc9) return jpegxl_fail(call, "has arithmetic coding, which JPEG XL cannot keep unchanged");
      if (bytes[at + 4] != 8) return jpegxl_fail(call, "has %d bits, and JPEG XL keeps 8 unchanged", bytes[at + 4]);
      if (bytes[at + 9] == 4) return jpegxl_fail(call, "holds CMYK, which JPEG XL cannot keep unchanged");
      return IMGHOST_OK;
    }
    if (marker == 0xda || marker == 0xd9) break;
    at += 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
  }
  return jpegxl_fail(call, "has no frame header");
}

static JxlEncoderStatus encode(JxlEncoder *encoder, imghost_bytes jpeg, int32_t effort, growing *target) {
  JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
  if (settings == NULL || JxlEncoderStoreJPEGMetadata(encoder, JXL_TRUE) != JXL_ENC_SUCCESS) return JXL_ENC_ERROR;
  JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort);
  if (JxlEncoderAddJPEGFrame(settings, jpeg.bytes, jpeg.count) != JXL_ENC_SUCCESS) return JXL_ENC_ERROR;
  JxlEncoderCloseInput(encoder);
  JxlEncoderStatus status = JXL_ENC_NEED_MORE_OUTPUT;
  while (status == JXL_ENC_NEED_MORE_OUTPUT) {
    if (!grow(target)) return JXL_ENC_ERROR;
    uint8_t *next = target->bytes + target->count;
    size_t left = target->capacity - target->count;
    status = JxlEncoderProcessOutput(encoder, &next, &left);
    target->count = (size_t)(next - target->bytes);
  }
  return status;
}

// Restores a JPEG. Returns 0 if there is none, or not all of it.
static int restore(const imghost_call *call, JxlDecoder *decoder, imghost_bytes jpegxl, growing *target) {
  int has_jpeg = 0;
  JxlDecoderSubscribeEvents(decoder, JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE);
  JxlDecoderSetInput(decoder, jpegxl.bytes, jpegxl.count);
  JxlDecoderCloseInput(decoder);
  for (;;) {
    if (jpegxl_host->is_cancelled(call)) return 0;
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (status == JXL_DEC_JPEG_RECONSTRUCTION && !has_jpeg) {
      has_jpeg = 1;
    } else if (status == JXL_DEC_JPEG_NEED_MORE_OUTPUT && has_jpeg) {
      target->count = target->capacity - JxlDecoderReleaseJPEGBuffer(decoder);
    } else if (status == JXL_DEC_FULL_IMAGE && has_jpeg) {
      target->count = target->capacity - JxlDecoderReleaseJPEGBuffer(decoder);
      return 1;
    } else {
      return 0;
    }
    if (!grow(target)) return 0;
    size_t left = target->capacity - target->count;
    if (JxlDecoderSetJPEGBuffer(decoder, target->bytes + target->count, left) != JXL_DEC_SUCCESS) return 0;
  }
}

static int restored(const imghost_call *call, imghost_bytes jpegxl, growing *target) {
  JxlDecoder *decoder = JxlDecoderCreate(NULL);
  if (decoder == NULL) return 0;
  int is_done = restore(call, decoder, jpegxl, target);
  JxlDecoderDestroy(decoder);
  return is_done;
}

int32_t jpegxl_from_jpeg(const imghost_call *call, imghost_bytes jpeg, int32_t effort, imghost_write write) {
  int32_t result = check(call, jpeg);
  if (result != IMGHOST_OK) return result;
  growing file = {0}, back = {0};
  JxlEncoder *encoder = JxlEncoderCreate(NULL);
  if (encoder == NULL) return jpegxl_fail(call, "needs more memory than there is");
  JxlEncoderStatus status = encode(encoder, jpeg, effort, &file);
  JxlEncoderDestroy(encoder);
  imghost_bytes made = {file.bytes, file.count};
  if (status != JXL_ENC_SUCCESS) {
    result = jpegxl_fail(call, "is a JPEG that JPEG XL cannot keep unchanged");
  } else if (!restored(call, made, &back) || back.count != jpeg.count || memcmp(back.bytes, jpeg.bytes, back.count)) {
    result = jpegxl_fail(call, "is a JPEG that JPEG XL cannot restore byte for byte");
  } else if (write(call, file.bytes, file.count) != 0) {
    result = IMGHOST_CANCELLED;
  }
  free(file.bytes);
  free(back.bytes);
  return result;
}

int32_t jpegxl_to_jpeg(const imghost_call *call, imghost_bytes jpegxl, imghost_write write) {
  growing file = {0};
  int32_t result = IMGHOST_OK;
  if (!restored(call, jpegxl, &file)) {
    result = jpegxl_fail(call, "holds no JPEG that can be restored");
  } else if (write(call, file.bytes, file.count) != 0) {
    result = IMGHOST_CANCELLED;
  }
  free(file.bytes);
  return result;
}
