#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* The directories of a TIFF file that EXIF knows, copied into a block of their own. */

/** The most bytes of a block: what a JPEG file can hold. */
#define LARGEST 65000u

#define TAG_MAKER_NOTE 37500
#define TAG_INTEROPERABILITY 40965

typedef struct {
  uint8_t *bytes;
  uint64_t count;
  bool big_endian;
} block;

static void put(block *out, uint64_t at, uint64_t value, int size) {
  for (int i = 0; i < size; i++) {
    out->bytes[at + (uint64_t)i] = (uint8_t)(value >> (8 * (out->big_endian ? size - 1 - i : i)));
  }
}

static bool points(uint16_t tag) { return tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD; }

/** Whether an entry is copied. The first directory describes pixels too, which the block leaves out. */
static bool copied(const tiff_entry *entry, bool first) {
  static const uint16_t tags[] = {TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE, TIFFTAG_MODEL, TIFFTAG_ORIENTATION,
      TIFFTAG_SOFTWARE, TIFFTAG_DATETIME, TIFFTAG_ARTIST, TIFFTAG_COPYRIGHT, TIFFTAG_EXIFIFD, TIFFTAG_GPSIFD};
  if (entry->type > 12 || entry->size > 16384 || entry->count == 0) return false;
  if (!first) return entry->tag != TAG_MAKER_NOTE && entry->tag != TAG_INTEROPERABILITY && !points(entry->tag);
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    if (tags[i] == entry->tag) return true;
  }
  return false;
}

/** Copies a directory, and those that it points to. Returns the number of its entries, 0 if nothing was copied. */
static uint32_t copy_directory(const tiff_bytes *file, uint64_t directory, bool first, block *out) {
  uint64_t start, size = file->big_tiff ? 20 : 12, count = tiff_directory_entries(file, directory, &start);
  uint64_t head = out->count, entries = 0;
  tiff_entry entry;
  for (uint64_t i = 0; i < count; i++) {
    entries += tiff_entry_read(file, start + i * size, &entry) && copied(&entry, first);
  }
  if (entries == 0 || head + 6 + 12 * entries > LARGEST) return 0;
  out->count += 6 + 12 * entries;
  put(out, head, entries, 2);
  uint64_t at = head + 2, written = 0;
  for (uint64_t i = 0; i < count && written < entries; i++) {
    if (!tiff_entry_read(file, start + i * size, &entry) || !copied(&entry, first)) continue;
    uint64_t place = out->count + (out->count & 1);
    if (points(entry.tag)) {
      uint64_t below = tiff_entry_number(file, &entry, 0);
      out->count = place;
      if (copy_directory(file, below, false, out) == 0) continue;
      entry.type = TIFF_LONG;
      entry.count = 1;
      put(out, at + 8, place, 4);
    } else if (entry.size <= 4) {
      memcpy(out->bytes + at + 8, file->bytes + entry.offset, entry.size);
    } else {
      if (place + entry.size > LARGEST) continue;
      memcpy(out->bytes + place, file->bytes + entry.offset, entry.size);
      put(out, at + 8, place, 4);
      out->count = place + entry.size;
    }
    put(out, at, entry.tag, 2);
    put(out, at + 2, entry.type, 2);
    put(out, at + 4, entry.count, 4);
    at += 12;
    written++;
  }
  put(out, head, written, 2);
  return (uint32_t)written;
}

/** Makes an EXIF block of a page's directory. NULL if it says no more than the orientation. */
uint8_t *tiff_exif_make(const tiff_bytes *file, uint64_t directory, size_t *count) {
  block out = {calloc(LARGEST + 16, 1), 8, file->big_endian};
  if (out.bytes == NULL) return NULL;
  memcpy(out.bytes, file->big_endian ? "MM\0*" : "II*\0", 4);
  put(&out, 4, 8, 4);
  tiff_entry entry;
  uint32_t least = tiff_entry_find(file, directory, TIFFTAG_ORIENTATION, &entry) ? 1 : 0;
  if (copy_directory(file, directory, true, &out) <= least) {
    free(out.bytes);
    return NULL;
  }
  *count = out.count;
  return out.bytes;
}
