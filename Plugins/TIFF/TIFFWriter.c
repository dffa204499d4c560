#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/** The maximum size of a strip in bytes before compression: in general, and for fax. A strip has at least one row. */
#define STRIP_BYTES ((uint64_t)256 << 10)
#define FAX_STRIP_BYTES ((uint64_t)64 << 20)

typedef struct {
  tiff_file file;
  imghost_write write;
  uint16_t compression;
  bool is_bilevel;
  uint32_t page;
  uint32_t page_count;
  imghost_metadata metadata;
  uint8_t *profiles;
  tiff_bytes exif;
  uint64_t exif_directory;
  bool big_tiff;
  /** The positions of EXIF's own directories in the file; 0 if there are none. All pages share them. */
  uint64_t exif_place, gps_place;
  /** The page that is being written. */
  imghost_picture format;
  uint8_t *strip;
  uint64_t row_bytes;
  uint32_t strip_rows;
  uint32_t rows;
  uint32_t next_strip;
} tiff_writer;

static int32_t fail(tiff_writer *writer, const imghost_call *call) {
  if (writer->file.out_of_memory) return tiff_fail(call, "takes more memory than there is");
  if (strstr(writer->file.error, "aximum TIFF file size")) {
    return tiff_fail(call, "grows beyond 4 GB; use bigtiff = true");
  }
  return tiff_fail_reading(call, &writer->file, "cannot be written");
}

/** Sets the texts of EXIF's first directory, and the fields that Windows adds. */
static void set_texts(tiff_writer *writer) {
  static const uint16_t tags[] = {TIFFTAG_DOCUMENTNAME, TIFFTAG_IMAGEDESCRIPTION, TIFFTAG_MAKE, TIFFTAG_MODEL,
      TIFFTAG_SOFTWARE, TIFFTAG_DATETIME, TIFFTAG_ARTIST, TIFFTAG_HOSTCOMPUTER, TIFFTAG_COPYRIGHT};
  static const TIFFFieldInfo windows[] = {
      {TIFF_TAG_RATING, 1, 1, TIFF_SHORT, FIELD_CUSTOM, 1, 0, "Rating"},
      {TIFF_TAG_RATING_PERCENT, 1, 1, TIFF_SHORT, FIELD_CUSTOM, 1, 0, "RatingPercent"},
      {TIFF_TAG_XP_TITLE, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, "XPTitle"},
      {TIFF_TAG_XP_COMMENT, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, "XPComment"},
      {TIFF_TAG_XP_AUTHOR, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, "XPAuthor"},
      {TIFF_TAG_XP_KEYWORDS, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, "XPKeywords"},
      {TIFF_TAG_XP_SUBJECT, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_BYTE, FIELD_CUSTOM, 1, 1, "XPSubject"},
  };
  const uint32_t count = sizeof windows / sizeof *windows;
  TIFF *tiff = writer->file.tiff;
  tiff_entry entry;
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
    if (!tiff_entry_find(&writer->exif, writer->exif_directory, tags[i], &entry)) continue;
    if (entry.type != TIFF_ASCII || entry.size > UINT16_MAX) continue;
    char *text = calloc(1, entry.size + 1);
    if (text == NULL) continue;
    memcpy(text, writer->exif.bytes + entry.offset, entry.size);
    if (text[0] && (tags[i] != TIFFTAG_DATETIME || strlen(text) == 19)) TIFFSetField(tiff, tags[i], text);
    free(text);
  }
  // In each new directory, libtiff knows only its own fields, so these are declared again for each page.
  TIFFMergeFieldInfo(tiff, windows, count);
  for (uint32_t i = 0; i < count; i++) {
    if (!tiff_entry_find(&writer->exif, writer->exif_directory, (uint16_t)windows[i].field_tag, &entry)) continue;
    if (entry.type != windows[i].field_type || entry.size > UINT16_MAX) continue;
    if (entry.type == TIFF_SHORT) {
      if (entry.count == 1) TIFFSetField(tiff, windows[i].field_tag, (int)tiff_entry_number(&writer->exif, &entry, 0));
    } else {
      TIFFSetField(tiff, windows[i].field_tag, (uint32_t)entry.size, writer->exif.bytes + entry.offset);
    }
  }
}

/** Appends an EXIF directory to the file. Returns its position, or 0 for none. */
static uint64_t append_directory(tiff_writer *writer, uint16_t tag) {
  uint64_t at = (writer->file.count + 1) & ~(uint64_t)1;
  size_t count;
  uint8_t *bytes = tiff_exif_directory(&writer->exif, writer->exif_directory, tag, writer->big_tiff, at, &count);
  bool is_written = bytes != NULL && tiff_file_append(&writer->file, at, bytes, count);
  free(bytes);
  return is_written ? at : 0;
}

static void set_metadata(tiff_writer *writer) {
  TIFF *tiff = writer->file.tiff;
  const imghost_metadata *metadata = &writer->metadata;
  if (metadata->resolution_x > 0 && metadata->resolution_y > 0) {
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, metadata->resolution_x);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, metadata->resolution_y);
  }
  if (metadata->icc.count) {
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)metadata->icc.count, metadata->icc.bytes);
  }
  if (metadata->xmp.count) {
    TIFFSetField(tiff, TIFFTAG_XMLPACKET, (uint32_t)metadata->xmp.count, metadata->xmp.bytes);
  }
  if (metadata->iptc.count) {
    // The type of this field differs between versions of libtiff.
    const TIFFField *field = TIFFFieldWithTag(tiff, TIFFTAG_RICHTIFFIPTC);
    size_t size = field != NULL && TIFFFieldDataType(field) == TIFF_LONG ? 4 : 1;
    TIFFSetField(tiff, TIFFTAG_RICHTIFFIPTC, (uint32_t)(metadata->iptc.count / size), metadata->iptc.bytes);
  }
  if (writer->page == 0) {
    writer->exif_place = append_directory(writer, TIFFTAG_EXIFIFD);
    writer->gps_place = append_directory(writer, TIFFTAG_GPSIFD);
  }
  if (writer->exif_place) TIFFSetField(tiff, TIFFTAG_EXIFIFD, writer->exif_place);
  if (writer->gps_place) TIFFSetField(tiff, TIFFTAG_GPSIFD, writer->gps_place);
  set_texts(writer);
}

/** A field of one number; 0 for a field that is not written. */
typedef struct {
  uint16_t tag;
  uint32_t number;
} field;

#define FIELD_COUNT 11

/** Computes the fields that describe the stored pixels of the page, in the order in which libtiff needs them. */
static void describe_pixels(const tiff_writer *writer, field fields[FIELD_COUNT]) {
  const imghost_picture *format = &writer->format;
  bool is_fax = writer->compression == COMPRESSION_CCITTFAX4;
  bool colour = format->bands > 2, ink = format->bands == 4 && format->alpha == IMGHOST_ALPHA_NONE;
  bool predicts = writer->compression == COMPRESSION_LZW || writer->compression == COMPRESSION_ADOBE_DEFLATE
                  || writer->compression == COMPRESSION_ZSTD;
  const field all[FIELD_COUNT] = {
      {TIFFTAG_IMAGEWIDTH, (uint32_t)format->width},
      {TIFFTAG_IMAGELENGTH, (uint32_t)format->height},
      {TIFFTAG_BITSPERSAMPLE, writer->is_bilevel ? 1 : format->sample * 8},
      {TIFFTAG_SAMPLESPERPIXEL, format->bands},
      {TIFFTAG_PHOTOMETRIC, ink      ? PHOTOMETRIC_SEPARATED
                            : is_fax ? PHOTOMETRIC_MINISWHITE
                            : colour ? PHOTOMETRIC_RGB
                                     : PHOTOMETRIC_MINISBLACK},
      {TIFFTAG_INKSET, ink ? INKSET_CMYK : 0},
      {TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG},
      {TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT},
      {TIFFTAG_ROWSPERSTRIP, writer->strip_rows},
      {TIFFTAG_COMPRESSION, writer->compression},
      {TIFFTAG_PREDICTOR, predicts && !writer->is_bilevel ? PREDICTOR_HORIZONTAL : 0},
  };
  memcpy(fields, all, sizeof all);
}

static bool begin_page(tiff_writer *writer, const imghost_picture *format) {
  TIFF *tiff = writer->file.tiff;
  bool is_fax = writer->compression == COMPRESSION_CCITTFAX4;
  bool ink = format->bands == 4 && format->alpha == IMGHOST_ALPHA_NONE;
  writer->format = *format;
  writer->row_bytes =
      writer->is_bilevel ? ((uint64_t)format->width + 7) / 8 : (uint64_t)format->width * format->bands * format->sample;
  // Programs that copy fax rows expect them in one strip.
  uint64_t rows = (is_fax ? FAX_STRIP_BYTES : STRIP_BYTES) / writer->row_bytes;
  writer->strip_rows = rows == 0 ? 1 : rows > (uint32_t)format->height ? (uint32_t)format->height : (uint32_t)rows;
  writer->rows = writer->next_strip = 0;
  free(writer->strip);
  writer->strip = malloc(writer->row_bytes * writer->strip_rows);
  if (writer->strip == NULL) {
    writer->file.out_of_memory = true;
    return false;
  }
  field fields[FIELD_COUNT];
  describe_pixels(writer, fields);
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    bool is_set = fields[i].number == 0 || TIFFSetField(tiff, fields[i].tag, fields[i].number);
    if (!is_set && fields[i].tag == TIFFTAG_COMPRESSION) return false;
  }
  if (format->bands % 2 == 0 && !ink) {
    uint16_t straight = EXTRASAMPLE_UNASSALPHA;
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &straight);
  }
  if (writer->page_count > 1 && writer->page_count <= 65535) {
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_PAGE);
    TIFFSetField(tiff, TIFFTAG_PAGENUMBER, writer->page, writer->page_count);
  }
  set_metadata(writer);
  return true;
}

/** Copies the metadata, which is only valid during `begin`. IPTC is padded to whole words of 4 bytes. */
static bool keep_metadata(tiff_writer *writer, const imghost_metadata *metadata) {
  imghost_bytes *parts[] = {
      &writer->metadata.icc, &writer->metadata.xmp, &writer->metadata.iptc, &writer->metadata.exif};
  size_t total = 0;
  writer->metadata = *metadata;
  for (int i = 0; i < 4; i++) total += (parts[i]->count + 7) & ~(size_t)7;
  writer->profiles = calloc(1, total + 8);
  if (writer->profiles == NULL) return false;
  uint8_t *place = writer->profiles;
  for (int i = 0; i < 4; i++) {
    if (parts[i]->count) memcpy(place, parts[i]->bytes, parts[i]->count);
    parts[i]->bytes = place;
    place += (parts[i]->count + 7) & ~(size_t)7;
  }
  writer->metadata.iptc.count = (writer->metadata.iptc.count + 3) & ~(size_t)3;
  if (!tiff_bytes_begin(
          &writer->exif, writer->metadata.exif.bytes, writer->metadata.exif.count, &writer->exif_directory)) {
    writer->exif_directory = 0;
  }
  return true;
}

void *tiff_begin(const imghost_writing *writing) {
  static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE,
      COMPRESSION_ZSTD, COMPRESSION_PACKBITS, COMPRESSION_CCITTFAX4, COMPRESSION_CCITTFAX4};
  const imghost_picture *format = writing->format;
  tiff_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL || !keep_metadata(writer, writing->metadata)) {
    tiff_fail(writing->call, "takes more memory than there is");
    free(writer);
    return NULL;
  }
  writer->write = writing->write;
  writer->compression = compressions[(int)writing->values[TIFF_PARAMETER_COMPRESSION].numbers[0]];
  // Choice 1 of the bit depths, after "auto", is one bit.
  writer->is_bilevel =
      writer->compression == COMPRESSION_CCITTFAX4 || writing->values[TIFF_PARAMETER_BITDEPTH].numbers[0] == 1;
  writer->page_count = writing->page_count;
  double bytes = (double)format->width * format->height * format->bands * format->sample * writing->page_count;
  bool big = writing->values[TIFF_PARAMETER_BIGTIFF].numbers[0] != 0 || bytes > 4.2e9;
  writer->big_tiff = big;
  if (writer->is_bilevel && (format->bands != 1 || format->sample != IMGHOST_SAMPLE_U8)) {
    tiff_fail(writing->call, "holds one bit a pixel only of gray pictures of 8 bits");
    tiff_abandon(writer);
    return NULL;
  }
  if (!tiff_file_open(&writer->file, big ? "wl8" : "wl", (imghost_bytes){0}) || !begin_page(writer, format)) {
    fail(writer, writing->call);
    tiff_abandon(writer);
    return NULL;
  }
  return writer;
}

static bool flush(tiff_writer *writer) {
  if (writer->rows == 0) return true;
  tmsize_t size = (tmsize_t)(writer->rows * writer->row_bytes);
  writer->rows = 0;
  return TIFFWriteEncodedStrip(writer->file.tiff, writer->next_strip++, writer->strip, size) == size;
}

/** Packs a row of gray samples: values from 128 on are white, which is 0 in fax and 1 elsewhere. */
static void pack(const tiff_writer *writer, const uint8_t *from, uint8_t *to) {
  uint8_t black = writer->compression == COMPRESSION_CCITTFAX4 ? 1 : 0;
  memset(to, 0, writer->row_bytes);
  for (int32_t x = 0; x < writer->format.width; x++) {
    uint8_t bit = (from[x] >> 7) ^ black;
    to[x / 8] |= (uint8_t)(bit << (7 - x % 8));
  }
}

int32_t tiff_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows) {
  tiff_writer *writer = encoder;
  for (int32_t y = 0; y < rows->valid.height; y++) {
    const uint8_t *from = (const uint8_t *)rows->pixels + y * rows->stride;
    uint8_t *to = writer->strip + writer->rows * writer->row_bytes;
    if (writer->is_bilevel) {
      pack(writer, from, to);
    } else {
      memcpy(to, from, writer->row_bytes);
    }
    if (++writer->rows == writer->strip_rows && !flush(writer)) return fail(writer, call);
  }
  return IMGHOST_OK;
}

int32_t tiff_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next) {
  tiff_writer *writer = encoder;
  (void)delay;
  if (!flush(writer) || !TIFFWriteDirectory(writer->file.tiff)) return fail(writer, call);
  writer->page++;
  return next == NULL || begin_page(writer, next) ? IMGHOST_OK : fail(writer, call);
}

int32_t tiff_finish(void *encoder, const imghost_call *call) {
  tiff_writer *writer = encoder;
  if (!TIFFFlush(writer->file.tiff)) return fail(writer, call);
  return tiff_file_send(&writer->file, 0, writer->file.count, call, writer->write);
}

void tiff_abandon(void *encoder) {
  tiff_writer *writer = encoder;
  tiff_file_close(&writer->file);
  free(writer->profiles);
  free(writer->strip);
  free(writer);
}

/** Copies the strips of a file that this plugin has written. The plugin leaves no gaps between strips, and at most one
 * byte before the directory, so the strips together are no larger than the file.
 *
 * Returns IMGHOST_NOT_MINE for a file of another kind. */
static int32_t take_strips(tiff_writer *writer, const imghost_call *call, imghost_bytes file) {
  tiff_bytes bytes;
  tiff_directory directory;
  tiff_entry places, counts;
  field fields[FIELD_COUNT];
  uint64_t first;
  uint32_t strips = TIFFNumberOfStrips(writer->file.tiff);
  if (!tiff_bytes_begin(&bytes, file.bytes, file.count, &first) || bytes.big_endian
      || bytes.big_tiff != writer->big_tiff || !tiff_directory_read(&bytes, first, &directory) || directory.next != 0
      || !tiff_entry_find(&bytes, first, TIFFTAG_STRIPOFFSETS, &places) || places.count != strips
      || !tiff_entry_find(&bytes, first, TIFFTAG_STRIPBYTECOUNTS, &counts) || counts.count != strips) {
    return IMGHOST_NOT_MINE;
  }
  describe_pixels(writer, fields);
  for (size_t i = 0; i < FIELD_COUNT; i++) {
    if (tiff_value(&bytes, first, fields[i].tag) != fields[i].number) return IMGHOST_NOT_MINE;
  }
  uint64_t end = tiff_entry_number(&bytes, &places, 0);
  for (uint32_t i = 0; i < strips; i++) {
    uint64_t place = tiff_entry_number(&bytes, &places, i), count = tiff_entry_number(&bytes, &counts, i);
    if (tiff_host->is_cancelled(call)) return IMGHOST_CANCELLED;
    if (place != end || count == 0 || place > file.count || count > file.count - place) return IMGHOST_NOT_MINE;
    // The cast removes `const`, which is safe, because libtiff does not change the bytes that it writes.
    void *strip = (void *)(uintptr_t)(file.bytes + place);
    if (TIFFWriteRawStrip(writer->file.tiff, i, strip, (tmsize_t)count) != (tmsize_t)count) return fail(writer, call);
    end = place + count;
  }
  return first == ((end + 1) & ~(uint64_t)1) ? IMGHOST_OK : IMGHOST_NOT_MINE;
}

int32_t tiff_rewrite(imghost_bytes file, const imghost_writing *writing) {
  if (writing->page_count != 1) return IMGHOST_NOT_MINE;
  tiff_writer *writer = tiff_begin(writing);
  if (writer == NULL) return IMGHOST_FAILED;
  int32_t result = take_strips(writer, writing->call, file);
  if (result == IMGHOST_OK) result = tiff_end_page(writer, writing->call, 0, NULL);
  if (result == IMGHOST_OK) result = tiff_finish(writer, writing->call);
  tiff_abandon(writer);
  return result;
}
