// Keeps only the header segments that imghost uses, see CJPEGFence.h.
//
// jpeg_save_markers keeps every segment of a kind, and traverses its whole list for each one: 200,000 empty segments
// took 52 s. Here only used segments are kept, and the end of the list is stored.
#include <string.h>

#include "jpeg_decoder.h"

enum {
  // The lengths of "Exif\0\0", and of "ICC_PROFILE\0" with the number of the part and the number of parts.
  EXIF_START = 6,
  ICC_START = 14,
  // A profile has at most 255 parts. A 256th is kept, too, because it shows that the profile is invalid.
  MAXIMUM_ICC_PARTS = 256,
  // The maximum number of segments of the extended XMP packet, and of Photoshop's resources: 2 MB, more than imghost
  // reads of XMP and IPTC.
  MAXIMUM_PARTS = 32,
};

static const char xmp_start[] = "http://ns.adobe.com/xap/1.0/";
static const char extension_start[] = "http://ns.adobe.com/xmp/extension/";
static const char photoshop_start[] = "Photoshop 3.0";
static const char gain_map_start[] = "urn:iso:std:iso:ts:21496:-1";
// The length of the longest of these texts, including its NUL.
enum { LONGEST_START = sizeof extension_start };

static void read_bytes(j_decompress_ptr info, JOCTET *to, size_t count) {
  struct jpeg_source_mgr *source = info->src;
  while (count > 0) {
    if (source->bytes_in_buffer == 0) (*source->fill_input_buffer)(info);
    size_t part = count < source->bytes_in_buffer ? count : source->bytes_in_buffer;
    memcpy(to, source->next_input_byte, part);
    source->next_input_byte += part;
    source->bytes_in_buffer -= part;
    to += part;
    count -= part;
  }
}

// Returns whether a segment of `length` bytes begins with a text and its NUL, and contains more.
static int begins(const JOCTET *start, size_t length, const char *text, size_t size) {
  return length > size && memcmp(start, text, size) == 0;
}

static int is_wanted_app1(ShimJPEGDecoder *decoder, const JOCTET *start, size_t length) {
  if (begins(start, length, "Exif\0", EXIF_START)) {
    if (decoder->has_exif) return 0;
    decoder->has_exif = 1;
    return 1;
  }
  if (begins(start, length, xmp_start, sizeof xmp_start)) {
    if (decoder->has_xmp) return 0;
    decoder->has_xmp = 1;
    return 1;
  }
  return begins(start, length, extension_start, sizeof extension_start) && decoder->xmp_parts++ < MAXIMUM_PARTS;
}

static int is_wanted(ShimJPEGDecoder *decoder, const JOCTET *start, size_t length) {
  if (!decoder->in_header) return 0;
  switch (decoder->info.unread_marker) {
    case JPEG_APP0 + 1: return is_wanted_app1(decoder, start, length);
    case JPEG_APP0 + 11:
      // JUMBF (ISO/IEC 19566-5, D.2), which contains the manifests of C2PA.
      if (length > 2 && memcmp(start, "JP", 2) == 0) decoder->has_jumbf = 1;
      return 0;
    case JPEG_APP0 + 13:
      return begins(start, length, photoshop_start, sizeof photoshop_start)
             && decoder->photoshop_parts++ < MAXIMUM_PARTS;
    default: break;
  }
  if (begins(start, length, gain_map_start, sizeof gain_map_start)) decoder->has_gain_map = 1;
  if (length < ICC_START || memcmp(start, "ICC_PROFILE", 12) != 0) return 0;
  return decoder->icc_parts++ < MAXIMUM_ICC_PARTS;
}

// If a segment is too short to be kept and is completely in the buffer, skips it and returns 1; otherwise returns 0. A
// header can have 250,000 such segments.
static int skip_short(struct jpeg_source_mgr *source) {
  const JOCTET *start = source->next_input_byte;
  if (source->bytes_in_buffer < 2) return 0;
  size_t whole = (size_t)start[0] << 8 | start[1];
  if (whole < 2 || whole > 2 + EXIF_START || whole > source->bytes_in_buffer) return 0;
  source->next_input_byte += whole;
  source->bytes_in_buffer -= whole;
  return 1;
}

// Handles a segment whose marker has just been read, and leaves the same state as save_marker in libjpeg's jdmarker.c.
static boolean handle_segment(j_decompress_ptr info) {
  if (skip_short(info->src)) return TRUE;
  ShimJPEGDecoder *decoder = info->client_data;
  JOCTET start[LONGEST_START];
  read_bytes(info, start, 2);
  size_t length = (size_t)start[0] << 8 | start[1];
  length = length > 2 ? length - 2 : 0;
  size_t known = length < sizeof start ? length : sizeof start;
  read_bytes(info, start, known);
  if (!is_wanted(decoder, start, length)) {
    (*info->src->skip_input_data)(info, (long)(length - known));
    return TRUE;
  }
  jpeg_saved_marker_ptr segment = (*info->mem->alloc_large)((j_common_ptr)info, JPOOL_IMAGE, sizeof *segment + length);
  segment->next = NULL;
  segment->marker = (UINT8)info->unread_marker;
  segment->original_length = segment->data_length = (unsigned int)length;
  segment->data = (JOCTET *)(segment + 1);
  memcpy(segment->data, start, known);
  read_bytes(info, segment->data + known, length - known);
  if (decoder->last_segment) {
    decoder->last_segment->next = segment;
  } else {
    info->marker_list = segment;
  }
  decoder->last_segment = segment;
  return TRUE;
}

void shim_jpeg_connect_markers(ShimJPEGDecoder *decoder) {
  jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 1, handle_segment);
  jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 2, handle_segment);
  jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 11, handle_segment);
  jpeg_set_marker_processor(&decoder->info, JPEG_APP0 + 13, handle_segment);
}

const uint8_t *shim_jpeg_decoder_segment(
    const ShimJPEGDecoder *decoder, ShimJPEGSegment kind, int index, size_t *length) {
  static const struct {
    int app;
    const char *start;
    size_t size;
  } kinds[] = {
      [SHIM_JPEG_EXIF] = {1, "Exif\0", EXIF_START},
      [SHIM_JPEG_XMP] = {1, xmp_start, sizeof xmp_start},
      [SHIM_JPEG_EXTENDED_XMP] = {1, extension_start, sizeof extension_start},
      [SHIM_JPEG_PHOTOSHOP] = {13, photoshop_start, sizeof photoshop_start},
  };
  for (jpeg_saved_marker_ptr next = decoder->info.marker_list; next; next = next->next) {
    if (next->marker != JPEG_APP0 + kinds[kind].app) continue;
    if (!begins(next->data, next->data_length, kinds[kind].start, kinds[kind].size) || index-- > 0) continue;
    *length = next->data_length - kinds[kind].size;
    return next->data + kinds[kind].size;
  }
  *length = 0;
  return NULL;
}
