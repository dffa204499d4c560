#include <string.h>

#include "TIFF.h"

/* Converts JPEG strips (TIFF Technical Note 2) to one JPEG file: tables, the frame header of the whole page, and the
 * scans of all strips with restart markers between them (ITU-T T.81, B.2). Like a restart interval, each strip resets
 * the predictions. */

/** A JPEG datastream, divided into the parts that are needed. */
typedef struct {
  /** The frame header, from its marker on, and the scan header. */
  imghost_bytes frame, scan;
  /** Everything after the scan header, up to the end. */
  imghost_bytes rest;
  /** All segments before the scan header; only tables are copied. */
  imghost_bytes head;
  uint32_t width, height, components, across, down;
  bool progressive, restarts;
} jpeg_stream;

static uint32_t number(const uint8_t *bytes) { return (uint32_t)bytes[0] << 8 | bytes[1]; }

/** Returns the segment at a position, including its marker, and advances past it. Returns no bytes if there is none. */
static imghost_bytes next_segment(imghost_bytes stream, size_t *at) {
  while (*at + 1 < stream.count && stream.bytes[*at] == 0xff && stream.bytes[*at + 1] == 0xff) ++*at;
  if (*at + 4 > stream.count || stream.bytes[*at] != 0xff) return (imghost_bytes){0};
  size_t count = 2 + (size_t)number(stream.bytes + *at + 2);
  if (count < 4 || count > stream.count - *at || stream.bytes[*at + 1] == 0xd9) return (imghost_bytes){0};
  imghost_bytes segment = {stream.bytes + *at, count};
  *at += count;
  return segment;
}

static bool read_frame(jpeg_stream *jpeg, imghost_bytes frame) {
  if (frame.count < 10 || frame.bytes[4] != 8) return false;
  jpeg->frame = frame;
  jpeg->height = number(frame.bytes + 5);
  jpeg->width = number(frame.bytes + 7);
  jpeg->components = frame.bytes[9];
  jpeg->progressive = frame.bytes[1] == 0xc2;
  if (frame.count != 10 + 3 * (size_t)jpeg->components) return false;
  jpeg->across = jpeg->down = 1;
  for (uint32_t i = 0; i < jpeg->components && jpeg->components > 1; i++) {
    uint32_t across = frame.bytes[11 + 3 * i] >> 4, down = frame.bytes[11 + 3 * i] & 15;
    if (across < 1 || across > 4 || down < 1 || down > 4) return false;
    if (across > jpeg->across) jpeg->across = across;
    if (down > jpeg->down) jpeg->down = down;
  }
  return true;
}

/** Parses a strip's datastream. */
static bool parse(imghost_bytes stream, jpeg_stream *jpeg) {
  *jpeg = (jpeg_stream){0};
  if (stream.count < 4 || stream.bytes[0] != 0xff || stream.bytes[1] != 0xd8) return false;
  for (size_t at = 2;;) {
    imghost_bytes segment = next_segment(stream, &at);
    if (segment.count == 0) return false;
    uint8_t marker = segment.bytes[1];
    if (marker >= 0xc0 && marker <= 0xc2) {
      if (jpeg->frame.count || !read_frame(jpeg, segment)) return false;
    } else if (marker == 0xda) {
      jpeg->scan = segment;
      jpeg->head = (imghost_bytes){stream.bytes + 2, (size_t)(segment.bytes - stream.bytes) - 2};
      jpeg->rest = (imghost_bytes){stream.bytes + at, stream.count - at};
      return jpeg->frame.count > 0;
    } else if (marker == 0xdd) {
      jpeg->restarts |= segment.count == 6 && number(segment.bytes + 4) > 0;
    } else if (marker > 0xc2 && marker < 0xd0 && marker != 0xc4 && marker != 0xc8) {
      // Arithmetic coding, lossless and hierarchical frames are not supported.
      return false;
    }
  }
}

static uint32_t strip_count(const tiff_layout *layout) {
  return (layout->height + layout->band_rows - 1) / layout->band_rows;
}

/** Returns the number of minimum coded units (MCU) in a strip, which is the restart interval. */
static uint64_t interval(const tiff_layout *layout, const jpeg_stream *jpeg) {
  uint64_t across = (layout->width + 8 * jpeg->across - 1) / (8 * jpeg->across);
  return across * (layout->band_rows / (8 * jpeg->down));
}

/** Returns whether the strips of a page look like parts of one JPEG that PDF supports. Checks only the first strip. */
bool tiff_jpeg_fits(const tiff_reader *reader) {
  const tiff_layout *layout = &reader->rows.layout;
  imghost_bytes strip;
  jpeg_stream jpeg;
  bool gray = layout->samples == 1 && layout->photometric == PHOTOMETRIC_MINISBLACK;
  bool colour = layout->samples == 3 && layout->planes == 1
                && (layout->photometric == PHOTOMETRIC_YCBCR || layout->photometric == PHOTOMETRIC_RGB);
  if (layout->compression != COMPRESSION_JPEG || layout->tiled || layout->bits != 8 || !(gray || colour)) return false;
  if (layout->width > 65535 || layout->height > 65535) return false;
  if (!tiff_strip_find(reader, 0, &strip) || !parse(strip, &jpeg)) return false;
  if (jpeg.components != layout->samples || jpeg.width != layout->width) return false;
  if (strip_count(layout) == 1) return jpeg.height == layout->height;
  return !jpeg.progressive && !jpeg.restarts && jpeg.height == layout->band_rows
         && layout->band_rows % (8 * jpeg.down) == 0 && interval(layout, &jpeg) <= 65535;
}

/** The receiver of the JPEG file. */
typedef struct {
  const imghost_call *call;
  imghost_write write;
  bool stopped;
} output;

static void add(output *to, const uint8_t *bytes, size_t count) {
  to->stopped = to->stopped || (count > 0 && to->write(to->call, bytes, count) != 0);
}

/** Returns the next segment that is needed to decode: tables, or the restart interval. */
static imghost_bytes next_table(imghost_bytes stream, size_t *at) {
  imghost_bytes segment;
  do segment = next_segment(stream, at);
  while (segment.count > 0 && segment.bytes[1] != 0xdb && segment.bytes[1] != 0xc4 && segment.bytes[1] != 0xdd);
  return segment;
}

static void add_tables(output *to, imghost_bytes stream) {
  size_t at = 0;
  for (imghost_bytes table; (table = next_table(stream, &at)).count > 0;) add(to, table.bytes, table.count);
}

static bool have_same_tables(imghost_bytes one, imghost_bytes other) {
  for (size_t at = 0, place = 0;;) {
    imghost_bytes ours = next_table(one, &at), theirs = next_table(other, &place);
    if (ours.count != theirs.count) return false;
    if (ours.count == 0) return true;
    if (memcmp(ours.bytes, theirs.bytes, ours.count) != 0) return false;
  }
}

/** Adds everything before the scan header of the first strip. */
static void add_head(output *to, const tiff_reader *reader, const jpeg_stream *first) {
  // APP14 declares whether three components are YCbCr, whatever their identifiers (Adobe Technical Note 5116, 18).
  uint8_t begin[] = {0xff, 0xd8, 0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};
  const tiff_layout *layout = &reader->rows.layout;
  const uint8_t height[] = {(uint8_t)(layout->height >> 8), (uint8_t)layout->height};
  uint32_t count = 0;
  uint8_t *tables = NULL;
  begin[17] = layout->photometric == PHOTOMETRIC_YCBCR;
  add(to, begin, layout->samples == 3 ? sizeof begin : 2);
  if (TIFFGetField(reader->file.tiff, TIFFTAG_JPEGTABLES, &count, &tables) && count > 2) {
    add_tables(to, (imghost_bytes){tables + 2, count - 2});
  }
  add_tables(to, first->head);
  add(to, first->frame.bytes, 5);
  add(to, height, sizeof height);
  add(to, first->frame.bytes + 7, first->frame.count - 7);
}

/** Returns whether a strip has the same tables, components and scan header as the first one, and the expected rows. */
static bool continues(const tiff_layout *layout, const jpeg_stream *first, const jpeg_stream *next, uint32_t strip) {
  uint32_t left = layout->height - strip * layout->band_rows, unit = 8 * first->down;
  uint32_t rows = left < layout->band_rows ? left : layout->band_rows;
  return have_same_tables(first->head, next->head) && next->width == first->width
         && (next->height + unit - 1) / unit == (rows + unit - 1) / unit && next->frame.count == first->frame.count
         && next->frame.bytes[1] == first->frame.bytes[1]
         && memcmp(next->frame.bytes + 9, first->frame.bytes + 9, first->frame.count - 9) == 0
         && next->scan.count == first->scan.count
         && memcmp(next->scan.bytes, first->scan.bytes, first->scan.count) == 0;
}

/** Returns the number of bytes of a scan up to the end marker of the image; 0 if anything else ends the scan. */
static size_t scan_size(imghost_bytes rest) {
  const uint8_t *at = rest.bytes, *end = rest.bytes + rest.count;
  while ((at = memchr(at, 0xff, (size_t)(end - at))) != NULL && at + 1 < end) {
    if (at[1] == 0xd9) return (size_t)(at - rest.bytes);
    // 0 follows a data byte of 0xff; a second 0xff is padding.
    if (at[1] != 0 && at[1] != 0xff) return 0;
    at += at[1] == 0 ? 2 : 1;
  }
  return 0;
}

static bool add_strips(output *to, tiff_reader *reader, const jpeg_stream *first) {
  const tiff_layout *layout = &reader->rows.layout;
  uint32_t count = strip_count(layout), blocks = (uint32_t)interval(layout, first);
  uint8_t restart[] = {0xff, 0xdd, 0, 4, (uint8_t)(blocks >> 8), (uint8_t)blocks};
  add(to, restart, sizeof restart);
  add(to, first->scan.bytes, first->scan.count);
  for (uint32_t i = 0; i < count; i++) {
    imghost_bytes strip;
    jpeg_stream next;
    if (to->stopped || tiff_host->is_cancelled(to->call)) return false;
    if (!tiff_strip_find(reader, i, &strip) || !parse(strip, &next) || !continues(layout, first, &next, i))
      return false;
    size_t size = scan_size(next.rest);
    if (size == 0 || next.restarts) return false;
    uint8_t marker[] = {0xff, (uint8_t)(0xd0 + (i + 7) % 8)};
    if (i > 0) add(to, marker, sizeof marker);
    add(to, next.rest.bytes, size);
  }
  static const uint8_t end[] = {0xff, 0xd9};
  add(to, end, sizeof end);
  return true;
}

/** Writes the strips of a page as one JPEG file. */
int32_t tiff_jpeg_write(tiff_reader *reader, const imghost_call *call, imghost_write write) {
  imghost_bytes strip;
  jpeg_stream first;
  output to = {call, write, false};
  if (!tiff_jpeg_fits(reader) || !tiff_strip_find(reader, 0, &strip) || !parse(strip, &first)) {
    return tiff_fail(call, "holds a JPEG of an unusual kind");
  }
  add_head(&to, reader, &first);
  bool is_joined = true;
  if (strip_count(&reader->rows.layout) == 1) {
    add(&to, first.scan.bytes, first.scan.count + first.rest.count);
  } else {
    is_joined = add_strips(&to, reader, &first);
  }
  if (to.stopped || tiff_host->is_cancelled(call)) return IMGHOST_CANCELLED;
  return is_joined ? IMGHOST_OK : tiff_fail(call, "has JPEG strips that do not make one JPEG");
}
