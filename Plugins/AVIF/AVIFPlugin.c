// The AVIF codec: dav1d decodes and aom encodes. Both are selected by name, and use one thread, so that files do not
// depend on the machine.
#include "AVIF.h"

#include <stdio.h>
#include <string.h>

const imghost_host *avif_host;

static const char *words_for(avifResult result) {
  switch (result) {
    case AVIF_RESULT_INVALID_FTYP: return "does not say that it is AVIF";
    case AVIF_RESULT_NO_CONTENT:
    case AVIF_RESULT_NO_AV1_ITEMS_FOUND: return "has no AV1 picture";
    case AVIF_RESULT_UNSUPPORTED_DEPTH: return "has samples of other than 8, 10 or 12 bits";
    case AVIF_RESULT_BMFF_PARSE_FAILED: return "has a damaged header";
    case AVIF_RESULT_DECODE_COLOR_FAILED: return "has damaged pixels";
    case AVIF_RESULT_DECODE_ALPHA_FAILED: return "has a damaged alpha band";
    case AVIF_RESULT_COLOR_ALPHA_SIZE_MISMATCH: return "has an alpha band of another size than its colours";
    case AVIF_RESULT_ISPE_SIZE_MISMATCH: return "has pixels of another size than its header says";
    case AVIF_RESULT_INVALID_IMAGE_GRID: return "has tiles that do not make up its picture";
    case AVIF_RESULT_NO_IMAGES_REMAINING: return "has fewer frames than its header says";
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR: return "ends too early";
    case AVIF_RESULT_OUT_OF_MEMORY: return "needs more memory than there is";
    case AVIF_RESULT_NO_CODEC_AVAILABLE: return "needs a libavif that is built with dav1d and aom";
    case AVIF_RESULT_NOT_IMPLEMENTED: return "is larger or more unusual than libavif reads";
    case AVIF_RESULT_ENCODE_COLOR_FAILED:
    case AVIF_RESULT_ENCODE_ALPHA_FAILED: return "was refused by the AV1 encoder";
    case AVIF_RESULT_REFORMAT_FAILED: return "has colours of a kind that libavif does not convert";
    case AVIF_RESULT_INVALID_EXIF_PAYLOAD: return "was given EXIF data that is damaged";
    default: return NULL;
  }
}

int32_t avif_fail_with(const imghost_call *call, avifResult result) {
  const char *words = words_for(result);
  return words ? avif_fail(call, "%s", words)
               : avif_fail(call, "was refused by libavif: %s", avifResultToString(result));
}

static const char *const subsamplings[] = {"4:2:0", "4:4:4", NULL};
static const char *const bitdepths[] = {"auto", "8", "10", "12", NULL};

static const imghost_parameter parameters[avif_parameter_count] = {
    [avif_quality] = {IMGHOST_PARAMETER("quality", INT), .help = "Quality, on the scale of libvips and avifenc",
        .minimum = 0, .maximum = 100, .default_value = {.numbers = {50}}},
    [avif_speed] = {IMGHOST_PARAMETER("speed", INT),
        .help = "0 is slow and makes small files, 10 is fast; effort 3 of libvips is speed 6", .minimum = 0,
        .maximum = 10, .default_value = {.numbers = {6}}},
    [avif_lossless] = {IMGHOST_PARAMETER("lossless", BOOL),
        .help = "Keeps every sample; ignores quality and subsampling"},
    [avif_subsampling] = {IMGHOST_PARAMETER("subsampling", ENUM), .help = "Chroma at half the resolution, or in full",
        .choices = subsamplings},
    [avif_bitdepth] = {IMGHOST_PARAMETER("bitdepth", ENUM),
        .help = "Bits a sample; auto is 8, and 10 for pictures of 16 bits", .choices = bitdepths},
};

static const char *const extensions[] = {"avif", "avifs", NULL};
/// The brands in the file type box of ISO 14496-12: the major brand at byte 8, the compatible brands from byte 16 on.
static const char *const signatures[] = {"4:6674797061766966", "4:6674797061766973",
    "4:667479706d696631 16-64:61766966", "4:667479706d736631 16-64:61766973", "4:667479706d696166 16-64:61766966",
    NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS | IMGHOST_CODEC_WRITES | IMGHOST_CODEC_ANIMATES,
    .title = "AVIF",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pixels = AVIF_DEFAULT_IMAGE_SIZE_LIMIT,
    .maximum_side = 65536,
    .maximum_pages = 65535,
    .write_seconds = 300,
    .write_bytes = 32u << 20,
    .write_bytes_per_pixel = 40,
    .open = avif_open,
    .turn = avif_turn,
    .read = avif_read,
    .close = avif_close,
    .begin = avif_begin,
    .write_rows = avif_write_rows,
    .end_page = avif_end_page,
    .finish = avif_finish,
    .abandon = avif_abandon,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

static char version[65];

// Writes the name and version of an AV1 library, for a plugin version such as "1.0 (libavif 0.11.1, dav1d 1.0.0, aom
// v3.6.0)".
static void name_codec(const char *versions, const char *name, char *words, size_t count) {
  const char *at = strstr(versions, name);
  const char *colon = at ? strchr(at, ':') : NULL;
  words[0] = 0;
  if (colon) snprintf(words, count, ", %s %.*s", name, (int)strcspn(colon + 1, ", "), colon + 1);
}

static void prepare(void) {
  char versions[256], decoder[18], encoder[18];
  avifCodecVersions(versions);
  name_codec(versions, "dav1d", decoder, sizeof decoder);
  name_codec(versions, "aom", encoder, sizeof encoder);
  snprintf(version, sizeof version, "1.0 (libavif %.8s%s%s)", avifVersion(), decoder, encoder);
}

IMGHOST_CODEC_PLUGIN(avif_host, tables, prepare(), .name = "avif", .version = version,
    .summary = "Reads and writes AVIF pictures and animations",
    .samples = IMGHOST_TAKES(IMGHOST_SAMPLE_U8) | IMGHOST_TAKES(IMGHOST_SAMPLE_U16),
    .bands = IMGHOST_TAKES(1) | IMGHOST_TAKES(2) | IMGHOST_TAKES(3) | IMGHOST_TAKES(4), .alpha = IMGHOST_ALPHA_STRAIGHT,
    .parameter_count = avif_parameter_count, .parameters = parameters)
