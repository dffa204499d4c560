/* The interface of the RAW plugin: its description, its option, and its table of functions. */
#include <stdio.h>
#include <string.h>

#include "RAW.h"

const imghost_host *raw_host;

static const char *const sources[] = {[RAW_PREVIEW] = "preview", [RAW_DEVELOP] = "develop", NULL};

static const imghost_parameter read_parameters[RAW_PARAMETER_COUNT] = {
    [RAW_PARAMETER_RAW] = {IMGHOST_PARAMETER("raw", ENUM),
        .help = "Takes the camera's preview if it has at least half the size, or develops the raw samples",
        .default_value = {.numbers = {RAW_PREVIEW}}, .choices = sources},
};

static const char *const extensions[] = {"dng", "nef", "cr2", "cr3", "crw", "arw", "orf", "rw2", "raf", "pef", "srw",
    "x3f", "mrw", "kdc", "dcr", "iiq", NULL};

/* Most raw files are TIFF files, and can be distinguished by "CR" at offset 8, the tag DNGVersion, or the maker's
 * name. */
static const char *const signatures[] = {
    // CR2, CR3
    "0:49492a00......004352", "4:6674797063727820",
    // NEF: NIKON
    "0:49492a00 8-4000:4e494b4f4e", "0:4d4d002a 8-4000:4e494b4f4e",
    // ARW: SONY
    "0:49492a00 8-4000:534f4e59", "0:4d4d002a 8-4000:534f4e59",
    // DNG
    "0:49492a00 8-4000:12c6010004000000", "0:4d4d002a 8-4000:c612000100000004",
    // PEF: PENTAX, RICOH IMAGING
    "0:49492a00 8-4000:50454e544158", "0:4d4d002a 8-4000:50454e544158", "0:49492a00 8-4000:5249434f4820494d4147494e47",
    "0:4d4d002a 8-4000:5249434f4820494d4147494e47",
    // SRW: SAMSUNG
    "0:49492a00 8-4000:53414d53554e47", "0:4d4d002a 8-4000:53414d53554e47",
    // KDC, DCR: Kodak, KODAK, EASTMAN KODAK
    "0:49492a00 8-4000:4b6f64616b", "0:4d4d002a 8-4000:4b6f64616b", "0:49492a00 8-4000:4b4f44414b",
    "0:4d4d002a 8-4000:4b4f44414b",
    // IIQ: IIII or MMMM at 8, Phase One
    "0:49492a00........49494949", "0:4d4d002a........4d4d4d4d", "0:49492a00 8-4000:5068617365204f6e65",
    "0:4d4d002a 8-4000:5068617365204f6e65",
    // CRW: HEAPCCDR
    "0:4949........4845415043434452", "0:4d4d........4845415043434452",
    // ORF, RW2, RAF, X3F, MRW
    "0:4949524f", "0:49495253", "0:4d4d4f52", "0:49495500", "0:46554a4946494c4d4343442d524157", "0:464f5662",
    "0:004d524d", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS,
    .title = "RAW",
    .extensions = extensions,
    .signatures = signatures,
    .read_parameter_count = RAW_PARAMETER_COUNT,
    .read_parameters = read_parameters,
    .maximum_pages = 1,
    .open = raw_open,
    .turn = raw_turn,
    .read = raw_read,
    .close = raw_close,
};

static const imghost_table tables[] = {{IMGHOST_CODEC_EXTENSION, &codec}, {0}};

static char version[64];

static void prepare(void) { snprintf(version, sizeof version, "1.0 (LibRaw %s)", libraw_version()); }

IMGHOST_CODEC_PLUGIN(raw_host, tables, prepare(), .name = "raw", .version = version,
    .summary = "Reads the raw files of cameras with LibRaw")
