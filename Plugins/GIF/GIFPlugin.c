// The GIF codec's interface to the host: description and function table.
#include "GIF.h"

#include <stdio.h>
#include <string.h>

const imghost_host *gif_host;

static const char *const extensions[] = {"gif", NULL};
static const char *const signatures[] = {"0:474946383961", "0:474946383761", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_LOSSLESS,
    .title = "GIF",
    .extensions = extensions,
    .signatures = signatures,
    // A few bytes can declare a canvas of any size, so the number of pixels is limited.
    .maximum_pixels = 1u << 28,
    .maximum_pages = gif_maximum_frames,
    .open = gif_open,
    .turn = gif_turn,
    .read = gif_read,
    .close = gif_close,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

#define TEXT_OF(value) #value
// The version of giflib's header, because the library does not report its own.
#define GIFLIB_VERSION(major, minor, release) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(release)

IMGHOST_CODEC_PLUGIN(gif_host, tables, (void)0, .name = "gif",
    .version = "1.0 (giflib " GIFLIB_VERSION(GIFLIB_MAJOR, GIFLIB_MINOR, GIFLIB_RELEASE) ")",
    .summary = "Reads GIF, with the frames of animations composed, with giflib")
