#define _GNU_SOURCE
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/** Returns a number of 1, 2, 4 or 8 bytes; 0 beyond the end of the file. */
uint64_t tiff_number(const tiff_bytes *file, uint64_t at, int size) {
  if (at > file->count || (uint64_t)size > file->count - at) return 0;
  uint64_t value = 0;
  for (int i = 0; i < size; i++) {
    int place = file->big_endian ? size - 1 - i : i;
    value |= (uint64_t)file->bytes[at + (uint64_t)i] << (8 * place);
  }
  return value;
}

/** Reads the header, and the position of the first directory. */
bool tiff_bytes_begin(tiff_bytes *file, const uint8_t *bytes, size_t count, uint64_t *first) {
  *file = (tiff_bytes){.bytes = bytes, .count = count};
  if (count < 8) return false;
  if (bytes[0] != bytes[1] || (bytes[0] != 'I' && bytes[0] != 'M')) return false;
  file->big_endian = bytes[0] == 'M';
  uint64_t magic = tiff_number(file, 2, 2);
  file->big_tiff = magic == TIFF_VERSION_BIG;
  if (magic != TIFF_VERSION_CLASSIC && !file->big_tiff) return false;
  *first = file->big_tiff ? tiff_number(file, 8, 8) : tiff_number(file, 4, 4);
  return true;
}

/** Returns the number of a directory's entries and the position of the first; 0 if there are more than 65,535, or if
 * they extend beyond the file's end. */
uint64_t tiff_directory_entries(const tiff_bytes *file, uint64_t offset, uint64_t *first) {
  uint64_t head = file->big_tiff ? 8 : 2;
  if (offset < 8 || offset > file->count || file->count - offset < head) return 0;
  uint64_t count = tiff_number(file, offset, (int)head);
  if (count > (file->count - offset - head) / tiff_entry_size(file->big_tiff) || count > UINT16_MAX) return 0;
  *first = offset + head;
  return count;
}

/** Returns the size of a value in bytes; 0 for an unknown type. */
static uint64_t value_size(uint16_t type) {
  return type == TIFF_NOTYPE ? 0 : (uint64_t)TIFFDataWidth((TIFFDataType)type);
}

/** Reads the entry at `at`. Returns false if its type is unknown, or if its values extend beyond the file's end. */
bool tiff_entry_read(const tiff_bytes *file, uint64_t at, tiff_entry *entry) {
  int width = tiff_word_size(file->big_tiff);
  entry->tag = (uint16_t)tiff_number(file, at, 2);
  entry->type = (uint16_t)tiff_number(file, at + 2, 2);
  entry->count = tiff_number(file, at + 4, width);
  uint64_t unit = value_size(entry->type);
  if (unit == 0 || entry->count > file->count / unit) return false;
  entry->size = entry->count * unit;
  uint64_t place = at + 4 + (uint64_t)width;
  entry->offset = entry->size <= (uint64_t)width ? place : tiff_number(file, place, width);
  return entry->offset <= file->count && entry->size <= file->count - entry->offset;
}

/** Finds an entry by its tag. Returns false if there is none, or if it cannot be read. */
bool tiff_entry_find(const tiff_bytes *file, uint64_t directory, uint16_t tag, tiff_entry *entry) {
  uint64_t at, count = tiff_directory_entries(file, directory, &at);
  for (uint64_t i = 0; i < count; i++, at += tiff_entry_size(file->big_tiff)) {
    if (tiff_number(file, at, 2) == tag) return tiff_entry_read(file, at, entry);
  }
  return false;
}

/** Returns the first integer of a directory's entry with this tag; 0 if there is none. */
uint64_t tiff_value(const tiff_bytes *file, uint64_t directory, uint16_t tag) {
  tiff_entry entry;
  return tiff_entry_find(file, directory, tag, &entry) ? tiff_entry_number(file, &entry, 0) : 0;
}

/** Returns whether values of a directory, or its EXIF or GPS directory, extend beyond the end of the file. */
bool tiff_directory_is_cut(const tiff_bytes *file, uint64_t offset) {
  uint64_t at, below, count = tiff_directory_entries(file, offset, &at);
  for (uint64_t i = 0; i < count; i++, at += tiff_entry_size(file->big_tiff)) {
    tiff_entry entry;
    bool is_there = tiff_entry_read(file, at, &entry);
    if (!is_there && value_size(entry.type) > 0) return true;
    bool is_below = entry.tag == TIFFTAG_EXIFIFD || entry.tag == TIFFTAG_GPSIFD;
    if (is_there && is_below && !tiff_directory_entries(file, tiff_entry_number(file, &entry, 0), &below)) return true;
  }
  return false;
}

/** Returns one of an entry's integers; 0 if there is none. */
uint64_t tiff_entry_number(const tiff_bytes *file, const tiff_entry *entry, uint64_t index) {
  if (index >= entry->count) return 0;
  int size = (int)(entry->size / entry->count);
  return tiff_number(file, entry->offset + index * (uint64_t)size, size);
}

/** Reads the kind of image that a directory describes, and the position of the next directory. Returns false if the
 * directory has no entries, or is not inside the file. */
bool tiff_directory_read(const tiff_bytes *file, uint64_t offset, tiff_directory *directory) {
  uint64_t at, count = tiff_directory_entries(file, offset, &at);
  if (count == 0) return false;
  uint64_t kind = tiff_value(file, offset, TIFFTAG_SUBFILETYPE);
  directory->offset = offset;
  directory->next = tiff_number(file, at + count * tiff_entry_size(file->big_tiff), tiff_word_size(file->big_tiff));
  directory->mask = kind & FILETYPE_MASK;
  directory->reduced =
      kind & FILETYPE_REDUCEDIMAGE || tiff_value(file, offset, TIFFTAG_OSUBFILETYPE) == OFILETYPE_REDUCEDIMAGE;
  return true;
}

static int compare(const void *one, const void *other) { return one < other ? -1 : one > other; }

static void keep(void *offset) { (void)offset; }

/** Allocates memory for one more element. */
static bool grow(void **list, uint32_t count, size_t size) {
  if (count & (count - 1) || (count && count < 16)) return true;
  void *larger = realloc(*list, (count ? (size_t)count * 2 : 16) * size);
  if (larger != NULL) *list = larger;
  return larger != NULL;
}

/** Adds the full image below a first directory that describes only a thumbnail, as in the files of cameras. */
static bool add_full_image(const tiff_bytes *file, uint64_t directory, tiff_pages *pages) {
  tiff_entry below;
  if (!tiff_entry_find(file, directory, TIFFTAG_SUBIFD, &below)) return false;
  for (uint64_t i = 0; i < below.count && i < 16; i++) {
    tiff_directory sub;
    if (!tiff_directory_read(file, tiff_entry_number(file, &below, i), &sub) || sub.reduced || sub.mask) continue;
    pages->pages[pages->page_count++] = sub.offset;
    return true;
  }
  return false;
}

/** Finds the pages in the chain of directories, which ends at the latest at a directory that is already known. If there
 * are no pages, the first directory is taken as one. Returns false if there is no directory, or not enough memory. */
bool tiff_pages_find(const tiff_bytes *file, uint64_t first, tiff_pages *pages) {
  void *seen = NULL;
  tiff_directory directory;
  bool ok = true;
  for (uint64_t offset = first; offset != 0 && !pages->has_more; offset = directory.next) {
    const void *key = (const void *)(uintptr_t)offset;
    if (!tiff_directory_read(file, offset, &directory) || tfind(key, &seen, compare)) break;
    ok = tsearch(key, &seen, compare) && grow((void **)&pages->pages, pages->page_count, sizeof(uint64_t))
         && grow((void **)&pages->first_reduced, pages->page_count, sizeof(uint32_t))
         && grow((void **)&pages->reduced, pages->reduced_count, sizeof(uint64_t));
    if (!ok) break;
    bool is_page = !directory.reduced && !directory.mask;
    if (is_page && pages->page_count == TIFF_MOST_PAGES) {
      pages->has_more = true;
    } else if (is_page) {
      pages->first_reduced[pages->page_count] = pages->reduced_count;
      pages->pages[pages->page_count++] = offset;
    } else if (pages->page_count == 0) {
      pages->first_reduced[0] = 0;
      add_full_image(file, offset, pages);
    } else if (directory.reduced && !directory.mask && pages->reduced_count < TIFF_MOST_PAGES) {
      pages->reduced[pages->reduced_count++] = offset;
    }
  }
  tdestroy(seen, keep);
  if (ok && pages->page_count == 0 && pages->pages != NULL) {
    pages->first_reduced[0] = 0;
    pages->pages[pages->page_count++] = first;
  }
  return ok && pages->page_count > 0;
}

void tiff_pages_free(tiff_pages *pages) {
  free(pages->pages);
  free(pages->first_reduced);
  free(pages->reduced);
  *pages = (tiff_pages){0};
}
