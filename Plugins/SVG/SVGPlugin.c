// The SVG codec's interface to the host.
#include "SVG.h"

#include <librsvg/rsvg.h>
#include <stdio.h>
#include <string.h>

const imghost_host *svg_host;

static const imghost_parameter parameters[svg_parameter_count] = {
    [svg_width] = {IMGHOST_PARAMETER("width", INT), .help = "Width to draw at; 0 follows height, or else the file",
        .unit = "px", .maximum = 32767},
    [svg_height] = {IMGHOST_PARAMETER("height", INT), .help = "Height to draw at; 0 follows width, or else the file",
        .unit = "px", .maximum = 32767},
    [svg_dpi] = {IMGHOST_PARAMETER("dpi", FLOAT), .help = "Pixels per inch of lengths in mm, pt and the like",
        .minimum = 1, .maximum = 2400, .default_value = {.numbers = {96}}},
    [svg_scale] = {IMGHOST_PARAMETER("scale", FLOAT),
        .help = "Enlarges a drawing that has neither width nor height here", .minimum = 0.001, .maximum = 1000,
        .default_value = {.numbers = {1}}},
};

static const char *const extensions[] = {"svg", "svgz", NULL};
/// The signatures of possible SVG files; `svg_open` then searches for the root element. Within the first 4,000 bytes
/// there is the root element, a declaration, a comment or a document type, or an angle bracket after a byte order mark;
/// or the file begins with a declaration in UTF-16 without such a mark (XML 1.0, F.1), or is compressed with gzip.
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

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

static char version[65];

static void prepare(void) {
  snprintf(
      version, sizeof version, "1.0 (librsvg %u.%u.%u)", rsvg_major_version, rsvg_minor_version, rsvg_micro_version);
}

IMGHOST_CODEC_PLUGIN(
    svg_host, tables, prepare(), .name = "svg", .version = version, .summary = "Draws SVG files at any size")
