// HEIF pictures, which phones write as HEIC, read with libheif: ISO/IEC 23008-12.
#pragma once

#include "imghost_plugin.h"

#include <libheif/heif.h>

extern const imghost_host *heif_host;
/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define heif_fail(...) imghost_fail(heif_host, __VA_ARGS__)
/// Reports an error of libheif as the reason for a failure. Returns IMGHOST_FAILED.
int32_t heif_fail_with(const imghost_call *call, struct heif_error error);

/// Registers the HEVC decoder of HEIFDecoder.c with libheif.
void heif_decoder_register(void);
/// Prepares this thread to decode a picture of `file`. Damage makes decoding fail unless it is accepted.
void heif_decoder_begin(imghost_bytes file, int is_damage_accepted);
/// Returns a description of the damage found since `heif_decoder_begin`, or NULL if there is none.
const char *heif_decoder_damage(void);

/// Returns whether the tiles of a grid have equal sizes and cover its picture. Checks the item and the items that it is
/// derived from; true if none of them is a grid.
int heif_tiles_cover(imghost_bytes file, uint32_t item);
/// Returns whether any item of the file has this size; true if the file lists no properties.
int heif_has_item_of(imghost_bytes file, int32_t width, int32_t height);

int32_t heif_codec_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t heif_codec_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t heif_codec_read(void *instance, const imghost_read *request);
void heif_codec_close(void *instance);
