// The PDF codec's interface to the host. Poppler is licensed under the GPL, and so is this plugin, which runs in a
// process separate from the host.
#define _GNU_SOURCE
#include "PDF.h"

#include <CPopplerData.h>
#include <dlfcn.h>
#include <limits.h>
#include <poppler.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const imghost_host *pdf_host;

static const imghost_parameter parameters[pdf_parameter_count] = {
    [pdf_dpi] = {IMGHOST_PARAMETER("dpi", FLOAT), .help = "Pixels per inch of the page", .minimum = 1, .maximum = 4800,
        .default_value = {.numbers = {150}}},
    [pdf_width] = {IMGHOST_PARAMETER("width", INT), .help = "Width to draw at instead of dpi; 0 for none", .unit = "px",
        .maximum = 32767},
    [pdf_background] = {IMGHOST_PARAMETER("background", COLOUR), .help = "Colour of the paper",
        .default_value = {.numbers = {1, 1, 1, 1}}},
    [pdf_password] = {IMGHOST_PARAMETER("password", STRING), .help = "The password of an encrypted file"},
};

static const char *const extensions[] = {"pdf", NULL};
static const char *const signatures[] = {"0-1000:255044462d", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_DRAWS,
    .title = "PDF",
    .extensions = extensions,
    .signatures = signatures,
    .read_parameter_count = pdf_parameter_count,
    .read_parameters = parameters,
    .maximum_side = 32767,
    .maximum_pages = 65535,
    .open = pdf_open,
    .turn = pdf_turn,
    .read = pdf_read,
    .close = pdf_close,
};

/// The folders of encodings and character maps for Chinese, Japanese and Korean that Debian's poppler-data and a
/// poppler built from source install.
static const char *const data[] = {"/usr/share/poppler", "/usr/local/share/poppler", NULL};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {IMGHOST_DATA_EXTENSION, data}, {0}};

// Makes poppler use the data in the folder of plugins, if it is there: portable distributions put it into this folder,
// which a confined worker may read.
static void use_data_beside(const void *own_code) {
  Dl_info place;
  const char *end = dladdr(own_code, &place) ? strrchr(place.dli_fname, '/') : NULL;
  char folder[PATH_MAX];
  if (!end || (size_t)(end - place.dli_fname) > sizeof folder - sizeof "/poppler") return;
  snprintf(folder, sizeof folder, "%.*s/poppler", (int)(end - place.dli_fname), place.dli_fname);
  if (access(folder, R_OK) == 0) cpoppler_use_data(folder);
}

static char version[65];

static void prepare(void) {
  use_data_beside(use_data_beside);
  snprintf(version, sizeof version, "1.0 (poppler %.16s)", poppler_get_version());
}

IMGHOST_CODEC_PLUGIN(
    pdf_host, tables, prepare(), .name = "pdf", .version = version, .summary = "Draws the pages of PDF files")
