// The JPEG XL codec's interface to the host: description, parameters, tables.
#include "JPEGXL.h"

#include <stdio.h>
#include <string.h>

const imghost_host *jpegxl_host;

static const imghost_parameter parameters[jpegxl_p_count] = {
    [jpegxl_p_quality] = {IMGHOST_PARAMETER("quality", INT), .minimum = 0, .maximum = 100,
        .default_value.numbers = {90}, .help = "Quality on the scale of JPEG; 90 is visually lossless"},
    [jpegxl_p_lossless] = {IMGHOST_PARAMETER("lossless", BOOL),
        .help = "Keeps every pixel as it is; of an untouched JPEG, every byte"},
    [jpegxl_p_effort] = {IMGHOST_PARAMETER("effort", INT), .minimum = 1, .maximum = 9, .default_value.numbers = {7},
        .help = "Time spent on a smaller file, from 1 (fast) to 9"},
};

static const char *const extensions[] = {"jxl", NULL};
static const char *const signatures[] = {"0:ff0a", "0:0000000c4a584c200d0a870a", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES | IMGHOST_CODEC_ANIMATES | IMGHOST_CODEC_WRAPS,
    .title = "JPEG XL",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = jpegxl_maximum_frames,
    .write_seconds = 600,
    .write_bytes = 32 << 20,
    // Measured for a photograph of 12.6 megapixels at effort 7: 83 bytes per pixel.
    .write_bytes_per_pixel = 84,
    .open = jpegxl_open,
    .turn = jpegxl_turn,
    .read = jpegxl_read,
    .close = jpegxl_close,
    .begin = jpegxl_begin,
    .write_rows = jpegxl_write_rows,
    .end_page = jpegxl_end_page,
    .finish = jpegxl_finish,
    .abandon = jpegxl_abandon,
};

static const imghost_stored_codec stored_codec = {
    .struct_size = sizeof(imghost_stored_codec),
    .stored = jpegxl_stored,
    .wrap = jpegxl_wrap,
};

static const imghost_table tables[] = {
    {IMGHOST_CODEC_EXTENSION, &codec}, {IMGHOST_STORED_EXTENSION, &stored_codec}, {0}};

static char version[64];

static void prepare(void) {
  unsigned number = JxlDecoderVersion();
  snprintf(version, sizeof version, "1.0 (libjxl %u.%u.%u)", number / 1000000, number / 1000 % 1000, number % 1000);
}

IMGHOST_CODEC_PLUGIN(jpegxl_host, tables, prepare(), .name = "jpegxl", .version = version,
    .summary = "Reads and writes JPEG XL, still and animated, with libjxl",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4), .alpha = IMGHOST_ALPHA_STRAIGHT,
    .parameter_count = jpegxl_p_count, .parameters = parameters)
