// AVIF pictures, read and written with libavif: https://aomediacodec.github.io/av1-avif/
#pragma once

#include "imghost_plugin.h"

#include <avif/avif.h>

// libavif 1.0 renamed `imir.mode` to `imir.axis`, and some functions that returned nothing now return a result.
#if AVIF_VERSION >= 1000000
#define avif_mirror_axis axis
#define avif_result_of(call) (call)
#else
#define avif_mirror_axis mode
#define avif_result_of(call) ((call), AVIF_RESULT_OK)
#endif

/// The number of rows that are converted at once between YUV and RGB. It is even, so that chroma rows are never split.
enum { avif_strip_rows = 64 };

/// The indices of the parameters of `save` in the array of their values.
enum { avif_quality, avif_speed, avif_lossless, avif_subsampling, avif_bitdepth, avif_parameter_count };

extern const imghost_host *avif_host;
/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define avif_fail(...) imghost_fail(avif_host, __VA_ARGS__)
/// Reports a result of libavif as the reason for a failure. Returns IMGHOST_FAILED.
int32_t avif_fail_with(const imghost_call *call, avifResult result);

int32_t avif_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t avif_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t avif_read(void *instance, const imghost_read *request);
void avif_close(void *instance);

void *avif_begin(const imghost_writing *writing);
int32_t avif_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows);
int32_t avif_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next);
int32_t avif_finish(void *encoder, const imghost_call *call);
void avif_abandon(void *encoder);

/// Converts `count` rows of 8-bit RGB or RGBA, from row `top` on, to the 8-bit planes of a picture. `top` is even.
/// Chroma of 4:2:0 is the mean of four pixels.
void avif_fill_planes(avifImage *image, const uint8_t *rows, size_t row_bytes, size_t bands, size_t top, size_t count);
/// Returns whether at least 2 % of the 16x16 blocks of an 8-bit picture look like letters and lines on plain areas.
int avif_shows_screen(const avifImage *image);
