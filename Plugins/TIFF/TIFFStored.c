#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* The stored form of a page: its fax rows or its JPEG, if other files can contain them. */

bool tiff_strip_find(const tiff_reader *reader, uint32_t strip, imghost_bytes *bytes) {
  uint64_t offset = TIFFGetStrileOffset(reader->file.tiff, strip);
  uint64_t count = TIFFGetStrileByteCount(reader->file.tiff, strip);
  if (count == 0 || offset > reader->bytes.count || count > reader->bytes.count - offset) return false;
  *bytes = (imghost_bytes){reader->bytes.bytes + offset, (size_t)count};
  return true;
}

/** Returns whether a page has fax rows. Several strips and other kinds of fax are converted to one strip of Group 4. */
static bool is_fax(const tiff_reader *reader) {
  const tiff_layout *layout = &reader->rows.layout;
  return tiff_is_fax(layout->compression) && layout->bits == 1 && layout->samples == 1 && layout->colour == TIFF_GRAY
         && !layout->tiled;
}

/** Returns whether all rows are in one strip of Group 4 that need not be encoded again. */
static bool is_one_strip(const tiff_reader *reader) {
  const tiff_layout *layout = &reader->rows.layout;
  uint32_t options = 0;
  TIFFGetField(reader->file.tiff, TIFFTAG_GROUP4OPTIONS, &options);
  return layout->compression == COMPRESSION_CCITTFAX4 && layout->band_rows >= layout->height
         && !(options & GROUP4OPT_UNCOMPRESSED);
}

/** Returns the image flag that declares the page's stored form; 0 if the page has none. */
uint32_t tiff_stored_flag(const tiff_reader *reader) {
  if (is_fax(reader)) return IMGHOST_IMAGE_FAX;
  return tiff_jpeg_fits(reader) ? IMGHOST_IMAGE_JPEG : 0;
}

/** Writes the only strip of a Group 4 page, with the most significant bit of each byte first. */
static int32_t write_strip(tiff_reader *reader, const imghost_call *call, imghost_write write) {
  uint16_t order = FILLORDER_MSB2LSB;
  imghost_bytes rows;
  if (!tiff_strip_find(reader, 0, &rows)) return tiff_fail(call, "ends in the middle of its pixels");
  TIFFGetFieldDefaulted(reader->file.tiff, TIFFTAG_FILLORDER, &order);
  if (order != FILLORDER_LSB2MSB) {
    return write(call, rows.bytes, rows.count) == 0 ? IMGHOST_OK : IMGHOST_CANCELLED;
  }
  uint8_t *turned = malloc(rows.count);
  if (turned == NULL) return tiff_fail(call, "takes more memory than there is");
  memcpy(turned, rows.bytes, rows.count);
  TIFFReverseBits(turned, (tmsize_t)rows.count);
  int32_t result = write(call, turned, rows.count) == 0 ? IMGHOST_OK : IMGHOST_CANCELLED;
  free(turned);
  return result;
}

/** Begins a file of one strip of Group 4. */
static bool begin_fax(tiff_file *file, const tiff_layout *layout) {
  if (!tiff_file_open(file, "w", (imghost_bytes){0})) return false;
  TIFFSetField(file->tiff, TIFFTAG_IMAGEWIDTH, layout->width);
  TIFFSetField(file->tiff, TIFFTAG_IMAGELENGTH, layout->height);
  TIFFSetField(file->tiff, TIFFTAG_BITSPERSAMPLE, 1);
  TIFFSetField(file->tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(file->tiff, TIFFTAG_ROWSPERSTRIP, layout->height);
  TIFFSetField(file->tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISWHITE);
  return TIFFSetField(file->tiff, TIFFTAG_COMPRESSION, COMPRESSION_CCITTFAX4);
}

/** Decodes the rows of each strip, and encodes them in one strip. */
static int32_t convert_fax(tiff_reader *reader, tiff_file *file, uint8_t *rows, const imghost_call *call) {
  const tiff_layout *layout = &reader->rows.layout;
  TIFF *tiff = reader->file.tiff;
  reader->file.error[0] = 0;
  // Reading strips moves libtiff's decoder, so `reader->rows` must not rely on the band that it has loaded.
  reader->rows.band = UINT32_MAX;
  for (uint32_t row = 0; row < layout->height; row += layout->band_rows) {
    uint32_t left = layout->height - row, height = left < layout->band_rows ? left : layout->band_rows;
    tmsize_t size = (tmsize_t)(layout->row_bytes * height);
    if (tiff_host->is_cancelled(call)) return IMGHOST_CANCELLED;
    if (TIFFReadEncodedStrip(tiff, TIFFComputeStrip(tiff, row, 0), rows, size) != size || reader->file.error[0]) {
      return tiff_fail_reading(call, &reader->file, "has damaged fax rows");
    }
    for (uint32_t y = 0; y < height; y++) {
      if (TIFFWriteScanline(file->tiff, rows + y * layout->row_bytes, row + y, 0) < 0) {
        return tiff_fail(call, "has fax rows that cannot be packed again");
      }
    }
  }
  return TIFFFlushData(file->tiff) ? IMGHOST_OK : tiff_fail(call, "has fax rows that cannot be packed again");
}

/** Writes the fax rows of a page as one strip of Group 4. */
static int32_t write_fax(tiff_reader *reader, const imghost_call *call, imghost_write write) {
  const tiff_layout *layout = &reader->rows.layout;
  tiff_file file = {0};
  bool is_small = layout->row_bytes * layout->height <= TIFF_LARGEST_PIECE;
  uint8_t *rows = is_small ? malloc(layout->row_bytes * layout->band_rows) : NULL;
  int32_t result = IMGHOST_FAILED;
  if (rows == NULL || !begin_fax(&file, layout)) {
    tiff_fail(call, "takes more memory than there is");
  } else if ((result = convert_fax(reader, &file, rows, call)) == IMGHOST_OK) {
    result =
        tiff_file_send(&file, TIFFGetStrileOffset(file.tiff, 0), TIFFGetStrileByteCount(file.tiff, 0), call, write);
  }
  tiff_file_close(&file);
  free(rows);
  return result;
}

int32_t tiff_stored(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write) {
  tiff_reader *reader = instance;
  const tiff_layout *layout = &reader->rows.layout;
  if (!tiff_go_to(reader, reader->pages.pages[reader->page], call)) return IMGHOST_FAILED;
  if (!is_fax(reader)) {
    stored->kind = IMGHOST_STORED_JPEG;
    return tiff_jpeg_write(reader, call, write);
  }
  stored->kind = IMGHOST_STORED_FAX;
  // In T.6, 0 is white.
  stored->flags = layout->inverted ? 0 : IMGHOST_STORED_INVERTED;
  stored->width = (int32_t)layout->width;
  stored->height = (int32_t)layout->height;
  return is_one_strip(reader) ? write_strip(reader, call, write) : write_fax(reader, call, write);
}
