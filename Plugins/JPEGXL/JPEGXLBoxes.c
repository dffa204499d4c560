// Reads the metadata boxes of the container (ISO/IEC 18181-2).
#include "JPEGXL.h"

#include <stdlib.h>
#include <string.h>

/// The maximum size of a compressed box after decompression, in bytes; the host accepts no more.
enum { largest_box = 16 << 20 };

static uint64_t big(const uint8_t *bytes, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | bytes[i];
  return value;
}

static JxlDecoderStatus run(JxlDecoder *decoder, uint8_t **memory, size_t *count) {
  size_t capacity = 0, filled = 0;
  for (;;) {
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    JxlBoxType type;
    if (status == JXL_DEC_BOX && capacity == 0 && JxlDecoderGetBoxType(decoder, type, JXL_FALSE) == JXL_DEC_SUCCESS
        && memcmp(type, "brob", 4) == 0) {
      if ((*memory = malloc(capacity = 65536)) == NULL) return JXL_DEC_ERROR;
      JxlDecoderSetBoxBuffer(decoder, *memory, capacity);
    } else if (status == JXL_DEC_BOX && capacity > 0) {
      *count = capacity - JxlDecoderReleaseBoxBuffer(decoder);
      return JXL_DEC_SUCCESS;
    } else if (status == JXL_DEC_BOX_NEED_MORE_OUTPUT && capacity < largest_box) {
      filled = capacity - JxlDecoderReleaseBoxBuffer(decoder);
      uint8_t *larger = realloc(*memory, capacity *= 2);
      if (larger == NULL) return JXL_DEC_ERROR;
      *memory = larger;
      JxlDecoderSetBoxBuffer(decoder, larger + filled, capacity - filled);
    } else if (status != JXL_DEC_BOX) {
      *count = status == JXL_DEC_BOX_NEED_MORE_OUTPUT ? capacity + 1 : 0;
      return JXL_DEC_ERROR;
    }
  }
}

// Decompresses a box. The decoder gets a file that contains only this box, so that it does not have to process the
// pixels.
static imghost_bytes decompress(const uint8_t *box, size_t count, uint8_t **memory) {
  static const uint8_t head[] = "\0\0\0\14JXL \r\n\207\n\0\0\0\24ftypjxl \0\0\0\0jxl ";
  static const uint8_t tail[] = "\0\0\0\10free";
  enum { head_count = 32, tail_count = 8 };
  size_t total = head_count + count + tail_count, length = 0;
  uint8_t *file = malloc(total);
  JxlDecoder *decoder = file == NULL ? NULL : JxlDecoderCreate(NULL);
  JxlDecoderStatus status = JXL_DEC_ERROR;
  if (decoder != NULL) {
    memcpy(file, head, head_count);
    memcpy(file + head_count, box, count);
    memcpy(file + head_count + count, tail, tail_count);
    if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_BOX) == JXL_DEC_SUCCESS
        && JxlDecoderSetDecompressBoxes(decoder, JXL_TRUE) == JXL_DEC_SUCCESS
        && JxlDecoderSetInput(decoder, file, total) == JXL_DEC_SUCCESS) {
      JxlDecoderCloseInput(decoder);
      status = run(decoder, memory, &length);
    }
    JxlDecoderDestroy(decoder);
  }
  free(file);
  if (status == JXL_DEC_SUCCESS) return (imghost_bytes){*memory, length};
  free(*memory);
  *memory = NULL;
  // If the box is too large, `length` exceeds the host's limit, and the host ignores the metadata without reading it.
  return (imghost_bytes){length > 0 ? box : NULL, length};
}

// Returns EXIF data from the TIFF header on; empty if there is none. The box begins with the offset of this header. A
// box that is too large is returned unchanged.
static imghost_bytes exif_of(imghost_bytes box) {
  if (box.count > largest_box) return box;
  if (box.count < 4 || big(box.bytes, 4) > box.count - 4) return (imghost_bytes){NULL, 0};
  size_t start = 4 + (size_t)big(box.bytes, 4);
  if (start == box.count) return (imghost_bytes){NULL, 0};
  return (imghost_bytes){box.bytes + start, box.count - start};
}

void jpegxl_boxes_read(imghost_bytes content, jpegxl_boxes *boxes) {
  enum { header = 8, long_header = 16 };
  if (content.count < 12 || memcmp(content.bytes + 4, "JXL ", 4) != 0) return;
  for (size_t at = 0; content.count - at >= header;) {
    const uint8_t *box = content.bytes + at;
    uint64_t rest = content.count - at, size = big(box, 4), start = header;
    if (size == 1 && rest >= long_header) size = big(box + header, 8), start = long_header;
    if (size == 0) size = rest;
    if (size < start || size > rest) {
      boxes->is_cut = 1;
      return;
    }
    imghost_bytes data = {box + start, (size_t)(size - start)};
    const char *type = (const char *)box + 4;
    int is_packed = memcmp(type, "brob", 4) == 0 && data.count > 4 && start == header;
    if (is_packed) type = (const char *)data.bytes;
    if (memcmp(type, "jbrd", 4) == 0) boxes->has_jpeg = 1;
    if (memcmp(type, "Exif", 4) == 0 && boxes->exif.count == 0 && boxes->exif_memory == NULL) {
      boxes->exif = exif_of(is_packed ? decompress(box, (size_t)size, &boxes->exif_memory) : data);
    }
    if (memcmp(type, "xml ", 4) == 0 && boxes->xmp.count == 0 && boxes->xmp_memory == NULL) {
      boxes->xmp = is_packed ? decompress(box, (size_t)size, &boxes->xmp_memory) : data;
    }
    at += (size_t)size;
    boxes->is_cut = at < content.count && content.count - at < header;
  }
}

void jpegxl_boxes_free(jpegxl_boxes *boxes) {
  free(boxes->exif_memory);
  free(boxes->xmp_memory);
}
