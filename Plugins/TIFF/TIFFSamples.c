#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/** Reads the palette. Its colours have 8 bits for indices of up to 8 bits, else 16 bits. */
static bool read_palette(tiff_converter *converter, tiff_file *file, const tiff_layout *layout) {
  uint16_t *red, *green, *blue;
  size_t size = (size_t)1 << layout->bits;
  if (!TIFFGetField(file->tiff, TIFFTAG_COLORMAP, &red, &green, &blue)) return false;
  converter->palette = malloc(3 * size * sizeof(uint16_t));
  if (converter->palette == NULL) return false;
  bool small = true;
  for (size_t i = 0; i < size; i++) small = small && red[i] < 256 && green[i] < 256 && blue[i] < 256;
  for (size_t i = 0; i < size; i++) {
    uint16_t *colour = converter->palette + 3 * i, values[3] = {red[i], green[i], blue[i]};
    for (int c = 0; c < 3; c++) {
      colour[c] = layout->sample == IMGHOST_SAMPLE_U8 ? (uint16_t)(small ? values[c] : values[c] >> 8)
                                                      : (uint16_t)(small ? values[c] * 257 : values[c]);
    }
  }
  return true;
}

bool tiff_converter_begin(tiff_converter *converter, tiff_file *file, const tiff_layout *layout) {
  *converter = (tiff_converter){0};
  converter->scratch =
      calloc(TIFF_PIXELS_AT_ONCE, (layout->way == TIFF_BY_RGBA ? 4u : layout->samples) * sizeof(uint16_t));
  if (converter->scratch == NULL) return false;
  if (layout->way == TIFF_BY_RGBA) return true;
  if (layout->colour == TIFF_PALETTE) return read_palette(converter, file, layout);
  if (layout->colour == TIFF_LAB) return (converter->gamma = tiff_gamma_table()) != NULL;
  if (layout->bits < 16 && layout->bits != 8) {
    uint32_t largest = (1u << layout->bits) - 1, full = layout->bits < 8 ? 255 : 65535;
    converter->widened = malloc(((size_t)largest + 1) * sizeof(uint16_t));
    if (converter->widened == NULL) return false;
    for (uint32_t i = 0; i <= largest; i++) converter->widened[i] = (uint16_t)((i * full + largest / 2) / largest);
  }
  if (layout->is_lightness) return (converter->lightness = tiff_lightness_table(layout)) != NULL;
  if (layout->bits == 1 && layout->samples == 1) {
    converter->bilevel = malloc(256 * sizeof *converter->bilevel);
    if (converter->bilevel == NULL) return false;
    for (int i = 0; i < 256; i++) {
      for (int k = 0; k < 8; k++) converter->bilevel[i][k] = (i >> (7 - k) & 1) == layout->inverted ? 0 : 255;
    }
  }
  return true;
}

void tiff_converter_end(tiff_converter *converter) {
  free(converter->scratch);
  free(converter->palette);
  free(converter->widened);
  free(converter->bilevel);
  free(converter->gamma);
  free(converter->lightness);
  *converter = (tiff_converter){0};
}

/** Converts a float to 16 bits; NaN becomes 0. */
static uint16_t from_float(double value) {
  if (!(value > 0)) return 0;
  return value >= 1 ? 65535 : (uint16_t)(value * 65535 + 0.5);
}

static double half(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  if (bits >> 15 || exponent == 31) return bits == 0x7c00 ? 1 : 0;
  return exponent == 0 ? fraction / (1 << 24) : (1 + fraction / 1024) * (double)(1u << exponent) / (1 << 15);
}

/** Reads `count` samples, starting at sample `first` of a row, into every `step`-th element of `to`. */
static void unpack(const tiff_converter *converter, const tiff_layout *layout, const uint8_t *row, uint64_t first,
    uint64_t count, uint16_t *to, int step) {
  const uint16_t *widened = converter->widened;
  int bits = layout->way == TIFF_BY_RGBA ? 8 : layout->bits;
  if (bits == 8) {
    row += first;
    for (uint64_t i = 0; i < count; i++) to[i * (uint64_t)step] = row[i];
  } else if (bits == 16 && layout->format != SAMPLEFORMAT_IEEEFP) {
    for (uint64_t i = 0; i < count; i++) memcpy(to + i * (uint64_t)step, row + 2 * (first + i), 2);
  } else if (bits < 16) {
    uint64_t at = first * (uint64_t)bits;
    uint32_t mask = (1u << bits) - 1;
    for (uint64_t i = 0; i < count; i++, at += (uint64_t)bits) {
      const uint8_t *byte = row + at / 8;
      int shift = (int)(at % 8) + bits;
      uint32_t value = shift <= 8    ? (uint32_t)byte[0] >> (8 - shift)
                       : shift <= 16 ? ((uint32_t)byte[0] << 8 | byte[1]) >> (16 - shift)
                                     : ((uint32_t)byte[0] << 16 | (uint32_t)byte[1] << 8 | byte[2]) >> (24 - shift);
      value &= mask;
      to[i * (uint64_t)step] = widened ? widened[value] : (uint16_t)value;
    }
  } else {
    for (uint64_t i = 0; i < count; i++) {
      const uint8_t *from = row + (first + i) * (uint64_t)(bits / 8);
      uint32_t whole;
      uint16_t small;
      float single;
      double wide;
      if (layout->format == SAMPLEFORMAT_UINT) {
        memcpy(&whole, from, 4);
        small = (uint16_t)(((uint64_t)whole * 65535 + 0x7fffffff) / 0xffffffff);
      } else if (bits == 16) {
        memcpy(&small, from, 2);
        small = from_float(half(small));
      } else if (bits == 32) {
        memcpy(&single, from, 4);
        small = from_float((double)single);
      } else {
        memcpy(&wide, from, 8);
        small = from_float(wide);
      }
      to[i * (uint64_t)step] = small;
    }
  }
}

/** Converts the colours and alpha of scratch pixels to those of the output, in place. */
static void colour(const tiff_converter *converter, const tiff_layout *layout, uint32_t stride, uint32_t count) {
  uint32_t full = layout->sample == IMGHOST_SAMPLE_U8 ? 255 : 65535, colours = layout->colours;
  if (layout->colour == TIFF_LAB) tiff_lab_to_rgb(converter->gamma, layout, converter->scratch, count);
  uint16_t *pixel = converter->scratch;
  for (uint32_t i = 0; i < count; i++, pixel += stride) {
    uint32_t alpha = layout->alpha >= 0 ? pixel[layout->alpha] : full;
    if (converter->lightness != NULL) pixel[0] = converter->lightness[pixel[0]];
    if (layout->inverted) pixel[0] = (uint16_t)(full - pixel[0]);
    if (layout->associated && alpha != full && layout->colour != TIFF_PALETTE) {
      for (uint32_t c = 0; c < colours; c++) {
        uint32_t value = alpha ? (pixel[c] * full + alpha / 2) / alpha : 0;
        pixel[c] = (uint16_t)(value < full ? value : full);
      }
    }
    if (layout->alpha >= 0 && layout->colour != TIFF_PALETTE) pixel[colours] = (uint16_t)alpha;
  }
}

/** Writes scratch pixels in the format of the output. */
static void pack(
    const tiff_converter *converter, const tiff_layout *layout, uint32_t stride, uint32_t count, void *out) {
  const uint16_t *from = converter->scratch;
  uint8_t *bytes = out;
  uint16_t *words = out, values[5];
  for (uint32_t i = 0; i < count; i++, from += stride) {
    const uint16_t *pixel = from;
    if (layout->colour == TIFF_PALETTE) {
      memcpy(values, converter->palette + 3 * (size_t)from[0], 6);
      if (layout->alpha >= 0) values[3] = from[layout->alpha];
      pixel = values;
    }
    if (layout->sample == IMGHOST_SAMPLE_U8) {
      for (uint32_t c = 0; c < layout->bands; c++) *bytes++ = (uint8_t)pixel[c];
    } else {
      for (uint32_t c = 0; c < layout->bands; c++) *words++ = pixel[c];
    }
  }
}

static void convert_bilevel(
    const tiff_converter *converter, const uint8_t *row, uint32_t first, uint32_t count, uint8_t *output) {
  uint32_t i = 0;
  for (; i < count && (first + i) % 8; i++) output[i] = converter->bilevel[row[(first + i) / 8]][(first + i) % 8];
  for (; i + 8 <= count; i += 8) memcpy(output + i, converter->bilevel[row[(first + i) / 8]], 8);
  for (; i < count; i++) output[i] = converter->bilevel[row[(first + i) / 8]][(first + i) % 8];
}

/** Converts up to TIFF_PIXELS_AT_ONCE pixels in scratch memory. */
static void convert_some(const tiff_converter *converter, const tiff_layout *layout, const uint8_t *const *planes,
    uint32_t first, uint32_t count, void *output) {
  uint32_t stride = layout->samples;
  if (layout->planes == 1) {
    unpack(converter, layout, planes[0], (uint64_t)first * stride, (uint64_t)count * stride, converter->scratch, 1);
  } else {
    for (uint32_t p = 0; p < layout->planes; p++) {
      unpack(converter, layout, planes[p], first, count, converter->scratch + p, (int)stride);
    }
  }
  colour(converter, layout, stride, count);
  pack(converter, layout, stride, count, output);
}

/** Converts `count` pixels, starting at pixel `first` of a row. `planes` are the row's bytes, one pointer for each
 * plane. */
void tiff_convert(const tiff_converter *converter, const tiff_layout *layout, const uint8_t *const *planes,
    uint32_t first, uint32_t count, void *output) {
  bool simple = (layout->colour == TIFF_GRAY || layout->colour == TIFF_RGB || layout->colour == TIFF_CMYK)
                && !layout->inverted && !layout->associated && !layout->is_lightness;
  bool whole = (layout->bits == 8 || layout->bits == 16) && layout->format == SAMPLEFORMAT_UINT && layout->planes == 1;
  bool kept = layout->samples == layout->bands && (layout->alpha < 0 || layout->alpha == (int)layout->bands - 1);
  if (layout->way == TIFF_BY_RGBA) {
    const uint8_t *from = planes[0] + 4 * (size_t)first;
    uint8_t *to = output;
    for (uint32_t i = 0; i < count; i++, from += 4, to += 3) to[0] = from[0], to[1] = from[1], to[2] = from[2];
  } else if (simple && whole && kept) {
    size_t size = (size_t)layout->bands * layout->sample;
    memcpy(output, planes[0] + first * size, count * size);
  } else if (converter->bilevel != NULL) {
    convert_bilevel(converter, planes[0], first, count, output);
  } else {
    size_t size = (size_t)layout->bands * layout->sample;
    for (uint32_t done = 0; done < count; done += TIFF_PIXELS_AT_ONCE) {
      uint32_t part = count - done < TIFF_PIXELS_AT_ONCE ? count - done : TIFF_PIXELS_AT_ONCE;
      convert_some(converter, layout, planes, first + done, part, (uint8_t *)output + done * size);
    }
  }
}
