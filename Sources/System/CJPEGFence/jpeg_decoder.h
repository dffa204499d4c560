// Declarations shared by the files of the decoding wrapper, see CJPEGFence.h.
#pragma once
#include <stdio.h>

#include <setjmp.h>

#include <jpeglib.h>

#include <jerror.h>

#include "CJPEGFence.h"

enum { SHIM_JPEG_BUFFER_SIZE = 64 * 1024 };

struct ShimJPEGDecoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  // The target of jumps. Every public function that can fail in libjpeg sets it first; such functions never call each
  // other.
  jmp_buf fence;
  ShimJPEGCode code;
  int system_error;
  int accepts_damage;
  int in_header;
  int started;
  // Whether an end marker was substituted, because the file ended before its own. Not set if damage is accepted.
  int lacks_end;
  // Whether the last skip in the header went beyond the buffer.
  int has_passed;
  // Whether bytes between the header's segments were skipped.
  int has_strays;
  // The numbers of header segments with an EXIF block and an XMP packet (0 or 1 each), and with parts of the ICC
  // profile, of the extended XMP packet and of Photoshop's resources.
  int has_exif, has_xmp, icc_parts, xmp_parts, photoshop_parts;
  // The last element of libjpeg's list of kept segments.
  jpeg_saved_marker_ptr last_segment;
  // Whether the header has JUMBF segments, and segments of gain maps (ISO 21496-1). They are not kept.
  int has_jumbf, has_gain_map;
  uint64_t blocks;
  // The source of the bytes: `bytes` if it is not NULL, otherwise `descriptor`.
  int descriptor;
  uint64_t offset, byte_count;
  // The offset at which reading ends: the start of the zeros that some files have instead of an end marker, or
  // UINT64_MAX.
  uint64_t data_end;
  // The number of bytes that were read to parse the header.
  uint64_t header_bytes;
  uint8_t *bytes;
  // Called for every row of blocks of every scan; may be NULL.
  ShimJPEGCheck pause;
  void *owner;
  char message[JMSG_LENGTH_MAX];
  uint8_t buffer[SHIM_JPEG_BUFFER_SIZE];
};

// Jumps to `fence` with a code, and sets the message. With NULL, the message that is already set stays.
_Noreturn void shim_jpeg_leave(ShimJPEGDecoder *decoder, ShimJPEGCode code, const char *message);
// Sets the error handlers, the source of bytes, the limit on scans, and the segments to keep.
void shim_jpeg_connect_errors(ShimJPEGDecoder *decoder);
void shim_jpeg_connect_source(ShimJPEGDecoder *decoder);
void shim_jpeg_connect_markers(ShimJPEGDecoder *decoder);
// Excludes the zeros at the end of a file, which must not be decoded as coefficients. Called between the header and the
// first row.
void shim_jpeg_pass_zeros(ShimJPEGDecoder *decoder);
