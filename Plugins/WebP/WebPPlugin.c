// The WebP codec's interface to the host: description, parameters, table.
#include "WebP.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <webp/encode.h>

const imghost_host *webp_host;

int32_t webp_fail(const imghost_call *call, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  webp_host->set_error(call, text);
  return IMGHOST_FAILED;
}

#define PARAMETER(id, kind) .struct_size = sizeof(imghost_parameter), .name = id, .type = IMGHOST_TYPE_##kind

// The presets in the order of libwebp's WebPPreset.
static const char *const presets[] = {"default", "picture", "photo", "drawing", "icon", "text", NULL};

static const imghost_parameter parameters[webp_p_count] = {
    [webp_p_quality] = {PARAMETER("quality", INT), .minimum = 0, .maximum = 100, .default_value.numbers = {80},
        .help = "Quality; of a lossless file the effort, of a nearly lossless one the likeness"},
    [webp_p_lossless] = {PARAMETER("lossless", BOOL), .help = "Keeps every pixel as it is"},
    [webp_p_near_lossless] = {PARAMETER("near_lossless", BOOL),
        .help = "Lossless, after small changes that make the file smaller"},
    [webp_p_alpha_quality] = {PARAMETER("alpha_quality", INT), .minimum = 0, .maximum = 100,
        .default_value.numbers = {100}, .help = "Quality of the alpha band"},
    [webp_p_effort] = {PARAMETER("effort", INT), .minimum = 0, .maximum = 6, .default_value.numbers = {4},
        .help = "Time spent on a smaller file, from 0 (fast) to 6"},
    [webp_p_smart_subsample] = {PARAMETER("smart_subsample", BOOL),
        .help = "Sharper edges between strong colours, for more time and memory"},
    [webp_p_preset] = {PARAMETER("preset", ENUM), .choices = presets, .help = "The kind of picture to tune for"},
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

static const void *extension(const char *id) { return strcmp(id, IMGHOST_CODEC_EXTENSION) == 0 ? &codec : NULL; }

static char version[64];

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "webp",
    .version = version,
    .summary = "Reads and writes WebP, still and animated, with libwebp",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8),
    .bands = IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
    .alpha = IMGHOST_ALPHA_STRAIGHT,
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = webp_p_count,
    .parameters = parameters,
    .extension = extension,
};

const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *functions) {
  webp_host = functions;
  int number = WebPGetDecoderVersion();
  snprintf(version, sizeof version, "1.0 (libwebp %d.%d.%d)", number >> 16, number >> 8 & 255, number & 255);
  return host_abi_version >= IMGHOST_ABI_VERSION ? &plugin : NULL;
}
