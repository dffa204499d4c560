/* TIFF.h: declarations shared by the files of the TIFF plugin. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tiffio.h>

#include "imghost_plugin.h"

extern const imghost_host *tiff_host;

/** The options of `save`, in their order. */
enum { TIFF_PARAMETER_COMPRESSION, TIFF_PARAMETER_BIGTIFF, TIFF_PARAMETER_BITDEPTH, TIFF_PARAMETER_COUNT };

/** The maximum size of a single allocation for a file: a strip, a row of tiles, a table. */
#define TIFF_LARGEST_PIECE ((uint64_t)1 << 30)

/** The fields that Windows adds to the first directory. */
enum {
  TIFF_TAG_RATING = 0x4746,
  TIFF_TAG_RATING_PERCENT = 0x4749,
  TIFF_TAG_XP_TITLE = 0x9c9b,
  TIFF_TAG_XP_COMMENT,
  TIFF_TAG_XP_AUTHOR,
  TIFF_TAG_XP_KEYWORDS,
  TIFF_TAG_XP_SUBJECT,
};

/** LinearRaw of the DNG specification: all colours of each pixel, as the sensor gives them. */
#define TIFF_PHOTOMETRIC_LINEAR_RAW 34892

/** The maximum number of pages that are counted. */
#define TIFF_MOST_PAGES 65535u

/* ---- Directories (TIFFDirectories.c) --------------------------------------------------------- */

/** A file's bytes, and the format of its numbers. */
typedef struct {
  const uint8_t *bytes;
  uint64_t count;
  bool big_endian;
  bool big_tiff;
} tiff_bytes;

/** One entry of a directory, with the position of its values. */
typedef struct {
  uint16_t tag;
  uint16_t type;
  uint64_t count;
  /** The bounds are already checked: `size` bytes from `offset` on are inside the file. */
  uint64_t offset;
  uint64_t size;
} tiff_entry;

/** The role of a directory in the file. */
typedef struct {
  uint64_t offset;
  uint64_t next;
  bool reduced;
  bool mask;
} tiff_directory;

/** The pages of a file, as the offsets of their directories. `reduced` lists the directories of reduced images. Those
 * that follow page i in the chain begin at index `first_reduced[i]` and end before `first_reduced[i + 1]`. */
typedef struct {
  uint64_t *pages;
  uint32_t *first_reduced;
  uint64_t *reduced;
  uint32_t page_count;
  uint32_t reduced_count;
  /** Whether the chain has more than the maximum number of pages. */
  bool has_more;
} tiff_pages;

/** The size of a directory's entry in bytes. */
static inline uint64_t tiff_entry_size(bool big_tiff) { return big_tiff ? 20 : 12; }
/** The size in bytes of a position in the file, and of the count of an entry's values. */
static inline int tiff_word_size(bool big_tiff) { return big_tiff ? 8 : 4; }
bool tiff_bytes_begin(tiff_bytes *file, const uint8_t *bytes, size_t count, uint64_t *first);
bool tiff_directory_read(const tiff_bytes *file, uint64_t offset, tiff_directory *directory);
uint64_t tiff_directory_entries(const tiff_bytes *file, uint64_t offset, uint64_t *first);
bool tiff_entry_read(const tiff_bytes *file, uint64_t at, tiff_entry *entry);
bool tiff_directory_is_cut(const tiff_bytes *file, uint64_t offset);
bool tiff_entry_find(const tiff_bytes *file, uint64_t directory, uint16_t tag, tiff_entry *entry);
uint64_t tiff_value(const tiff_bytes *file, uint64_t directory, uint16_t tag);
uint64_t tiff_entry_number(const tiff_bytes *file, const tiff_entry *entry, uint64_t index);
uint64_t tiff_number(const tiff_bytes *file, uint64_t at, int size);
bool tiff_pages_find(const tiff_bytes *file, uint64_t first, tiff_pages *pages);
void tiff_pages_free(tiff_pages *pages);
bool tiff_is_raw(const tiff_bytes *file, uint64_t first);
uint8_t *tiff_exif_make(const tiff_bytes *file, uint64_t directory, size_t *count);
uint8_t *tiff_exif_directory(
    const tiff_bytes *exif, uint64_t directory, uint16_t tag, bool big_tiff, uint64_t at, size_t *count);

/* ---- The open file (TIFFFile.c) -------------------------------------------------------------- */

/** A file opened by libtiff, in memory, with the first of its errors. */
typedef struct {
  TIFF *tiff;
  /** All bytes of a file that is read, or the pieces of one that is written. */
  const uint8_t *bytes;
  uint8_t **pieces;
  uint64_t piece_count;
  uint64_t count;
  uint64_t position;
  bool out_of_memory;
  char error[200];
  /** Whether the JPEG library warned of missing or damaged data. */
  bool jpeg_damaged;
} tiff_file;

/** Opens a file: with the mode "r" to read `content`, else to write a new one. */
bool tiff_file_open(tiff_file *file, const char *mode, imghost_bytes content);
/** Writes bytes at a position. */
bool tiff_file_append(tiff_file *file, uint64_t at, void *bytes, size_t count);
/** Passes a part of a written file to `write`. */
int32_t tiff_file_send(
    const tiff_file *file, uint64_t start, uint64_t count, const imghost_call *call, imghost_write write);
void tiff_file_close(tiff_file *file);
/** Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED. */
#define tiff_fail(...) imghost_fail(tiff_host, __VA_ARGS__)
int32_t tiff_fail_reading(const imghost_call *call, const tiff_file *file, const char *what);

/* ---- Layouts (TIFFLayout.c) ------------------------------------------------------------------ */

/** The method of decoding the pixels of a directory. */
typedef enum {
  TIFF_BY_BYTES,  /**< uncompressed rows are taken from the file's bytes */
  TIFF_BY_STRIPS, /**< one strip at a time, of all planes */
  TIFF_BY_ROWS,   /**< one row at a time: strips are large */
  TIFF_BY_TILES,  /**< a row of tiles at a time, of all planes */
  TIFF_BY_RGBA,   /**< libtiff converts strips or tiles to 8-bit RGBA */
} tiff_way;

/** The colours of stored samples. */
typedef enum { TIFF_GRAY, TIFF_RGB, TIFF_PALETTE, TIFF_CMYK, TIFF_LAB } tiff_colour;

/** The format of a directory's stored pixels, and that of the output. */
typedef struct {
  tiff_way way;
  tiff_colour colour;
  uint32_t width;
  uint32_t height;
  uint16_t bits;
  uint16_t samples;
  uint16_t format;
  uint16_t compression;
  uint16_t photometric;
  uint16_t planar;
  uint16_t planes;
  /** The number of colour samples, and the index of the alpha sample or -1. */
  uint16_t colours;
  int alpha;
  bool associated;
  bool inverted;
  /** Whether gray samples are the L* of L*a*b*. */
  bool is_lightness;
  bool tiled;
  uint32_t dropped;
  uint32_t tile_width;
  /** The number of rows in a strip or tile. */
  uint32_t band_rows;
  /** The distance in bytes between rows of a strip or tile, and the size of the strip or tile, both in one plane. */
  uint64_t row_bytes;
  uint64_t band_bytes;
  /** The format of the output. */
  uint32_t sample;
  uint32_t bands;
} tiff_layout;

bool tiff_is_fax(uint16_t compression);
bool tiff_layout_read(tiff_file *file, tiff_layout *layout, const imghost_call *call);
const char *tiff_compression_name(uint16_t compression);
const char *tiff_photometric_name(uint16_t photometric);

/* ---- Conversion (TIFFSamples.c, TIFFLab.c) --------------------------------------------------- */

/** The number of pixels that are converted at once. */
#define TIFF_PIXELS_AT_ONCE 512u

/** The tables and the memory for converting rows. */
typedef struct {
  uint16_t *scratch;
  /** The palette: red, green and blue by index. */
  uint16_t *palette;
  /** The expanded values of samples of 1 to 15 bits; not used for palettes. */
  uint16_t *widened;
  /** The eight pixels for each byte of a 1-bit gray row. */
  uint8_t (*bilevel)[8];
  /** For L*a*b*, the values of `tiff_gamma_table`. */
  float *gamma;
  /** For L* without a* and b*, the encoded sRGB gray for each sample. */
  uint16_t *lightness;
} tiff_converter;

bool tiff_converter_begin(tiff_converter *converter, tiff_file *file, const tiff_layout *layout);
void tiff_converter_end(tiff_converter *converter);
void tiff_convert(const tiff_converter *converter, const tiff_layout *layout, const uint8_t *const *planes,
    uint32_t first, uint32_t count, void *output);
void tiff_lab_to_rgb(const float *gamma, const tiff_layout *layout, uint16_t *pixels, uint32_t count);
float *tiff_gamma_table(void);
uint16_t *tiff_lightness_table(const tiff_layout *layout);

/* ---- Reading (TIFFReader.c, TIFFRows.c, TIFFLevels.c) ------------------------------------------------------ */

/** Whether a reduced image shows what its page shows. */
typedef enum { TIFF_LEVEL_UNKNOWN, TIFF_LEVEL_SAME, TIFF_LEVEL_OTHER } tiff_level_state;

/** One reduced image of a page. */
typedef struct {
  uint64_t directory;
  uint32_t shrink;
  tiff_level_state state;
} tiff_level;

/** The maximum number of pixels of a page that is always read directly, without a reduced image. */
#define TIFF_SMALL_PAGE ((uint64_t)4 << 20)

/** The state of reading the rows of one directory. */
typedef struct {
  tiff_layout layout;
  tiff_converter converter;
  /** The band (a strip or row of tiles) in memory or UINT32_MAX, the first of its tiles in memory, and their number. */
  uint32_t band;
  uint32_t first_tile;
  uint32_t tile_count;
  uint8_t *memory;
  /** The tiles of the band that could not be decoded. */
  uint8_t *failed;
  /** The addresses of a row's samples, one for each plane. */
  const uint8_t **planes;
  /** The row that libtiff decodes next, with TIFF_BY_ROWS. */
  uint32_t next_row;
} tiff_rows;

/** An instance of the decoder, for one file. */
typedef struct {
  tiff_file file;
  tiff_bytes bytes;
  tiff_pages pages;
  uint32_t page;
  tiff_level levels[16];
  uint32_t level_count;
  /** The current directory of `rows` and libtiff. */
  uint64_t directory;
  tiff_rows rows;
  uint8_t *exif;
  imghost_fact facts[12];
  char tile_size[32];
} tiff_reader;

int32_t tiff_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t tiff_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t tiff_read(void *instance, const imghost_read *request);
void tiff_close(void *instance);
bool tiff_rows_begin(tiff_rows *rows, tiff_file *file, const imghost_call *call);
void tiff_rows_end(tiff_rows *rows);
bool tiff_rows_read(tiff_rows *rows, tiff_file *file, const imghost_read *request);

void tiff_levels_find(tiff_reader *reader, uint32_t page, const imghost_call *call);
bool tiff_levels_serve(const tiff_layout *page);
bool tiff_levels_read(tiff_reader *reader, tiff_level *level, const imghost_read *request);

bool tiff_go_to(tiff_reader *reader, uint64_t directory, const imghost_call *call);

/* ---- Stored forms (TIFFStored.c, TIFFJPEG.c) --------------------------------------- */

bool tiff_strip_find(const tiff_reader *reader, uint32_t strip, imghost_bytes *bytes);
uint32_t tiff_stored_flag(const tiff_reader *reader);
int32_t tiff_stored(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write);
bool tiff_jpeg_fits(const tiff_reader *reader);
int32_t tiff_jpeg_write(tiff_reader *reader, const imghost_call *call, imghost_write write);

/* ---- Writing (TIFFWriter.c) ------------------------------------------------------------------ */

void *tiff_begin(const imghost_writing *writing);
int32_t tiff_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows);
int32_t tiff_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next);
int32_t tiff_finish(void *encoder, const imghost_call *call);
void tiff_abandon(void *encoder);
int32_t tiff_rewrite(imghost_bytes file, const imghost_writing *writing);
