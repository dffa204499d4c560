// The decoding half of the wrapper around libjpeg-turbo, see CJPEGFence.h.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "jpeg_decoder.h"

enum {
  // The number of rows passed to jpeg_read_scanlines at once. It returns at most one row group, which is 1 to 4 rows.
  ROW_BATCH = 16,
};
// The maximum size of the coefficients of a picture in several scans: 2 GB, about 700 megapixels at 4:2:0.
static const uint64_t maximum_frame = 2ull << 30;

static ShimJPEGDecoder *create(int accepts_damage) {
  ShimJPEGDecoder *decoder = malloc(sizeof *decoder);
  if (!decoder) return NULL;
  memset(decoder, 0, offsetof(ShimJPEGDecoder, buffer));
  decoder->accepts_damage = accepts_damage;
  decoder->data_end = UINT64_MAX;
  shim_jpeg_connect_errors(decoder);
  if (setjmp(decoder->fence)) {
    shim_jpeg_decoder_destroy(decoder);
    return NULL;
  }
  jpeg_create_decompress(&decoder->info);
  shim_jpeg_connect_source(decoder);
  return decoder;
}

ShimJPEGDecoder *shim_jpeg_decoder_create_file(int descriptor, uint64_t byte_count, int accepts_damage) {
  ShimJPEGDecoder *decoder = create(accepts_damage);
  if (!decoder) return NULL;
  decoder->descriptor = descriptor;
  decoder->byte_count = byte_count;
  return decoder;
}

ShimJPEGDecoder *shim_jpeg_decoder_create_bytes(const void *bytes, size_t count, int accepts_damage) {
  ShimJPEGDecoder *decoder = create(accepts_damage);
  if (!decoder) return NULL;
  decoder->bytes = malloc(count + 1);
  if (!decoder->bytes) {
    shim_jpeg_decoder_destroy(decoder);
    return NULL;
  }
  if (count) memcpy(decoder->bytes, bytes, count);
  decoder->byte_count = count;
  decoder->source.next_input_byte = decoder->bytes;
  decoder->source.bytes_in_buffer = count;
  return decoder;
}

void shim_jpeg_decoder_set_pause(ShimJPEGDecoder *decoder, ShimJPEGCheck pause, void *owner) {
  decoder->pause = pause;
  decoder->owner = owner;
}

void shim_jpeg_decoder_destroy(ShimJPEGDecoder *decoder) {
  jpeg_destroy_decompress(&decoder->info);
  free(decoder->bytes);
  free(decoder);
}

static void describe(ShimJPEGDecoder *decoder, ShimJPEGInfo *out) {
  const struct jpeg_decompress_struct *info = &decoder->info;
  memset(out, 0, sizeof *out);
  out->width = info->image_width;
  out->height = info->image_height;
  out->components = info->num_components;
  out->bits = info->data_precision;
  out->progressive = info->progressive_mode;
  out->arithmetic = info->arith_code;
  out->strays = decoder->has_strays;
  out->has_jumbf = decoder->has_jumbf;
  out->has_gain_map = decoder->has_gain_map;
  out->has_icc = decoder->icc_parts > 0;
  out->adobe_transform = info->saw_Adobe_marker ? info->Adobe_transform : -1;
  out->density_unit = info->saw_JFIF_marker ? info->density_unit : -1;
  out->density_x = info->X_density;
  out->density_y = info->Y_density;
  out->subsampling_across = out->subsampling_down = 1;
  if (info->num_components > 1) {
    const jpeg_component_info *parts = info->comp_info;
    out->subsampling_across = parts[0].h_samp_factor / parts[1].h_samp_factor;
    out->subsampling_down = parts[0].v_samp_factor / parts[1].v_samp_factor;
  }
}

// Chooses the colour space of the stored components and that of the rows.
static void choose_colours(ShimJPEGDecoder *decoder, ShimJPEGInfo *out) {
  struct jpeg_decompress_struct *info = &decoder->info;
  switch (info->jpeg_color_space) {
    case JCS_GRAYSCALE: out->colour = SHIM_JPEG_GRAY; break;
    case JCS_RGB: out->colour = SHIM_JPEG_RGB; break;
    case JCS_YCbCr: out->colour = SHIM_JPEG_YCC; break;
    case JCS_CMYK: out->colour = SHIM_JPEG_CMYK; break;
    case JCS_YCCK: out->colour = SHIM_JPEG_YCCK; break;
    default: shim_jpeg_leave(decoder, SHIM_JPEG_UNSUPPORTED, "a JPEG with 2 or more than 4 components");
  }
  info->out_color_space = out->colour == SHIM_JPEG_GRAY   ? JCS_GRAYSCALE
                          : out->colour >= SHIM_JPEG_CMYK ? JCS_CMYK
                                                          : JCS_RGB;
}

// Fails for sizes that the data cannot contain, before anything of that size is allocated.
static void check_size(ShimJPEGDecoder *decoder, ShimJPEGInfo *out) {
  struct jpeg_decompress_struct *info = &decoder->info;
  for (int index = 0; index < info->num_components; index++) {
    const jpeg_component_info *part = &info->comp_info[index];
    decoder->blocks += (uint64_t)part->width_in_blocks * part->height_in_blocks;
  }
  // Each block's DC coefficient takes at least one bit: T.81, F.1.2.1 and G.1.2.1. With arithmetic coding, many blocks
  // share a bit (Annex D), but no meaningful picture has more than 512 blocks per bit.
  uint64_t blocks_a_bit = info->arith_code ? 512 : 1;
  if (decoder->blocks / blocks_a_bit > decoder->byte_count * 8) {
    shim_jpeg_leave(decoder, SHIM_JPEG_TRUNCATED, "fewer bytes than the size of the picture needs");
  }
  if (jpeg_has_multiple_scans(info)) {
    out->frame_bytes = decoder->blocks * sizeof(JBLOCK);
    if (out->frame_bytes > maximum_frame) {
      shim_jpeg_leave(decoder, SHIM_JPEG_UNSUPPORTED, "a progressive JPEG of that many pixels");
    }
  }
}

ShimJPEGCode shim_jpeg_decoder_read_header(ShimJPEGDecoder *decoder, ShimJPEGInfo *info) {
  if (setjmp(decoder->fence)) return decoder->code;
  shim_jpeg_connect_markers(decoder);
  decoder->in_header = 1;
  jpeg_read_header(&decoder->info, TRUE);
  decoder->in_header = 0;
  // libjpeg-turbo 2 refuses other depths itself; libjpeg-turbo 3 decodes them with other functions.
  if (decoder->info.data_precision != 8) ERREXIT1(&decoder->info, JERR_BAD_PRECISION, decoder->info.data_precision);
  describe(decoder, info);
  choose_colours(decoder, info);
  check_size(decoder, info);
  return SHIM_JPEG_OK;
}

uint8_t *shim_jpeg_decoder_copy_icc(ShimJPEGDecoder *decoder, size_t *length) {
  JOCTET *bytes = NULL;
  unsigned int count = 0;
  *length = 0;
  // If parts of a profile are missing, libjpeg warns and leaves the profile out. This is not damage to the picture.
  int accepts_damage = decoder->accepts_damage;
  decoder->accepts_damage = 1;
  int found = 0;
  if (setjmp(decoder->fence) == 0) {
    found = jpeg_read_icc_profile(&decoder->info, &bytes, &count);
  }
  decoder->accepts_damage = accepts_damage;
  if (!found) return NULL;
  *length = count;
  return bytes;
}

ShimJPEGCode shim_jpeg_decoder_scale(ShimJPEGDecoder *decoder, int shrink, uint32_t *width, uint32_t *height) {
  if (setjmp(decoder->fence)) return decoder->code;
  struct jpeg_decompress_struct *info = &decoder->info;
  info->scale_num = 1;
  info->scale_denom = (unsigned int)shrink;
  jpeg_calc_output_dimensions(info);
  *width = info->output_width;
  *height = info->output_height;
  return SHIM_JPEG_OK;
}

// Returns whether the scans of all components have begun, and, in a progressive file, those of all bits of all
// coefficients. Data that is missing inside a scan has already caused an error.
static int is_complete(const struct jpeg_decompress_struct *info) {
  for (int index = 0; index < info->num_components; index++) {
    // libjpeg copies the table when a component's first scan begins.
    if (!info->comp_info[index].quant_table) return 0;
    for (int k = 0; info->progressive_mode && k < DCTSIZE2; k++) {
      if (info->coef_bits[index][k] != 0) return 0;
    }
  }
  return 1;
}

static void check_complete(ShimJPEGDecoder *decoder) {
  if (decoder->lacks_end && !is_complete(&decoder->info)) {
    shim_jpeg_leave(decoder, SHIM_JPEG_TRUNCATED, "premature end of file");
  }
}

static void start(ShimJPEGDecoder *decoder) {
  struct jpeg_decompress_struct *info = &decoder->info;
  if (!decoder->accepts_damage) shim_jpeg_pass_zeros(decoder);
  // The integer transform, which produces the same pixels with every instruction set.
  info->dct_method = JDCT_ISLOW;
  jpeg_start_decompress(info);
  decoder->started = 1;
  check_complete(decoder);
}

// Decodes rows and inverts their samples: files store 1 - ink, with and without an Adobe marker, whatever transform it
// declares. The reason is in Docs/Formats.md.
static void read_cmyk(ShimJPEGDecoder *decoder, int count, uint8_t *rows, size_t stride) {
  struct jpeg_decompress_struct *info = &decoder->info;
  size_t samples = (size_t)info->output_width * 4;
  for (int done = 0; done < count; done++) {
    JSAMPROW row = rows + (size_t)done * stride;
    jpeg_read_scanlines(info, &row, 1);
    for (size_t x = 0; x < samples; x++) row[x] = (uint8_t)(255 - row[x]);
  }
}

ShimJPEGCode shim_jpeg_decoder_read(ShimJPEGDecoder *decoder, int count, void *rows, size_t stride) {
  if (setjmp(decoder->fence)) return decoder->code;
  struct jpeg_decompress_struct *info = &decoder->info;
  uint8_t *next = rows;
  if (!decoder->started) start(decoder);
  if (info->out_color_space == JCS_CMYK) {
    read_cmyk(decoder, count, next, stride);
    count = 0;
  }
  while (count > 0) {
    JSAMPROW batch[ROW_BATCH];
    int wanted = count < ROW_BATCH ? count : ROW_BATCH;
    for (int index = 0; index < wanted; index++) batch[index] = next + (size_t)index * stride;
    int got = (int)jpeg_read_scanlines(info, batch, (JDIMENSION)wanted);
    next += (size_t)got * stride;
    count -= got;
  }
  if (info->output_scanline == info->output_height) {
    check_complete(decoder);
    jpeg_finish_decompress(info);
  }
  return SHIM_JPEG_OK;
}

ShimJPEGCode shim_jpeg_decoder_crop(ShimJPEGDecoder *decoder, uint32_t *left, uint32_t *width) {
  if (setjmp(decoder->fence)) return decoder->code;
  if (!decoder->started) start(decoder);
  JDIMENSION first = *left, count = *width;
  jpeg_crop_scanline(&decoder->info, &first, &count);
  *left = first;
  *width = count;
  return SHIM_JPEG_OK;
}

ShimJPEGCode shim_jpeg_decoder_skip(ShimJPEGDecoder *decoder, uint32_t count) {
  if (setjmp(decoder->fence)) return decoder->code;
  if (!decoder->started) start(decoder);
  if (count > 0) jpeg_skip_scanlines(&decoder->info, count);
  return SHIM_JPEG_OK;
}

int shim_jpeg_decoder_lacks_end(const ShimJPEGDecoder *decoder) { return decoder->lacks_end; }

const char *shim_jpeg_decoder_message(const ShimJPEGDecoder *decoder) { return decoder->message; }

int shim_jpeg_decoder_system_error(const ShimJPEGDecoder *decoder) { return decoder->system_error; }
