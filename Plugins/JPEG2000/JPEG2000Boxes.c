#include <string.h>

#include "JPEG2000.h"

/* The boxes before the codestream of a JP2 file (ISO/IEC 15444-1, annex I). OpenJPEG's own writer omits the definition
 * of the alpha band if there is an ICC profile, and does not support resolution, EXIF, or XMP. */

/** The output, which passes all bytes to the host immediately. After a failure, nothing more is sent. */
typedef struct {
  const imghost_writing *writing;
  bool is_wanted;
} output;

static void put(output *out, const void *bytes, size_t count) {
  if (out->is_wanted && count > 0) out->is_wanted = out->writing->write(out->writing->call, bytes, count) == 0;
}

static void put_number(output *out, uint64_t value, int size) {
  uint8_t bytes[8];
  for (int i = 0; i < size; i++) bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
  put(out, bytes, (size_t)size);
}

static void put_box(output *out, const char *kind, size_t count) {
  put_number(out, 8 + count, 4);
  put(out, kind, 4);
}

/** Converts pixels per inch to a fraction of two 16-bit numbers, which gives pixels per metre with the exponent 4.
 * Returns false if the value is unknown, or too small or too large for such numbers. */
static bool resolution(double value, uint64_t *above, uint64_t *below) {
  if (!(value > 0 && value <= 65535)) return false;
  double scale = value <= 655 ? 100 : 1;
  *above = (uint64_t)(value * scale + 0.5);
  *below = (uint64_t)(254 * scale);
  return *above > 0;
}

static bool has_resolution(const imghost_metadata *metadata) {
  uint64_t above, below;
  return resolution(metadata->resolution_x, &above, &below) && resolution(metadata->resolution_y, &above, &below);
}

static void put_resolution(output *out, const imghost_metadata *metadata) {
  uint64_t above[2], below[2];
  resolution(metadata->resolution_y, &above[0], &below[0]);
  resolution(metadata->resolution_x, &above[1], &below[1]);
  put_box(out, "res ", 18);
  put_box(out, "resc", 10);
  for (int i = 0; i < 2; i++) {
    put_number(out, above[i], 2);
    put_number(out, below[i], 2);
  }
  put_number(out, 4, 1);
  put_number(out, 4, 1);
}

static void put_colour(output *out, const imghost_picture *format, imghost_bytes icc) {
  put_box(out, "colr", icc.count > 0 ? 3 + icc.count : 7);
  put_number(out, icc.count > 0 ? 2 : 1, 1);
  put_number(out, 0, 2);
  if (icc.count > 0) {
    put(out, icc.bytes, icc.count);
  } else {
    put_number(out, format->bands > 2 ? 16 : 17, 4);
  }
}

/** Declares the last channel as straight alpha for the whole picture. */
static void put_definitions(output *out, uint32_t bands) {
  put_box(out, "cdef", 2 + 6 * (size_t)bands);
  put_number(out, bands, 2);
  for (uint32_t i = 0; i < bands; i++) {
    bool is_alpha = i + 1 == bands;
    put_number(out, i, 2);
    put_number(out, is_alpha, 2);
    put_number(out, is_alpha ? 0 : i + 1, 2);
  }
}

static void put_uuid(output *out, const uint8_t *uuid, imghost_bytes content) {
  if (content.count == 0 || content.count > UINT32_MAX - 24) return;
  put_box(out, "uuid", 16 + content.count);
  put(out, uuid, 16);
  put(out, content.bytes, content.count);
}

/** Writes all boxes before the codestream, and the header of the codestream's own box, which extends to the end of the
 * file. Returns false if the host needs no more bytes. */
bool jp2_write_boxes(const imghost_writing *writing) {
  static const uint8_t start[] = {0, 0, 0, 12, 'j', 'P', ' ', ' ', '\r', '\n', 0x87, '\n', 0, 0, 0, 20, 'f', 't', 'y',
      'p', 'j', 'p', '2', ' ', 0, 0, 0, 0, 'j', 'p', '2', ' '};
  output out = {writing, true};
  const imghost_picture *format = writing->format;
  const imghost_metadata *metadata = writing->metadata;
  imghost_bytes icc = metadata->icc;
  if (icc.count > UINT32_MAX - 200) icc.count = 0;
  size_t size = 22 + (icc.count > 0 ? 11 + icc.count : 15);
  if (format->bands % 2 == 0) size += 10 + 6 * (size_t)format->bands;
  if (has_resolution(metadata)) size += 26;
  put(&out, start, sizeof start);
  put_box(&out, "jp2h", size);
  put_box(&out, "ihdr", 14);
  put_number(&out, (uint32_t)format->height, 4);
  put_number(&out, (uint32_t)format->width, 4);
  put_number(&out, format->bands, 2);
  put_number(&out, format->sample * 8 - 1, 1);
  put_number(&out, 7, 1);
  put_number(&out, 0, 2);
  put_colour(&out, format, icc);
  if (format->bands % 2 == 0) put_definitions(&out, format->bands);
  if (has_resolution(metadata)) put_resolution(&out, metadata);
  put_uuid(&out, (const uint8_t *)"JpgTiffExif->JP2", metadata->exif);
  put_uuid(&out, jp2_xmp_uuid, metadata->xmp);
  put_uuid(&out, jp2_iptc_uuid, metadata->iptc);
  put_number(&out, 0, 4);
  put(&out, "jp2c", 4);
  return out.is_wanted;
}
