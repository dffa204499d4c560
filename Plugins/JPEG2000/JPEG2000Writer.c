#include <stdlib.h>
#include <string.h>

#include "JPEG2000.h"

/** The width of a tile, and its height unless a row of tiles would take more than ROW_BYTES. */
#define TILE 512

/** A row of tiles, which is kept in memory, has at most this many bytes, unless its tiles have the minimum height. */
#define ROW_BYTES ((size_t)16 << 20)

#define LEAST_TILE 64

typedef struct {
  int32_t (*write)(const imghost_call *call, const void *bytes, size_t count);
  const imghost_call *call;
  bool is_unwanted;
  opj_codec_t *codec;
  opj_stream_t *stream;
  opj_image_t *image;
  imghost_picture format;
  /** A row of tiles with interleaved bands, and one tile with its bands one after the other. */
  uint8_t *rows;
  uint8_t *tile;
  size_t row_bytes;
  int32_t tile_rows;
  int32_t next_row;
  uint32_t next_tile;
  char error[200];
} jp2_writer;

static OPJ_SIZE_T write_bytes(void *buffer, OPJ_SIZE_T count, void *data) {
  jp2_writer *writer = data;
  if (writer->write(writer->call, buffer, count) == 0) return count;
  writer->is_unwanted = true;
  return (OPJ_SIZE_T)-1;
}

static int32_t fail(jp2_writer *writer) {
  if (writer->is_unwanted) return IMGHOST_CANCELLED;
  return jp2_fail(writer->call, "cannot be written%s%s%s", writer->error[0] ? " (openjpeg: " : "", writer->error,
      writer->error[0] ? ")" : "");
}

/** Maps qualities to signal-to-noise ratios in decibels. At each ratio, photographs are about as large as JPEGs of that
 * quality from imghost: the ratios are rounded medians of six photographs. From 90 on, those JPEGs have full chroma
 * resolution, hence the jump. Quality 96 gives 48 dB, the default of libvips; above 70 dB, files hardly grow. */
static const struct {
  double quality, psnr;
} ratios[] = {{1, 26}, {10, 30}, {25, 32}, {50, 34}, {75, 36.5}, {85, 38.5}, {90, 42}, {95, 46}, {96, 48}, {100, 70}};

/** Returns the ratio for a quality from 1 to 100, interpolated linearly in the table. */
static double ratio(double quality) {
  size_t i = 1;
  while (i < sizeof ratios / sizeof *ratios - 1 && quality > ratios[i].quality) i++;
  double part = (quality - ratios[i - 1].quality) / (ratios[i].quality - ratios[i - 1].quality);
  return ratios[i - 1].psnr + part * (ratios[i].psnr - ratios[i - 1].psnr);
}

/** Sets the profile of libvips' jp2ksave, which the British Library recommends: 64 by 64 code-blocks, precincts of 256,
 * ordered by resolution. */
static void set_parameters(opj_cparameters_t *parameters, const jp2_writer *writer, const imghost_value *values) {
  const imghost_picture *format = &writer->format;
  bool is_lossless = values[JP2_PARAMETER_LOSSLESS].numbers[0] != 0;
  int32_t side = format->width < format->height ? format->width : format->height;
  opj_set_default_encoder_parameters(parameters);
  // Resolutions are added until the shorter side has fewer than 128 pixels at the lowest one; at most seven are used.
  parameters->numresolution = 1;
  while (parameters->numresolution < 7 && side >> (parameters->numresolution + 6) > 0) parameters->numresolution++;
  parameters->tile_size_on = OPJ_TRUE;
  parameters->cp_tdx = TILE;
  parameters->cp_tdy = writer->tile_rows;
  parameters->tcp_mct = format->bands > 2;
  parameters->irreversible = !is_lossless;
  parameters->prog_order = OPJ_RPCL;
  parameters->cblockw_init = parameters->cblockh_init = 64;
  parameters->csty = 1;
  parameters->res_spec = parameters->numresolution;
  for (int i = 0; i < parameters->res_spec; i++) parameters->prcw_init[i] = parameters->prch_init[i] = 256;
  parameters->tcp_numlayers = 1;
  if (is_lossless) {
    parameters->cp_disto_alloc = 1;
    parameters->tcp_rates[0] = 0;
  } else {
    parameters->cp_fixed_quality = 1;
    double psnr = values[JP2_PARAMETER_PSNR].numbers[0];
    parameters->tcp_distoratio[0] = (float)(psnr > 0 ? psnr : ratio(values[JP2_PARAMETER_QUALITY].numbers[0]));
  }
}

static bool start(jp2_writer *writer, const imghost_value *values) {
  const imghost_picture *format = &writer->format;
  opj_image_cmptparm_t components[4] = {0};
  opj_cparameters_t parameters;
  set_parameters(&parameters, writer, values);
  for (uint32_t i = 0; i < format->bands; i++) {
    components[i].dx = components[i].dy = 1;
    components[i].w = (OPJ_UINT32)format->width;
    components[i].h = (OPJ_UINT32)format->height;
    components[i].prec = format->sample * 8;
  }
  OPJ_COLOR_SPACE space = format->bands > 2 ? OPJ_CLRSPC_SRGB : OPJ_CLRSPC_GRAY;
  writer->image = opj_image_tile_create(format->bands, components, space);
  writer->codec = opj_create_compress(OPJ_CODEC_J2K);
  writer->stream = opj_stream_create(64 << 10, OPJ_STREAM_WRITE);
  if (writer->image == NULL || writer->codec == NULL || writer->stream == NULL) return false;
  writer->image->x1 = (OPJ_UINT32)format->width;
  writer->image->y1 = (OPJ_UINT32)format->height;
  opj_set_info_handler(writer->codec, jp2_ignore_message, NULL);
  opj_set_warning_handler(writer->codec, jp2_ignore_message, NULL);
  opj_set_error_handler(writer->codec, jp2_keep_message, writer->error);
  opj_stream_set_user_data(writer->stream, writer, NULL);
  opj_stream_set_write_function(writer->stream, write_bytes);
  return opj_setup_encoder(writer->codec, &parameters, writer->image) && opj_codec_set_threads(writer->codec, 0)
         && opj_start_compress(writer->codec, writer->image, writer->stream);
}

void *jp2_begin(const imghost_writing *writing) {
  const imghost_picture *format = writing->format;
  jp2_writer *writer = calloc(1, sizeof *writer);
  if (writer == NULL) {
    jp2_fail(writing->call, "takes more memory than there is");
    return NULL;
  }
  writer->write = writing->write;
  writer->call = writing->call;
  writer->format = *format;
  writer->row_bytes = (size_t)format->width * format->bands * format->sample;
  writer->tile_rows = TILE;
  while (writer->tile_rows > LEAST_TILE && writer->row_bytes * (size_t)writer->tile_rows > ROW_BYTES) {
    writer->tile_rows /= 2;
  }
  uint64_t across = ((uint64_t)format->width + TILE - 1) / TILE;
  uint64_t down = ((uint64_t)format->height + (uint64_t)writer->tile_rows - 1) / (uint64_t)writer->tile_rows;
  int32_t rows = format->height < writer->tile_rows ? format->height : writer->tile_rows;
  int32_t columns = format->width < TILE ? format->width : TILE;
  writer->rows = malloc(writer->row_bytes * (size_t)rows);
  writer->tile = malloc((size_t)rows * (size_t)columns * format->bands * format->sample);
  if (across * down > 65535) {
    jp2_fail(writing->call, "would have more than 65535 tiles of %d by %d pixels", TILE, writer->tile_rows);
  } else if (writer->rows == NULL || writer->tile == NULL) {
    jp2_fail(writing->call, "takes more memory than there is");
  } else if (jp2_write_boxes(writing)) {
    if (start(writer, writing->values)) return writer;
    fail(writer);
  }
  jp2_abandon(writer);
  return NULL;
}

/** Writes the row of tiles that is in memory. */
static bool write_tiles(jp2_writer *writer, int32_t rows) {
  uint32_t bands = writer->format.bands, sample = writer->format.sample;
  for (int32_t left = 0; left < writer->format.width; left += TILE) {
    if (jp2_host->is_cancelled(writer->call)) {
      writer->is_unwanted = true;
      return false;
    }
    int32_t columns = writer->format.width - left < TILE ? writer->format.width - left : TILE;
    uint8_t *bytes = writer->tile;
    uint16_t *words = (uint16_t *)(void *)writer->tile;
    for (uint32_t band = 0; band < bands; band++) {
      for (int32_t y = 0; y < rows; y++) {
        const uint8_t *row = writer->rows + (size_t)y * writer->row_bytes + (size_t)left * bands * sample;
        const uint16_t *from = (const uint16_t *)(const void *)row + band;
        for (int32_t x = 0; x < columns && sample == 1; x++) *bytes++ = row[(size_t)x * bands + band];
        for (int32_t x = 0; x < columns && sample == 2; x++) *words++ = from[(size_t)x * bands];
      }
    }
    OPJ_UINT32 size = (OPJ_UINT32)columns * (OPJ_UINT32)rows * bands * sample;
    if (!opj_write_tile(writer->codec, writer->next_tile++, writer->tile, size, writer->stream)) return false;
  }
  return true;
}

int32_t jp2_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows) {
  jp2_writer *writer = encoder;
  writer->call = call;
  for (int32_t y = 0; y < rows->valid.height; y++) {
    int32_t place = writer->next_row++ % writer->tile_rows;
    memcpy(writer->rows + (size_t)place * writer->row_bytes, (const uint8_t *)rows->pixels + y * rows->stride,
        writer->row_bytes);
    bool is_full = place == writer->tile_rows - 1 || writer->next_row == writer->format.height;
    if (is_full && !write_tiles(writer, place + 1)) return fail(writer);
  }
  return IMGHOST_OK;
}

int32_t jp2_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next) {
  (void)encoder, (void)delay;
  return next == NULL ? IMGHOST_OK : jp2_fail(call, "holds one page");
}

int32_t jp2_finish(void *encoder, const imghost_call *call) {
  jp2_writer *writer = encoder;
  writer->call = call;
  return opj_end_compress(writer->codec, writer->stream) && !writer->is_unwanted ? IMGHOST_OK : fail(writer);
}

void jp2_abandon(void *encoder) {
  jp2_writer *writer = encoder;
  if (writer->stream != NULL) opj_stream_destroy(writer->stream);
  if (writer->codec != NULL) opj_destroy_codec(writer->codec);
  if (writer->image != NULL) opj_image_destroy(writer->image);
  free(writer->rows);
  free(writer->tile);
  free(writer);
}
