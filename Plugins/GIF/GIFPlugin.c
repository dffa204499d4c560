// The GIF codec's interface to the host: description and function table.
#include "GIF.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const imghost_host *gif_host;

int32_t gif_fail(const imghost_call *call, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  gif_host->set_error(call, text);
  return IMGHOST_FAILED;
}

static const char *const extensions[] = {"gif", NULL};
static const char *const signatures[] = {"0:474946383961", "0:474946383761", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_LOSSLESS,
    .title = "GIF",
    .extensions = extensions,
    .signatures = signatures,
    // A few bytes can declare a screen of any size.
    .maximum_pixels = 1u << 28,
    .maximum_pages = gif_maximum_frames,
    .open = gif_open,
    .turn = gif_turn,
    .read = gif_read,
    .close = gif_close,
};

static const void *extension(const char *id) { return strcmp(id, IMGHOST_CODEC_EXTENSION) == 0 ? &codec : NULL; }

#define TEXT_OF(value) #value
// The version in the header, because giflib does not report that of the library itself.
#define GIFLIB_VERSION(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "gif",
    .version = "1.0 (giflib " GIFLIB_VERSION(GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE) ")",
    .summary = "Reads GIF, with the frames of animations composed, with giflib",
    .parameter_size = sizeof(imghost_parameter),
    .extension = extension,
};

const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *functions) {
  gif_host = functions;
  return host_abi_version >= IMGHOST_ABI_VERSION ? &plugin : NULL;
}
