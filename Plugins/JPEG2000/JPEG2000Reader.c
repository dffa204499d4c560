#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "JPEG2000.h"

/** The minimum number of rows that are decoded together. */
#define BAND_ROWS 256u

void jp2_keep_message(const char *message, void *text) {
  char *to = text;
  if (to[0]) return;
  snprintf(to, 200, "%s", message);
  for (char *c = to; *c; c++) {
    if (!isprint((unsigned char)*c)) *c = *c == '\n' ? 0 : '?';
  }
  size_t length = strlen(to);
  while (length > 0 && strchr(".! ", to[length - 1])) to[--length] = 0;
}

void jp2_ignore_message(const char *message, void *text) { (void)message, (void)text; }

static bool choose_bands(jp2_reader *reader, const imghost_call *call) {
  jp2_header *header = &reader->header;
  uint32_t channels = header->palette_channels ? header->palette_channels : header->component_count, bits = 0;
  for (uint32_t i = 0; i < channels; i++) {
    uint32_t own = header->palette_channels ? header->palette_bits[i] : header->components[i].bits;
    if (own > bits) bits = own;
  }
  // ICC.1:2022, 7.2.6: the colour space is at byte 16.
  bool has_cmyk_profile = header->icc.count >= 20 && memcmp(header->icc.bytes + 16, "CMYK", 4) == 0;
  reader->cmyk = (header->colour_space == 12 || has_cmyk_profile) && channels >= 4;
  if (header->has_definitions) {
    reader->has_alpha = header->alpha_channels > 0;
    uint32_t others = header->alpha_channels + header->other_channels;
    reader->colours = channels > others ? channels - others : 0;
  } else {
    reader->colours = reader->cmyk ? 4 : channels < 3 ? 1 : 3;
    reader->has_alpha = channels > reader->colours;
  }
  bool known = reader->colours == 1 || reader->colours == 3 || (reader->cmyk && reader->colours == 4);
  if (!known || channels > 5 || (!header->has_definitions && channels > reader->colours + 1)) {
    jp2_fail(call, "has %u bands, which imghost does not read", channels);
    return false;
  }
  if (bits > 16) {
    jp2_fail(call, "has samples of %u bits, which imghost does not read", bits);
    return false;
  }
  bool subsampled = false;
  for (uint32_t i = 0; i < header->component_count; i++) {
    const jp2_component *c = &header->components[i];
    subsampled = subsampled || c->dx > 1 || c->dy > 1;
    if (c->dx > 4 || c->dy > 4 || (i == 0 && (c->dx > 1 || c->dy > 1))
        || (subsampled && (header->palette_channels || !header->at_origin))) {
      jp2_fail(call, "has components subsampled in a way that imghost does not read");
      return false;
    }
  }
  reader->ycc = reader->colours == 3 && (header->colour_space == 18 || (subsampled && header->colour_space != 16));
  reader->sample = bits > 8 ? IMGHOST_SAMPLE_U16 : IMGHOST_SAMPLE_U8;
  reader->bands = reader->colours + reader->has_alpha;
  return true;
}

/** Returns whether the low-pass bands of the wavelet can be used as the picture at a smaller size. They cannot be used
 * for palettes, because averages of indices are other colours; for straight alpha, because invisible colours would be
 * mixed in; for samples of 1 to 7 bits, because these are rounded too coarsely; for subsampled components, because
 * these are shifted further at each level; or if the image or its tiles do not begin at the origin. */
static bool can_reduce(const jp2_reader *reader) {
  const jp2_header *header = &reader->header;
  if (!header->at_origin || header->palette_channels || (reader->has_alpha && !header->premultiplied)) return false;
  for (uint32_t i = 0; i < header->component_count; i++) {
    const jp2_component *c = &header->components[i];
    if (c->bits < 8 || c->dx > 1 || c->dy > 1) return false;
  }
  return true;
}

static void describe_facts(jp2_reader *reader, imghost_image *image) {
  const jp2_header *header = &reader->header;
  imghost_fact *facts = reader->facts;
  uint32_t n = 0;
  facts[n++] = (imghost_fact){"bits", NULL, header->components[0].bits};
  facts[n++] = (imghost_fact){"components", NULL, header->component_count};
  facts[n++] = (imghost_fact){"codestream", NULL, !header->boxed};
  facts[n++] = (imghost_fact){"transparency", NULL, reader->has_alpha};
  facts[n++] = (imghost_fact){"wavelet", header->reversible ? "reversible" : "irreversible", 0};
  facts[n++] = (imghost_fact){"levels", NULL, header->levels};
  if (header->tile_width < header->width || header->tile_height < header->height) {
    snprintf(reader->tiles, sizeof reader->tiles, "%ux%u", header->tile_width, header->tile_height);
    facts[n++] = (imghost_fact){"tiles", reader->tiles, 0};
  }
  if (header->palette_channels) facts[n++] = (imghost_fact){"palette", "true", 0};
  image->facts = facts;
  image->fact_count = n;
}

int32_t jp2_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  jp2_reader *reader = instance;
  const jp2_header *header = &reader->header;
  if (page > 0) return jp2_fail(call, "has 1 page, not %u", page + 1);
  image->flags = IMGHOST_IMAGE_STREAMED | IMGHOST_IMAGE_REGIONS | IMGHOST_IMAGE_COSITED_SHRINKS;
  if (header->reversible) image->flags |= IMGHOST_IMAGE_LOSSLESS;
  if (reader->colours == 4) image->flags |= IMGHOST_IMAGE_CMYK;
  image->page_count = 1;
  image->sample = reader->sample;
  image->bands = reader->bands;
  image->width = (int32_t)header->width;
  image->height = (int32_t)header->height;
  for (uint32_t i = 1; i <= header->levels && i <= 16 && can_reduce(reader); i++) {
    image->shrinks[image->shrink_count++] = 1u << i;
  }
  // The library stores each sample of the `band_rows` rows in 4 bytes, and has a second copy of the samples of the tile
  // that it is decoding.
  uint64_t band = (uint64_t)header->width * reader->band_rows * header->component_count * 4;
  uint64_t tile_columns = header->tile_width < header->width ? header->tile_width : header->width;
  uint64_t tile_rows = header->tile_height < header->height ? header->tile_height : header->height;
  image->working_bytes = band + tile_columns * tile_rows * header->component_count * 5 + (2 << 20);
  image->metadata.orientation = 0;
  image->metadata.resolution_x = header->resolution_x;
  image->metadata.resolution_y = header->resolution_y;
  image->metadata.icc = header->icc;
  image->metadata.xmp = header->xmp;
  image->metadata.iptc = header->iptc;
  image->metadata.exif = header->exif;
  uint32_t space = header->colour_space;
  if (space >= 16 && space <= 18 && image->struct_size >= sizeof *image) {
    // sRGB, and its gray and YCC variants.
    image->colour_primaries = 1;
    image->transfer_characteristics = 13;
  }
  describe_facts(reader, image);
  return IMGHOST_OK;
}

static void drop_image(jp2_reader *reader) {
  if (reader->image != NULL) opj_image_destroy(reader->image);
  reader->image = NULL;
}

void jp2_close(void *instance) {
  drop_image(instance);
  free(instance);
}

int32_t jp2_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  jp2_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return jp2_fail(call, "takes more memory than there is");
  reader->file = file->content;
  jp2_header *header = &reader->header;
  if (!jp2_header_read(header, file->content, call) || !choose_bands(reader, call)) {
    jp2_close(reader);
    return IMGHOST_FAILED;
  }
  uint64_t rows = header->tile_height;
  if (rows < BAND_ROWS) rows *= (BAND_ROWS + rows - 1) / rows;
  reader->band_rows = header->at_origin && rows < header->height ? (uint32_t)rows : header->height;
  if (jp2_turn(reader, call, page, image) != IMGHOST_OK) {
    jp2_close(reader);
    return IMGHOST_FAILED;
  }
  *instance = reader;
  return IMGHOST_OK;
}

/** Makes the library decode `reader->area`. */
static bool decode(jp2_reader *reader, opj_codec_t *codec, opj_stream_t *stream) {
  opj_dparameters_t parameters;
  uint32_t shrink = reader->shrink;
  const jp2_header *header = &reader->header;
  const imghost_region *area = &reader->area;
  opj_set_default_decoder_parameters(&parameters);
  for (uint32_t s = shrink; s > 1; s /= 2) parameters.cp_reduce++;
  opj_set_info_handler(codec, jp2_ignore_message, NULL);
  opj_set_warning_handler(codec, jp2_ignore_message, NULL);
  opj_set_error_handler(codec, jp2_keep_message, reader->error);
  // Without strict mode, OpenJPEG 2.5.0 reads beyond its buffers, especially at reduced sizes (see README.md).
  if (!opj_setup_decoder(codec, &parameters) || !opj_decoder_set_strict_mode(codec, OPJ_TRUE)
      || !opj_read_header(stream, codec, &reader->image)) {
    return false;
  }
  if (header->at_origin) {
    uint64_t right = ((uint64_t)area->left + (uint64_t)area->width) * shrink;
    uint64_t bottom = ((uint64_t)area->top + (uint64_t)area->height) * shrink;
    if (right > header->width) right = header->width;
    if (bottom > header->height) bottom = header->height;
    if (!opj_set_decode_area(codec, reader->image, (OPJ_INT32)((uint32_t)area->left * shrink),
            (OPJ_INT32)((uint32_t)area->top * shrink), (OPJ_INT32)right, (OPJ_INT32)bottom)) {
      return false;
    }
  }
  return opj_decode(codec, stream, reader->image);
}

/** Decodes the requested part of the block of `band_rows` rows that contains `row`. If nothing can be decoded and
 * damage is accepted, `reader->image` is NULL. */
static bool load(jp2_reader *reader, uint32_t row, const imghost_read *request) {
  const jp2_header *header = &reader->header;
  const imghost_region *region = &request->region;
  uint32_t shrink = request->shrink, band = (uint32_t)((uint64_t)row * shrink / reader->band_rows);
  uint64_t from = ((uint64_t)band * reader->band_rows + shrink - 1) / shrink;
  uint64_t to = (((uint64_t)band + 1) * reader->band_rows + shrink - 1) / shrink;
  uint64_t top = (uint64_t)region->top, bottom = top + (uint64_t)region->height;
  if (from < top) from = top;
  if (to > bottom) to = bottom;
  // Components may be subsampled by 2, 3 or 4. At multiples of 12, each of them begins with a whole sample.
  uint32_t step = reader->ycc ? 12 : 1, left = (uint32_t)region->left / step * step;
  from = from / step * step;
  drop_image(reader);
  reader->error[0] = 0;
  reader->shrink = shrink;
  reader->area = (imghost_region){
      (int32_t)left, (int32_t)from, region->left + region->width - (int32_t)left, (int32_t)(to - from)};
  if (!header->at_origin) reader->area = (imghost_region){0, 0, (int32_t)header->width, (int32_t)header->height};
  uint64_t start = header->boxed && header->start > 0 ? 0 : header->start;
  bool damaged = request->flags & IMGHOST_READ_DAMAGED;
  jp2_source source = {reader->file.bytes + start, reader->file.count - start, 0, 0};
  if (damaged) jp2_source_complete(&source, header, reader->file);
  opj_codec_t *codec = opj_create_decompress(header->boxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K);
  opj_stream_t *stream = jp2_source_stream(&source);
  bool good = codec != NULL && stream != NULL && decode(reader, codec, stream);
  if (stream != NULL) opj_stream_destroy(stream);
  if (codec != NULL) opj_destroy_codec(codec);
  if (good && jp2_check_components(reader)) return true;
  drop_image(reader);
  if (damaged) return true;
  if (good) {
    jp2_fail(request->call, "has other components than its header says");
  } else if (strstr(reader->error, "nconsistent with stream length") || strstr(reader->error, "truncated")) {
    jp2_fail(request->call, "ends in the middle of its pixels");
  } else {
    jp2_fail(request->call, "has damaged pixels%s%s%s", reader->error[0] ? " (openjpeg: " : "", reader->error,
        reader->error[0] ? ")" : "");
  }
  return false;
}

int32_t jp2_read(void *instance, const imghost_read *request) {
  jp2_reader *reader = instance;
  const imghost_picture *output = request->output;
  const imghost_region *valid = &output->valid;
  if (valid->top == request->region.top) drop_image(reader), reader->area.height = 0;
  for (int32_t y = 0; y < valid->height; y++) {
    int32_t row = valid->top + y;
    uint8_t *to = (uint8_t *)output->writable + y * output->stride;
    bool loaded = reader->area.height > 0 && row >= reader->area.top && row < reader->area.top + reader->area.height;
    if (!loaded) {
      if (jp2_host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
      if (!load(reader, (uint32_t)row, request)) return IMGHOST_FAILED;
    }
    if (reader->image != NULL) {
      jp2_convert_row(reader, (uint32_t)row, valid, to);
    } else {
      memset(to, 0, (size_t)valid->width * reader->bands * reader->sample);
    }
  }
  return IMGHOST_OK;
}
