// A wrapper around libjpeg-turbo, which reports errors by longjmp. No longjmp may cross a Swift frame.
//
// All jumps end inside the functions declared here, which report errors as codes. Only a `ShimJPEGPause` or a
// `ShimJPEGCheck` calls Swift, and it must return. An object is used by one thread at a time. After a code other than
// SHIM_JPEG_OK, only `_message`, `_system_error` and `_destroy` may be called.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef enum ShimJPEGCode {
  SHIM_JPEG_OK = 0,
  // The data ends before the picture does.
  SHIM_JPEG_TRUNCATED,
  SHIM_JPEG_DAMAGED,
  SHIM_JPEG_UNSUPPORTED,
  // pread(2) failed, see `shim_jpeg_decoder_system_error`.
  SHIM_JPEG_UNREADABLE,
  // The ShimJPEGCheck that was set with shim_jpeg_decoder_set_pause stopped the call.
  SHIM_JPEG_CANCELLED,
  // malloc(3) failed, or the picture needs more memory than allowed.
  SHIM_JPEG_NO_MEMORY,
} ShimJPEGCode;

// A function that an encoder calls about once for each row of blocks. It must not use the encoder.
typedef void (*ShimJPEGPause)(void *owner);
// A function that a decoder calls about once for each row of blocks. It must not use the decoder. If it does not return
// 0, the decoding function that runs ends with SHIM_JPEG_CANCELLED.
typedef int (*ShimJPEGCheck)(void *owner);

// The colour space of the stored components.
typedef enum ShimJPEGColour {
  SHIM_JPEG_GRAY = 0,
  SHIM_JPEG_RGB,
  SHIM_JPEG_YCC,
  SHIM_JPEG_CMYK,
  SHIM_JPEG_YCCK,
} ShimJPEGColour;

typedef struct ShimJPEGInfo {
  uint32_t width, height;
  // The number of stored components: 1, 3 or 4.
  int components;
  ShimJPEGColour colour;
  // Always 8: reading the header of any other file fails.
  int bits;
  int progressive;
  // Whether the file is arithmetic-coded, which few readers support.
  int arithmetic;
  // Whether bytes outside of segments were skipped before the first scan.
  int strays;
  // The first component's sampling factors divided by the second's: 2 and 2 for 4:2:0. 1 for gray.
  int subsampling_across, subsampling_down;
  // The Adobe marker's transform, or -1 if there is no such marker.
  int adobe_transform;
  // JFIF: 0 for no unit, 1 per inch, 2 per centimetre; -1 if there is no JFIF marker.
  int density_unit;
  int density_x, density_y;
  // Whether the header has JUMBF segments, and whether it has a version segment of ISO 21496-1 (gain maps).
  int has_jumbf, has_gain_map;
  // Whether the header has segments of an ICC profile, valid or not.
  int has_icc;
  // The number of bytes that libjpeg keeps for the whole picture: its coefficients, or 0 for a file with a single scan.
  uint64_t frame_bytes;
} ShimJPEGInfo;

typedef struct ShimJPEGDecoder ShimJPEGDecoder;

// Creates a decoder of a file, which is read with pread(2) from offset 0; the descriptor's position is not used. NULL
// if there is not enough memory. With `accepts_damage`, libjpeg substitutes damaged pixels.
ShimJPEGDecoder *shim_jpeg_decoder_create_file(int descriptor, uint64_t byte_count, int accepts_damage);
// Creates a decoder of a copy of the bytes; NULL if there is not enough memory.
ShimJPEGDecoder *shim_jpeg_decoder_create_bytes(const void *bytes, size_t count, int accepts_damage);
void shim_jpeg_decoder_destroy(ShimJPEGDecoder *decoder);

// Reads up to the first scan, and keeps the segments of EXIF, XMP, IPTC and ICC.
ShimJPEGCode shim_jpeg_decoder_read_header(ShimJPEGDecoder *decoder, ShimJPEGInfo *info);
// The kinds of metadata segments that are kept.
typedef enum ShimJPEGSegment {
  SHIM_JPEG_EXIF = 0,
  SHIM_JPEG_XMP,
  SHIM_JPEG_EXTENDED_XMP,
  SHIM_JPEG_PHOTOSHOP,
} ShimJPEGSegment;
// Returns a segment of a kind without the identifier at its start; NULL if there is none. It belongs to the decoder,
// and is valid until rows are read. `index` counts the segments of the kind.
const uint8_t *shim_jpeg_decoder_segment(
    const ShimJPEGDecoder *decoder, ShimJPEGSegment kind, int index, size_t *length);
// Returns the ICC profile joined from its segments, to be freed with free(3); NULL if there is none or it is invalid.
uint8_t *shim_jpeg_decoder_copy_icc(ShimJPEGDecoder *decoder, size_t *length);

// Sets the scale to 1/1, 1/2, 1/4 or 1/8, and returns the size of the result. Allocates nothing.
ShimJPEGCode shim_jpeg_decoder_scale(ShimJPEGDecoder *decoder, int shrink, uint32_t *width, uint32_t *height);
// A component of a single scan. Its pointers belong to the decoder, and are valid until rows are read.
typedef struct ShimJPEGPart {
  int across, down;
  // The quantisation table: 64 elements in row-major order.
  const uint16_t *steps;
  // The Huffman tables: 16 counts, and space for 256 symbols. The number of symbols is the sum of the counts.
  const uint8_t *dc_counts, *dc_symbols;
  const uint8_t *ac_counts, *ac_symbols;
} ShimJPEGPart;

typedef struct ShimJPEGScan {
  // The number of components, 1 or 3.
  int components;
  ShimJPEGPart parts[3];
  uint32_t restart_interval;
  // The offset of the scan's entropy-coded bytes in the file.
  uint64_t data_offset;
} ShimJPEGScan;

// Describes the single scan of a Huffman-coded sequential 8-bit file, gray or YCbCr. Called between the header and the
// first row. Returns 0 for any other file.
int shim_jpeg_decoder_scan(const ShimJPEGDecoder *decoder, ShimJPEGScan *scan);
void shim_jpeg_decoder_set_pause(ShimJPEGDecoder *decoder, ShimJPEGCheck pause, void *owner);
// Decodes the next rows, gray, RGB or CMYK. The first call reads all scans of a progressive file. The last call checks
// the rest of the file up to its end marker.
ShimJPEGCode shim_jpeg_decoder_read(ShimJPEGDecoder *decoder, int count, void *rows, size_t stride);

// Returns whether only the end marker of the file is missing, not pixels. Called after the last row.
int shim_jpeg_decoder_lacks_end(const ShimJPEGDecoder *decoder);

// Limits the rows to `width` columns from `left` on. Moves `left` back to the start of an MCU column, and enlarges
// `width` by the difference, so that the right edge stays. Called before the first row. The pixels at the edges may
// differ from those of the whole picture.
ShimJPEGCode shim_jpeg_decoder_crop(ShimJPEGDecoder *decoder, uint32_t *left, uint32_t *width);
// Skips `count` rows, which must be fewer than the remaining ones. The rows that follow may differ from those of the
// whole picture.
ShimJPEGCode shim_jpeg_decoder_skip(ShimJPEGDecoder *decoder, uint32_t count);

// Returns the message that explains the last code.
const char *shim_jpeg_decoder_message(const ShimJPEGDecoder *decoder);
// Returns the errno of the last SHIM_JPEG_UNREADABLE.
int shim_jpeg_decoder_system_error(const ShimJPEGDecoder *decoder);

typedef struct ShimJPEGEncoderOptions {
  uint32_t width, height;
  // The number of components: 1 for gray, 3 for RGB, 4 for CMYK.
  int components;
  int quality;
  int progressive;
  int optimise;
  int subsampling_across, subsampling_down;
  // The resolution in pixels per inch; 0 if unknown.
  int density_x, density_y;
} ShimJPEGEncoderOptions;

typedef struct ShimJPEGEncoder ShimJPEGEncoder;

// Creates an encoder; NULL if there is not enough memory.
ShimJPEGEncoder *shim_jpeg_encoder_create(void);
void shim_jpeg_encoder_destroy(ShimJPEGEncoder *encoder);
ShimJPEGCode shim_jpeg_encoder_start(ShimJPEGEncoder *encoder, const ShimJPEGEncoderOptions *options);
// Writes an APP segment of at most SHIM_JPEG_MAXIMUM_SEGMENT bytes, before the first row.
ShimJPEGCode shim_jpeg_encoder_write_segment(ShimJPEGEncoder *encoder, int app, const void *bytes, size_t count);
#define SHIM_JPEG_MAXIMUM_SEGMENT 65533
// Writes an ICC profile of at most SHIM_JPEG_MAXIMUM_ICC bytes, before the first row.
ShimJPEGCode shim_jpeg_encoder_write_icc(ShimJPEGEncoder *encoder, const void *bytes, size_t count);
#define SHIM_JPEG_MAXIMUM_ICC 16707345
void shim_jpeg_encoder_set_pause(ShimJPEGEncoder *encoder, ShimJPEGPause pause, void *owner);
ShimJPEGCode shim_jpeg_encoder_write(ShimJPEGEncoder *encoder, int count, const void *rows, size_t stride);
ShimJPEGCode shim_jpeg_encoder_finish(ShimJPEGEncoder *encoder);
// Returns the bytes encoded since the last call, which are valid until the next call of any function.
const uint8_t *shim_jpeg_encoder_take(ShimJPEGEncoder *encoder, size_t *count);
const char *shim_jpeg_encoder_message(const ShimJPEGEncoder *encoder);
