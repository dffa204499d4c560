// Declarations shared by the files of the GIF codec.
#pragma once

#include "imghost_plugin.h"

#include <gif_lib.h>

enum { gif_maximum_frames = 100000 };

/// The treatment of the canvas after a frame, before the next one.
typedef enum gif_disposal { gif_keep, gif_clear, gif_restore } gif_disposal;

/// One frame, as its blocks describe it.
typedef struct gif_frame {
  /// The offset of the image descriptor in the file.
  size_t offset;
  int32_t left, top, width, height;
  /// The offset of the frame's own colours; if `color_count` is 0, the file's colours are used.
  size_t colors;
  int32_t color_count;
  /// The index of the transparent colour; -1 for none.
  int32_t transparent;
  /// The delay in hundredths of a second.
  uint32_t delay;
  gif_disposal disposal;
  int is_interlaced;
} gif_frame;

/// A file's frames, found without decoding them.
typedef struct gif_blocks {
  imghost_bytes content;
  int32_t width, height;
  size_t colors;
  int32_t color_count;
  uint32_t frame_count, frame_capacity;
  gif_frame *frames;
  /// Whether some frame restores the pixels below it.
  int any_restores;
  /// The number of times that the animation plays; 0 repeats it forever.
  uint32_t loop_count;
  /// The ICC profile, owned by this struct.
  uint8_t *icc;
  size_t icc_count;
  imghost_bytes xmp;
} gif_blocks;

/// The RGBA values of a frame's colour indices. Alpha is 0 for the transparent index and for indices without a colour:
/// their pixels leave the canvas unchanged.
typedef struct gif_palette {
  uint8_t values[256][4];
} gif_palette;

/// A decoder of one frame's rows, in the order of the file.
typedef struct gif_rows {
  GifFileType *file;
  imghost_bytes content;
  size_t at;
  /// The number of bytes of the virtual file's header that giflib has not read yet. The frame's own bytes follow.
  size_t header_left;
  int has_ended;
  uint32_t index;
} gif_rows;

typedef struct gif_canvas {
  const gif_blocks *blocks;
  /// RGBA rows without padding.
  uint8_t *pixels;
  /// A copy of the pixels below the current frame, if its disposal restores them.
  uint8_t *below;
  uint8_t *row;
  /// The frame that the canvas shows; -1 for none.
  int64_t shown;
  /// The frame whose disposal is still pending; -1 for none.
  int64_t pending;
  int is_damaged;
} gif_canvas;

/// The first frame, read row by row without a canvas.
typedef struct gif_stream {
  gif_rows rows;
  gif_palette palette;
  /// One row of indices, or all rows of an interlaced frame.
  uint8_t *indices;
  int is_open;
  /// The row of the canvas at which the next read is expected.
  int32_t next_row;
  /// The number of decoded rows of the frame.
  int32_t ready;
  /// Whether no more rows can be decoded.
  int is_damaged;
} gif_stream;

typedef struct gif_reader {
  gif_blocks blocks;
  uint32_t page;
  uint32_t bands;
  imghost_fact facts[4];
  gif_canvas canvas;
  gif_stream stream;
} gif_reader;

extern const imghost_host *gif_host;

/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define gif_fail(...) imghost_fail(gif_host, __VA_ARGS__)

/// Finds the frames of a file. Call `gif_blocks_free` even after a failure.
int32_t gif_blocks_read(const imghost_call *call, imghost_bytes content, gif_blocks *blocks);
void gif_blocks_free(gif_blocks *blocks);

/// Returns whether a frame covers the canvas with opaque pixels.
int gif_is_solid(const gif_blocks *blocks, uint32_t index);

/// Returns whether any frame of the composed animation may have transparent pixels.
int gif_has_alpha(const gif_blocks *blocks);

/// Starts to decode a frame. Call `gif_rows_end` even after a failure.
int32_t gif_rows_begin(gif_rows *rows, const imghost_call *call, const gif_blocks *blocks, uint32_t index);
/// Decodes the next row, in the order of the file, to colour indices.
int32_t gif_rows_next(gif_rows *rows, const imghost_call *call, uint8_t *indices, int32_t width);
void gif_rows_end(gif_rows *rows);

int32_t gif_palette_read(gif_palette *palette, const imghost_call *call, const gif_blocks *blocks, uint32_t index);

/// Returns the row, from the top of the frame, that the file stores at `index`. Interlaced frames store rows in another
/// order.
int32_t gif_row_at(const gif_frame *frame, int32_t index);

/// Makes the canvas show a frame. With `accepts_damage`, the canvas keeps the part that could be read.
int32_t gif_canvas_show(gif_canvas *canvas, const imghost_call *call, uint32_t frame, int accepts_damage);
void gif_canvas_free(gif_canvas *canvas);

/// Writes the requested rows of the first frame.
int32_t gif_stream_read(gif_reader *reader, const imghost_read *request);
void gif_stream_free(gif_stream *stream);

/// The functions of `imghost_codec`.
int32_t gif_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t gif_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t gif_read(void *instance, const imghost_read *request);
void gif_close(void *instance);
