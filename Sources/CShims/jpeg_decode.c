// The decoding half of the fence around libjpeg-turbo, see shim_jpeg.h.
#include <stdio.h>

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jpeglib.h>

#include <jerror.h>

#include "shim_jpeg.h"

enum {
  BUFFER_SIZE = 64 * 1024,
  // Rows handed to jpeg_read_scanlines at once; it gives at most a row group (2 or 4).
  ROW_BATCH = 16,
  // Progressive files of encoders have about 10 scans, mozjpeg's up to 64.
  MAXIMUM_SCANS = 500,
  USUAL_SCANS = 64,
};
// Headers hold at most 255 ICC segments (16 MB), an EXIF segment and comments.
static const uint64_t maximum_header = 64u << 20;
// Coefficients of a picture in several scans: 2 GB, about 700 megapixels at 4:2:0.
static const uint64_t maximum_frame = 2ull << 30;
// Visits of blocks by scans beyond USUAL_SCANS: some seconds of work.
static const uint64_t maximum_visits = 1000000000;

struct ShimJPEGDecoder {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  // Where error_exit jumps; set by every function that calls libjpeg, which are never nested.
  jmp_buf fence;
  ShimJPEGCode code;
  int system_error;
  int accepts_damage;
  int in_header;
  int started;
  uint64_t blocks;
  // Where bytes come from: `bytes` when not NULL, else `descriptor`.
  int descriptor;
  uint64_t offset, byte_count;
  uint8_t *bytes;
  // A row of CMYK, where that is what libjpeg gives.
  uint8_t *cmyk_row;
  char message[JMSG_LENGTH_MAX];
  uint8_t buffer[BUFFER_SIZE];
};

static ShimJPEGDecoder *of(j_common_ptr info) { return info->client_data; }

static _Noreturn void leave(ShimJPEGDecoder *decoder, ShimJPEGCode code, const char *message) {
  decoder->code = code;
  if (message) snprintf(decoder->message, sizeof decoder->message, "%s", message);
  longjmp(decoder->fence, 1);
}

static ShimJPEGCode code_of(int message) {
  switch (message) {
  case JERR_INPUT_EOF:
  case JERR_INPUT_EMPTY:
  case JWRN_JPEG_EOF:
    return SHIM_JPEG_TRUNCATED;
  case JERR_ARITH_NOTIMPL:
  case JERR_BAD_PRECISION:
  case JERR_SOF_UNSUPPORTED:
  case JERR_CONVERSION_NOTIMPL:
  case JERR_CCIR601_NOTIMPL:
  case JERR_FRACT_SAMPLE_NOTIMPL:
  case JERR_COMPONENT_COUNT:
  case JERR_EMPTY_IMAGE:
  case JERR_IMAGE_TOO_BIG:
    return SHIM_JPEG_UNSUPPORTED;
  case JERR_OUT_OF_MEMORY:
  case JERR_NO_BACKING_STORE:
    return SHIM_JPEG_NO_MEMORY;
  default:
    return SHIM_JPEG_DAMAGED;
  }
}

// What is not supported, as a noun: libjpeg's own words are sentences.
static void name_feature(ShimJPEGDecoder *decoder) {
  const struct jpeg_error_mgr *errors = &decoder->errors;
  char *to = decoder->message;
  size_t size = sizeof decoder->message;
  switch (errors->msg_code) {
  case JERR_BAD_PRECISION:
    snprintf(to, size, "a JPEG with %d bits a sample", errors->msg_parm.i[0]);
    break;
  case JERR_SOF_UNSUPPORTED:
    snprintf(to, size, "a lossless or hierarchical JPEG (SOF%d)", errors->msg_parm.i[0] & 15);
    break;
  case JERR_EMPTY_IMAGE: snprintf(to, size, "a JPEG that does not state its size"); break;
  case JERR_IMAGE_TOO_BIG: snprintf(to, size, "a JPEG of more than 65500 pixels a side"); break;
  case JERR_COMPONENT_COUNT: snprintf(to, size, "a JPEG with that many components"); break;
  default: snprintf(to, size, "a JPEG with colours stored like this"); break;
  }
}

static void error_exit(j_common_ptr info) {
  ShimJPEGDecoder *decoder = of(info);
  ShimJPEGCode code = code_of(info->err->msg_code);
  info->err->format_message(info, decoder->message);
  if (code == SHIM_JPEG_UNSUPPORTED) name_feature(decoder);
  leave(decoder, code, NULL);
}

// Level -1 is a warning: libjpeg found damage and would go on with made-up pixels.
static void emit_message(j_common_ptr info, int level) {
  ShimJPEGDecoder *decoder = of(info);
  if (level >= 0) return;
  switch (info->err->msg_code) {
  // Neither says anything about the pixels: padding between segments, an Adobe marker or a JFIF version
  // of the future, spectral selection in a sequential file (which is not used).
  case JWRN_EXTRANEOUS_DATA:
  case JWRN_ADOBE_XFORM:
  case JWRN_JFIF_MAJOR:
  case JWRN_NOT_SEQUENTIAL:
    return;
  }
  if (decoder->accepts_damage) return;
  info->err->format_message(info, decoder->message);
  ShimJPEGCode code = code_of(info->err->msg_code);
  // The entropy-coded data ran into a marker. When that is the end of the file, data is missing.
  if (info->err->msg_code == JWRN_HIT_MARKER && decoder->info.unread_marker == JPEG_EOI) {
    code = SHIM_JPEG_TRUNCATED;
  }
  leave(decoder, code, NULL);
}

static void output_message(j_common_ptr info) { (void)info; }

static void init_source(j_decompress_ptr info) { (void)info; }
static void term_source(j_decompress_ptr info) { (void)info; }

static size_t read_more(ShimJPEGDecoder *decoder) {
  for (;;) {
    ssize_t count =
        pread(decoder->descriptor, decoder->buffer, BUFFER_SIZE, (off_t)decoder->offset);
    if (count >= 0) return (size_t)count;
    if (errno == EINTR) continue;
    decoder->system_error = errno;
    leave(decoder, SHIM_JPEG_UNREADABLE, "read failed");
  }
}

static boolean fill_input_buffer(j_decompress_ptr info) {
  ShimJPEGDecoder *decoder = info->client_data;
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  if (decoder->in_header && decoder->offset > maximum_header) {
    leave(decoder, SHIM_JPEG_UNSUPPORTED, "a JPEG header of more than 64 MB");
  }
  size_t count = decoder->bytes ? 0 : read_more(decoder);
  decoder->offset += count;
  if (count > 0) {
    decoder->source.next_input_byte = decoder->buffer;
    decoder->source.bytes_in_buffer = count;
    return TRUE;
  }
  // The end of the file, and the picture is not done.
  if (!decoder->accepts_damage || decoder->in_header) {
    leave(decoder, SHIM_JPEG_TRUNCATED, "premature end of file");
  }
  decoder->source.next_input_byte = end;
  decoder->source.bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input_data(j_decompress_ptr info, long count) {
  ShimJPEGDecoder *decoder = info->client_data;
  struct jpeg_source_mgr *source = &decoder->source;
  if (count <= 0) return;
  if ((size_t)count <= source->bytes_in_buffer) {
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
    return;
  }
  decoder->offset += (uint64_t)count - source->bytes_in_buffer;
  source->bytes_in_buffer = 0;
}

// A scan of some bytes can visit every block, so thousands of scans are minutes of work.
static void progress_monitor(j_common_ptr common) {
  ShimJPEGDecoder *decoder = of(common);
  uint64_t scans = (uint64_t)decoder->info.input_scan_number;
  if (scans > MAXIMUM_SCANS ||
      (scans > USUAL_SCANS && scans * decoder->blocks > maximum_visits)) {
    leave(decoder, SHIM_JPEG_UNSUPPORTED, "a progressive JPEG with that many scans");
  }
}

static ShimJPEGDecoder *create(int accepts_damage) {
  ShimJPEGDecoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->accepts_damage = accepts_damage;
  decoder->info.err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = error_exit;
  decoder->errors.emit_message = emit_message;
  decoder->errors.output_message = output_message;
  decoder->info.client_data = decoder;
  if (setjmp(decoder->fence)) {
    shim_jpeg_decoder_destroy(decoder);
    return NULL;
  }
  jpeg_create_decompress(&decoder->info);
  decoder->source.init_source = init_source;
  decoder->source.fill_input_buffer = fill_input_buffer;
  decoder->source.skip_input_data = skip_input_data;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = term_source;
  decoder->info.src = &decoder->source;
  decoder->progress.progress_monitor = progress_monitor;
  decoder->info.progress = &decoder->progress;
  return decoder;
}

ShimJPEGDecoder *shim_jpeg_decoder_create_file(int descriptor, uint64_t byte_count,
                                               int accepts_damage) {
  ShimJPEGDecoder *decoder = create(accepts_damage);
  if (!decoder) return NULL;
  decoder->descriptor = descriptor;
  decoder->byte_count = byte_count;
  return decoder;
}

ShimJPEGDecoder *shim_jpeg_decoder_create_bytes(const void *bytes, size_t count,
                                                int accepts_damage) {
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

void shim_jpeg_decoder_destroy(ShimJPEGDecoder *decoder) {
  jpeg_destroy_decompress(&decoder->info);
  free(decoder->bytes);
  free(decoder->cmyk_row);
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

// What libjpeg makes of the stored components, and what it is to give.
static void choose_colours(ShimJPEGDecoder *decoder, ShimJPEGInfo *out) {
  struct jpeg_decompress_struct *info = &decoder->info;
  switch (info->jpeg_color_space) {
  case JCS_GRAYSCALE: out->colour = SHIM_JPEG_GRAY; break;
  case JCS_RGB: out->colour = SHIM_JPEG_RGB; break;
  case JCS_YCbCr: out->colour = SHIM_JPEG_YCC; break;
  case JCS_CMYK: out->colour = SHIM_JPEG_CMYK; break;
  case JCS_YCCK: out->colour = SHIM_JPEG_YCCK; break;
  default: leave(decoder, SHIM_JPEG_UNSUPPORTED, "a JPEG with 2 or more than 4 components");
  }
  info->out_color_space = out->colour == SHIM_JPEG_GRAY  ? JCS_GRAYSCALE
                          : out->colour >= SHIM_JPEG_CMYK ? JCS_CMYK
                                                          : JCS_RGB;
}

// Refuses sizes that the data cannot hold, before anything of that size is allocated.
static void check_size(ShimJPEGDecoder *decoder, ShimJPEGInfo *out) {
  struct jpeg_decompress_struct *info = &decoder->info;
  for (int index = 0; index < info->num_components; index++) {
    const jpeg_component_info *part = &info->comp_info[index];
    decoder->blocks += (uint64_t)part->width_in_blocks * part->height_in_blocks;
  }
  // Each block's DC coefficient takes one bit at least: T.81, F.1.2.1 and G.1.2.1.
  if (decoder->blocks > decoder->byte_count * 8) {
    leave(decoder, SHIM_JPEG_TRUNCATED, "fewer bytes than the size of the picture needs");
  }
  if (jpeg_has_multiple_scans(info)) {
    out->frame_bytes = decoder->blocks * sizeof(JBLOCK);
    if (out->frame_bytes > maximum_frame) {
      leave(decoder, SHIM_JPEG_UNSUPPORTED, "a progressive JPEG of that many pixels");
    }
  }
}

ShimJPEGCode shim_jpeg_decoder_read_header(ShimJPEGDecoder *decoder, ShimJPEGInfo *info) {
  if (setjmp(decoder->fence)) return decoder->code;
  jpeg_save_markers(&decoder->info, JPEG_APP0 + 1, 0xFFFF);
  jpeg_save_markers(&decoder->info, JPEG_APP0 + 2, 0xFFFF);
  decoder->in_header = 1;
  jpeg_read_header(&decoder->info, TRUE);
  decoder->in_header = 0;
  if (decoder->info.arith_code) {
    leave(decoder, SHIM_JPEG_UNSUPPORTED, "a JPEG with arithmetic coding");
  }
  describe(decoder, info);
  choose_colours(decoder, info);
  check_size(decoder, info);
  return SHIM_JPEG_OK;
}

const uint8_t *shim_jpeg_decoder_exif(const ShimJPEGDecoder *decoder, size_t *length) {
  jpeg_saved_marker_ptr marker = decoder->info.marker_list;
  for (; marker; marker = marker->next) {
    if (marker->marker == JPEG_APP0 + 1 && marker->data_length > 6 &&
        memcmp(marker->data, "Exif\0\0", 6) == 0) {
      *length = marker->data_length - 6;
      return marker->data + 6;
    }
  }
  *length = 0;
  return NULL;
}

uint8_t *shim_jpeg_decoder_copy_icc(ShimJPEGDecoder *decoder, size_t *length) {
  JOCTET *bytes = NULL;
  unsigned int count = 0;
  *length = 0;
  // It warns of a profile with missing parts, which is then left out: it is not the picture's damage.
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

ShimJPEGCode shim_jpeg_decoder_scale(ShimJPEGDecoder *decoder, int shrink, uint32_t *width,
                                     uint32_t *height) {
  if (setjmp(decoder->fence)) return decoder->code;
  struct jpeg_decompress_struct *info = &decoder->info;
  info->scale_num = 1;
  info->scale_denom = (unsigned int)shrink;
  jpeg_calc_output_dimensions(info);
  *width = info->output_width;
  *height = info->output_height;
  return SHIM_JPEG_OK;
}

static void start(ShimJPEGDecoder *decoder) {
  struct jpeg_decompress_struct *info = &decoder->info;
  // The integer transform: the same pixels with every instruction set.
  info->dct_method = JDCT_ISLOW;
  jpeg_start_decompress(info);
  decoder->started = 1;
  if (info->out_color_space == JCS_CMYK) {
    decoder->cmyk_row = malloc((size_t)info->output_width * 4);
    if (!decoder->cmyk_row) leave(decoder, SHIM_JPEG_NO_MEMORY, "no memory for a row");
  }
}

// x * y / 255, rounded, for x and y from 0 to 255.
static uint8_t product(unsigned x, unsigned y) {
  unsigned value = x * y + 128;
  return (uint8_t)((value + (value >> 8)) >> 8);
}

// CMYK without a profile: R = (1 - C)(1 - K), and so on, PostScript Language Reference 7.2.4 with the
// product in place of the clipped sum, as every viewer does. Adobe's files store 1 - ink.
static void convert_cmyk(const uint8_t *from, uint8_t *to, size_t width, int inverted) {
  unsigned flip = inverted ? 0 : 255;
  for (size_t x = 0; x < width; x++, from += 4, to += 3) {
    unsigned white = from[3] ^ flip;
    to[0] = product(from[0] ^ flip, white);
    to[1] = product(from[1] ^ flip, white);
    to[2] = product(from[2] ^ flip, white);
  }
}

static void read_cmyk(ShimJPEGDecoder *decoder, int count, uint8_t *rows, size_t stride) {
  struct jpeg_decompress_struct *info = &decoder->info;
  JSAMPROW row = decoder->cmyk_row;
  for (int done = 0; done < count; done++) {
    jpeg_read_scanlines(info, &row, 1);
    convert_cmyk(row, rows + (size_t)done * stride, info->output_width, info->saw_Adobe_marker);
  }
}

ShimJPEGCode shim_jpeg_decoder_read(ShimJPEGDecoder *decoder, int count, void *rows,
                                    size_t stride) {
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
  if (info->output_scanline == info->output_height) jpeg_finish_decompress(info);
  return SHIM_JPEG_OK;
}

const char *shim_jpeg_decoder_message(const ShimJPEGDecoder *decoder) { return decoder->message; }

int shim_jpeg_decoder_system_error(const ShimJPEGDecoder *decoder) {
  return decoder->system_error;
}
