// Stores a JPEG file as JPEG XL, and restores it byte for byte.
#include "JPEGXL.h"

#include <stdlib.h>
#include <string.h>
#include <jxl/encode.h>

/// A byte buffer that grows.
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

// Refuses a JPEG if its frame header (ITU-T T.81, B.2.2) shows that JPEG XL cannot keep it unchanged. The message gives
// the reason.
static int32_t check_frame(const imghost_call *call, const uint8_t *frame) {
  if (frame[1] >= 0xc9) return jpegxl_fail(call, "has arithmetic coding, which JPEG XL cannot keep unchanged");
  if (frame[4] != 8) return jpegxl_fail(call, "has %d bits, and JPEG XL keeps 8 unchanged", frame[4]);
  if (frame[9] == 4) return jpegxl_fail(call, "holds CMYK, which JPEG XL cannot keep unchanged");
  return IMGHOST_OK;
}

// Skips entropy-coded data. Returns the position of the next marker that is not a restart marker, or the file's end.
static size_t skip_scan(imghost_bytes jpeg, size_t at) {
  for (; at + 1 < jpeg.count; at++) {
    const uint8_t *found = memchr(jpeg.bytes + at, 0xff, jpeg.count - 1 - at);
    if (found == NULL) break;
    at = (size_t)(found - jpeg.bytes);
    uint8_t marker = found[1];
    if (marker != 0 && marker != 0xff && (marker < 0xd0 || marker > 0xd7)) return at;
  }
  return jpeg.count;
}

// Checks the segments up to the end of the image, because libjxl would print messages about a truncated JPEG.
static int32_t check(const imghost_call *call, imghost_bytes jpeg) {
  const uint8_t *bytes = jpeg.bytes;
  int has_frame = 0;
  if (jpeg.count < 4 || bytes[0] != 0xff || bytes[1] != 0xd8) return jpegxl_fail(call, "is no JPEG");
  for (size_t at = 2; at + 2 <= jpeg.count && bytes[at] == 0xff;) {
    uint8_t marker = bytes[at + 1];
    if (marker == 0xff) {
      at++;
      continue;
    }
    if (marker == 0xd9) return has_frame ? IMGHOST_OK : jpegxl_fail(call, "has no frame header");
    if (at + 10 > jpeg.count) break;
    if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc) {
      int32_t result = check_frame(call, bytes + at);
      if (result != IMGHOST_OK) return result;
      has_frame = 1;
    }
    at += 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
    if (marker == 0xda) at = skip_scan(jpeg, at);
  }
  return jpegxl_fail(call, has_frame ? "does not go on to its end" : "has no frame header");
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

// Restores the JPEG that a JPEG XL file stores. Returns 0 after a failure: if the file stores no JPEG, or an incomplete
// one, if there is not enough memory, or if the call was cancelled.
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

int32_t jpegxl_wrap(const imghost_call *call, imghost_bytes jpeg, const imghost_value *values, uint32_t value_count,
    imghost_write write) {
  int32_t result = check(call, jpeg);
  if (result != IMGHOST_OK) return result;
  int32_t effort = value_count > jpegxl_p_effort ? (int32_t)values[jpegxl_p_effort].numbers[0] : 7;
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

int32_t jpegxl_stored(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write) {
  const jpegxl_reader *reader = instance;
  growing file = {0};
  int32_t result = IMGHOST_OK;
  stored->kind = IMGHOST_STORED_JPEG;
  if (!restored(call, reader->content, &file)) {
    result = jpegxl_fail(call, "holds a JPEG that cannot be restored");
  } else if (write(call, file.bytes, file.count) != 0) {
    result = IMGHOST_CANCELLED;
  }
  free(file.bytes);
  return result;
}
