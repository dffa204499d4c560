#include <string.h>

#include "JPEG2000.h"

/* Boxes of JP2 (ISO/IEC 15444-1, annex I) and the main header of the codestream (annex A). */

static uint64_t number(const uint8_t *bytes, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | bytes[i];
  return value;
}

static uint32_t code(const char *name) { return (uint32_t)number((const uint8_t *)name, 4); }

/** Reads the sizes of the image and of its tiles, and the components (marker SIZ). */
static bool read_size(jp2_header *header, const uint8_t *at, uint64_t count, const imghost_call *call) {
  if (count < 36) return false;
  uint64_t x1 = number(at + 2, 4), y1 = number(at + 6, 4), x0 = number(at + 10, 4), y0 = number(at + 14, 4);
  uint64_t tile_x = number(at + 26, 4), tile_y = number(at + 30, 4);
  header->tile_width = (uint32_t)number(at + 18, 4);
  header->tile_height = (uint32_t)number(at + 22, 4);
  header->component_count = (uint32_t)number(at + 34, 2);
  if (x1 <= x0 || y1 <= y0 || x1 > INT32_MAX || y1 > INT32_MAX || !header->tile_width || !header->tile_height) {
    return false;
  }
  header->width = (uint32_t)(x1 - x0);
  header->height = (uint32_t)(y1 - y0);
  header->at_origin = x0 == 0 && y0 == 0 && tile_x == 0 && tile_y == 0;
  if (header->component_count > JP2_MOST_COMPONENTS) {
    jp2_fail(call, "has %u components, which imghost does not read", header->component_count);
    return false;
  }
  if (header->component_count == 0 || count < 36 + 3 * (uint64_t)header->component_count) return false;
  for (uint32_t i = 0; i < header->component_count; i++) {
    const uint8_t *c = at + 36 + 3 * i;
    header->components[i] = (jp2_component){(uint8_t)((c[0] & 127) + 1), c[0] >> 7, c[1], c[2]};
    if (c[1] == 0 || c[2] == 0) return false;
  }
  return true;
}

/** Reads the main header, up to the first tile. */
static bool read_codestream(jp2_header *header, imghost_bytes file, const imghost_call *call) {
  uint64_t at = header->start + 2;
  bool sized = false;
  header->levels = 33;
  while (at + 4 <= file.count) {
    const uint8_t *marker = file.bytes + at;
    uint64_t kind = number(marker, 2), length = number(marker + 2, 2);
    if (kind == 0xff90) {
      header->first_part = at;
      break;
    }
    if (length < 2) return false;
    if (length > file.count - at - 2) {
      jp2_fail(call, "ends before its pixels");
      return false;
    }
    const uint8_t *content = marker + 4;
    if (kind == 0xff51) {
      if (sized || !read_size(header, content, length - 2, call)) return false;
      sized = true;
    } else if (kind == 0xff52 && length >= 12) {
      if (content[5] < header->levels) header->levels = content[5];
      header->reversible = content[9] == 1;
    } else if (kind == 0xff53 && length >= 9 && sized) {
      int wide = header->component_count < 257 ? 1 : 2;
      if (content[wide + 1] < header->levels) header->levels = content[wide + 1];
    }
    at += 2 + length;
  }
  if (header->levels > 32) header->levels = 0;
  return sized;
}

/** Reads the number of a palette's channels, and their bits per sample. */
static void read_palette(jp2_header *header, const uint8_t *at, uint64_t count) {
  if (count < 3 || at[2] > JP2_MOST_COMPONENTS || count < 3u + at[2]) return;
  header->palette_channels = at[2];
  for (uint32_t i = 0; i < header->palette_channels; i++) header->palette_bits[i] = (uint8_t)((at[3 + i] & 127) + 1);
}

/** Counts the channels that are alpha, and those that are neither alpha nor colours. */
static void read_definitions(jp2_header *header, const uint8_t *at, uint64_t count) {
  if (count < 2) return;
  uint64_t channels = number(at, 2);
  if (channels > (count - 2) / 6 || channels > JP2_MOST_COMPONENTS) return;
  header->has_definitions = true;
  header->alpha_channels = header->other_channels = 0;
  for (uint64_t i = 0; i < channels; i++) {
    uint64_t kind = number(at + 2 + 6 * i + 2, 2);
    if (kind == 1 || kind == 2) {
      header->alpha_channels++;
      header->premultiplied = kind == 2;
    } else if (kind != 0) {
      header->other_channels++;
    }
  }
}

/** Reads a resolution box: pixels per metre as fractions. */
static void read_resolution(jp2_header *header, const uint8_t *at, uint64_t count) {
  if (count < 10) return;
  double values[2];
  for (int i = 0; i < 2; i++) {
    double above = (double)number(at + 4 * i, 2), below = (double)number(at + 4 * i + 2, 2);
    int exponent = (int8_t)at[8 + i];
    if (above == 0 || below == 0 || exponent > 9 || exponent < -9) return;
    values[i] = above / below * 0.0254;
    for (; exponent > 0; exponent--) values[i] *= 10;
    for (; exponent < 0; exponent++) values[i] /= 10;
  }
  header->resolution_y = values[0];
  header->resolution_x = values[1];
}

static void read_colour(jp2_header *header, const uint8_t *at, uint64_t count) {
  if (count >= 7 && at[0] == 1 && header->colour_space == 0) header->colour_space = (uint32_t)number(at + 3, 4);
  if (count > 3 && (at[0] == 2 || at[0] == 3) && header->icc.count == 0) {
    header->icc = (imghost_bytes){at + 3, count - 3};
  }
}

const uint8_t jp2_xmp_uuid[16] = {
    0xbe, 0x7a, 0xcf, 0xcb, 0x97, 0xa9, 0x42, 0xe8, 0x9c, 0x71, 0x99, 0x94, 0x91, 0xe3, 0xaf, 0xac};

const uint8_t jp2_iptc_uuid[16] = {
    0x33, 0xc7, 0xa4, 0xd2, 0xb8, 0x1d, 0x47, 0x23, 0xa0, 0xba, 0xf1, 0xa3, 0xe0, 0x97, 0xad, 0x38};

static void read_uuid(jp2_header *header, const uint8_t *at, uint64_t count) {
  if (count <= 16) return;
  imghost_bytes content = {at + 16, count - 16};
  if (memcmp(at, jp2_xmp_uuid, 16) == 0) header->xmp = content;
  if (memcmp(at, jp2_iptc_uuid, 16) == 0 && content.bytes[0] == 0x1c) header->iptc = content;
  if (memcmp(at, "JpgTiffExif->JP2", 16) == 0) header->exif = content;
}

static void read_boxes(jp2_header *header, imghost_bytes file, uint64_t at, uint64_t end, int depth) {
  while (end - at >= 8) {
    uint64_t size = number(file.bytes + at, 4), head = 8;
    uint32_t kind = (uint32_t)number(file.bytes + at + 4, 4);
    if (size == 1) {
      if (end - at < 16) return;
      size = number(file.bytes + at + 8, 8);
      head = 16;
    }
    // In a truncated file, the codestream's box may extend beyond the end of the file.
    if (size == 0 || (size > end - at && kind == code("jp2c"))) size = end - at;
    if (size < head || size > end - at) return;
    const uint8_t *content = file.bytes + at + head;
    uint64_t count = size - head;
    if ((kind == code("jp2h") || kind == code("res ")) && depth < 2) {
      read_boxes(header, file, at + head, at + size, depth + 1);
    } else if (kind == code("colr")) {
      read_colour(header, content, count);
    } else if (kind == code("pclr")) {
      read_palette(header, content, count);
    } else if (kind == code("cdef")) {
      read_definitions(header, content, count);
    } else if (kind == code("resc") || (kind == code("resd") && header->resolution_x == 0)) {
      read_resolution(header, content, count);
    } else if (kind == code("uuid")) {
      read_uuid(header, content, count);
    } else if (kind == code("jp2c") && header->start == 0) {
      header->start = at + head;
    }
    at += size;
  }
}

/** Reads everything before a file's first tile. Returns false after a failure, whose reason is reported. */
bool jp2_header_read(jp2_header *header, imghost_bytes file, const imghost_call *call) {
  *header = (jp2_header){0};
  jp2_fail(call, "has a damaged header");
  header->boxed = file.count >= 12 && number(file.bytes + 4, 4) == code("jP  ");
  if (header->boxed) {
    read_boxes(header, file, 0, file.count, 0);
    if (header->start == 0) {
      jp2_fail(call, "ends before its pixels");
      return false;
    }
  }
  if (file.count < header->start + 4 || number(file.bytes + header->start, 4) != 0xff4fff51) return false;
  if (!read_codestream(header, file, call)) return false;
  uint64_t across = (header->width + (uint64_t)header->tile_width - 1) / header->tile_width;
  uint64_t down = (header->height + (uint64_t)header->tile_height - 1) / header->tile_height;
  // Each tile takes at least 14 bytes, and the library needs some kilobytes for each.
  if (across > 65535 || down > 65535 || across * down > 65535 || across * down * 14 > file.count) {
    jp2_fail(call, "is too short for its %llu tiles", (unsigned long long)(across * down));
    return false;
  }
  return true;
}
