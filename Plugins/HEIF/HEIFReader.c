// Reads HEIF: libheif decodes a picture, applies `irot`, `imir` and `clap`, and converts it to one plane of interleaved
// RGB. The requested rows are copied from that plane.
#define _GNU_SOURCE  // for RTLD_DEFAULT
#include "HEIF.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_facts = 4, most_pages = 1000, most_items = 16384 };

typedef struct reader {
  imghost_bytes file;
  struct heif_context *context;
  /// The file's pictures, the primary one first.
  heif_item_id *pages;
  uint32_t page_count, page;
  struct heif_image_handle *handle;
  int32_t width, height;
  uint32_t bands, sample, bits;
  struct heif_image *pixels;
  int is_damage_accepted;
  uint8_t *icc, *exif, *xmp;
  imghost_fact facts[most_facts];
  char colour[48];
} reader;

static void leave_pixels(reader *self) {
  if (self->pixels) heif_image_release(self->pixels);
  self->pixels = NULL;
}

static void leave_page(reader *self) {
  leave_pixels(self);
  if (self->handle) heif_image_handle_release(self->handle);
  free(self->icc);
  free(self->exif);
  free(self->xmp);
  self->handle = NULL;
  self->icc = self->exif = self->xmp = NULL;
}

static int32_t list_pages(reader *self, const imghost_call *call) {
  heif_item_id primary;
  struct heif_error error = heif_context_get_primary_image_ID(self->context, &primary);
  if (error.code != heif_error_Ok) return heif_fail_with(call, error);
  int count = heif_context_get_number_of_top_level_images(self->context);
  if (count < 1) return heif_fail(call, "has no picture");
  if (count > most_pages) return heif_fail(call, "has more than %d pictures", most_pages);
  heif_item_id *all = calloc((size_t)count, sizeof *all);
  self->pages = calloc((size_t)count, sizeof *self->pages);
  if (!all || !self->pages) {
    free(all);
    return heif_fail(call, "needs more memory than there is");
  }
  count = heif_context_get_list_of_top_level_image_IDs(self->context, all, count);
  // A file may declare a thumbnail as its primary picture. Thumbnails are not in this list.
  for (int i = 0; i < count && self->page_count == 0; i++) {
    if (all[i] == primary) self->pages[self->page_count++] = primary;
  }
  for (int i = 0; i < count; i++) {
    if (all[i] != primary) self->pages[self->page_count++] = all[i];
  }
  free(all);
  return IMGHOST_OK;
}

// Copies the first metadata block of a type. `content` is the content type of a `mime` block; NULL for other types.
static imghost_bytes copy_block(
    const struct heif_image_handle *handle, const char *type, const char *content, uint8_t **copy) {
  heif_item_id ids[16];
  int count = heif_image_handle_get_list_of_metadata_block_IDs(handle, type, ids, 16);
  for (int i = 0; i < count; i++) {
    const char *found = heif_image_handle_get_metadata_content_type(handle, ids[i]);
    if (content && (!found || strcmp(found, content) != 0)) continue;
    size_t size = heif_image_handle_get_metadata_size(handle, ids[i]);
    if (size == 0 || !(*copy = malloc(size))) continue;
    if (heif_image_handle_get_metadata(handle, ids[i], *copy).code == heif_error_Ok) {
      return (imghost_bytes){*copy, size};
    }
    free(*copy);
    *copy = NULL;
  }
  return (imghost_bytes){0};
}

// Returns EXIF data without the bytes before its TIFF header, which are an offset and possibly "Exif\0\0"; empty if no
// such header is found.
static imghost_bytes find_tiff(imghost_bytes block) {
  for (size_t at = 0; at + 8 <= block.count && at <= 64; at++) {
    if (memcmp(block.bytes + at, "II*\0", 4) == 0 || memcmp(block.bytes + at, "MM\0*", 4) == 0) {
      return (imghost_bytes){block.bytes + at, block.count - at};
    }
  }
  return (imghost_bytes){0};
}

static void copy_metadata(reader *self, imghost_metadata *metadata) {
  metadata->orientation = 1;
  metadata->exif = find_tiff(copy_block(self->handle, "Exif", NULL, &self->exif));
  metadata->xmp = copy_block(self->handle, "mime", "application/rdf+xml", &self->xmp);
  size_t size = heif_image_handle_get_raw_color_profile_size(self->handle);
  if (size > 0 && (self->icc = malloc(size))) {
    struct heif_error error = heif_image_handle_get_raw_color_profile(self->handle, self->icc);
    if (error.code == heif_error_Ok) metadata->icc = (imghost_bytes){self->icc, size};
  }
}

// Returns the kind of gain map among the auxiliary pictures; NULL if there is none.
static const char *gain_map_of(const reader *self) {
  heif_item_id ids[16];
  const char *kind = NULL;
  int count = heif_image_handle_get_list_of_auxiliary_image_IDs(
      self->handle, LIBHEIF_AUX_IMAGE_FILTER_OMIT_ALPHA | LIBHEIF_AUX_IMAGE_FILTER_OMIT_DEPTH, ids, 16);
  for (int i = 0; i < count && !kind; i++) {
    struct heif_image_handle *auxiliary = NULL;
    const char *type = NULL;
    if (heif_image_handle_get_auxiliary_image_handle(self->handle, ids[i], &auxiliary).code != heif_error_Ok) continue;
    if (heif_image_handle_get_auxiliary_type(auxiliary, &type).code == heif_error_Ok && type) {
      if (strcmp(type, "urn:com:apple:photo:2020:aux:hdrgainmap") == 0) kind = "Apple";
      heif_image_handle_free_auxiliary_types(auxiliary, &type);
    }
    heif_image_handle_release(auxiliary);
  }
  return kind;
}

static void describe_facts(reader *self, imghost_image *image) {
  uint32_t count = 0;
  self->facts[count++] = (imghost_fact){"bits", NULL, self->bits};
  if (heif_image_handle_has_depth_image(self->handle)) self->facts[count++] = (imghost_fact){"depth_map", "yes", 0};
  const char *gain_map = gain_map_of(self);
  if (gain_map) self->facts[count++] = (imghost_fact){"gain_map", gain_map, 0};
  struct heif_color_profile_nclx *nclx = NULL;
  if (heif_image_handle_get_nclx_color_profile(self->handle, &nclx).code == heif_error_Ok && nclx) {
    int primaries = nclx->color_primaries, transfer = nclx->transfer_characteristics;
    if (image->struct_size >= sizeof *image) {
      image->colour_primaries = (uint32_t)primaries;
      image->transfer_characteristics = (uint32_t)transfer;
    }
    // ITU-T H.273: 1 and 13 are sRGB, 2 is unspecified, 16 and 18 are PQ and HLG.
    int is_srgb = (primaries == 1 || primaries == 2) && (transfer == 13 || transfer == 2);
    if (transfer == 16 || transfer == 18 || (image->metadata.icc.count == 0 && !is_srgb)) {
      snprintf(self->colour, sizeof self->colour, "primaries %d, transfer %d, matrix %d", primaries, transfer,
          (int)nclx->matrix_coefficients);
      self->facts[count++] = (imghost_fact){"cicp", self->colour, 0};
    }
    heif_nclx_color_profile_free(nclx);
  }
  image->facts = self->facts;
  image->fact_count = count;
}

static void describe(reader *self, imghost_image *image) {
  image->flags = IMGHOST_IMAGE_STREAMED;
  image->page_count = self->page_count;
  image->sample = self->sample;
  image->bands = self->bands;
  image->width = self->width;
  image->height = self->height;
  // The memory of the decoder's planes, of libheif's copy, and of the RGB rows; measured with libheif 1.15.
  uint64_t pixels = (uint64_t)self->width * (uint64_t)self->height;
  image->working_bytes = pixels * (self->bands + (self->bands == 4 ? 4u : 3u)) * self->sample + (24u << 20);
  copy_metadata(self, &image->metadata);
  describe_facts(self, image);
}

// The first fields of `heif_security_limits`, which libheif has had since 1.19.
typedef struct security_limits {
  uint8_t version;
  uint64_t image_pixels, tiles;
  uint32_t pattern_pixels, items, profile_bytes;
  uint64_t block_bytes;
} security_limits;

// Raises limits that are too low for phones with 200 megapixels, where the RGB rows of one picture take 600 MB, and a
// picture and its gain map have 1,536 tiles. The host limits memory and time.
static void raise_limits(struct heif_context *context) {
  security_limits *(*limits_of)(const struct heif_context *);
  *(void **)&limits_of = dlsym(RTLD_DEFAULT, "heif_context_get_security_limits");
  security_limits *limits = limits_of ? limits_of(context) : NULL;
  if (!limits || limits->version < 1) return;
  if (limits->block_bytes < UINT64_C(4) << 30) limits->block_bytes = UINT64_C(4) << 30;
  if (limits->items < most_items) limits->items = most_items;
}

int32_t heif_codec_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  reader *self = calloc(1, sizeof *self);
  if (!self) return heif_fail(call, "needs more memory than there is");
  self->file = file->content;
  self->context = heif_context_alloc();
  int32_t code = IMGHOST_OK;
  if (!self->context) code = heif_fail(call, "needs more memory than there is");
  if (code == IMGHOST_OK) {
    heif_context_set_max_decoding_threads(self->context, 0);
    heif_context_set_maximum_image_size_limit(self->context, 32768);
    raise_limits(self->context);
    struct heif_error error =
        heif_context_read_from_memory_without_copy(self->context, file->content.bytes, file->content.count, NULL);
    code = error.code == heif_error_Ok ? list_pages(self, call) : heif_fail_with(call, error);
  }
  if (code == IMGHOST_OK) code = heif_codec_turn(self, call, page, image);
  if (code != IMGHOST_OK) {
    heif_codec_close(self);
    return code;
  }
  *instance = self;
  return IMGHOST_OK;
}

int32_t heif_codec_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  reader *self = instance;
  leave_page(self);
  if (page >= self->page_count) {
    return heif_fail(call, "has %u picture%s", self->page_count, self->page_count == 1 ? "" : "s");
  }
  self->page = page;
  struct heif_error error = heif_context_get_image_handle(self->context, self->pages[page], &self->handle);
  if (error.code != heif_error_Ok) return heif_fail_with(call, error);
  int bits = heif_image_handle_get_luma_bits_per_pixel(self->handle);
  int chroma_bits = heif_image_handle_get_chroma_bits_per_pixel(self->handle);
  self->width = heif_image_handle_get_width(self->handle);
  self->height = heif_image_handle_get_height(self->handle);
  if (self->width < 1 || self->height < 1) return heif_fail(call, "has a picture without pixels");
  if (bits < 8 || bits > 16 || chroma_bits > 16) {
    return heif_fail(call, "has samples of a kind that imghost does not read");
  }
  self->bits = (uint32_t)bits;
  self->sample = bits > 8 || chroma_bits > 8 ? IMGHOST_SAMPLE_U16 : IMGHOST_SAMPLE_U8;
  self->bands = heif_image_handle_has_alpha_channel(self->handle) ? 4 : 3;
  describe(self, image);
  return IMGHOST_OK;
}

static enum heif_chroma layout_of(const reader *self) {
  if (self->sample == IMGHOST_SAMPLE_U8) {
    return self->bands == 4 ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB;
  }
  return self->bands == 4 ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE;
}

// Decodes the current page. An embedded thumbnail is never used, because it may show an earlier version of the picture.
static struct heif_error decode_anew(reader *self) {
  struct heif_decoding_options *options = heif_decoding_options_alloc();
  if (options) options->strict_decoding = !self->is_damage_accepted;
  heif_decoder_begin(self->file, self->is_damage_accepted);
  struct heif_error error =
      heif_decode_image(self->handle, &self->pixels, heif_colorspace_RGB, layout_of(self), options);
  if (options) heif_decoding_options_free(options);
  if (error.code != heif_error_Ok) self->pixels = NULL;
  return error;
}

static int32_t decode(reader *self, const imghost_read *request) {
  const imghost_call *call = request->call;
  int accepts_damage = (request->flags & IMGHOST_READ_DAMAGED) != 0;
  if (self->pixels && self->is_damage_accepted == accepts_damage) return IMGHOST_OK;
  leave_pixels(self);
  self->is_damage_accepted = accepts_damage;
  int is_covered = heif_tiles_cover(self->file, self->pages[self->page]);
  if (!is_covered && !accepts_damage) return heif_fail(call, "has tiles that do not make up its picture");
  struct heif_error error = decode_anew(self);
  if (error.code != heif_error_Ok) return heif_fail_with(call, error);
  const char *damage = heif_decoder_damage();
  if (!is_covered) damage = "its tiles do not make up the picture";
  if (damage) {
    char warning[512];
    snprintf(warning, sizeof warning, "has damaged pixels: %s", damage);
    heif_host->log(call, IMGHOST_LOG_WARNING, warning);
  }
  if (heif_image_get_width(self->pixels, heif_channel_interleaved) != self->width
      || heif_image_get_height(self->pixels, heif_channel_interleaved) != self->height) {
    leave_pixels(self);
    return heif_fail(call, "has pixels of another size than its header says");
  }
  return IMGHOST_OK;
}

// Scales full-range samples of 9 to 15 bits to 16 bits.
static void widen(uint16_t *samples, size_t count, uint32_t bits) {
  uint32_t most = (1u << bits) - 1;
  for (size_t i = 0; i < count; i++) {
    uint32_t value = samples[i] > most ? most : samples[i];
    samples[i] = (uint16_t)(((uint64_t)value * 65535 + most / 2) / most);
  }
}

// Divides premultiplied colours by alpha.
static void divide_by_alpha(uint8_t *row, size_t width, uint32_t sample) {
  for (size_t i = 0; i < 4 * width; i++) {
    size_t last = i | 3;
    if (i == last) continue;
    if (sample == IMGHOST_SAMPLE_U8) {
      uint32_t alpha = row[last], value = alpha ? (row[i] * 255u + alpha / 2) / alpha : 0;
      row[i] = (uint8_t)(value > 255 ? 255 : value);
    } else {
      uint16_t *wide = (uint16_t *)row;
      uint64_t alpha = wide[last], value = alpha ? (wide[i] * (uint64_t)65535 + alpha / 2) / alpha : 0;
      wide[i] = (uint16_t)(value > 65535 ? 65535 : value);
    }
  }
}

int32_t heif_codec_read(void *instance, const imghost_read *request) {
  reader *self = instance;
  const imghost_picture *output = request->output;
  const imghost_region valid = output->valid;
  size_t pixel = (size_t)self->bands * self->sample, width = (size_t)valid.width;
  int32_t code = decode(self, request);
  if (heif_host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
  if (code != IMGHOST_OK && !(request->flags & IMGHOST_READ_DAMAGED)) return code;
  int stride = 0;
  const uint8_t *plane =
      code == IMGHOST_OK ? heif_image_get_plane_readonly(self->pixels, heif_channel_interleaved, &stride) : NULL;
  if (code == IMGHOST_OK && !plane) return heif_fail(request->call, "has no pixels");
  int bits = plane ? heif_image_get_bits_per_pixel_range(self->pixels, heif_channel_interleaved) : 8;
  int is_multiplied = plane && self->bands == 4 && heif_image_is_premultiplied_alpha(self->pixels);
  for (int32_t y = 0; y < valid.height; y++) {
    uint8_t *row = (uint8_t *)output->writable + y * output->stride;
    if (!plane) {
      memset(row, 0, width * pixel);
      continue;
    }
    memcpy(row, plane + (size_t)(valid.top + y) * (size_t)stride + (size_t)valid.left * pixel, width * pixel);
    if (self->sample == IMGHOST_SAMPLE_U16 && bits < 16) widen((uint16_t *)row, width * self->bands, (uint32_t)bits);
    if (is_multiplied) divide_by_alpha(row, width, self->sample);
  }
  return IMGHOST_OK;
}

void heif_codec_close(void *instance) {
  reader *self = instance;
  leave_page(self);
  if (self->context) heif_context_free(self->context);
  free(self->pages);
  free(self);
}
