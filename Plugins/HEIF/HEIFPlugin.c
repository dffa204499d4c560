// The HEIF codec's interface to the host.
#include "HEIF.h"

#include <stdio.h>
#include <string.h>

const imghost_host *heif_host;

// Returns whether the error is one that libheif before 1.18 reports for the gain maps and metadata that iOS 18 attaches
// to an item with the type `tmap`: https://github.com/strukturag/libheif/issues/1190 and 1213,
// https://github.com/libvips/libvips/issues/4169.
static int is_from_ios_18(const char *message) {
  static const char *const reasons[] = {"Too many auxiliary image references", "Non-existing depth image",
      "Non-existing alpha image", "Non-existing aux image", "Metadata not correctly assigned",
      "Metadata assigned to non-existing image", NULL};
  if (heif_get_version_number() >= 0x01120000) return 0;
  for (int i = 0; reasons[i]; i++) {
    if (strstr(message, reasons[i])) return 1;
  }
  return 0;
}

static const char *words_for(struct heif_error error) {
  switch (error.subcode) {
    case heif_suberror_End_of_data: return "ends too early";
    case heif_suberror_No_meta_box: return "has no still picture, perhaps only a sequence";
    case heif_suberror_Security_limit_exceeded: return "has more pixels or parts than libheif's limits allow";
    case heif_suberror_No_item_data: return "has no data for its picture";
    default: break;
  }
  switch (error.code) {
    case heif_error_Memory_allocation_error: return "needs more memory than there is";
    case heif_error_Unsupported_filetype: return "does not say that it is HEIF";
    case heif_error_Unsupported_feature:
    case heif_error_Plugin_loading_error:
      return "needs a decoder that this libheif lacks; HEIC needs libde265 (Debian's libheif-plugin-libde265 beside "
             "libheif 1.19)";
    case heif_error_Decoder_plugin_error: return "has damaged pixels";
    default: return NULL;
  }
}

int32_t heif_fail_with(const imghost_call *call, struct heif_error error) {
  const char *message = error.message ? error.message : "no reason given";
  if (is_from_ios_18(message)) {
    return heif_fail(call,
        "has a gain map or metadata as iOS 18 writes them, which libheif %s does not read; 1.19 does: with "
        "bookworm-backports among apt's sources, apt-get install -t bookworm-backports libheif1 "
        "libheif-plugin-libde265",
        heif_get_version());
  }
  const char *words = words_for(error);
  return words ? heif_fail(call, "%s", words) : heif_fail(call, "was refused by libheif: %.200s", message);
}

static const char *const extensions[] = {"heic", "heif", "hif", NULL};
/// The major brands of ISO 23008-12. The AVIF codec's signatures are longer, and take precedence.
static const char *const signatures[] = {"4:6674797068656963", "4:6674797068656978", "4:6674797068657663",
    "4:6674797068657678", "4:667479706865696d", "4:6674797068656973", "4:667479706d696631", "4:667479706d736631", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS,
    .title = "HEIF",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_side = 32768,
    .maximum_pages = 1000,
    .open = heif_codec_open,
    .turn = heif_codec_turn,
    .read = heif_codec_read,
    .close = heif_codec_close,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

static char version[65];

static void prepare(void) {
  snprintf(version, sizeof version, "1.0 (libheif %.16s)", heif_get_version());
  // Loads libheif's decoders, which are in separate libraries in later versions.
  heif_init(NULL);
  heif_decoder_register();
}

IMGHOST_CODEC_PLUGIN(
    heif_host, tables, prepare(), .name = "heif", .version = version, .summary = "Reads HEIF and HEIC pictures")
