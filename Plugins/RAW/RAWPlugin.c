/* The RAW plugin: develops the raw files of cameras with LibRaw. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libraw/libraw.h>

#include "RAW.h"

static const imghost_host *host;

/** An instance. LibRaw unpacks a file once, so that each `read` opens it anew. */
typedef struct {
  imghost_bytes file;
  libraw_data_t *raw;
  int32_t width;
  int32_t height;
  imghost_fact facts[7];
  char maker[64];
  char model[64];
} reader;

static void drop(reader *r) {
  if (r->raw != NULL) libraw_close(r->raw);
  r->raw = NULL;
}

/** Opens the file with LibRaw. Returns LibRaw's code. */
static int begin(reader *r) {
  drop(r);
  r->raw = libraw_init(LIBRAW_OPIONS_NO_MEMERR_CALLBACK | LIBRAW_OPIONS_NO_DATAERR_CALLBACK);
  if (r->raw == NULL) return LIBRAW_UNSUFFICIENT_MEMORY;
  r->raw->params.use_camera_wb = 1;
  r->raw->params.output_bps = 8;
  r->raw->params.output_color = 1;
  return libraw_open_buffer(r->raw, (void *)r->file.bytes, r->file.count);
}

static void close_reader(void *instance) {
  drop(instance);
  free(instance);
}

static int32_t turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  reader *r = instance;
  if (page > 0) {
    host->set_error(call, "has 1 page");
    return IMGHOST_FAILED;
  }
  uint32_t n = 0;
  r->facts[n++] = (imghost_fact){"maker", r->maker, 0};
  r->facts[n++] = (imghost_fact){"model", r->model, 0};
  r->facts[n++] = (imghost_fact){"iso", NULL, (double)r->raw->other.iso_speed};
  r->facts[n++] = (imghost_fact){"shutter", NULL, (double)r->raw->other.shutter};
  r->facts[n++] = (imghost_fact){"aperture", NULL, (double)r->raw->other.aperture};
  r->facts[n++] = (imghost_fact){"taken", "develop", 0};
  image->page_count = 1;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = 3;
  image->width = r->width;
  image->height = r->height;
  // The sensor's samples, four values of 16 bits for each pixel, and the result.
  image->working_bytes = (uint64_t)r->width * (uint64_t)r->height * 16 + (16 << 20);
  // Half the size: one pixel of each two by two of a Bayer pattern.
  bool bayer = r->raw->idata.filters > 1000 && r->raw->sizes.pixel_aspect == 1 && strcmp(r->maker, "Fujifilm") != 0;
  if (bayer) image->shrinks[image->shrink_count++] = 2;
  image->metadata.orientation = 1;
  image->facts = r->facts;
  image->fact_count = n;
  return IMGHOST_OK;
}

static int32_t open_reader(const imghost_call *call, const imghost_file *file, uint32_t page,
    const imghost_value *values, uint32_t value_count, void **instance, imghost_image *image) {
  (void)values, (void)value_count;
  reader *r = calloc(1, sizeof *r);
  if (r == NULL) return IMGHOST_FAILED;
  r->file = file->content;
  int code = begin(r);
  if (code != LIBRAW_SUCCESS || libraw_adjust_sizes_info_only(r->raw) != LIBRAW_SUCCESS) {
    close_reader(r);
    return IMGHOST_NOT_MINE;
  }
  // LibRaw turns what it develops, and swaps these sides for it.
  r->width = r->raw->sizes.iwidth;
  r->height = r->raw->sizes.iheight;
  snprintf(r->maker, sizeof r->maker, "%s", r->raw->idata.make);
  snprintf(r->model, sizeof r->model, "%s", r->raw->idata.model);
  if (r->width < 1 || r->height < 1) {
    close_reader(r);
    return IMGHOST_NOT_MINE;
  }
  if (turn(r, call, page, image) != IMGHOST_OK) {
    close_reader(r);
    return IMGHOST_FAILED;
  }
  *instance = r;
  return IMGHOST_OK;
}

static int32_t fail(const imghost_call *call, int code) {
  char text[160];
  snprintf(text, sizeof text, "cannot be developed (LibRaw: %s)", libraw_strerror(code));
  host->set_error(call, text);
  return IMGHOST_FAILED;
}

static int32_t read_rows(void *instance, const imghost_read *request) {
  reader *r = instance;
  const imghost_picture *output = request->output;
  const imghost_region *valid = &output->valid;
  int code = begin(r);
  int32_t shrink = (int32_t)request->shrink, width = (r->width + shrink - 1) / shrink;
  int32_t height = (r->height + shrink - 1) / shrink;
  if (r->raw != NULL) r->raw->params.half_size = shrink == 2;
  if (code == LIBRAW_SUCCESS) code = libraw_unpack(r->raw);
  if (code == LIBRAW_SUCCESS) code = libraw_dcraw_process(r->raw);
  if (code != LIBRAW_SUCCESS) return fail(request->call, code);
  libraw_processed_image_t *picture = libraw_dcraw_make_mem_image(r->raw, &code);
  if (picture == NULL) return fail(request->call, code);
  bool right = picture->type == LIBRAW_IMAGE_BITMAP && picture->bits == 8
               && (picture->colors == 3 || picture->colors == 1) && picture->width == width
               && picture->height == height;
  for (int32_t y = 0; right && y < valid->height; y++) {
    uint8_t *to = (uint8_t *)output->writable + y * output->stride;
    const uint8_t *from =
        picture->data + ((size_t)(valid->top + y) * picture->width + (size_t)valid->left) * picture->colors;
    for (int32_t x = 0; x < valid->width; x++, from += picture->colors, to += 3) {
      to[0] = from[0], to[1] = from[picture->colors / 2], to[2] = from[picture->colors - 1];
    }
  }
  libraw_dcraw_clear_mem(picture);
  if (!right) host->set_error(request->call, "is developed to another size than its header says");
  return right ? IMGHOST_OK : IMGHOST_FAILED;
}

static const char *const extensions[] = {
    "dng", "nef", "cr2", "cr3", "arw", "orf", "rw2", "raf", "pef", "srw", "x3f", "mrw", NULL};

static const char *const signatures[] = {"0:49492a00......004352", "0:49492a00 8-4000:4e494b4f4e",
    "0:4d4d002a 8-4000:4e494b4f4e", "0:49492a00 8-4000:534f4e59", "0:49492a00 8-4000:12c601000400",
    "0:4d4d002a 8-4000:c61200010000", "0:4d4d002a 8-4000:50454e544158", "0:49492a00 8-4000:53414d53554e47",
    "0:4949524f", "0:49495253", "0:4d4d4f52", "0:49495500", "0:46554a4946494c4d4343442d524157", "4:6674797063727820",
    "0:464f5662", "0:004d524d", NULL};

static const imghost_codec codec = {
    .struct_size = sizeof(imghost_codec),
    .flags = IMGHOST_CODEC_READS,
    .title = "RAW",
    .extensions = extensions,
    .signatures = signatures,
    .maximum_pages = 1,
    .open = open_reader,
    .turn = turn,
    .read = read_rows,
    .close = close_reader,
};

static const void *extension(const char *id) { return strcmp(id, IMGHOST_CODEC_EXTENSION) == 0 ? &codec : NULL; }

static char version[64];

static const imghost_plugin plugin = {
    .struct_size = sizeof(imghost_plugin),
    .abi_version = IMGHOST_ABI_VERSION,
    .kind = IMGHOST_KIND_CODEC,
    .flags = IMGHOST_FLAG_DETERMINISTIC,
    .name = "raw",
    .version = version,
    .summary = "Develops the raw files of cameras with LibRaw",
    .parameter_size = sizeof(imghost_parameter),
    .extension = extension,
};

IMGHOST_EXPORT const imghost_plugin *imghost_plugin_entry(uint32_t host_abi_version, const imghost_host *functions) {
  if (host_abi_version < IMGHOST_ABI_VERSION) return NULL;
  host = functions;
  snprintf(version, sizeof version, "1.0 (LibRaw %s)", libraw_version());
  return &plugin;
}
