#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* Converts fax rows in several strips, or of other kinds, to one strip of Group 4. */

/** The file in memory that libtiff writes. */
typedef struct {
  uint8_t *bytes;
  uint64_t count, capacity, position;
} memory_file;

static tmsize_t read_back(thandle_t handle, void *buffer, tmsize_t size) {
  memory_file *file = handle;
  if (size < 0 || file->position >= file->count) return 0;
  uint64_t rest = file->count - file->position, taken = (uint64_t)size < rest ? (uint64_t)size : rest;
  memcpy(buffer, file->bytes + file->position, taken);
  file->position += taken;
  return (tmsize_t)taken;
}

static tmsize_t write_bytes(thandle_t handle, void *buffer, tmsize_t size) {
  memory_file *file = handle;
  uint64_t end = file->position + (uint64_t)size;
  if (size < 0 || end < file->position || end > TIFF_LARGEST_PIECE) return 0;
  if (end > file->capacity) {
    uint64_t capacity = 2 * end + 4096;
    uint8_t *larger = realloc(file->bytes, capacity);
    if (larger == NULL) return 0;
    memset(larger + file->capacity, 0, capacity - file->capacity);
    file->bytes = larger;
    file->capacity = capacity;
  }
  if (size > 0) memcpy(file->bytes + file->position, buffer, (size_t)size);
  file->position = end;
  if (end > file->count) file->count = end;
  return size;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  memory_file *file = handle;
  if (whence == SEEK_CUR) offset += file->position;
  if (whence == SEEK_END) offset += file->count;
  file->position = offset;
  return offset;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size_of(thandle_t handle) { return ((memory_file *)handle)->count; }

static int say_nothing(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)data, (void)module, (void)format, (void)arguments;
  return 1;
}

static TIFF *open_memory(memory_file *file) {
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == NULL) return NULL;
  TIFFOpenOptionsSetErrorHandlerExtR(options, say_nothing, NULL);
  TIFFOpenOptionsSetWarningHandlerExtR(options, say_nothing, NULL);
  TIFF *tiff =
      TIFFClientOpenExt("fax", "wm", file, read_back, write_bytes, seek, close_nothing, size_of, NULL, NULL, options);
  TIFFOpenOptionsFree(options);
  return tiff;
}

/** Decodes all rows, with 8 pixels per byte. */
static bool decode(tiff_reader *reader, uint8_t *rows, uint64_t row_bytes, const imghost_call *call) {
  const tiff_layout *layout = &reader->rows.layout;
  TIFF *tiff = reader->file.tiff;
  reader->file.error[0] = 0;
  // The decoder is now at a position that `rows` does not expect.
  reader->rows.band = UINT32_MAX;
  for (uint32_t row = 0; row < layout->height; row += layout->band_rows) {
    uint32_t left = layout->height - row, height = left < layout->band_rows ? left : layout->band_rows;
    tmsize_t size = (tmsize_t)(row_bytes * height);
    if (tiff_host->is_cancelled(call)) return false;
    tmsize_t got = TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, row, 0), rows + row * row_bytes, size);
    if (got != size || reader->file.error[0]) {
      tiff_fail_reading(call, &reader->file, "has damaged fax rows");
      return false;
    }
  }
  return true;
}

static bool encode(TIFF *tiff, const tiff_layout *layout, uint8_t *rows, uint64_t size) {
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, layout->width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, layout->height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 1);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, layout->height);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX4);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
  TIFFSetField(tiff, TIFFTAG_FILLORDER, FILLORDER_MSB2LSB);
  return TIFFWriteEncodedStrip(tiff, 0, rows, (tmsize_t)size) == (tmsize_t)size && TIFFFlushData(tiff);
}

/** Writes the fax rows of a page as one strip of Group 4. */
int32_t tiff_fax_write(tiff_reader *reader, const imghost_call *call, imghost_write write) {
  const tiff_layout *layout = &reader->rows.layout;
  uint64_t row_bytes = layout->row_bytes, size = row_bytes * layout->height;
  memory_file file = {0};
  int32_t result = IMGHOST_FAILED;
  uint8_t *rows = size <= TIFF_LARGEST_PIECE ? calloc(1, size) : NULL;
  TIFF *tiff = rows == NULL ? NULL : open_memory(&file);
  if (tiff == NULL) {
    tiff_fail(call, "takes more memory than there is");
  } else if (decode(reader, rows, row_bytes, call)) {
    if (!encode(tiff, layout, rows, size)) {
      tiff_fail(call, "has fax rows that cannot be packed again");
    } else {
      uint64_t offset = TIFFGetStrileOffset(tiff, 0), count = TIFFGetStrileByteCount(tiff, 0);
      bool inside = offset <= file.count && count <= file.count - offset;
      result = inside && write(call, file.bytes + offset, count) == 0 ? IMGHOST_OK : IMGHOST_CANCELLED;
    }
  } else if (tiff_host->is_cancelled(call)) {
    result = IMGHOST_CANCELLED;
  }
  if (tiff != NULL) TIFFClose(tiff);
  free(file.bytes);
  free(rows);
  return result;
}
