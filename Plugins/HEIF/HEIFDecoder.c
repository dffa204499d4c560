// Decodes HEVC for libheif, and replaces libheif's own binding to libde265, which does not report damage: libde265
// leaves blocks undecoded if a slice ends early, and libheif ignores the warnings of libde265. See ITU-T H.265, and
// libheif's heif_plugin.h.
#include <libde265/de265.h>
#include <libheif/heif_plugin.h>
#include <stdlib.h>
#include <string.h>

#include "HEIF.h"

/// The priority is above that of libheif's own decoders, which is 100.
enum { priority = 200, alignment = 64, padding = 64 };

/// A plane of a picture with all coded samples, before it is cropped to the conformance window.
typedef struct plane {
  uint8_t *samples;
  int width, height, stride, sample_bytes;
  uint32_t most;
} plane;

/// The file whose picture this thread decodes. With `--in-process`, several threads decode at once. libheif decodes a
/// picture entirely on the thread that calls it, because the reader does not let it start threads.
static _Thread_local imghost_bytes file;
static _Thread_local int accepts_damage;
static _Thread_local const char *damage;

void heif_decoder_begin(imghost_bytes content, int is_damage_accepted) {
  file = content;
  accepts_damage = is_damage_accepted;
  damage = NULL;
}

const char *heif_decoder_damage(void) { return damage; }

// MARK: Planes

// Returns 64 bits of noise with the mixer of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t noise(uint64_t index) {
  uint64_t z = (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  return z ^ (z >> 31);
}

static uint64_t word_at(const plane *self, int x, int y) {
  return noise((uint64_t)y * (uint64_t)self->stride + (uint64_t)(x * self->sample_bytes / 8));
}

// Fills a luma plane with noise. A block that still contains the noise afterwards was not decoded.
static void fill_with_noise(const plane *self) {
  uint64_t mask = self->sample_bytes == 1 ? ~UINT64_C(0) : self->most * UINT64_C(0x0001000100010001);
  int step = 8 / self->sample_bytes;
  for (int y = 0; y < self->height; y++) {
    uint8_t *row = self->samples + (size_t)y * (size_t)self->stride * (size_t)self->sample_bytes;
    for (int x = 0; x < self->stride; x += step) {
      uint64_t word = word_at(self, x, y) & mask;
      memcpy(row + x * self->sample_bytes, &word, 8);
    }
  }
}

static void fill_with_value(const plane *self, uint32_t value) {
  size_t count = (size_t)self->stride * (size_t)self->height;
  if (self->sample_bytes == 1) {
    memset(self->samples, (int)value, count);
  } else {
    for (size_t i = 0; i < count; i++) ((uint16_t *)self->samples)[i] = (uint16_t)value;
  }
}

static int is_untouched(const plane *self, int x, int y) {
  uint64_t word = word_at(self, x, y);
  size_t place = ((size_t)y * (size_t)self->stride + (size_t)x) * (size_t)self->sample_bytes;
  if (self->sample_bytes == 1) return self->samples[place] == (uint8_t)(word >> 8 * (x % 8));
  uint16_t sample;
  memcpy(&sample, self->samples + place, 2);
  return sample == ((uint16_t)(word >> 16 * (x % 4)) & self->most);
}

// Returns whether the middle of a block of 8 by 8 samples still contains noise. The deblocking filter of decoded
// neighbours reaches 3 samples into a block (H.265, 8.7.2).
static int is_block_untouched(const plane *self, int left, int top) {
  for (int y = top + 3; y <= top + 4; y++) {
    for (int x = left + 3; x <= left + 4; x++) {
      if (x < self->width && y < self->height && !is_untouched(self, x, y)) return 0;
    }
  }
  return 1;
}

// Fills a block of 8 by 8 samples with black.
static void clear_block(const plane *self, int left, int top) {
  int width = left + 8 > self->width ? self->width - left : 8;
  for (int y = top; y < top + 8 && y < self->height; y++) {
    size_t place = ((size_t)y * (size_t)self->stride + (size_t)left) * (size_t)self->sample_bytes;
    memset(self->samples + place, 0, (size_t)width * (size_t)self->sample_bytes);
  }
}

// Fills undecoded coding tree blocks, which have at least 16 by 16 samples, with black. Returns whether there are any.
static int clear_undecoded_blocks(const plane *self) {
  int has_any = 0;
  for (int top = 0; top + 4 < self->height; top += 16) {
    for (int left = 0; left + 4 < self->width; left += 16) {
      int is_undecoded = 1;
      for (int part = 0; part < 4 && is_undecoded; part++) {
        int x = left + part % 2 * 8, y = top + part / 2 * 8;
        if (x + 4 < self->width && y + 4 < self->height) is_undecoded = is_block_untouched(self, x, y);
      }
      for (int part = 0; part < 4 && is_undecoded; part++) clear_block(self, left + part % 2 * 8, top + part / 2 * 8);
      has_any |= is_undecoded;
    }
  }
  return has_any;
}

static void release_planes(de265_decoder_context *context, struct de265_image *image, void *user) {
  (void)context, (void)user;
  for (int channel = 0; channel < 3; channel++) {
    plane *self = de265_get_image_plane_user_data(image, channel);
    if (!self) continue;
    free(self->samples);
    free(self);
    de265_set_image_plane(image, channel, NULL, 0, NULL);
  }
}

static plane *make_plane(const struct de265_image *image, const struct de265_image_spec *spec, int channel) {
  enum de265_chroma chroma = de265_get_chroma_format(image);
  int is_narrow = channel > 0 && (chroma == de265_chroma_420 || chroma == de265_chroma_422);
  int is_low = channel > 0 && chroma == de265_chroma_420;
  int bits = de265_get_bits_per_pixel(image, channel);
  plane *self = calloc(1, sizeof *self);
  if (!self || bits < 8 || bits > 16) {
    free(self);
    return NULL;
  }
  self->width = is_narrow ? spec->width / 2 : spec->width;
  self->height = is_low ? spec->height / 2 : spec->height;
  self->stride = (self->width + alignment - 1) / alignment * alignment;
  self->sample_bytes = (bits + 7) / 8;
  self->most = (1u << bits) - 1;
  size_t count = (size_t)self->stride * (size_t)self->height * (size_t)self->sample_bytes + padding;
  self->samples = aligned_alloc(alignment, (count + alignment - 1) / alignment * alignment);
  if (!self->samples) {
    free(self);
    return NULL;
  }
  memset(self->samples + count - padding, 0, padding);
  if (channel == 0) {
    fill_with_noise(self);
  } else {
    fill_with_value(self, 1u << (bits - 1));
  }
  return self;
}

static int make_planes(
    de265_decoder_context *context, struct de265_image_spec *spec, struct de265_image *image, void *user) {
  (void)context, (void)user;
  int count = de265_get_chroma_format(image) == de265_chroma_mono ? 1 : 3;
  for (int channel = 0; channel < 3; channel++) de265_set_image_plane(image, channel, NULL, 0, NULL);
  for (int channel = 0; channel < count; channel++) {
    plane *self = make_plane(image, spec, channel);
    if (!self) {
      release_planes(NULL, image, NULL);
      return 0;
    }
    de265_set_image_plane(image, channel, self->samples, self->stride * self->sample_bytes, self);
  }
  return 1;
}

// MARK: Pictures

static struct heif_error fail(enum heif_error_code code, enum heif_suberror_code subcode, const char *message) {
  return (struct heif_error){code, subcode, message};
}

static struct heif_error success(void) { return fail(heif_error_Ok, heif_suberror_Unspecified, "Success"); }

static struct heif_error copy_plane(const struct de265_image *image, int channel, struct heif_image *target) {
  static const enum heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
  int width = de265_get_image_width(image, channel), height = de265_get_image_height(image, channel);
  int bits = de265_get_bits_per_pixel(image, channel);
  if (bits != de265_get_bits_per_pixel(image, 0)) {
    return fail(heif_error_Unsupported_feature, heif_suberror_Unsupported_color_conversion,
        "Channels with different number of bits per pixel are not supported");
  }
  if (width <= 0 || height <= 0) return fail(heif_error_Decoder_plugin_error, heif_suberror_Invalid_image_size, "");
  struct heif_error error = heif_image_add_plane(target, channels[channel], width, height, bits);
  if (error.code != heif_error_Ok) return error;
  int stride = 0, target_stride = 0;
  const uint8_t *rows = de265_get_image_plane(image, channel, &stride);
  uint8_t *target_rows = heif_image_get_plane(target, channels[channel], &target_stride);
  if (!rows || !target_rows) return fail(heif_error_Memory_allocation_error, heif_suberror_Unspecified, "");
  for (int y = 0; y < height; y++) {
    memcpy(target_rows + (ptrdiff_t)y * target_stride, rows + (ptrdiff_t)y * stride,
        (size_t)width * (size_t)((bits + 7) / 8));
  }
  return success();
}

// Passes on the colour description of the stream, as far as libheif knows the values.
static void copy_colours(const struct de265_image *image, struct heif_image *target) {
  struct heif_color_profile_nclx *nclx = heif_nclx_color_profile_alloc();
  if (!nclx) return;
  (void)heif_nclx_color_profile_set_color_primaries(nclx, (uint16_t)de265_get_image_colour_primaries(image));
  (void)heif_nclx_color_profile_set_transfer_characteristics(
      nclx, (uint16_t)de265_get_image_transfer_characteristics(image));
  (void)heif_nclx_color_profile_set_matrix_coefficients(nclx, (uint16_t)de265_get_image_matrix_coefficients(image));
  nclx->full_range_flag = de265_get_image_full_range_flag(image) != 0;
  (void)heif_image_set_nclx_color_profile(target, nclx);
  heif_nclx_color_profile_free(nclx);
}

static struct heif_error copy_picture(const struct de265_image *image, struct heif_image **target) {
  enum de265_chroma chroma = de265_get_chroma_format(image);
  int is_gray = chroma == de265_chroma_mono;
  struct heif_error error = heif_image_create(de265_get_image_width(image, 0), de265_get_image_height(image, 0),
      is_gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr, (enum heif_chroma)chroma, target);
  for (int channel = 0; channel < (is_gray ? 1 : 3) && error.code == heif_error_Ok; channel++) {
    error = copy_plane(image, channel, *target);
  }
  if (error.code == heif_error_Ok) {
    copy_colours(image, *target);
  } else if (*target) {
    heif_image_release(*target);
    *target = NULL;
  }
  return error;
}

static int is_harmless(de265_error warning) {
  return warning == DE265_WARNING_NO_WPP_CANNOT_USE_MULTITHREADING
         || warning == DE265_WARNING_NUMBER_OF_THREADS_LIMITED_TO_MAXIMUM
         || warning == DE265_WARNING_SPS_MISSING_CANNOT_DECODE_SEI;
}

static void note_damage(const char *words) {
  if (!damage) damage = words;
}

// Decodes all data that was pushed. If there are several pictures, the last one is used, as in libheif's own decoder.
static struct heif_error decode_pictures(de265_decoder_context *context, struct heif_image **target) {
  struct heif_error error = success();
  de265_error result = DE265_OK;
  int more = 0, is_there = 1;
  do {
    more = 0;
    result = de265_decode(context, &more);
    const struct de265_image *image = de265_get_next_picture(context);
    is_there = image != NULL;
    if (!image) continue;
    if (*target) heif_image_release(*target);
    *target = NULL;
    const plane *luma = de265_get_image_plane_user_data(image, 0);
    if (luma && clear_undecoded_blocks(luma)) note_damage("lacks blocks of its picture");
    if (!heif_has_item_of(file, de265_get_image_width(image, 0), de265_get_image_height(image, 0))) {
      note_damage("has pixels of another size than its header says");
    }
    error = copy_picture(image, target);
    de265_release_next_picture(context);
  } while (more && error.code == heif_error_Ok && (de265_isOK(result) || is_there));
  if (!de265_isOK(result) && result != DE265_ERROR_WAITING_FOR_INPUT_DATA) note_damage(de265_get_error_text(result));
  return error;
}

static struct heif_error decode_image(void *instance, struct heif_image **target) {
  *target = NULL;
  de265_flush_data(instance);
  struct heif_error error = decode_pictures(instance, target);
  for (de265_error warning; (warning = de265_get_warning(instance)) != DE265_OK;) {
    if (!is_harmless(warning)) note_damage(de265_get_error_text(warning));
  }
  if (error.code == heif_error_Ok && (!*target || (damage && !accepts_damage))) {
    if (*target) heif_image_release(*target);
    *target = NULL;
    return fail(heif_error_Decoder_plugin_error, heif_suberror_Unspecified, damage ? damage : "no picture");
  }
  return error;
}

static struct heif_error push_data(void *instance, const void *data, size_t size) {
  const uint8_t *bytes = data;
  // libheif makes every length field four bytes long.
  while (size > 0) {
    size_t length = size < 4 ? 0 : (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
    if (size < 4 || length > size - 4) {
      return fail(heif_error_Decoder_plugin_error, heif_suberror_End_of_data, "");
    }
    if (de265_push_NAL(instance, bytes + 4, (int)length, 0, NULL) != DE265_OK) {
      return fail(heif_error_Memory_allocation_error, heif_suberror_Unspecified, "");
    }
    bytes += 4 + length;
    size -= 4 + length;
  }
  return success();
}

static void free_decoder(void *instance) { de265_free_decoder(instance); }

static struct heif_error new_decoder(void **instance) {
  *instance = de265_new_decoder();
  return *instance ? success() : fail(heif_error_Memory_allocation_error, heif_suberror_Unspecified, "");
}

static const char *name(void) { return "libde265 for imghost"; }

// Makes libde265 allocate every picture with `make_planes`. libde265 1.0.16 uses a decoder's own allocation functions
// only for pictures without sample adaptive offset, so the library's global default functions are replaced.
static void init(void) {
  de265_init();
  struct de265_image_allocation *functions =
      (struct de265_image_allocation *)(uintptr_t)de265_get_default_image_allocation_functions();
  *functions = (struct de265_image_allocation){make_planes, release_planes};
}

static void deinit(void) { de265_free(); }
static int supports(enum heif_compression_format format) { return format == heif_compression_HEVC ? priority : 0; }
// Does nothing: libheif 1.15 passes no options on for tiles and alpha planes, so `heif_decoder_begin` is used instead.
static void set_strict(void *instance, int flag) { (void)instance, (void)flag; }

// libheif 1.21 only accepts decoders with the functions of version 5, which can also decode sequences.
#if LIBHEIF_NUMERIC_VERSION >= 0x01150000
#define HAS_VERSION_5

static int supports2(const heif_decoder_plugin_compressed_format_description *format) {
  return supports(format->format);
}

static heif_error new_decoder2(void **instance, const heif_decoder_plugin_options *options) {
  (void)options;
  return new_decoder(instance);
}

static heif_error push_data2(void *instance, const void *data, size_t size, uintptr_t user_data) {
  (void)user_data;
  return push_data(instance, data, size);
}

static heif_error flush_data(void *instance) {
  de265_flush_data(instance);
  return success();
}

static heif_error decode_next_image(void *instance, heif_image **target, const heif_security_limits *limits) {
  (void)limits;
  return decode_image(instance, target);
}

static heif_error decode_next_image2(
    void *instance, heif_image **target, uintptr_t *user_data, const heif_security_limits *limits) {
  if (user_data) *user_data = 0;
  return decode_next_image(instance, target, limits);
}
#endif

void heif_decoder_register(void) {
  static const struct heif_decoder_plugin plugin = {
#ifdef HAS_VERSION_5
      .plugin_api_version = 5,
      .minimum_required_libheif_version = 0x01150000,
      .does_support_format2 = supports2,
      .new_decoder2 = new_decoder2,
      .push_data2 = push_data2,
      .flush_data = flush_data,
      .decode_next_image = decode_next_image,
      .decode_next_image2 = decode_next_image2,
#else
      .plugin_api_version = 3,
#endif
      .get_plugin_name = name,
      .init_plugin = init,
      .deinit_plugin = deinit,
      .does_support_format = supports,
      .new_decoder = new_decoder,
      .free_decoder = free_decoder,
      .push_data = push_data,
      .decode_image = decode_image,
      .set_strict_decoding = set_strict,
      .id_name = "imghost-libde265",
  };
  (void)heif_register_decoder_plugin(&plugin);
}
