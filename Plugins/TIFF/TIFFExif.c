#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* Copies the EXIF directories of a TIFF file into a separate block, and back. */

/** The maximum size of an EXIF block in bytes, which also fits into a segment of a JPEG. */
#define LARGEST 65000u

/** The maximum size of a directory in bytes, an even number. */
#define LARGEST_DIRECTORY (1u << 20)

/** The tags of the interoperability directory (Exif 2.3, 4.6.7). */
enum { TAG_INTEROPERABILITY_INDEX = 1, TAG_INTEROPERABILITY_VERSION };

/** The copy that is being made: an EXIF block, or a directory for a TIFF file. */
typedef struct {
  uint8_t *bytes;
  uint64_t count, capacity;
  /** The position of the copy in its file, which is added to the offsets in the copy. */
  uint64_t base;
  bool big_endian, big_tiff;
} block;

static void put(block *out, uint64_t at, uint64_t value, int size) {
  for (int i = 0; i < size; i++) {
    out->bytes[at + (uint64_t)i] = (uint8_t)(value >> (8 * (out->big_endian ? size - 1 - i : i)));
  }
}

/** The level of a directory: PAGE for the directory of a page, BELOW for EXIF and GPS, LAST for the interoperability
 * directory below EXIF, and ALONE for EXIF or GPS if the interoperability directory is not copied. */
enum { PAGE, BELOW, LAST, ALONE };

static bool points(uint16_t tag, int level) {
  if (level == PAGE) return tag == TIFFTAG_EXIFIFD || tag == TIFFTAG_GPSIFD;
  return level == BELOW && tag == TIFFTAG_INTEROPERABILITYIFD;
}

/** Returns whether an entry is copied. Of a page's directory, which mostly describes pixels, only the entries about
 * colours and those that EXIF also has are copied. Maker notes and values of more than 16 KB are left out. */
static bool copied(const tiff_entry *entry, int level) {
  static const uint16_t tags[] = {TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE, TIFFTAG_MODEL,
      TIFFTAG_ORIENTATION, TIFFTAG_SOFTWARE, TIFFTAG_DATETIME, TIFFTAG_ARTIST, TIFFTAG_HOSTCOMPUTER, TIFF_TAG_RATING,
      TIFF_TAG_RATING_PERCENT, TIFFTAG_COPYRIGHT, TIFFTAG_EXIFIFD, TIFFTAG_GPSIFD, TIFF_TAG_XP_TITLE,
      TIFFTAG_WHITEPOINT, TIFFTAG_PRIMARYCHROMATICITIES, TIFFTAG_TRANSFERFUNCTION, TIFF_TAG_XP_COMMENT,
      TIFF_TAG_XP_AUTHOR, TIFF_TAG_XP_KEYWORDS, TIFF_TAG_XP_SUBJECT};
  if (entry->type > TIFF_DOUBLE || entry->size > 16384 || entry->count == 0) return false;
  if (level != PAGE)
    return entry->tag != EXIFTAG_MAKERNOTE && !points(entry->tag, PAGE)
           && (level == BELOW || (level == ALONE && entry->tag != TIFFTAG_INTEROPERABILITYIFD)
               || entry->tag <= TAG_INTEROPERABILITY_VERSION);
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    if (tags[i] == entry->tag) return true;
  }
  return false;
}

/** Copies an entry's values, in the byte order of the copy. */
static void copy_values(const tiff_bytes *file, const tiff_entry *entry, const block *out, uint64_t at) {
  bool is_fraction = entry->type == TIFF_RATIONAL || entry->type == TIFF_SRATIONAL;
  // The number of bytes that are swapped together: a fraction is two numbers.
  int unit = is_fraction ? 4 : TIFFDataWidth((TIFFDataType)entry->type);
  uint64_t flip = file->big_endian == out->big_endian ? 0 : (uint64_t)unit - 1;
  for (uint64_t i = 0; i < entry->size; i++) out->bytes[at + (i ^ flip)] = file->bytes[entry->offset + i];
}

/** Copies a directory, and those that it points to. Returns the number of its entries, or 0 if nothing was copied. */
static uint32_t copy_directory(const tiff_bytes *file, uint64_t directory, int level, block *out) {
  uint64_t start, size = tiff_entry_size(file->big_tiff), count = tiff_directory_entries(file, directory, &start);
  uint64_t head = out->count, entries = 0, written = 0;
  uint64_t number = out->big_tiff ? 8 : 2, step = tiff_entry_size(out->big_tiff),
           word = (uint64_t)tiff_word_size(out->big_tiff);
  tiff_entry entry;
  for (uint64_t i = 0; i < count; i++) {
    entries += tiff_entry_read(file, start + i * size, &entry) && copied(&entry, level);
  }
  if (entries == 0 || head + number + step * entries + word > out->capacity) return 0;
  out->count += number + step * entries + word;
  uint64_t at = head + number;
  for (uint64_t i = 0; i < count && written < entries; i++) {
    if (!tiff_entry_read(file, start + i * size, &entry) || !copied(&entry, level)) continue;
    uint64_t place = out->count + (out->count & 1), value = at + 4 + word;
    if (points(entry.tag, level)) {
      uint64_t below = tiff_entry_number(file, &entry, 0);
      out->count = place;
      if (copy_directory(file, below, level + 1, out) == 0) continue;
      entry.type = TIFF_LONG;
      entry.count = 1;
      put(out, value, out->base + place, (int)word);
    } else if (entry.size <= word) {
      copy_values(file, &entry, out, value);
    } else {
      if (place + entry.size > out->capacity) continue;
      copy_values(file, &entry, out, place);
      put(out, value, out->base + place, (int)word);
      out->count = place + entry.size;
    }
    put(out, at, entry.tag, 2);
    put(out, at + 2, entry.type, 2);
    put(out, at + 4, entry.count, (int)word);
    at += step;
    written++;
  }
  put(out, head, written, (int)number);
  return (uint32_t)written;
}

/** Creates an EXIF block from a page's directory. Returns NULL if the block would contain nothing or only the
 * orientation, or if there is not enough memory. */
uint8_t *tiff_exif_make(const tiff_bytes *file, uint64_t directory, size_t *count) {
  block out = {calloc(LARGEST, 1), 8, LARGEST, 0, file->big_endian, false};
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

/** Copies the directory that a tag of an EXIF block points to. The copy is little-endian, and its offsets are valid if
 * it is written at the position `at` of a file. Returns NULL if there is no such directory, or not enough memory. */
uint8_t *tiff_exif_directory(
    const tiff_bytes *exif, uint64_t directory, uint16_t tag, bool big_tiff, uint64_t at, size_t *count) {
  block out = {directory == 0 ? NULL : calloc(LARGEST_DIRECTORY, 1), 0, LARGEST_DIRECTORY, at, false, big_tiff};
  if (out.bytes == NULL) return NULL;
  if (copy_directory(exif, tiff_value(exif, directory, tag), ALONE, &out) == 0) {
    free(out.bytes);
    return NULL;
  }
  *count = out.count + (out.count & 1);
  return out.bytes;
}
