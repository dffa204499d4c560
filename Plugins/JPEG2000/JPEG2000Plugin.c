/* The interface of the JPEG 2000 plugin: its description, its options, and its table of functions. */
#include <stdio.h>
#include <string.h>

#include "JPEG2000.h"

const imghost_host *jp2_host;

static const imghost_parameter parameters[JP2_PARAMETER_COUNT] = {
    [JP2_PARAMETER_QUALITY] = {IMGHOST_PARAMETER("quality", INT),
        .help = "Quality on the scale of JPEG, for files of about the same size", .minimum = 1, .maximum = 100,
        .default_value = {.numbers = {96}}},
    [JP2_PARAMETER_PSNR] = {IMGHOST_PARAMETER("psnr", FLOAT),
        .help = "Ratio of signal to noise that each tile reaches, in place of quality; 0 leaves it to quality",
        .unit = "dB", .minimum = 0, .maximum = 100},
    [JP2_PARAMETER_LOSSLESS] = {IMGHOST_PARAMETER("lossless", BOOL),
        .help = "Keeps every sample; quality and psnr do not count then"},
};

static const char *const extensions[] = {"jp2", "j2k", "j2c", "jpx", "jpf", NULL};

static const char *const signatures[] = {"0:0000000c6a5020200d0a870a", "0:ff4fff51", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES,
    .title = "JPEG 2000",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = 1,
    // At most 16 MB of rows, 5 MB for the tile that is being compressed, and some kilobytes for each tile, which the
    // library keeps.
    .write_bytes = 24 << 20,
    .write_bytes_per_pixel = 0.3,
    .open = jp2_open,
    .turn = jp2_turn,
    .read = jp2_read,
    .close = jp2_close,
    .begin = jp2_begin,
    .write_rows = jp2_write_rows,
    .end_page = jp2_end_page,
    .finish = jp2_finish,
    .abandon = jp2_abandon,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

static char version[64];

static void prepare(void) { snprintf(version, sizeof version, "2.0 (openjpeg %s)", opj_version()); }

IMGHOST_CODEC_PLUGIN(jp2_host, tables, prepare(), .name = "jpeg2000", .version = version,
    .summary = "Reads and writes JPEG 2000 files with OpenJPEG",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4), .alpha = IMGHOST_ALPHA_STRAIGHT,
    .parameter_count = JP2_PARAMETER_COUNT, .parameters = parameters)
