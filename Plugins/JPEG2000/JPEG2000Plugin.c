/* The interface of the JPEG 2000 plugin: its description, its options, and its table of functions. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "JPEG2000.h"

const imghost_host *jp2_host;

/** Reports a failure. */
void jp2_fail(const imghost_call *call, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  jp2_host->set_error(call, text);
}

static const imghost_parameter parameters[JP2_PARAMETER_COUNT] = {
    [JP2_PARAMETER_QUALITY] = {.struct_size = sizeof(imghost_parameter),
        .type = IMGHOST_TYPE_INT,
        .name = "quality",
        .help = "Quality on the scale of JPEG, for files of about the same size",
        .minimum = 1,
        .maximum = 100,
        .default_value = {.numbers = {96}}},
    [JP2_PARAMETER_PSNR] = {.struct_size = sizeof(imghost_parameter),
        .type = IMGHOST_TYPE_FLOAT,
        .name = "psnr",
        .help = "Ratio of signal to noise that each tile reaches, in place of quality; 0 leaves it to quality",
        .unit = "dB",
        .minimum = 0,
        .maximum = 100},
    [JP2_PARAMETER_LOSSLESS] = {.struct_size = sizeof(imghost_parameter),
        .type = IMGHOST_TYPE_BOOL,
        .name = "lossless",
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

static const void *extension(const char *id) { return strcmp(id, IMGHOST_CODEC_EXTENSION) == 0 ? &codec : NULL; }

static char version[64];

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "jpeg2000",
    .version = version,
    .summary = "Reads and writes JPEG 2000 files with OpenJPEG",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4),
    .alpha = IMGHOST_ALPHA_STRAIGHT,
    .parameter_size = sizeof(imghost_parameter),
    .parameter_count = JP2_PARAMETER_COUNT,
    .parameters = parameters,
    .extension = extension,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *host) {
  if (host_abi_version < IMGHOST_ABI_VERSION) return NULL;
  jp2_host = host;
  snprintf(version, sizeof version, "2.0 (openjpeg %s)", opj_version());
  return &plugin;
}
