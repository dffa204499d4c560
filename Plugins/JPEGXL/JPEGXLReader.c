// Opens JPEG XL files: header, colours, frames.
#include "JPEGXL.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void jpegxl_prefer_srgb(JxlDecoder *decoder, const JxlBasicInfo *info) {
  JxlColorEncoding encoding;
  if (info->uses_original_profile) return;
  JxlColorProfileTarget original = JXL_COLOR_PROFILE_TARGET_ORIGINAL;
  if (JxlDecoderGetColorAsEncodedProfile(decoder, JPEGXL_PIXELS original, &encoding) == JXL_DEC_SUCCESS) return;
  memset(&encoding, 0, sizeof encoding);
  encoding.color_space = info->num_color_channels == 1 ? JXL_COLOR_SPACE_GRAY : JXL_COLOR_SPACE_RGB;
  encoding.white_point = JXL_WHITE_POINT_D65;
  encoding.primaries = JXL_PRIMARIES_SRGB;
  encoding.transfer_function = JXL_TRANSFER_FUNCTION_SRGB;
  encoding.rendering_intent = JXL_RENDERING_INTENT_RELATIVE;
  JxlDecoderSetPreferredColorProfile(decoder, &encoding);
}

// Reads the colour space of HDR samples. libjxl's numbers are the code points of ITU-T H.273, except for P3 with white
// D65.
static void read_code(jpegxl_reader *reader, const JxlColorEncoding *encoding, int is_gray) {
  int is_p3 = encoding->primaries == JXL_PRIMARIES_P3 && encoding->white_point == JXL_WHITE_POINT_D65;
  int is_open = is_gray || encoding->primaries == JXL_PRIMARIES_CUSTOM;
  reader->primaries = is_open ? 2 : is_p3 ? 12 : (uint32_t)encoding->primaries;
  reader->transfer = (uint32_t)encoding->transfer_function;
  snprintf(reader->colour, sizeof reader->colour, "primaries %u, transfer %u", reader->primaries, reader->transfer);
}

// Reads the profile of the samples that the decoder returns. sRGB and HDR are described by code points instead.
static void read_profile(jpegxl_reader *reader, JxlDecoder *decoder) {
  JxlColorProfileTarget data = JXL_COLOR_PROFILE_TARGET_DATA;
  JxlColorEncoding encoding;
  size_t count = 0;
  jpegxl_prefer_srgb(decoder, &reader->info);
  if (JxlDecoderGetColorAsEncodedProfile(decoder, JPEGXL_PIXELS data, &encoding) == JXL_DEC_SUCCESS) {
    int is_gray = encoding.color_space == JXL_COLOR_SPACE_GRAY;
    int has_primaries = is_gray || encoding.primaries == JXL_PRIMARIES_SRGB;
    if (has_primaries && encoding.white_point == JXL_WHITE_POINT_D65
        && encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB) {
      reader->primaries = is_gray ? 2 : 1;
      reader->transfer = JXL_TRANSFER_FUNCTION_SRGB;
      return;
    }
    if (encoding.transfer_function == JXL_TRANSFER_FUNCTION_PQ
        || encoding.transfer_function == JXL_TRANSFER_FUNCTION_HLG) {
      read_code(reader, &encoding, is_gray);
      return;
    }
  }
  if (JxlDecoderGetICCProfileSize(decoder, JPEGXL_PIXELS data, &count) != JXL_DEC_SUCCESS || count == 0) return;
  reader->icc = malloc(count);
  if (reader->icc == NULL) return;
  if (JxlDecoderGetColorAsICCProfile(decoder, JPEGXL_PIXELS data, reader->icc, count) == JXL_DEC_SUCCESS) {
    reader->icc_count = count;
  }
}

static int32_t read_info(jpegxl_reader *reader, const imghost_call *call, JxlDecoder *decoder) {
  JxlBasicInfo *info = &reader->info;
  if (JxlDecoderGetBasicInfo(decoder, info) != JXL_DEC_SUCCESS) return jpegxl_fail(call, "has a damaged header");
  if (info->xsize > INT32_MAX || info->ysize > INT32_MAX)
    return jpegxl_fail(call, "has more pixels than imghost reads");
  for (uint32_t i = 0; i < info->num_extra_channels; i++) {
    JxlExtraChannelInfo extra;
    if (JxlDecoderGetExtraChannelInfo(decoder, i, &extra) == JXL_DEC_SUCCESS && extra.type == JXL_CHANNEL_BLACK) {
      return jpegxl_fail(call, "holds CMYK, which imghost does not read in JPEG XL");
    }
  }
  int is_deep = info->bits_per_sample > 8 || info->exponent_bits_per_sample > 0;
  reader->sample = is_deep ? IMGHOST_SAMPLE_U16 : IMGHOST_SAMPLE_U8;
  reader->bands = (info->num_color_channels == 1 ? 1 : 3) + (info->alpha_bits > 0);
  return IMGHOST_OK;
}

static int32_t add_frame(jpegxl_reader *reader, const imghost_call *call, JxlDecoder *decoder) {
  JxlFrameHeader header;
  uint32_t count = reader->page_count;
  if (JxlDecoderGetFrameHeader(decoder, &header) != JXL_DEC_SUCCESS) return jpegxl_fail(call, "has a damaged frame");
  if (count == jpegxl_maximum_frames) {
    return jpegxl_fail(call, "has more than %d frames, and imghost reads no more", jpegxl_maximum_frames);
  }
  // The array doubles whenever the count is a power of two.
  if ((count & (count - 1)) == 0) {
    uint32_t *durations = realloc(reader->durations, (count == 0 ? 1 : 2 * (size_t)count) * sizeof *durations);
    if (durations == NULL) return jpegxl_fail(call, "needs more memory than there is");
    reader->durations = durations;
  }
  reader->durations[reader->page_count++] = header.duration;
  return IMGHOST_OK;
}

// Reads the header; for an animation, also the headers of all frames.
static int32_t read_header(jpegxl_reader *reader, const imghost_call *call, JxlDecoder *decoder) {
  int events = JXL_DEC_BASIC_INFO | JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME;
  JxlDecoderSubscribeEvents(decoder, events);
  JxlDecoderSetKeepOrientation(decoder, JXL_TRUE);
  JxlDecoderSetInput(decoder, reader->content.bytes, reader->content.count);
  JxlDecoderCloseInput(decoder);
  for (int has_colors = 0;;) {
    int32_t result = IMGHOST_OK;
    JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
    if (status == JXL_DEC_BASIC_INFO) {
      result = read_info(reader, call, decoder);
    } else if (status == JXL_DEC_COLOR_ENCODING) {
      read_profile(reader, decoder);
      has_colors = 1;
      if (reader->info.have_animation) continue;
      reader->page_count = 1;
      return IMGHOST_OK;
    } else if (status == JXL_DEC_FRAME) {
      result = add_frame(reader, call, decoder);
    } else if (has_colors && reader->page_count > 0) {
      // If a file is truncated or damaged further on, the frames so far are kept.
      return IMGHOST_OK;
    } else if (status == JXL_DEC_NEED_MORE_INPUT) {
      return jpegxl_fail(call, "ends in the middle of its header");
    } else {
      return jpegxl_fail(call, "has a damaged header");
    }
    if (result != IMGHOST_OK) return result;
  }
}

// Estimates the memory, from measurements with photographs. libjxl keeps only some groups of a VarDCT image, but the
// whole of a modular image.
static uint64_t working_bytes(const jpegxl_reader *reader) {
  uint64_t pixels = (uint64_t)reader->info.xsize * reader->info.ysize;
  uint64_t per_pixel = reader->info.uses_original_profile ? 8 * (uint64_t)reader->bands : 4;
  if (reader->info.have_animation) per_pixel += 8 * (uint64_t)reader->bands;
  return ((uint64_t)16 << 20) + pixels * per_pixel;
}

int32_t jpegxl_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  jpegxl_reader *reader = instance;
  const JxlBasicInfo *info = &reader->info;
  uint32_t count = reader->page_count;
  if (page >= count) return jpegxl_fail(call, "has %u %s", count, count == 1 ? "frame" : "frames");
  reader->page = page;
  image->flags = IMGHOST_IMAGE_STREAMED;
  image->page_count = count;
  image->sample = reader->sample;
  image->bands = reader->bands;
  image->width = (int32_t)info->xsize;
  image->height = (int32_t)info->ysize;
  image->working_bytes = working_bytes(reader);
  uint32_t fact = 0;
  reader->facts[fact++] = (imghost_fact){"bits", NULL, info->bits_per_sample};
  if (reader->colour[0] != 0) reader->facts[fact++] = (imghost_fact){"cicp", reader->colour, 0};
  if (reader->boxes.has_jpeg && !info->have_animation) {
    image->flags |= IMGHOST_IMAGE_JPEG | IMGHOST_IMAGE_RESTORABLE;
    reader->facts[fact++] = (imghost_fact){"jpeg", "restorable", 0};
  }
  if (info->have_animation) {
    image->flags |= IMGHOST_IMAGE_ANIMATED;
    double rate = info->animation.tps_numerator;
    image->delay = rate > 0 ? reader->durations[page] * (double)info->animation.tps_denominator / rate : 0;
    image->loop_count = info->animation.num_loops;
    reader->facts[fact++] = (imghost_fact){"frames", NULL, count};
    reader->facts[fact++] = (imghost_fact){"loop_count", NULL, info->animation.num_loops};
  }
  image->fact_count = fact;
  image->facts = reader->facts;
  image->metadata.orientation = info->orientation >= 1 && info->orientation <= 8 ? info->orientation : 1;
  image->metadata.icc = (imghost_bytes){reader->icc_count > 0 ? reader->icc : NULL, reader->icc_count};
  if (image->struct_size >= sizeof *image) {
    image->colour_primaries = reader->primaries;
    image->transfer_characteristics = reader->transfer;
    image->peak_luminance = (double)info->intensity_target;
  }
  image->metadata.exif = reader->boxes.exif;
  image->metadata.xmp = reader->boxes.xmp;
  return IMGHOST_OK;
}

int32_t jpegxl_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  JxlSignature signature = JxlSignatureCheck(file->content.bytes, file->content.count);
  if (signature == JXL_SIG_NOT_ENOUGH_BYTES) return jpegxl_fail(call, "ends in the middle of its header");
  if (signature == JXL_SIG_INVALID) return IMGHOST_NOT_MINE;
  jpegxl_reader *reader = calloc(1, sizeof *reader);
  JxlDecoder *decoder = reader == NULL ? NULL : JxlDecoderCreate(NULL);
  if (decoder == NULL) {
    free(reader);
    return jpegxl_fail(call, "needs more memory than there is");
  }
  reader->content = file->content;
  int32_t result = read_header(reader, call, decoder);
  JxlDecoderDestroy(decoder);
  if (result == IMGHOST_OK) {
    jpegxl_boxes_read(file->content, &reader->boxes);
    if (reader->boxes.is_cut) jpegxl_host->log(call, IMGHOST_LOG_FILE, "the last box is cut off and ignored");
    result = jpegxl_turn(reader, call, page, image);
  }
  if (result == IMGHOST_OK) {
    *instance = reader;
  } else {
    jpegxl_close(reader);
  }
  return result;
}

void jpegxl_close(void *instance) {
  jpegxl_reader *reader = instance;
  jpegxl_rows_free(&reader->rows);
  jpegxl_boxes_free(&reader->boxes);
  free(reader->durations);
  free(reader->icc);
  free(reader);
}
