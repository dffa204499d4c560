/* The face of the JPEG 2000 plugin: its description and its table of functions. */
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

static const char *const extensions[] = {"jp2", "j2k", "j2c", "jpx", "jpf", NULL};

static const char *const signatures[] = {"0:0000000c6a5020200d0a870a", "0:ff4fff51", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS,
    .title = "JPEG 2000",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = 1,
    .open = jp2_open,
    .turn = jp2_turn,
    .read = jp2_read,
    .close = jp2_close,
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
    .summary = "Reads JPEG 2000 files with OpenJPEG",
    .parameter_size = sizeof(imghost_parameter),
    .extension = extension,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *host) {
  if (host_abi_version < IMGHOST_ABI_VERSION) return NULL;
  jp2_host = host;
  snprintf(version, sizeof version, "1.0 (openjpeg %s)", opj_version());
  return &plugin;
}
