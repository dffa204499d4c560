// Declarations shared by the files of the JPEG XL codec.
#pragma once

#include "imghost_plugin.h"

#include <jxl/decode.h>
#include <jxl/version.h>

// libjxl 0.9 removed the pixel format, which it did not use, from the functions that return colours.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define JPEGXL_PIXELS
#else
#define JPEGXL_PIXELS &(const JxlPixelFormat){3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0},
#endif

enum { jpegxl_maximum_frames = 100000 };

/// The metadata boxes of a file.
typedef struct jpegxl_boxes {
  imghost_bytes exif, xmp;
  /// Decompressed contents, owned by this struct.
  uint8_t *exif_memory, *xmp_memory;
  int has_jpeg;
  /// Whether the file ends inside its last box.
  int is_cut;
} jpegxl_boxes;

/// A decoder of the pixels of successive frames.
typedef struct jpegxl_rows {
  JxlDecoder *decoder;
  /// The number of bytes of the file that were passed to the decoder, and the number to pass at once.
  size_t fed, step;
  /// The next frame, or the one that is being decoded.
  uint32_t frame;
  int is_in_frame;
  /// The memory that pixels are written to: the host's rows, or `buffer`, which is mapped with mmap(2).
  uint8_t *pixels, *buffer;
  size_t buffer_count;
  ptrdiff_t stride;
  imghost_region region;
  /// For each row of the picture, the number of pixels that have arrived.
  uint32_t *counts;
  int32_t ready, next_row;
  int is_cut, is_damaged;
} jpegxl_rows;

typedef struct jpegxl_reader {
  imghost_bytes content;
  JxlBasicInfo info;
  uint32_t page, page_count;
  uint32_t bands, sample;
  /// The durations of an animation's frames, in ticks.
  uint32_t *durations;
  uint8_t *icc;
  size_t icc_count;
  /// The code points of ITU-T H.273 for sRGB and HDR samples; 0 if `icc` describes the colours instead.
  uint32_t primaries, transfer;
  char colour[48];
  jpegxl_boxes boxes;
  imghost_fact facts[5];
  jpegxl_rows rows;
} jpegxl_reader;

extern const imghost_host *jpegxl_host;

/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define jpegxl_fail(...) imghost_fail(jpegxl_host, __VA_ARGS__)

void jpegxl_boxes_read(imghost_bytes content, jpegxl_boxes *boxes);
void jpegxl_boxes_free(jpegxl_boxes *boxes);

/// Makes the decoder return XYB pictures as sRGB if it cannot return them in their own profile.
void jpegxl_prefer_srgb(JxlDecoder *decoder, const JxlBasicInfo *info);

void jpegxl_rows_free(jpegxl_rows *rows);

/// The functions of `imghost_codec` that read.
int32_t jpegxl_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t jpegxl_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t jpegxl_read(void *instance, const imghost_read *request);
void jpegxl_close(void *instance);

/// The indices of the parameters.
enum { jpegxl_p_quality, jpegxl_p_lossless, jpegxl_p_effort, jpegxl_p_count };

/// The functions of `imghost_codec` that write.
void *jpegxl_begin(const imghost_writing *writing);
int32_t jpegxl_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows);
int32_t jpegxl_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next);
int32_t jpegxl_finish(void *encoder, const imghost_call *call);
void jpegxl_abandon(void *encoder);

/// The functions of `imghost_stored_codec`. A JPEG is only wrapped if it can be restored byte for byte, which is
/// checked before the first byte is written. JPEGs with 12 bits, CMYK, or arithmetic coding are refused.
int32_t jpegxl_wrap(const imghost_call *call, imghost_bytes jpeg, const imghost_value *values, uint32_t value_count,
    imghost_write write);
int32_t jpegxl_stored(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write);
