// The SVG codec's interface to the host.
#include "SVG.h"

#include <CGLibMessages.h>
#include <librsvg/rsvg.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const imghost_host *host;

int32_t svg_fail(const imghost_call *call, const char *words, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, words);
  vsnprintf(text, sizeof text, words, arguments);
  va_end(arguments);
  host->set_error(call, text);
  return IMGHOST_FAILED;
}

void svg_listen(const imghost_call *call) { cglib_messages_begin(host, call); }

int svg_is_cancelled(const imghost_call *call) { return host->is_cancelled(call) != 0; }

#define PARAMETER(id, kind) .struct_size = sizeof(imghost_parameter), .name = id, .type = IMGHOST_TYPE_##kind

static const imghost_parameter parameters[svg_parameter_count] = {
    [svg_width] = {PARAMETER("width", INT), .help = "Width to draw at; 0 follows height, or else the file",
        .unit = "px", .maximum = 32767},
    [svg_height] = {PARAMETER("height", INT), .help = "Height to draw at; 0 follows width, or else the file",
        .unit = "px", .maximum = 32767},
    [svg_dpi] = {PARAMETER("dpi", FLOAT), .help = "Pixels per inch of lengths in mm, pt and the like", .minimum = 1,
        .maximum = 2400, .default_value = {.numbers = {96}}},
    [svg_scale] = {PARAMETER("scale", FLOAT), .help = "Enlarges a drawing that has neither width nor height here",
        .minimum = 0.001, .maximum = 1000, .default_value = {.numbers = {1}}},
};

static const char *const extensions[] = {"svg", "svgz", NULL};
/// A root element within the first 4,000 bytes, or something of any length that may precede it: a declaration, a
/// comment, a document type. With a byte order mark, anything that begins with an angle bracket, in UTF-8 or in UTF-16
/// with either byte order; UTF-16 only goes without the mark if a declaration comes first (XML 1.0, F.1). Also gzip.
/// `svg_open` then searches for the root element.
static const char *const signatures[] = {"0-4000:3c737667", "0-4000:3c7376673a737667", "0-4000:3c3f", "0-4000:3c212d2d",
    "0-4000:3c21444f4354595045", "0:efbbbf 3-4000:3c", "0:fffe 2-4000:3c00", "0:feff 2-4000:003c", "0:3c003f0078",
    "0:003c003f00", "0:1f8b08", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_DRAWS,
    .title = "SVG",
    .extensions = extensions,
    .signatures = signatures,
    .read_parameter_count = svg_parameter_count,
    .read_parameters = parameters,
    .maximum_side = 32767,
    .maximum_pages = 1,
    .open = svg_open,
    .read = svg_read,
    .close = svg_close,
};

static const void *extension(const char *id) { return strcmp(id, IMGHOST_CODEC_EXTENSION) == 0 ? &codec : NULL; }

static char version[65];

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "svg",
    .version = version,
    .summary = "Draws SVG files at any size",
    .extent = IMGHOST_EXTENT_FRAME,
    .parameter_size = sizeof(imghost_parameter),
    .extension = extension,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *table) {
  if (host_abi_version < IMGHOST_ABI_VERSION) return NULL;
  host = table;
  snprintf(
      version, sizeof version, "1.0 (librsvg %u.%u.%u)", rsvg_major_version, rsvg_minor_version, rsvg_micro_version);
  return &plugin;
}
