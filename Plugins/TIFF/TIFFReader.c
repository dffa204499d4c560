#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/** Moves libtiff to a directory, and prepares to read its rows. */
bool tiff_go_to(tiff_reader *reader, uint64_t directory, const imghost_call *call) {
  if (reader->directory == directory) return true;
  tiff_rows_end(&reader->rows);
  reader->directory = 0;
  reader->file.error[0] = 0;
  if (!TIFFSetSubDirectory(reader->file.tiff, directory)) {
    tiff_fail_reading(call, &reader->file, "has a page whose description is damaged");
    return false;
  }
  if (!tiff_rows_begin(&reader->rows, &reader->file, call)) {
    tiff_rows_end(&reader->rows);
    return false;
  }
  reader->directory = directory;
  return true;
}

/** Returns the bytes of a directory's entry, which are part of the file; none if there is no such entry. */
static imghost_bytes bytes_of(const tiff_reader *reader, uint64_t directory, uint16_t tag) {
  tiff_entry entry;
  if (!tiff_entry_find(&reader->bytes, directory, tag, &entry) || entry.size == 0) return (imghost_bytes){0};
  return (imghost_bytes){reader->bytes.bytes + entry.offset, entry.size};
}

static void describe_metadata(tiff_reader *reader, uint64_t directory, imghost_metadata *metadata) {
  const tiff_layout *layout = &reader->rows.layout;
  TIFF *tiff = reader->file.tiff;
  uint16_t unit = RESUNIT_INCH;
  float x = 0, y = 0;
  uint64_t turned = tiff_value(&reader->bytes, directory, TIFFTAG_ORIENTATION);
  metadata->orientation = turned >= 1 && turned <= 8 ? (uint32_t)turned : 0;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y);
  double scale = unit == RESUNIT_CENTIMETER ? 2.54 : unit == RESUNIT_INCH ? 1 : 0;
  if (x > 0 && y > 0 && x < 1e6f && y < 1e6f) {
    metadata->resolution_x = (double)x * scale;
    metadata->resolution_y = (double)y * scale;
  }
  if (layout->colour != TIFF_LAB && !layout->is_lightness)
    metadata->icc = bytes_of(reader, directory, TIFFTAG_ICCPROFILE);
  metadata->xmp = bytes_of(reader, directory, TIFFTAG_XMLPACKET);
  metadata->iptc = bytes_of(reader, directory, TIFFTAG_RICHTIFFIPTC);
  if (metadata->iptc.count && metadata->iptc.bytes[0] != 0x1c) metadata->iptc = (imghost_bytes){0};
  size_t count = 0;
  free(reader->exif);
  reader->exif = tiff_exif_make(&reader->bytes, directory, &count);
  if (reader->exif != NULL) metadata->exif = (imghost_bytes){reader->exif, count};
}

static void describe_facts(tiff_reader *reader, imghost_image *image) {
  const tiff_layout *layout = &reader->rows.layout;
  uint32_t n = 0;
  imghost_fact *facts = reader->facts;
  facts[n++] = (imghost_fact){"compression", tiff_compression_name(layout->compression), 0};
  facts[n++] = (imghost_fact){"bits", NULL, layout->bits};
  if (layout->format == SAMPLEFORMAT_IEEEFP) facts[n++] = (imghost_fact){"samples", "float", 0};
  facts[n++] = (imghost_fact){"photometric", tiff_photometric_name(layout->photometric), 0};
  if (layout->samples > 1) facts[n++] = (imghost_fact){"planar", layout->planes > 1 ? "separate" : "contiguous", 0};
  if (layout->tiled) {
    snprintf(reader->tile_size, sizeof reader->tile_size, "%ux%u", layout->tile_width, layout->band_rows);
    facts[n++] = (imghost_fact){"tiles", reader->tile_size, 0};
  }
  if (layout->associated) facts[n++] = (imghost_fact){"alpha", "associated", 0};
  if (layout->dropped) facts[n++] = (imghost_fact){"dropped_samples", NULL, layout->dropped};
  if (reader->pages.page_count > 1) facts[n++] = (imghost_fact){"pages", NULL, reader->pages.page_count};
  if (reader->level_count) facts[n++] = (imghost_fact){"pyramid_levels", NULL, reader->level_count};
  if (reader->bytes.big_tiff) facts[n++] = (imghost_fact){"bigtiff", "true", 0};
  image->facts = facts;
  image->fact_count = n;
}

/** Estimates the memory for reading, in addition to the output rows. */
static uint64_t working_bytes(const tiff_layout *layout) {
  uint64_t across = (layout->width + (uint64_t)layout->tile_width - 1) / layout->tile_width;
  uint64_t planes = layout->way == TIFF_BY_RGBA ? 2 : layout->planes;
  uint64_t bytes = layout->way == TIFF_BY_BYTES  ? 0
                   : layout->way == TIFF_BY_ROWS ? layout->row_bytes
                                                 : layout->band_bytes * across * planes;
  // Tables, and the memory of decoders. LZMA and Zstandard keep windows of up to 8 MB.
  uint64_t window = layout->compression == COMPRESSION_ZSTD || layout->compression == COMPRESSION_LZMA ? 9 << 20 : 0;
  bool whole = layout->compression == COMPRESSION_WEBP || layout->compression == COMPRESSION_OJPEG;
  return bytes + window + (whole ? layout->band_bytes * 2 : 0) + (512 << 10)
         + (uint64_t)TIFF_PIXELS_AT_ONCE * 2 * layout->samples
         // A row, and the sums of a reduced row.
         + (tiff_levels_serve(layout) ? (uint64_t)layout->width * (layout->bands + 1) * 8 : 0);
}

static bool lossy(uint16_t compression) {
  return compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG || compression == COMPRESSION_WEBP
         || compression == COMPRESSION_SGILOG || compression == COMPRESSION_SGILOG24;
}

int32_t tiff_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  tiff_reader *reader = instance;
  if (page >= TIFF_MOST_PAGES && reader->pages.has_more) {
    return tiff_fail(
        call, "has more than %u pages, and page %u is beyond those that imghost reads", TIFF_MOST_PAGES, page + 1);
  }
  if (page >= reader->pages.page_count) {
    return tiff_fail(
        call, "has %u page%s, not %u", reader->pages.page_count, reader->pages.page_count == 1 ? "" : "s", page + 1);
  }
  uint64_t directory = reader->pages.pages[page];
  if (!tiff_go_to(reader, directory, call)) return IMGHOST_FAILED;
  if (tiff_directory_is_cut(&reader->bytes, directory)) {
    tiff_host->log(call, IMGHOST_LOG_FILE, "a field lies beyond the end of the file and is ignored");
  }
  tiff_levels_find(reader, page, call);
  if (!tiff_go_to(reader, directory, call)) return IMGHOST_FAILED;
  const tiff_layout *layout = &reader->rows.layout;
  reader->page = page;
  image->flags = IMGHOST_IMAGE_STREAMED;
  if (layout->tiled || layout->way == TIFF_BY_BYTES) image->flags |= IMGHOST_IMAGE_REGIONS;
  if (!lossy(layout->compression)) image->flags |= IMGHOST_IMAGE_LOSSLESS;
  if (layout->colour == TIFF_CMYK) image->flags |= IMGHOST_IMAGE_CMYK;
  image->flags |= tiff_stored_flag(reader);
  // One more than the number of readable pages tells the host that there are more.
  image->page_count = reader->pages.page_count + reader->pages.has_more;
  image->sample = layout->sample;
  image->bands = layout->bands;
  image->width = (int32_t)layout->width;
  image->height = (int32_t)layout->height;
  image->shrink_count = tiff_levels_serve(layout) ? reader->level_count : 0;
  for (uint32_t i = 0; i < image->shrink_count; i++) image->shrinks[i] = reader->levels[i].shrink;
  image->working_bytes = working_bytes(layout);
  describe_metadata(reader, directory, &image->metadata);
  if (layout->colour == TIFF_LAB && image->struct_size >= sizeof *image) {
    // Lab is converted to sRGB.
    image->colour_primaries = 1;
    image->transfer_characteristics = 13;
  }
  describe_facts(reader, image);
  return IMGHOST_OK;
}

void tiff_close(void *instance) {
  tiff_reader *reader = instance;
  tiff_rows_end(&reader->rows);
  tiff_file_close(&reader->file);
  tiff_pages_free(&reader->pages);
  free(reader->exif);
  free(reader);
}

int32_t tiff_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  tiff_reader *reader = calloc(1, sizeof *reader);
  uint64_t first = 0;
  int32_t result = IMGHOST_FAILED;
  if (reader == NULL) return tiff_fail(call, "takes more memory than there is");
  if (!tiff_bytes_begin(&reader->bytes, file->content.bytes, file->content.count, &first)) {
    tiff_fail(call, "ends in the middle of its header");
  } else if (tiff_is_raw(&reader->bytes, first)) {
    tiff_fail(call, "is a raw file of a camera; install the package imghost-codecs, or libRAWPlugin.so beside imghost");
  } else if (!tiff_pages_find(&reader->bytes, first, &reader->pages)) {
    tiff_fail(call, first >= file->content.count ? "ends before the description of its first page"
                                                 : "has no description of its first page");
  } else if (!tiff_file_open(&reader->file, "r", file->content)) {
    tiff_fail_reading(call, &reader->file, "has a first page whose description is damaged");
  } else {
    result = tiff_turn(reader, call, page, image);
  }
  if (result != IMGHOST_OK) {
    tiff_close(reader);
    return result;
  }
  *instance = reader;
  return IMGHOST_OK;
}

static bool is_inside(const imghost_region *valid, uint32_t width, uint32_t height) {
  return valid->width > 0 && valid->height > 0 && valid->left >= 0 && valid->top >= 0
         && (uint32_t)valid->left + (uint32_t)valid->width <= width
         && (uint32_t)valid->top + (uint32_t)valid->height <= height;
}

int32_t tiff_read(void *instance, const imghost_read *request) {
  tiff_reader *reader = instance;
  const imghost_picture *output = request->output;
  tiff_level *level = NULL;
  for (uint32_t i = 0; i < reader->level_count; i++) {
    if (reader->levels[i].shrink == request->shrink) level = &reader->levels[i];
  }
  if (tiff_host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
  if (level == NULL && !tiff_go_to(reader, reader->pages.pages[reader->page], request->call)) return IMGHOST_FAILED;
  const tiff_layout *layout = &reader->rows.layout;
  uint32_t width = level == NULL ? layout->width : (uint32_t)output->width;
  uint32_t height = level == NULL ? layout->height : (uint32_t)output->height;
  if (!is_inside(&output->valid, width, height)) {
    return tiff_fail(request->call, "was asked for pixels outside of it");
  }
  bool good =
      level == NULL ? tiff_rows_read(&reader->rows, &reader->file, request) : tiff_levels_read(reader, level, request);
  return good ? IMGHOST_OK : tiff_host->is_cancelled(request->call) ? IMGHOST_CANCELLED : IMGHOST_FAILED;
}
