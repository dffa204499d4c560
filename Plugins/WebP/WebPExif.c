// Reads orientation and resolution from EXIF's first directory (Exif 2.32, 4.6.2 and 4.6.4).
#include "WebP.h"

typedef struct tiff {
  const uint8_t *bytes;
  size_t count;
  int is_big_endian;
} tiff;

// Returns an integer of `size` bytes; 0 outside of the block.
static uint32_t integer(const tiff *tiff, uint64_t at, int size) {
  uint32_t value = 0;
  if (at + (uint64_t)size > tiff->count) return 0;
  for (int i = 0; i < size; i++) {
    value |= (uint32_t)tiff->bytes[at + (uint64_t)i] << 8 * (tiff->is_big_endian ? size - 1 - i : i);
  }
  return value;
}

static double rational(const tiff *tiff, uint64_t entry) {
  uint64_t at = integer(tiff, entry + 8, 4);
  double denominator = integer(tiff, at + 4, 4);
  return denominator == 0 ? 0 : integer(tiff, at, 4) / denominator;
}

webp_exif webp_exif_read(imghost_bytes exif) {
  enum { orientation = 0x112, x_resolution = 0x11a, y_resolution = 0x11b, resolution_unit = 0x128 };
  enum { short_type = 3, rational_type = 5, centimetres = 3 };
  webp_exif result = {.orientation = 0};
  if (exif.count < 8 || (exif.bytes[0] != 'I' && exif.bytes[0] != 'M')) return result;
  tiff tiff = {exif.bytes, exif.count, exif.bytes[0] == 'M'};
  uint64_t directory = integer(&tiff, 4, 4);
  uint32_t entries = integer(&tiff, directory, 2);
  double scale = 1;
  for (uint32_t i = 0; i < entries; i++) {
    uint64_t entry = directory + 2 + 12 * (uint64_t)i;
    if (entry + 12 > exif.count) break;
    uint32_t tag = integer(&tiff, entry, 2), type = integer(&tiff, entry + 2, 2);
    uint32_t value = integer(&tiff, entry + 8, 2);
    if (tag == orientation && type == short_type && value >= 1 && value <= 8) result.orientation = value;
    if (tag == x_resolution && type == rational_type) result.resolution_x = rational(&tiff, entry);
    if (tag == y_resolution && type == rational_type) result.resolution_y = rational(&tiff, entry);
    if (tag == resolution_unit && type == short_type && value == centimetres) scale = 2.54;
  }
  result.resolution_x *= scale;
  result.resolution_y *= scale;
  return result;
}
