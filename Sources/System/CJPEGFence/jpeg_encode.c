// The encoding half of the wrapper around libjpeg-turbo, see CJPEGFence.h.
#include <stdio.h>

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

#include "CJPEGFence.h"

enum { FIRST_CAPACITY = 64 * 1024, ROW_BATCH = 16 };

struct ShimJPEGEncoder {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_destination_mgr destination;
  // The target of error_exit. Every public function that can fail in libjpeg sets it first; such functions never call
  // each other.
  jmp_buf fence;
  ShimJPEGCode code;
  // The encoded bytes that were not taken yet.
  uint8_t *bytes;
  size_t capacity;
  char message[JMSG_LENGTH_MAX];
  struct jpeg_progress_mgr progress;
  ShimJPEGPause pause;
  void *owner;
  // A row of 1 - ink, as files store it; NULL for a picture that is not CMYK.
  uint8_t *ink_row;
};

static void error_exit(j_common_ptr info) {
  ShimJPEGEncoder *encoder = info->client_data;
  info->err->format_message(info, encoder->message);
  encoder->code = info->err->msg_code == JERR_OUT_OF_MEMORY ? SHIM_JPEG_NO_MEMORY : SHIM_JPEG_UNSUPPORTED;
  longjmp(encoder->fence, 1);
}

static void output_message(j_common_ptr info) { (void)info; }

static void init_destination(j_compress_ptr info) { (void)info; }
static void term_destination(j_compress_ptr info) { (void)info; }

// libjpeg calls this function for each row of blocks of each pass.
static void monitor_progress(j_common_ptr info) {
  ShimJPEGEncoder *encoder = info->client_data;
  encoder->pause(encoder->owner);
}

// Called when the buffer is full, regardless of free_in_buffer. Doubles the buffer.
static boolean empty_output_buffer(j_compress_ptr info) {
  ShimJPEGEncoder *encoder = info->client_data;
  size_t used = encoder->capacity;
  uint8_t *bytes = realloc(encoder->bytes, used * 2);
  if (!bytes) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  encoder->bytes = bytes;
  encoder->capacity = used * 2;
  encoder->destination.next_output_byte = bytes + used;
  encoder->destination.free_in_buffer = used;
  return TRUE;
}

ShimJPEGEncoder *shim_jpeg_encoder_create(void) {
  ShimJPEGEncoder *encoder = calloc(1, sizeof *encoder);
  if (!encoder) return NULL;
  encoder->bytes = malloc(FIRST_CAPACITY);
  encoder->capacity = FIRST_CAPACITY;
  encoder->info.err = jpeg_std_error(&encoder->errors);
  encoder->errors.error_exit = error_exit;
  encoder->errors.output_message = output_message;
  encoder->info.client_data = encoder;
  // C11, 7.13.1.1: setjmp must be the only expression in a condition.
  if (setjmp(encoder->fence)) {
    shim_jpeg_encoder_destroy(encoder);
    return NULL;
  }
  if (!encoder->bytes) ERREXIT1(&encoder->info, JERR_OUT_OF_MEMORY, 0);
  jpeg_create_compress(&encoder->info);
  encoder->destination.init_destination = init_destination;
  encoder->destination.empty_output_buffer = empty_output_buffer;
  encoder->destination.term_destination = term_destination;
  encoder->destination.next_output_byte = encoder->bytes;
  encoder->destination.free_in_buffer = encoder->capacity;
  encoder->info.dest = &encoder->destination;
  return encoder;
}

void shim_jpeg_encoder_destroy(ShimJPEGEncoder *encoder) {
  jpeg_destroy_compress(&encoder->info);
  free(encoder->bytes);
  free(encoder->ink_row);
  free(encoder);
}

ShimJPEGCode shim_jpeg_encoder_start(ShimJPEGEncoder *encoder, const ShimJPEGEncoderOptions *options) {
  if (setjmp(encoder->fence)) return encoder->code;
  struct jpeg_compress_struct *info = &encoder->info;
  info->image_width = options->width;
  info->image_height = options->height;
  info->input_components = options->components;
  info->in_color_space = options->components == 1 ? JCS_GRAYSCALE : options->components == 4 ? JCS_CMYK : JCS_RGB;
  jpeg_set_defaults(info);
  if (options->components == 4) {
    // CMYK is stored as YCCK, as Photoshop does: this makes the file smaller, and an Adobe marker declares the
    // transform.
    jpeg_set_colorspace(info, JCS_YCCK);
    encoder->ink_row = malloc((size_t)options->width * 4);
    if (!encoder->ink_row) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
  }
  jpeg_set_quality(info, options->quality, TRUE);
  // The integer transform, which produces the same bytes with every instruction set.
  info->dct_method = JDCT_ISLOW;
  info->optimize_coding = options->optimise ? TRUE : FALSE;
  info->comp_info[0].h_samp_factor = options->subsampling_across;
  info->comp_info[0].v_samp_factor = options->subsampling_down;
  if (options->components == 4) {
    info->comp_info[3].h_samp_factor = options->subsampling_across;
    info->comp_info[3].v_samp_factor = options->subsampling_down;
  }
  if (options->progressive) jpeg_simple_progression(info);
  if (options->density_x > 0 && options->density_y > 0) {
    info->density_unit = 1;
    info->write_JFIF_header = TRUE;
    info->X_density = (UINT16)options->density_x;
    info->Y_density = (UINT16)options->density_y;
  }
  jpeg_start_compress(info, TRUE);
  return SHIM_JPEG_OK;
}

ShimJPEGCode shim_jpeg_encoder_write_segment(ShimJPEGEncoder *encoder, int app, const void *bytes, size_t count) {
  if (setjmp(encoder->fence)) return encoder->code;
  jpeg_write_marker(&encoder->info, JPEG_APP0 + app, bytes, (unsigned int)count);
  return SHIM_JPEG_OK;
}

ShimJPEGCode shim_jpeg_encoder_write_icc(ShimJPEGEncoder *encoder, const void *bytes, size_t count) {
  if (setjmp(encoder->fence)) return encoder->code;
  jpeg_write_icc_profile(&encoder->info, bytes, (unsigned int)count);
  return SHIM_JPEG_OK;
}

void shim_jpeg_encoder_set_pause(ShimJPEGEncoder *encoder, ShimJPEGPause pause, void *owner) {
  encoder->pause = pause;
  encoder->owner = owner;
  encoder->progress.progress_monitor = monitor_progress;
  encoder->info.progress = &encoder->progress;
}

static void write_ink(ShimJPEGEncoder *encoder, int count, const uint8_t *rows, size_t stride) {
  size_t samples = (size_t)encoder->info.image_width * 4;
  for (int done = 0; done < count; done++, rows += stride) {
    for (size_t x = 0; x < samples; x++) encoder->ink_row[x] = (uint8_t)(255 - rows[x]);
    jpeg_write_scanlines(&encoder->info, &encoder->ink_row, 1);
  }
}

ShimJPEGCode shim_jpeg_encoder_write(ShimJPEGEncoder *encoder, int count, const void *rows, size_t stride) {
  if (setjmp(encoder->fence)) return encoder->code;
  // libjpeg declares its input rows mutable but only reads them.
  uint8_t *next = (uint8_t *)rows;
  if (encoder->ink_row) {
    write_ink(encoder, count, rows, stride);
    count = 0;
  }
  while (count > 0) {
    JSAMPROW batch[ROW_BATCH];
    int wanted = count < ROW_BATCH ? count : ROW_BATCH;
    for (int index = 0; index < wanted; index++) batch[index] = next + (size_t)index * stride;
    int got = (int)jpeg_write_scanlines(&encoder->info, batch, (JDIMENSION)wanted);
    next += (size_t)got * stride;
    count -= got;
  }
  return SHIM_JPEG_OK;
}

ShimJPEGCode shim_jpeg_encoder_finish(ShimJPEGEncoder *encoder) {
  if (setjmp(encoder->fence)) return encoder->code;
  jpeg_finish_compress(&encoder->info);
  return SHIM_JPEG_OK;
}

const uint8_t *shim_jpeg_encoder_take(ShimJPEGEncoder *encoder, size_t *count) {
  *count = encoder->capacity - encoder->destination.free_in_buffer;
  encoder->destination.next_output_byte = encoder->bytes;
  encoder->destination.free_in_buffer = encoder->capacity;
  return encoder->bytes;
}

const char *shim_jpeg_encoder_message(const ShimJPEGEncoder *encoder) { return encoder->message; }
