/* JPEG2000.h: declarations shared by the files of the JPEG 2000 plugin. */
#pragma once

#include <openjpeg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "imghost_plugin.h"

extern const imghost_host *jp2_host;

/** Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED. */
#define jp2_fail(...) imghost_fail(jp2_host, __VA_ARGS__)

#define JP2_MOST_COMPONENTS 16

/** One component of the codestream: its bits per sample, and its subsampling. */
typedef struct {
  uint8_t bits;
  bool is_signed;
  uint8_t dx;
  uint8_t dy;
} jp2_component;

/** The contents of the boxes and of the main header of the codestream. */
typedef struct {
  /** The position of the codestream. */
  uint64_t start;
  /** The position of the first tile part; 0 if the file ends before it. */
  uint64_t first_part;
  bool boxed;
  uint32_t width;
  uint32_t height;
  /** Whether image and tiles begin at the origin of the reference grid. */
  bool at_origin;
  uint32_t tile_width;
  uint32_t tile_height;
  uint32_t component_count;
  jp2_component components[JP2_MOST_COMPONENTS];
  /** The smallest number of wavelet levels that the main header declares for a component. */
  uint32_t levels;
  bool reversible;
  /** The number of channels that the palette produces; 0 if there is no palette. */
  uint32_t palette_channels;
  uint8_t palette_bits[JP2_MOST_COMPONENTS];
  bool has_definitions;
  /** The number of alpha channels, and that of channels that are neither colours nor alpha. */
  uint32_t alpha_channels;
  uint32_t other_channels;
  bool premultiplied;
  /** The enumerated colour space, 0 for none. */
  uint32_t colour_space;
  double resolution_x;
  double resolution_y;
  imghost_bytes icc;
  imghost_bytes xmp;
  imghost_bytes iptc;
  imghost_bytes exif;
} jp2_header;

bool jp2_header_read(jp2_header *header, imghost_bytes file, const imghost_call *call);

/** The bytes in memory that the library reads. */
typedef struct {
  const uint8_t *bytes;
  uint64_t count;
  /** The number of bytes that are appended to a truncated file: zeros, and the two bytes that end a codestream. */
  uint64_t added;
  uint64_t position;
} jp2_source;

void jp2_source_complete(jp2_source *source, const jp2_header *header, imghost_bytes file);
opj_stream_t *jp2_source_stream(jp2_source *source);

/** An instance of the decoder, for one file. */
typedef struct {
  imghost_bytes file;
  jp2_header header;
  uint32_t sample;
  uint32_t bands;
  uint32_t colours;
  bool ycc;
  bool cmyk;
  bool has_alpha;
  /** The number of rows of the full picture that are decoded together. */
  uint32_t band_rows;
  /** The decoded region `area` of the picture, reduced by `shrink`. NULL if there is none. */
  opj_image_t *image;
  uint32_t shrink;
  imghost_region area;
  /** The components in the order of the bands. */
  uint32_t order[5];
  char error[200];
  char tiles[32];
  imghost_fact facts[10];
} jp2_reader;

int32_t jp2_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t jp2_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t jp2_read(void *instance, const imghost_read *request);
void jp2_close(void *instance);

bool jp2_check_components(jp2_reader *reader);
void jp2_convert_row(const jp2_reader *reader, uint32_t row, const imghost_region *region, void *output);
void jp2_keep_message(const char *message, void *text);
void jp2_ignore_message(const char *message, void *text);

/** The options of `save`, in their order. */
enum { JP2_PARAMETER_QUALITY, JP2_PARAMETER_PSNR, JP2_PARAMETER_LOSSLESS, JP2_PARAMETER_COUNT };

/** The UUIDs of the boxes that contain XMP and IPTC. */
extern const uint8_t jp2_xmp_uuid[16];
extern const uint8_t jp2_iptc_uuid[16];

bool jp2_write_boxes(const imghost_writing *writing);

void *jp2_begin(const imghost_writing *writing);
int32_t jp2_write_rows(void *encoder, const imghost_call *call, const imghost_picture *rows);
int32_t jp2_end_page(void *encoder, const imghost_call *call, double delay, const imghost_picture *next);
int32_t jp2_finish(void *encoder, const imghost_call *call);
void jp2_abandon(void *encoder);
