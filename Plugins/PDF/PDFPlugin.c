// The PDF codec's interface to the host. Poppler is licensed under the GPL, and so is this plugin; it runs in another
// process than the host.
#define _GNU_SOURCE
#include "PDF.h"

#include <CGLibMessages.h>
#include <CPopplerData.h>
#include <dlfcn.h>
#include <limits.h>
#include <poppler.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const imghost_host *host;

int32_t pdf_fail(const imghost_call *call, const char *words, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, words);
  vsnprintf(text, sizeof text, words, arguments);
  va_end(arguments);
  host->set_error(call, text);
  return IMGHOST_FAILED;
}

void pdf_listen(const imghost_call *call) { cglib_messages_begin(host, call); }

int pdf_is_cancelled(const imghost_call *call) { return host->is_cancelled(call) != 0; }

#define PARAMETER(id, kind) .struct_size = sizeof(imghost_parameter), .name = id, .type = IMGHOST_TYPE_##kind

static const imghost_parameter parameters[pdf_parameter_count] = {
    [pdf_dpi] = {PARAMETER("dpi", FLOAT), .help = "Pixels per inch of the page", .minimum = 1, .maximum = 4800,
        .default_value = {.numbers = {150}}},
    [pdf_width] = {PARAMETER("width", INT), .help = "Width to draw at instead of dpi; 0 for none", .unit = "px",
        .maximum = 32767},
    [pdf_background] = {PARAMETER("background", COLOUR), .help = "Colour of the paper",
        .default_value = {.numbers = {1, 1, 1, 1}}},
    [pdf_password] = {PARAMETER("password", STRING), .help = "The password of an encrypted file"},
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

/// The folders of encodings and character maps for Chinese, Japanese and Korean: that of Debian's poppler-data, and
/// that of a poppler built from source.
static const char *const data[] = {"/usr/share/poppler", "/usr/local/share/poppler", NULL};

static const void *extension(const char *id) {
  if (strcmp(id, IMGHOST_DATA_EXTENSION) == 0) return data;
  return strcmp(id, IMGHOST_CODEC_EXTENSION) == 0 ? &codec : NULL;
}

// Uses the data in the folder of plugins, where portable distributions have it, because a worker may read that folder.
static void use_data_beside(const void *own_code) {
  Dl_info place;
  const char *end = dladdr(own_code, &place) ? strrchr(place.dli_fname, '/') : NULL;
  char folder[PATH_MAX];
  if (!end || (size_t)(end - place.dli_fname) > sizeof folder - sizeof "/poppler") return;
  snprintf(folder, sizeof folder, "%.*s/poppler", (int)(end - place.dli_fname), place.dli_fname);
  if (access(folder, R_OK) == 0) cpoppler_use_data(folder);
}

static char version[65];

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "pdf",
    .version = version,
    .summary = "Draws the pages of PDF files",
    .extent = IMGHOST_EXTENT_FRAME,
    .parameter_size = sizeof(imghost_parameter),
    .extension = extension,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *table) {
  if (host_abi_version < IMGHOST_ABI_VERSION) return NULL;
  host = table;
  use_data_beside(use_data_beside);
  snprintf(version, sizeof version, "1.0 (poppler %.16s)", poppler_get_version());
  return &plugin;
}
