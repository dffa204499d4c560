#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "RAW.h"

/** The reader of one file. LibRaw can unpack a file only once, so each development opens the file again. */
typedef struct {
  imghost_bytes file;
  raw_stream *stream;
  libraw_data_t *raw;
  /** Whether a decoder of LibRaw has found impossible samples. */
  bool is_damaged;
  /** The preview; NULL if the picture is developed. */
  raw_preview *preview;
  uint32_t preview_orientation;
  /** The size of the developed picture. */
  int32_t width;
  int32_t height;
  uint32_t fact_count;
  imghost_fact facts[7];
  char maker[64];
  char model[64];
  char size[32];
} raw_reader;

static void drop(raw_reader *r) {
  raw_preview_close(r->preview);
  r->preview = NULL;
  if (r->raw != NULL) libraw_close(r->raw);
  r->raw = NULL;
}

// LibRaw 0.21 removed an option, and 0.22 has 64-bit offsets.
#if LIBRAW_MAJOR_VERSION == 0 && LIBRAW_MINOR_VERSION < 21
enum { without_callbacks = LIBRAW_OPIONS_NO_MEMERR_CALLBACK | LIBRAW_OPIONS_NO_DATAERR_CALLBACK };
#else
enum { without_callbacks = LIBRAW_OPTIONS_NO_DATAERR_CALLBACK };
#endif
#if LIBRAW_MAJOR_VERSION == 0 && LIBRAW_MINOR_VERSION < 22
typedef int data_offset;
#else
typedef INT64 data_offset;
#endif

static void note_damage(void *instance, const char *file, const data_offset offset) {
  (void)file, (void)offset;
  ((raw_reader *)instance)->is_damaged = true;
}

/** Opens the file with LibRaw. Returns LibRaw's code. */
static int begin(raw_reader *r) {
  drop(r);
  r->raw = libraw_init(without_callbacks);
  if (r->raw == NULL) return LIBRAW_UNSUFFICIENT_MEMORY;
  r->is_damaged = false;
  libraw_set_dataerror_handler(r->raw, note_damage, r);
  r->raw->params.use_camera_wb = 1;
  r->raw->params.output_bps = 8;
  r->raw->params.output_color = 1;
  return raw_stream_open(r->stream, r->raw);
}

void raw_close(void *instance) {
  raw_reader *r = instance;
  drop(r);
  if (r->stream != NULL) raw_stream_free(r->stream);
  free(r);
}

int32_t raw_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image) {
  raw_reader *r = instance;
  if (page > 0) return raw_fail(call, "has 1 page");
  image->page_count = 1;
  image->sample = IMGHOST_SAMPLE_U8;
  image->bands = 3;
  image->metadata.orientation = 1;
  image->facts = r->facts;
  image->fact_count = r->fact_count;
  if (r->preview != NULL) {
    raw_preview_describe(r->preview, image);
    image->metadata.orientation = r->preview_orientation;
    return IMGHOST_OK;
  }
  image->width = r->width;
  image->height = r->height;
  if (image->struct_size >= sizeof *image) {
    // The result is sRGB, whatever the camera was set to.
    image->colour_primaries = 1;
    image->transfer_characteristics = 13;
  }
  // The memory of the sensor's samples, of four 16-bit values per pixel, and of the result.
  image->working_bytes = (uint64_t)r->width * (uint64_t)r->height * 16 + (16 << 20);
  // At half the size, each block of 2 x 2 samples of a Bayer pattern becomes one pixel.
  bool bayer = r->raw->idata.filters > 1000 && r->raw->sizes.pixel_aspect == 1 && strcmp(r->maker, "Fujifilm") != 0;
  if (bayer) {
    image->flags = IMGHOST_IMAGE_FINE_SHRINKS;
    image->shrinks[image->shrink_count++] = 2;
  }
  return IMGHOST_OK;
}

/** Opens the preview if its sides are at least half of those of the developed picture. */
static void find_preview(raw_reader *r) {
  // The EXIF orientation for each `flip` of LibRaw: 1 mirrors columns, 2 mirrors rows, 4 first swaps columns and rows.
  static const uint32_t orientations[8] = {1, 2, 4, 3, 5, 8, 6, 7};
  int flip = r->raw->sizes.flip & 7;
  if (r->raw->thumbnail.tlength == 0 || r->raw->thumbnail.tlength > r->file.count
      || libraw_unpack_thumb(r->raw) != LIBRAW_SUCCESS) {
    return;
  }
  raw_preview *preview = raw_preview_open(&r->raw->thumbnail);
  if (preview == NULL) return;
  imghost_image image = {0};
  raw_preview_describe(preview, &image);
  r->preview_orientation = orientations[flip];
  int64_t across = r->width, down = r->height;
  if (flip & 4) {
    // Few cameras rotate the preview themselves. If this camera did, the preview and the developed picture are both
    // landscape or both portrait.
    bool is_turned =
        r->width != r->height && image.width != image.height && (r->width > r->height) == (image.width > image.height);
    if (is_turned) {
      r->preview_orientation = 1;
    } else {
      across = r->height, down = r->width;
    }
  }
  if (image.width * 2LL >= across && image.height * 2LL >= down) {
    r->preview = preview;
  } else {
    raw_preview_close(preview);
  }
}

/** Returns a number without the digits that exceed the precision of a float. */
static double rounded(float value) {
  char text[32];
  snprintf(text, sizeof text, "%.6g", (double)value);
  return strtod(text, NULL);
}

static void describe_facts(raw_reader *r) {
  const libraw_data_t *raw = r->raw;
  snprintf(r->maker, sizeof r->maker, "%s", raw->idata.make);
  snprintf(r->model, sizeof r->model, "%s", raw->idata.model);
  snprintf(r->size, sizeof r->size, "%dx%d", r->width, r->height);
  uint32_t n = 0;
  r->facts[n++] = (imghost_fact){"taken", r->preview != NULL ? "preview" : "develop", 0};
  r->facts[n++] = (imghost_fact){"raw_size", r->size, 0};
  r->facts[n++] = (imghost_fact){"maker", r->maker, 0};
  r->facts[n++] = (imghost_fact){"model", r->model, 0};
  const imghost_fact numbers[] = {{"iso", NULL, rounded(raw->other.iso_speed)},
      {"shutter", NULL, rounded(raw->other.shutter)}, {"aperture", NULL, rounded(raw->other.aperture)}};
  for (int i = 0; i < 3; i++) {
    if (numbers[i].number > 0) r->facts[n++] = numbers[i];
  }
  r->fact_count = n;
}

static uint32_t number(const uint8_t *at, int size, bool is_big) {
  uint32_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | at[is_big ? i : size - 1 - i];
  return value;
}

/** The first directory of a TIFF file. */
typedef struct {
  bool is_tiff;
  /** Whether "CR" follows the header. */
  bool is_cr2;
  bool is_thumbnail;
  bool is_dng;
  bool has_more;
  uint32_t width;
  uint32_t height;
  uint32_t colours;
} first_directory;

static first_directory read_directory(imghost_bytes file) {
  first_directory first = {.colours = UINT32_MAX};  // none
  if (file.count < 10) return first;
  bool is_big = file.bytes[0] == 'M';
  if (number(file.bytes + 2, 2, is_big) != 42 || (!is_big && file.bytes[0] != 'I')) return first;
  first.is_tiff = true;
  first.is_cr2 = memcmp(file.bytes + 8, "CR", 2) == 0;
  uint64_t at = number(file.bytes + 4, 4, is_big);
  if (at + 2 > file.count) return first;
  uint32_t entries = number(file.bytes + at, 2, is_big);
  for (at += 2; entries > 0 && at + 12 <= file.count; entries--, at += 12) {
    const uint8_t *entry = file.bytes + at;
    uint32_t value = number(entry + 8, number(entry + 2, 2, is_big) == 3 ? 2 : 4, is_big);
    switch (number(entry, 2, is_big)) {
      case 254: first.is_thumbnail = value == 1; break;
      case 256: first.width = value; break;
      case 257: first.height = value; break;
      case 262: first.colours = value; break;
      case 330: first.has_more = true; break;
      case 50706: first.is_dng = true; break;
    }
  }
  return first;
}

/** Returns whether the data that LibRaw takes for raw samples is a gray or RGB picture, such as a scanner's. */
static bool is_picture(const raw_reader *r) {
  first_directory first = read_directory(r->file);
  return first.is_tiff && !first.is_cr2 && !first.is_dng && !first.is_thumbnail && first.colours <= 2
         && first.width == r->raw->sizes.raw_width && first.height == r->raw->sizes.raw_height;
}

/** Refuses a file that LibRaw cannot read. A raw file is an error, because another codec would take its thumbnail for
 * the picture. Any other file is left to the other codecs. */
static int32_t refuse(raw_reader *r, const imghost_call *call) {
  first_directory first = read_directory(r->file);
  // A file without a TIFF structure has a signature that only raw files have.
  bool is_raw = !first.is_tiff || first.is_cr2 || first.is_dng || (first.is_thumbnail && first.has_more);
  raw_close(r);
  if (!is_raw) return IMGHOST_NOT_MINE;
  return raw_fail(call, "holds raw samples that LibRaw %s does not read: the file is damaged, or the camera is newer",
      libraw_version());
}

int32_t raw_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image) {
  raw_reader *r = calloc(1, sizeof *r);
  if (r != NULL) r->stream = raw_stream_create(file->content);
  if (r == NULL || r->stream == NULL) {
    free(r);
    return raw_fail(call, "takes more memory than there is");
  }
  r->file = file->content;
  int code = begin(r);
  if (code != LIBRAW_SUCCESS || libraw_adjust_sizes_info_only(r->raw) != LIBRAW_SUCCESS) {
    return refuse(r, call);
  }
  // LibRaw rotates the developed picture, and has already swapped these sides accordingly.
  r->width = r->raw->sizes.iwidth;
  r->height = r->raw->sizes.iheight;
  if (r->width < 1 || r->height < 1) return refuse(r, call);
  if (is_picture(r)) {
    raw_close(r);
    return IMGHOST_NOT_MINE;
  }
  if (value_count <= RAW_PARAMETER_RAW || (int)values[RAW_PARAMETER_RAW].numbers[0] == RAW_PREVIEW) find_preview(r);
  describe_facts(r);
  if (raw_turn(r, call, page, image) != IMGHOST_OK) {
    raw_close(r);
    return IMGHOST_FAILED;
  }
  *instance = r;
  return IMGHOST_OK;
}

static int32_t fail(const imghost_call *call, int code) {
  if (code == LIBRAW_IO_ERROR) return raw_fail(call, "ends in the middle of its raw samples");
  if (code == LIBRAW_DATA_ERROR) return raw_fail(call, "has damaged raw samples");
  return raw_fail(call, "cannot be developed (LibRaw: %s)", libraw_strerror(code));
}

// LibRaw may use OpenMP. With several threads, pixels may differ from run to run, and waiting threads spin. LibRaw gets
// one thread here, because the host already distributes several files over the processors.
extern void omp_set_num_threads(int count) __attribute__((weak));

/** Makes malloc keep freed memory for the next file. LibRaw allocates about ten blocks of the same sizes for each file,
 * and mapping new pages takes a tenth of the time. Without a plugin worker, this affects all of imghost. */
static void keep_memory(void) {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

static int32_t develop(raw_reader *r, const imghost_read *request) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, keep_memory);
  if (omp_set_num_threads != NULL) omp_set_num_threads(1);
  const imghost_picture *output = request->output;
  const imghost_region *valid = &output->valid;
  int32_t shrink = (int32_t)request->shrink, width = (r->width + shrink - 1) / shrink;
  int32_t height = (r->height + shrink - 1) / shrink;
  bool is_whole = valid->left == 0 && valid->top == 0 && valid->width == width && valid->height == height;
  // LibRaw stores the size of all rows in an int.
  if ((is_whole ? output->stride : width * (ptrdiff_t)3) > INT32_MAX / height)
    return raw_fail(request->call, "has more pixels than LibRaw copies");
  int code = begin(r);
  if (r->raw != NULL) r->raw->params.half_size = shrink == 2;
  bool accepts_damage = request->flags & IMGHOST_READ_DAMAGED;
  if (accepts_damage) raw_stream_pad(r->stream);
  if (code == LIBRAW_SUCCESS) code = raw_unpack(r->raw, accepts_damage);
  if (code == LIBRAW_SUCCESS || code == LIBRAW_DATA_ERROR) {
    int damage = raw_stream_is_cut(r->stream) ? LIBRAW_IO_ERROR : r->is_damaged ? LIBRAW_DATA_ERROR : LIBRAW_SUCCESS;
    if (damage != LIBRAW_SUCCESS && !accepts_damage) code = damage;
    // If damage is accepted, the message of `fail` becomes a note about the file, because `raw_read` succeeds.
    if (damage != LIBRAW_SUCCESS && accepts_damage) fail(request->call, damage);
  }
  if (code == LIBRAW_SUCCESS) code = raw_process(r->raw);
  if (code != LIBRAW_SUCCESS) return fail(request->call, code);
  int size[2], colours, bits;
  raw_developed(r->raw, &size[0], &size[1], &colours, &bits);
  if (size[0] != width || size[1] != height || bits != 8 || (colours != 3 && colours != 1))
    return raw_fail(request->call, "is developed to another size than its header says");
  if (is_whole && colours == 3) {
    code = raw_copy(r->raw, output->writable, output->stride);
    return code == LIBRAW_SUCCESS ? IMGHOST_OK : fail(request->call, code);
  }
  ptrdiff_t stride = (ptrdiff_t)width * colours;
  uint8_t *picture = malloc((size_t)stride * (size_t)height);
  code = picture == NULL ? LIBRAW_UNSUFFICIENT_MEMORY : raw_copy(r->raw, picture, stride);
  for (int32_t y = 0; code == LIBRAW_SUCCESS && y < valid->height; y++) {
    uint8_t *to = (uint8_t *)output->writable + y * output->stride;
    const uint8_t *from = picture + (valid->top + y) * stride + (ptrdiff_t)valid->left * colours;
    for (int32_t x = 0; x < valid->width; x++, from += colours, to += 3) {
      to[0] = from[0], to[1] = from[colours / 2], to[2] = from[colours - 1];
    }
  }
  free(picture);
  return code == LIBRAW_SUCCESS ? IMGHOST_OK : fail(request->call, code);
}

int32_t raw_read(void *instance, const imghost_read *request) {
  raw_reader *r = instance;
  return r->preview != NULL ? raw_preview_read(r->preview, request) : develop(r, request);
}
