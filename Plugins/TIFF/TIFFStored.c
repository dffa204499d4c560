#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* The stored form of a page: its fax rows or its JPEG, as far as other files can contain them. */

/** Finds the bytes of a strip in the file. */
bool tiff_strip_find(const tiff_reader *reader, uint32_t strip, imghost_bytes *bytes) {
  uint64_t offset = TIFFGetStrileOffset(reader->file.tiff, strip);
  uint64_t count = TIFFGetStrileByteCount(reader->file.tiff, strip);
  if (count == 0 || offset > reader->bytes.count || count > reader->bytes.count - offset) return false;
  *bytes = (imghost_bytes){reader->bytes.bytes + offset, (size_t)count};
  return true;
}

/** Whether a page has fax rows. Several strips and other kinds of fax are converted to one strip of Group 4. */
static bool is_fax(const tiff_reader *reader) {
  const tiff_layout *layout = &reader->rows.layout;
  bool packed = layout->compression == COMPRESSION_CCITTFAX4 || layout->compression == COMPRESSION_CCITTFAX3
                || layout->compression == COMPRESSION_CCITTRLE || layout->compression == COMPRESSION_CCITTRLEW;
  return packed && layout->bits == 1 && layout->samples == 1 && layout->colour == TIFF_GRAY && !layout->tiled;
}

/** Whether all rows are in one strip of Group 4 that can be copied unchanged. */
static bool is_one_strip(const tiff_reader *reader) {
  const tiff_layout *layout = &reader->rows.layout;
  uint32_t options = 0;
  TIFFGetField(reader->file.tiff, TIFFTAG_GROUP4OPTIONS, &options);
  return layout->compression == COMPRESSION_CCITTFAX4 && layout->band_rows >= layout->height
         && !(options & GROUP4OPT_UNCOMPRESSED);
}

/** Returns the flag of an image for the form in which its page is stored; 0 for none. */
uint32_t tiff_stored_flag(const tiff_reader *reader) {
  if (is_fax(reader)) return IMGHOST_IMAGE_FAX;
  return tiff_jpeg_fits(reader) ? IMGHOST_IMAGE_JPEG : 0;
}

/** Writes a strip of Group 4, the most significant bit first. */
static int32_t write_strip(tiff_reader *reader, const imghost_call *call, imghost_write write) {
  uint16_t order = FILLORDER_MSB2LSB;
  imghost_bytes rows;
  if (!tiff_strip_find(reader, 0, &rows)) {
    tiff_fail(call, "ends in the middle of its pixels");
    return IMGHOST_FAILED;
  }
  TIFFGetFieldDefaulted(reader->file.tiff, TIFFTAG_FILLORDER, &order);
  if (order != FILLORDER_LSB2MSB) {
    return write(call, rows.bytes, rows.count) == 0 ? IMGHOST_OK : IMGHOST_CANCELLED;
  }
  uint8_t *turned = malloc(rows.count);
  if (turned == NULL) {
    tiff_fail(call, "takes more memory than there is");
    return IMGHOST_FAILED;
  }
  memcpy(turned, rows.bytes, rows.count);
  TIFFReverseBits(turned, (tmsize_t)rows.count);
  int32_t result = write(call, turned, rows.count) == 0 ? IMGHOST_OK : IMGHOST_CANCELLED;
  free(turned);
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
  return is_one_strip(reader) ? write_strip(reader, call, write) : tiff_fax_write(reader, call, write);
}
