// Declarations shared by the files of the WebP codec.
#pragma once

#include "imghost_plugin.h"

#include <webp/decode.h>

enum { webp_maximum_frames = 100000 };

enum { webp_largest_side = 16383 };

/// One frame of an animation.
typedef struct webp_frame {
  /// The frame's image chunks in the file.
  size_t offset, count;
  int32_t left, top, width, height;
  uint32_t milliseconds;
  /// Whether the canvas below remains visible through transparent pixels.
  uint8_t blends;
  /// Whether the frame's rectangle becomes transparent before the next frame.
  uint8_t disposes;
  uint8_t has_alpha;
  uint8_t is_lossless;
} webp_frame;

/// The chunks of a file. All pointers point into the file's bytes.
typedef struct webp_container {
  const uint8_t *bytes;
  /// The end of the RIFF container, or of the file if the file ends earlier.
  size_t count;
  int is_animated;
  /// Whether the file ends before the container does, or inside a chunk.
  int is_cut;
  int32_t width, height;
  uint32_t loop_count;
  /// The number of frames; 0 for a still file.
  uint32_t frame_count;
  webp_frame *frames;
  imghost_bytes icc, exif, xmp;
  /// Whether any pixel may be transparent; whether all frames, or the still image, are lossless; and whether any frame
  /// after the first is blended with the canvas.
  int has_alpha, is_lossless, any_blends;
} webp_container;

typedef struct webp_exif {
  /// The orientation, 1 to 8; 0 if EXIF does not contain it.
  uint32_t orientation;
  /// The resolution in pixels per inch; 0 if unknown.
  double resolution_x, resolution_y;
} webp_exif;

typedef struct webp_canvas {
  const webp_container *container;
  /// RGBA rows without padding.
  uint8_t *pixels;
  /// A buffer for a frame to be blended, as large as the largest such frame.
  uint8_t *scratch;
  /// The frame that the canvas shows; -1 for none.
  int64_t shown;
  /// Whether a frame could be read only in part.
  int is_damaged;
} webp_canvas;

/// The window of rows that libwebp has decoded and the host has not yet received.
typedef struct webp_window {
  /// The memory; NULL if the decoder writes somewhere else.
  uint8_t *bytes;
  /// With `has_planes`, the chroma in this memory: half the columns and rows, rounded up, without padding.
  uint8_t *u, *v;
  size_t count;
  /// The size of the decoder's output in pixels, and the size in bytes of one of its rows, or of a row of luma.
  int32_t width, height, stride;
  /// Whether the window contains YUV planes instead of rows of RGB or RGBA.
  int has_planes;
  /// The number of the row at the beginning of the window; an even number with `has_planes`.
  int32_t first;
} webp_window;

/// A decoder of the rows of a still image.
typedef struct webp_rows {
  WebPDecoderConfig config;
  WebPIDecoder *decoder;
  webp_window window;
  /// The sums of columns, if pixels are reduced; else NULL.
  uint32_t *columns;
  /// The number of bytes of the file that were passed to the decoder, and the number to pass at once.
  size_t fed, step;
  /// The number of rows that the decoder has written.
  int32_t lines;
  VP8StatusCode status;
  /// The position of the decoder's output in the image; 0 if pixels are reduced.
  int32_t left, top;
  imghost_region region;
  uint32_t shrink;
  int32_t next_row;
} webp_rows;

typedef struct webp_reader {
  webp_container container;
  uint32_t page;
  uint32_t bands;
  imghost_fact facts[4];
  webp_exif exif;
  webp_rows rows;
  webp_canvas canvas;
} webp_reader;

extern const imghost_host *webp_host;

/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define webp_fail(...) imghost_fail(webp_host, __VA_ARGS__)

/// Reads the chunks of a file. Call `webp_container_free` even after a failure.
int32_t webp_container_read(const imghost_call *call, imghost_bytes content, webp_container *container);
void webp_container_free(webp_container *container);

webp_exif webp_exif_read(imghost_bytes exif);

/// Writes the requested rows of a still image.
int32_t webp_rows_read(webp_reader *reader, const imghost_read *request);
void webp_rows_free(webp_rows *rows);

/// Allocates memory for a decoder's output. The size and format of the window must already be set. Returns whether
/// there is enough memory.
int webp_window_make(webp_window *window);
void webp_window_free(webp_window *window);
/// Sets the decoder's output to the window.
void webp_window_tell(const webp_window *window, WebPDecBuffer *buffer);
/// Discards the rows before `first`. `end` is the number of rows decoded so far.
void webp_window_slide(webp_window *window, int32_t first, int32_t end);

/// Writes one row of the image reduced by `shrink`, which is 2 to 16, as RGB, from a window of planes.
void webp_plane_blocks_row(const webp_window *window, uint32_t shrink, int32_t row, uint8_t *rgb);
/// Writes one row of the reduced image from a window of RGB or RGBA. `columns` has space for the samples of a row.
void webp_pixel_blocks_row(const webp_window *window, uint32_t shrink, int32_t row, uint32_t *columns, uint8_t *target);

/// Makes the canvas show a frame. With `accepts_damage`, the canvas keeps the part that could be read.
int32_t webp_canvas_show(webp_canvas *canvas, const imghost_call *call, uint32_t frame, int accepts_damage);
void webp_canvas_free(webp_canvas *canvas);

/// The functions of `imghost_codec` that read.
int32_t webp_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t webp_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t webp_read(void *instance, const imghost_read *request);
void webp_close(void *instance);

/// The indices of the parameters.
enum {
  webp_p_quality,
  webp_p_lossless,
  webp_p_near_lossless,
  webp_p_alpha_quality,
  webp_p_effort,
  webp_p_smart_subsample,
  webp_p_preset,
  webp_p_count
};

/// The functions of `imghost_codec` that write.
void *webp_begin(const imghost_writing *writing);
int32_t webp_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows);
int32_t webp_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next);
int32_t webp_finish(void *encoder, const imghost_call *call);
void webp_abandon(void *encoder);
