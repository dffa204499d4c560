// The WebP codec's interface to the host: description, parameters, table.
#include "WebP.h"

#include <stdio.h>
#include <string.h>
#include <webp/encode.h>

const imghost_host *webp_host;

// The presets in the order of libwebp's WebPPreset.
static const char *const presets[] = {"default", "picture", "photo", "drawing", "icon", "text", NULL};

static const imghost_parameter parameters[webp_p_count] = {
    [webp_p_quality] = {IMGHOST_PARAMETER("quality", INT), .minimum = 0, .maximum = 100, .default_value.numbers = {80},
        .help = "Quality; of a lossless file the effort, of a nearly lossless one the likeness"},
    [webp_p_lossless] = {IMGHOST_PARAMETER("lossless", BOOL), .help = "Keeps every pixel as it is"},
    [webp_p_near_lossless] = {IMGHOST_PARAMETER("near_lossless", BOOL),
        .help = "Lossless, after small changes that make the file smaller"},
    [webp_p_alpha_quality] = {IMGHOST_PARAMETER("alpha_quality", INT), .minimum = 0, .maximum = 100,
        .default_value.numbers = {100}, .help = "Quality of the alpha band"},
    [webp_p_effort] = {IMGHOST_PARAMETER("effort", INT), .minimum = 0, .maximum = 6, .default_value.numbers = {4},
        .help = "Time spent on a smaller file, from 0 (fast) to 6"},
    [webp_p_smart_subsample] = {IMGHOST_PARAMETER("smart_subsample", BOOL),
        .help = "Sharper edges between strong colours, for more time and memory"},
    [webp_p_preset] = {IMGHOST_PARAMETER("preset", ENUM), .choices = presets,
        .help = "The kind of picture to tune for"},
};

static const char *const extensions[] = {"webp", NULL};
static const char *const signatures[] = {"0:52494646........57454250", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES | IMGHOST_CODEC_ANIMATES,
    .title = "WebP",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = webp_maximum_frames,
    .write_bytes = 8 << 20,
    // The lossless encoder takes 25 bytes per pixel, the lossy one 3 to 12.
    .write_bytes_per_pixel = 25,
    .open = webp_open,
    .turn = webp_turn,
    .read = webp_read,
    .close = webp_close,
    .begin = webp_begin,
    .write_rows = webp_write_rows,
    .end_page = webp_end_page,
    .finish = webp_finish,
    .abandon = webp_abandon,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

static char version[64];

static void prepare(void) {
  int number = WebPGetDecoderVersion();
  snprintf(version, sizeof version, "1.0 (libwebp %d.%d.%d)", number >> 16, number >> 8 & 255, number & 255);
}

IMGHOST_CODEC_PLUGIN(webp_host, tables, prepare(), .name = "webp", .version = version,
    .summary = "Reads and writes WebP, still and animated, with libwebp", .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
    .bands = IMGHOST_TAKES(3) | IMGHOST_TAKES(4), .alpha = IMGHOST_ALPHA_STRAIGHT, .parameter_count = webp_p_count,
    .parameters = parameters)
