#include <string.h>

#include "TIFF.h"

typedef struct {
  uint16_t number;
  const char *name;
} named;

static const char *name_of(const named *list, size_t count, uint16_t number) {
  for (size_t i = 0; i < count; i++) {
    if (list[i].number == number) return list[i].name;
  }
  return "unknown";
}

const char *tiff_compression_name(uint16_t compression) {
  static const named names[] = {{COMPRESSION_NONE, "none"}, {COMPRESSION_CCITTRLE, "fax_rle"},
      {COMPRESSION_CCITTFAX3, "fax_g3"}, {COMPRESSION_CCITTFAX4, "fax_g4"}, {COMPRESSION_LZW, "lzw"},
      {COMPRESSION_OJPEG, "old_jpeg"}, {COMPRESSION_JPEG, "jpeg"}, {COMPRESSION_ADOBE_DEFLATE, "deflate"},
      {COMPRESSION_DEFLATE, "deflate"}, {COMPRESSION_PACKBITS, "packbits"}, {COMPRESSION_CCITTRLEW, "fax_rle"},
      {COMPRESSION_THUNDERSCAN, "thunderscan"}, {COMPRESSION_NEXT, "next"}, {COMPRESSION_PIXARLOG, "pixarlog"},
      {COMPRESSION_SGILOG, "sgilog"}, {COMPRESSION_SGILOG24, "sgilog24"}, {COMPRESSION_JP2000, "jpeg2000"},
      {COMPRESSION_LERC, "lerc"}, {COMPRESSION_LZMA, "lzma"}, {COMPRESSION_ZSTD, "zstd"}, {COMPRESSION_WEBP, "webp"},
      {COMPRESSION_JXL, "jxl"}, {COMPRESSION_JBIG, "jbig"}};
  return name_of(names, sizeof names / sizeof *names, compression);
}

const char *tiff_photometric_name(uint16_t photometric) {
  static const named names[] = {{PHOTOMETRIC_MINISWHITE, "min_is_white"}, {PHOTOMETRIC_MINISBLACK, "min_is_black"},
      {PHOTOMETRIC_RGB, "rgb"}, {PHOTOMETRIC_PALETTE, "palette"}, {PHOTOMETRIC_MASK, "mask"},
      {PHOTOMETRIC_SEPARATED, "cmyk"}, {PHOTOMETRIC_YCBCR, "ycbcr"}, {PHOTOMETRIC_CIELAB, "cielab"},
      {PHOTOMETRIC_ICCLAB, "icclab"}, {PHOTOMETRIC_ITULAB, "itulab"}, {PHOTOMETRIC_LOGL, "logl"},
      {PHOTOMETRIC_LOGLUV, "logluv"}, {PHOTOMETRIC_CFA, "cfa"}};
  return name_of(names, sizeof names / sizeof *names, photometric);
}

bool tiff_is_fax(uint16_t compression) {
  return compression == COMPRESSION_CCITTRLE || compression == COMPRESSION_CCITTRLEW
         || compression == COMPRESSION_CCITTFAX3 || compression == COMPRESSION_CCITTFAX4;
}

/** Reads the fields that describe samples. */
static bool read_numbers(tiff_file *file, tiff_layout *layout, const imghost_call *call) {
  TIFF *tiff = file->tiff;
  *layout = (tiff_layout){.alpha = -1};
  if (!TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout->width)
      || !TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout->height) || layout->width == 0 || layout->height == 0
      || layout->width > INT32_MAX || layout->height > INT32_MAX) {
    tiff_fail(call, "does not say how large it is");
    return false;
  }
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &layout->bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &layout->samples);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &layout->format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &layout->compression);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &layout->planar);
  if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout->photometric)) {
    // In facsimile, 0 is white (ITU-T T.4).
    layout->photometric = tiff_is_fax(layout->compression) ? PHOTOMETRIC_MINISWHITE
                          : layout->samples >= 3           ? PHOTOMETRIC_RGB
                                                           : PHOTOMETRIC_MINISBLACK;
  }
  if (layout->format == SAMPLEFORMAT_VOID || layout->format == 0) layout->format = SAMPLEFORMAT_UINT;
  if (layout->samples == 1) layout->planar = PLANARCONFIG_CONTIG;
  layout->planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->samples : 1;
  layout->tiled = TIFFIsTiled(tiff);
  if (!TIFFIsCODECConfigured(layout->compression)) {
    const char *name = tiff_compression_name(layout->compression);
    tiff_fail(call, "is compressed with %s (%u), which this libtiff does not read", name, layout->compression);
    return false;
  }
  return true;
}

/** Chooses the colours, and whether libtiff converts them. */
static bool choose_colour(tiff_file *file, tiff_layout *layout, const imghost_call *call) {
  bool contiguous = layout->planar == PLANARCONFIG_CONTIG;
  switch (layout->photometric) {
    case PHOTOMETRIC_MINISWHITE: layout->inverted = true; break;
    case PHOTOMETRIC_MINISBLACK:
    case PHOTOMETRIC_MASK: break;
    case PHOTOMETRIC_RGB: layout->colour = TIFF_RGB; break;
    case PHOTOMETRIC_PALETTE: layout->colour = TIFF_PALETTE; break;
    case PHOTOMETRIC_SEPARATED: layout->colour = TIFF_CMYK; break;
    case PHOTOMETRIC_CIELAB:
    case PHOTOMETRIC_ICCLAB:
      layout->is_lightness = layout->samples < 3;
      layout->colour = layout->is_lightness ? TIFF_GRAY : TIFF_LAB;
      break;
    case PHOTOMETRIC_YCBCR:
      layout->colour = TIFF_RGB;
      if (layout->compression == COMPRESSION_JPEG && contiguous) {
        TIFFSetField(file->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
      } else {
        layout->way = TIFF_BY_RGBA;
      }
      break;
    case PHOTOMETRIC_LOGL:
    case PHOTOMETRIC_LOGLUV:
      layout->colour = TIFF_RGB;
      layout->way = TIFF_BY_RGBA;
      break;
    case PHOTOMETRIC_CFA:
    case TIFF_PHOTOMETRIC_LINEAR_RAW: tiff_fail(call, "holds the raw samples of a camera's sensor"); return false;
    case PHOTOMETRIC_ITULAB:
      layout->is_lightness = layout->samples < 3;
      if (layout->is_lightness) break;
      __attribute__((fallthrough));
    default:
      tiff_fail(call, "has colours of kind %s (%u), which imghost does not read",
          tiff_photometric_name(layout->photometric), layout->photometric);
      return false;
  }
  static const uint16_t counts[] = {1, 3, 1, 4, 3};
  layout->colours = counts[layout->colour];
  uint16_t inks;
  if (layout->colour == TIFF_CMYK && TIFFGetField(file->tiff, TIFFTAG_INKSET, &inks) && inks == INKSET_MULTIINK) {
    TIFFGetFieldDefaulted(file->tiff, TIFFTAG_NUMBEROFINKS, &inks);
    if (inks < 4) layout->samples = 0;
  }
  if (layout->samples < layout->colours) {
    tiff_fail(call, "has too few samples for its colours (%s)", tiff_photometric_name(layout->photometric));
    return false;
  }
  return true;
}

/** Finds the alpha sample: the first extra sample that the ExtraSamples tag declares as alpha. Without that tag, a
 * single sample in addition to the colours is alpha. With a palette, alpha is only supported for 8 bits. */
static void find_alpha(tiff_file *file, tiff_layout *layout) {
  uint16_t count = 0, *kinds = NULL;
  if (layout->samples == layout->colours) return;
  if (!TIFFGetField(file->tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) || count == 0) {
    if (layout->samples == layout->colours + 1) layout->alpha = layout->colours;
  } else {
    int first = layout->samples - count;
    for (int i = 0; i < count && layout->alpha < 0; i++) {
      if (kinds[i] == EXTRASAMPLE_UNSPECIFIED || first + i < layout->colours) continue;
      layout->alpha = first + i;
      layout->associated = kinds[i] == EXTRASAMPLE_ASSOCALPHA;
    }
  }
  if (layout->colour == TIFF_PALETTE && layout->bits != 8) layout->alpha = -1;
  layout->dropped = (uint32_t)(layout->samples - layout->colours - (layout->alpha >= 0));
}

/** Reports sample types that are not supported. */
static bool check_samples(const tiff_layout *layout, const imghost_call *call) {
  bool whole = layout->format == SAMPLEFORMAT_UINT
               && ((layout->bits >= 1 && layout->bits <= 16) || (layout->bits == 32 && layout->colour != TIFF_PALETTE));
  bool real = layout->format == SAMPLEFORMAT_IEEEFP && (layout->bits == 16 || layout->bits == 32 || layout->bits == 64);
  bool lab =
      layout->colour == TIFF_LAB && (layout->bits == 8 || layout->bits == 16) && layout->format <= SAMPLEFORMAT_INT;
  if (layout->way == TIFF_BY_RGBA || lab) return true;
  if (layout->is_lightness) real = false;
  if (real && layout->colour != TIFF_LAB && layout->colour != TIFF_PALETTE) return true;
  if (whole && layout->colour != TIFF_LAB) return true;
  const char *const kinds[] = {"", "unsigned", "signed", "floating-point", "", "complex", "complex"};
  tiff_fail(call, "has %s samples of %u bits, which imghost does not read",
      kinds[layout->format < 7 ? layout->format : 0], layout->bits);
  return false;
}

/** Computes the dimensions of strips or tiles. */
static bool measure_bands(tiff_file *file, tiff_layout *layout, const imghost_call *call) {
  TIFF *tiff = file->tiff;
  uint32_t rows = 0;
  if (layout->tiled) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &layout->tile_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
    layout->row_bytes = TIFFTileRowSize64(tiff);
    layout->band_bytes = TIFFTileSize64(tiff);
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    if (rows > layout->height) rows = layout->height;
    layout->tile_width = layout->width;
    layout->row_bytes = TIFFScanlineSize64(tiff);
    layout->band_bytes = TIFFVStripSize64(tiff, rows);
  }
  layout->band_rows = rows;
  if (layout->way == TIFF_BY_RGBA) {
    layout->row_bytes = (uint64_t)layout->tile_width * 4;
    layout->band_bytes = layout->row_bytes * rows;
  }
  uint64_t samples = layout->way == TIFF_BY_RGBA || layout->planes > 1 ? 1 : layout->samples;
  uint64_t bits = layout->way == TIFF_BY_RGBA ? 32 : layout->bits;
  uint64_t least = ((uint64_t)layout->tile_width * samples * bits + 7) / 8;
  if (rows == 0 || layout->tile_width == 0 || layout->row_bytes < least || layout->band_bytes / rows < least) {
    tiff_fail_reading(call, file, layout->tiled ? "has tiles without a size" : "has strips without a size");
    return false;
  }
  uint64_t across = (layout->width + (uint64_t)layout->tile_width - 1) / layout->tile_width;
  uint64_t largest = TIFF_LARGEST_PIECE / layout->planes;
  bool beyond = layout->tile_width / 2 > layout->width || rows / 2 > layout->height;
  if (beyond && layout->band_bytes > (64 << 20)) {
    tiff_fail(call, "has tiles of %u by %u pixels, far larger than itself", layout->tile_width, rows);
    return false;
  }
  bool rows_only = !layout->tiled && layout->planes == 1 && layout->way != TIFF_BY_RGBA;
  if (layout->row_bytes > largest || (!rows_only && layout->band_bytes > largest / across)) {
    tiff_fail(call, "has %s of more than a gigabyte", layout->tiled ? "rows of tiles" : "strips");
    return false;
  }
  return true;
}

static void choose_way(tiff_file *file, tiff_layout *layout) {
  uint16_t order = FILLORDER_MSB2LSB;
  TIFFGetFieldDefaulted(file->tiff, TIFFTAG_FILLORDER, &order);
  bool native = layout->bits < 16 || (layout->bits == 16 && !TIFFIsByteSwapped(file->tiff));
  if (layout->way == TIFF_BY_RGBA) return;
  if (layout->tiled) {
    layout->way = TIFF_BY_TILES;
  } else if (layout->compression == COMPRESSION_NONE && layout->planes == 1 && order == FILLORDER_MSB2LSB && native) {
    layout->way = TIFF_BY_BYTES;
  } else if (layout->planes == 1 && layout->band_bytes > (1 << 20)) {
    layout->way = TIFF_BY_ROWS;
  } else {
    layout->way = TIFF_BY_STRIPS;
  }
}

/** Reads the layout of libtiff's current directory. Returns false after a failure. */
bool tiff_layout_read(tiff_file *file, tiff_layout *layout, const imghost_call *call) {
  if (!read_numbers(file, layout, call) || !choose_colour(file, layout, call)) return false;
  find_alpha(file, layout);
  if (!check_samples(layout, call)) return false;
  if (layout->way == TIFF_BY_RGBA) {
    char reason[1024] = "";
    if (!TIFFRGBAImageOK(file->tiff, reason)) {
      tiff_fail(call, "has pixels that libtiff does not convert (%s)", reason);
      return false;
    }
    layout->alpha = -1;
    layout->dropped = 0;
  }
  if (!measure_bands(file, layout, call)) return false;
  choose_way(file, layout);
  layout->sample = layout->way == TIFF_BY_RGBA || layout->bits <= 8 ? IMGHOST_SAMPLE_U8 : IMGHOST_SAMPLE_U16;
  layout->bands = (layout->colour == TIFF_GRAY ? 1 : layout->colour == TIFF_CMYK ? 4 : 3) + (layout->alpha >= 0);
  return true;
}
