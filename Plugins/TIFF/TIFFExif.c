#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* Copies the EXIF directories of a TIFF file into a separate block, and back. */

/** The maximum size of a block in bytes, which is the limit of JPEG files. */
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

/** The directory that contains an entry: that of a page, of EXIF, of GPS, or of interoperability. */
enum { PAGE, BELOW, LAST };

static bool points(uint16_t tag, int level) {
  if (level == PAGE) return tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD;
  return level == BELOW && tag == TAG_INTEROPERABILITY;
}

/** Whether an entry is copied. The first directory also describes pixels, but the block only contains the entries about
 * colours. */
static bool copied(const tiff_entry *entry, int level) {
  static const uint16_t tags[] = {TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE, TIFFTAG_MODEL,
      TIFFTAG_ORIENTATION, TIFFTAG_SOFTWARE, TIFFTAG_DATETIME, TIFFTAG_ARTIST, TIFFTAG_HOSTCOMPUTER, TIFF_TAG_RATING,
      TIFF_TAG_RATING_PERCENT, TIFFTAG_COPYRIGHT, TIFFTAG_EXIFIFD, TIFFTAG_GPSIFD, TIFF_TAG_XP_TITLE,
      TIFFTAG_WHITEPOINT, TIFFTAG_PRIMARYCHROMATICITIES, TIFFTAG_TRANSFERFUNCTION, TIFF_TAG_XP_TITLE + 1,
      TIFF_TAG_XP_TITLE + 2, TIFF_TAG_XP_TITLE + 3, TIFF_TAG_XP_TITLE + 4};
  if (entry->type > 12 || entry->size > 16384 || entry->count == 0) return false;
  if (level != PAGE)
    return entry->tag != TAG_MAKER_NOTE && !points(entry->tag, PAGE) && (level == BELOW || entry->tag < 3);
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    if (tags[i] == entry->tag) return true;
  }
  return false;
}

/** Copies a directory, and those that it points to. Returns the number of its entries, or 0 if nothing was copied. */
static uint32_t copy_directory(const tiff_bytes *file, uint64_t directory, int level, block *out) {
  uint64_t start, size = file->big_tiff ? 20 : 12, count = tiff_directory_entries(file, directory, &start);
  uint64_t head = out->count, entries = 0;
  tiff_entry entry;
  for (uint64_t i = 0; i < count; i++) {
    entries += tiff_entry_read(file, start + i * size, &entry) && copied(&entry, level);
  }
  if (entries == 0 || head + 6 + 12 * entries > LARGEST) return 0;
  out->count += 6 + 12 * entries;
  put(out, head, entries, 2);
  uint64_t at = head + 2, written = 0;
  for (uint64_t i = 0; i < count && written < entries; i++) {
    if (!tiff_entry_read(file, start + i * size, &entry) || !copied(&entry, level)) continue;
    uint64_t place = out->count + (out->count & 1);
    if (points(entry.tag, level)) {
      uint64_t below = tiff_entry_number(file, &entry, 0);
      out->count = place;
      if (copy_directory(file, below, level + 1, out) == 0) continue;
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

/** Creates an EXIF block from a page's directory. NULL if it would contain only the orientation. */
uint8_t *tiff_exif_make(const tiff_bytes *file, uint64_t directory, size_t *count) {
  block out = {calloc(LARGEST + 16, 1), 8, file->big_endian};
  if (out.bytes == NULL) return NULL;
  memcpy(out.bytes, file->big_endian ? "MM\0*" : "II*\0", 4);
  put(&out, 4, 8, 4);
  tiff_entry entry;
  uint32_t least = tiff_entry_find(file, directory, TIFFTAG_ORIENTATION, &entry) ? 1 : 0;
  if (copy_directory(file, directory, PAGE, &out) <= least) {
    free(out.bytes);
    return NULL;
  }
  *count = out.count;
  return out.bytes;
}

/** The number of bytes that are swapped together in a value of each type. */
static int unit(uint16_t type) {
  static const int units[] = {0, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8};
  return type < sizeof units / sizeof *units ? units[type] : 1;
}

/** Copies an entry's values, in the machine's byte order. */
static void copy_values(const tiff_bytes *exif, const tiff_entry *entry, uint8_t *to) {
  int size = unit(entry->type);
  for (uint64_t done = 0; done + (uint64_t)size <= entry->size; done += (uint64_t)size) {
    for (int i = 0; i < size; i++) {
      to[done + (uint64_t)i] = exif->bytes[entry->offset + done + (uint64_t)(exif->big_endian ? size - 1 - i : i)];
    }
  }
}

/** Creates a directory for the position `at` in a little-endian file from the directory of an EXIF block that a tag
 * points to. Returns NULL if there is none. */
uint8_t *tiff_exif_directory(
    const tiff_bytes *exif, uint64_t directory, uint16_t tag, bool big_tiff, uint64_t at, size_t *count) {
  tiff_entry entry;
  if (directory == 0 || !tiff_entry_find(exif, directory, tag, &entry)) return NULL;
  uint64_t first, below = tiff_entry_number(exif, &entry, 0);
  uint64_t most = tiff_directory_entries(exif, below, &first), entries = 0, values = 0;
  for (uint64_t i = 0; i < most; i++) {
    if (!tiff_entry_read(exif, first + i * 12, &entry) || !copied(&entry, BELOW) || entry.tag == TAG_INTEROPERABILITY)
      continue;
    entries++;
    values += entry.size + 1;
  }
  if (entries == 0 || values > 1u << 20) return NULL;
  int word = big_tiff ? 8 : 4;
  uint64_t head = big_tiff ? 8 : 2, step = big_tiff ? 20 : 12, next = head + entries * step + (uint64_t)word;
  block out = {calloc(1, next + values + entries), next, false};
  if (out.bytes == NULL) return NULL;
  put(&out, 0, entries, big_tiff ? 8 : 2);
  uint64_t place = head;
  for (uint64_t i = 0; i < most; i++) {
    if (!tiff_entry_read(exif, first + i * 12, &entry) || !copied(&entry, BELOW) || entry.tag == TAG_INTEROPERABILITY)
      continue;
    put(&out, place, entry.tag, 2);
    put(&out, place + 2, entry.type, 2);
    put(&out, place + 4, entry.count, word);
    uint64_t inside = place + 4 + (uint64_t)word;
    if (entry.size <= (uint64_t)word) {
      copy_values(exif, &entry, out.bytes + inside);
    } else {
      put(&out, inside, at + out.count, word);
      copy_values(exif, &entry, out.bytes + out.count);
      out.count += entry.size + (entry.size & 1);
    }
    place += step;
  }
  *count = out.count;
  return out.bytes;
}
