// Checks that the tiles of a grid cover its picture, because libheif 1.15 copies them into uninitialised memory without
// comparing sizes. See ISO/IEC 23008-12, 6.6.2.3, and for the boxes ISO/IEC 14496-12, 8.11.
#include "HEIF.h"

#include <stdlib.h>
#include <string.h>

enum { most_depth = 4 };

/// The bytes that are left to read. Reading past the end returns zeros and sets `is_short`.
typedef struct cursor {
  const uint8_t *bytes;
  size_t count;
  int is_short;
} cursor;

static uint64_t number(cursor *self, size_t size) {
  if (self->count < size) {
    self->is_short = 1;
    self->count = 0;
    return 0;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < size; i++) value = value << 8 | self->bytes[i];
  self->bytes += size;
  self->count -= size;
  return value;
}

static void skip(cursor *self, size_t count) {
  if (count > self->count) count = self->count;
  self->bytes += count;
  self->count -= count;
}

#define TYPE(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))

// Advances past the next box, and stores its content. Returns the type of the box; 0 at the end, or if it is damaged.
static uint32_t next_box(cursor *self, cursor *content) {
  if (self->count < 8) return 0;
  size_t whole = self->count;
  uint64_t size = number(self, 4);
  uint32_t type = (uint32_t)number(self, 4);
  if (size == 1) size = number(self, 8);
  size_t head = whole - self->count;
  if (size == 0) size = whole;
  if (self->is_short || size < head || size > whole) return 0;
  *content = (cursor){self->bytes, (size_t)size - head, 0};
  skip(self, (size_t)size - head);
  return type;
}

// Finds the first box of a type.
static int find(cursor boxes, uint32_t wanted, cursor *content) {
  for (uint32_t type; (type = next_box(&boxes, content));) {
    if (type == wanted) return 1;
  }
  return 0;
}

static int find_meta(imghost_bytes file, cursor *meta) {
  if (!find((cursor){file.bytes, file.count, 0}, TYPE('m', 'e', 't', 'a'), meta)) return 0;
  skip(meta, 4);
  return 1;
}

static int is_grid(cursor meta, uint32_t item) {
  cursor list, entry;
  if (!find(meta, TYPE('i', 'i', 'n', 'f'), &list)) return 0;
  int version = (int)number(&list, 1);
  skip(&list, 3);
  (void)number(&list, version == 0 ? 2 : 4);
  for (uint32_t type; (type = next_box(&list, &entry));) {
    if (type != TYPE('i', 'n', 'f', 'e')) continue;
    int entry_version = (int)number(&entry, 1);
    skip(&entry, 3);
    if (number(&entry, entry_version < 3 ? 2 : 4) != item) continue;
    skip(&entry, 2);
    return number(&entry, 4) == TYPE('g', 'r', 'i', 'd');
  }
  return 0;
}

// Finds the items that an item is derived from. Returns their number, and the position and size of their identifiers.
static uint32_t find_sources(cursor meta, uint32_t item, cursor *ids, size_t *id_size) {
  cursor list, entry;
  if (!find(meta, TYPE('i', 'r', 'e', 'f'), &list)) return 0;
  *id_size = number(&list, 1) == 0 ? 2 : 4;
  skip(&list, 3);
  for (uint32_t type; (type = next_box(&list, &entry));) {
    if (type != TYPE('d', 'i', 'm', 'g') || number(&entry, *id_size) != item) continue;
    uint32_t count = (uint32_t)number(&entry, 2);
    *ids = entry;
    return count;
  }
  return 0;
}

// Reads the width and height from the property with the number `wanted`. Returns 0 if it is missing or no `ispe`.
static int read_size(cursor properties, uint32_t wanted, uint64_t size[2]) {
  cursor content;
  uint32_t index = 0;
  for (uint32_t type; (type = next_box(&properties, &content));) {
    if (++index != wanted) continue;
    if (type != TYPE('i', 's', 'p', 'e')) return 0;
    skip(&content, 4);
    size[0] = number(&content, 4);
    size[1] = number(&content, 4);
    return !content.is_short;
  }
  return 0;
}

// Finds an item's width and height before rotation and cropping.
static int find_size(cursor meta, uint32_t item, uint64_t size[2]) {
  cursor list, properties, links;
  if (!find(meta, TYPE('i', 'p', 'r', 'p'), &list) || !find(list, TYPE('i', 'p', 'c', 'o'), &properties)) return 0;
  for (uint32_t type; (type = next_box(&list, &links));) {
    if (type != TYPE('i', 'p', 'm', 'a')) continue;
    uint32_t version = (uint32_t)number(&links, 1), flags = (uint32_t)number(&links, 3);
    uint32_t count = (uint32_t)number(&links, 4);
    for (uint32_t i = 0; i < count && !links.is_short; i++) {
      uint32_t id = (uint32_t)number(&links, version < 1 ? 2 : 4), parts = (uint32_t)number(&links, 1);
      for (uint32_t part = 0; part < parts; part++) {
        uint32_t index = (uint32_t)number(&links, flags & 1 ? 2 : 1) & (flags & 1 ? 0x7fff : 0x7f);
        if (id == item && read_size(properties, index, size)) return 1;
      }
    }
  }
  return 0;
}

static int covers(cursor meta, uint32_t item, int depth) {
  cursor ids;
  size_t id_size;
  uint32_t count = find_sources(meta, item, &ids, &id_size);
  if (count == 0 || depth == most_depth) return 1;
  uint64_t whole[2], first[2], other[2];
  int checks = is_grid(meta, item);
  if (checks && !find_size(meta, item, whole)) return 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t id = (uint32_t)number(&ids, id_size);
    if (ids.is_short) return 0;
    if (!covers(meta, id, depth + 1)) return 0;
    if (!checks) continue;
    if (!find_size(meta, id, i == 0 ? first : other)) return 0;
    if (i > 0 && (first[0] != other[0] || first[1] != other[1])) return 0;
  }
  if (!checks) return 1;
  if (first[0] == 0 || first[1] == 0) return 0;
  // Counting the tiles is enough: libheif itself refuses a wrong division into rows and columns, because some tiles
  // would begin outside the picture.
  return ((whole[0] + first[0] - 1) / first[0]) * ((whole[1] + first[1] - 1) / first[1]) == count;
}

int heif_tiles_cover(imghost_bytes file, uint32_t item) {
  cursor meta;
  return !find_meta(file, &meta) || covers(meta, item, 0);
}

int heif_has_item_of(imghost_bytes file, int32_t width, int32_t height) {
  cursor meta, list, properties, content;
  if (!find_meta(file, &meta) || !find(meta, TYPE('i', 'p', 'r', 'p'), &list)
      || !find(list, TYPE('i', 'p', 'c', 'o'), &properties)) {
    return 1;
  }
  for (uint32_t type; (type = next_box(&properties, &content));) {
    if (type != TYPE('i', 's', 'p', 'e')) continue;
    skip(&content, 4);
    if (number(&content, 4) == (uint64_t)width && number(&content, 4) == (uint64_t)height) return 1;
  }
  return 0;
}
