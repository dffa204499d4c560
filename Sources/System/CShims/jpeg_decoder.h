// Declarations shared by the files of the decoding fence, see shim_jpeg.h.
#pragma once
#include <stdio.h>

#include <setjmp.h>

#include <jpeglib.h>

#include <jerror.h>

#include "shim_jpeg.h"

enum { SHIM_JPEG_BUFFER_SIZE = 64 * 1024 };

struct ShimJPEGDecoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  // The target of error_exit; set by every function that calls libjpeg, which are never nested.
  jmp_buf fence;
  ShimJPEGCode code;
  int system_error;
  int accepts_damage;
  int in_header;
  int started;
  // Whether the file ends before the image does, and an end marker was made up.
  int lacks_end;
  // Whether more of the header was passed over than was in the buffer.
  int has_passed;
  // Whether bytes between the header's segments were passed over.
  int has_strays;
  // The header's segments that are kept: an EXIF block, an XMP packet, parts of an ICC profile, of an extended XMP packet
  // and of Photoshop's resources, and the last of libjpeg's list.
  int has_exif, has_xmp, icc_parts, xmp_parts, photoshop_parts;
  jpeg_saved_marker_ptr last_segment;
  // Segments that are known to exist, and not kept.
  int has_jumbf, has_gain_map;
  uint64_t blocks;
  // The source of bytes: `bytes` if not NULL, else `descriptor`.
  int descriptor;
  uint64_t offset, byte_count;
  // The end of what is read of the data: the zeros that stand for an end marker lie behind it.
  uint64_t data_end;
  // Bytes of the header that were read, not passed over.
  uint64_t header_bytes;
  uint8_t *bytes;
  // NULL, or called for every row of blocks of every scan.
  ShimJPEGCheck pause;
  void *owner;
  char message[JMSG_LENGTH_MAX];
  uint8_t buffer[SHIM_JPEG_BUFFER_SIZE];
};

// Jumps to the fence with a code, and a message unless that is there already.
_Noreturn void shim_jpeg_leave(ShimJPEGDecoder *decoder, ShimJPEGCode code, const char *message);
// Sets the error handlers, the source of bytes and the limit on scans, and which segments are kept.
void shim_jpeg_connect_errors(ShimJPEGDecoder *decoder);
void shim_jpeg_connect_source(ShimJPEGDecoder *decoder);
void shim_jpeg_connect_markers(ShimJPEGDecoder *decoder);
// Leaves out the zeros at the end of a file, which must not be taken for coefficients. Called between the header and the
// first row.
void shim_jpeg_pass_zeros(ShimJPEGDecoder *decoder);
