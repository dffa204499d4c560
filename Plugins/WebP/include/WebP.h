// The WebP codec: what its files share.
#pragma once

#include "imghost_plugin.h"

#include <webp/decode.h>

/// The largest number of frames that is read.
enum { webp_maximum_frames = 100000 };

/// The largest side of an image.
enum { webp_largest_side = 16383 };

/// One frame of an animation, or the only image of a still file.
typedef struct webp_frame {
  /// The frame's image chunks in the file.
  size_t offset, count;
  int32_t left, top, width, height;
  uint32_t milliseconds;
  /// Whether the canvas below stays visible through transparent pixels.
  uint8_t blends;
  /// Whether the frame's rectangle becomes transparent before the next frame.
  uint8_t disposes;
  uint8_t has_alpha;
  uint8_t is_lossless;
} webp_frame;

/// The chunks of a file. Everything points into the file's bytes.
typedef struct webp_container {
  const uint8_t *bytes;
  /// The end of the RIFF container, or of the file if that ends earlier.
  size_t count;
  int is_animated;
  /// Whether the file ends before the container, or in the middle of a chunk.
  int is_cut;
  int32_t width, height;
  uint32_t loop_count;
  /// 0 for a still file.
  uint32_t frame_count;
  webp_frame *frames;
  imghost_bytes icc, exif, xmp;
  /// Properties of all frames together.
  int has_alpha, is_lossless, any_blends;
} webp_container;

/// The facts about the pixels that EXIF has.
typedef struct webp_exif {
  /// 1 to 8; 1 where EXIF is silent.
  uint32_t orientation;
  /// Pixels per inch, 0 for unknown.
  double resolution_x, resolution_y;
} webp_exif;

/// An animation's canvas.
typedef struct webp_canvas {
  const webp_container *container;
  /// RGBA rows without gaps.
  uint8_t *pixels;
  /// A frame that is about to be blended, as large as the largest such frame.
  uint8_t *scratch;
  /// The frame that the canvas shows, -1 for none.
  int64_t shown;
  /// Whether a frame could be read in part only.
  int is_damaged;
} webp_canvas;

/// Rows of a photograph's planes without gaps; chroma has half the columns and rows, rounded up.
typedef struct webp_planes {
  const uint8_t *y, *u, *v;
  /// The size of the image.
  int32_t width, height;
  /// The row of luma that `y` begins with: an even one.
  int32_t first;
} webp_planes;

/// Rows that are decoded and not taken.
typedef struct webp_window {
  /// NULL if the decoder writes somewhere else.
  uint8_t *bytes;
  size_t count;
  /// The size of the decoder's output, and the bytes of a row of it, or of luma.
  int32_t width, height, stride;
  /// Whether the rows are those of planes, and not RGB or RGBA.
  int has_planes;
  /// The row at the beginning.
  int32_t first;
} webp_window;

/// A decoder of the rows of a still image.
typedef struct webp_rows {
  WebPDecoderConfig config;
  WebPIDecoder *decoder;
  webp_window window;
  /// Sums of columns, where pixels are reduced.
  uint32_t *columns;
  /// Bytes of the file that the decoder has seen, and how many it gets at once.
  size_t fed, step;
  /// Rows of its output that the decoder has written.
  int32_t lines;
  VP8StatusCode status;
  /// The decoder's output begins here in the reduced image.
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

/// The host's functions.
extern const imghost_host *webp_host;

/// Reports a failure, and returns IMGHOST_FAILED.
int32_t webp_fail(const imghost_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Reads the chunks of a file. Frees nothing after a failure: call `webp_container_free` in any case.
int32_t webp_container_read(const imghost_call *call, imghost_bytes content, webp_container *container);
void webp_container_free(webp_container *container);

/// Reads orientation, 0 if it has none, and resolution from EXIF's first directory.
webp_exif webp_exif_read(imghost_bytes exif);

/// Writes the wanted rows of a still image.
int32_t webp_rows_read(webp_reader *reader, const imghost_read *request);
void webp_rows_free(webp_rows *rows);

/// Makes room for the output of a decoder, whose size and form are set. Returns whether there is memory.
int webp_window_make(webp_window *window);
void webp_window_free(webp_window *window);
/// Tells the decoder where to write.
void webp_window_tell(const webp_window *window, WebPDecBuffer *buffer);
/// Gives rows before `first` up. Rows up to before `end` are decoded.
void webp_window_slide(webp_window *window, int32_t first, int32_t end);
webp_planes webp_window_planes(const webp_window *window);

/// Writes one row of the image reduced by `shrink`, from 2 to 16, as RGB.
void webp_plane_blocks_row(const webp_planes *planes, uint32_t shrink, int32_t row, uint8_t *rgb);
/// The same for a window of RGB or RGBA. `columns` has room for the samples of a row.
void webp_pixel_blocks_row(const webp_window *window, uint32_t shrink, int32_t row, uint32_t *columns, uint8_t *target);

/// Brings the canvas to a frame. With `accepts_damage` the canvas keeps what could be read.
int32_t webp_canvas_show(webp_canvas *canvas, const imghost_call *call, uint32_t frame, int accepts_damage);
void webp_canvas_free(webp_canvas *canvas);

/// The functions of `imghost_codec` that read.
int32_t webp_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t webp_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t webp_read(void *instance, const imghost_read *request);
void webp_close(void *instance);

/// The places of the parameters.
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
