/* The interface of the TIFF plugin: its description, its options, and its table of functions. */
#include <stdio.h>
#include <string.h>

#include "TIFF.h"

const imghost_host *tiff_host;

static const char *const compressions[] = {"none", "lzw", "deflate", "zstd", "packbits", "g4", "ccittfax4", NULL};

static const char *const bitdepths[] = {"auto", "1", "8", "16", NULL};

static const imghost_parameter parameters[TIFF_PARAMETER_COUNT] = {
    [TIFF_PARAMETER_COMPRESSION] = {IMGHOST_PARAMETER("compression", ENUM),
        .help =
            "Compression of the strips; lzw, deflate and zstd use the horizontal predictor, g4 (also ccittfax4) is fax "
            "of black and white pictures",
        .default_value = {.numbers = {2}}, .choices = compressions},
    [TIFF_PARAMETER_BIGTIFF] = {IMGHOST_PARAMETER("bigtiff", BOOL),
        .help = "Writes BigTIFF, which happens anyway if the pixels take more than 4 GB"},
    // The host converts samples to 8 and 16 bits.
    [TIFF_PARAMETER_BITDEPTH] = {IMGHOST_PARAMETER("bitdepth", ENUM),
        .help =
            "Bits of a sample; auto keeps those of the picture; 1 takes gray pictures, whose samples from 128 of 255 "
            "on become white",
        .choices = bitdepths},
};

static const char *const extensions[] = {"tif", "tiff", "btf", "tf8", NULL};

static const char *const signatures[] = {"0:49492a00", "0:4d4d002a", "0:49492b0008000000", "0:4d4d002b00080000", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags =
        IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES | IMGHOST_CODEC_PAGES | IMGHOST_CODEC_LOSSLESS | IMGHOST_CODEC_CMYK,
    .title = "TIFF",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = TIFF_MOST_PAGES,
    .write_bytes = 4 << 20,
    // The file is kept in memory until it is finished, in the worst case with four 16-bit bands that cannot be
    // compressed.
    .write_bytes_per_pixel = 8,
    .open = tiff_open,
    .turn = tiff_turn,
    .read = tiff_read,
    .close = tiff_close,
    .begin = tiff_begin,
    .write_rows = tiff_write_rows,
    .end_page = tiff_end_page,
    .finish = tiff_finish,
    .abandon = tiff_abandon,
};

static const imghost_stored_codec stored_codec = {.struct_size = sizeof(imghost_stored_codec), .stored = tiff_stored};

static const imghost_rewriting_codec rewriting_codec = {
    .struct_size = sizeof(imghost_rewriting_codec), .rewrite = tiff_rewrite};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {IMGHOST_STORED_EXTENSION, &stored_codec},
    {IMGHOST_REWRITING_EXTENSION, &rewriting_codec}, {0}};

static char version[64];

static void prepare(void) {
  char number[32] = "?";
  sscanf(TIFFGetVersion(), "LIBTIFF, Version %31s", number);
  snprintf(version, sizeof version, "1.0 (libtiff %s)", number);
}

IMGHOST_CODEC_PLUGIN(tiff_host, tables, prepare(), .name = "tiff", .version = version,
    .summary = "Reads and writes TIFF and BigTIFF files with libtiff",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4), .alpha = IMGHOST_ALPHA_STRAIGHT,
    .parameter_count = TIFF_PARAMETER_COUNT, .parameters = parameters)
