// HEIF pictures, which phones write as HEIC, read with libheif: ISO/IEC 23008-12.
#pragma once

#include "imghost_plugin.h"

#include <libheif/heif.h>

/// Lays `words` down as the reason of a failure. Returns IMGHOST_FAILED.
int32_t heif_fail(const imghost_call *call, const char *words, ...) __attribute__((format(printf, 2, 3)));
/// Lays down the words for an error of libheif. Returns IMGHOST_FAILED.
int32_t heif_fail_with(const imghost_call *call, struct heif_error error);
/// Tells the user about a file that was read all the same.
void heif_warn(const imghost_call *call, const char *words, ...) __attribute__((format(printf, 2, 3)));
int heif_is_cancelled(const imghost_call *call);

/// Has libheif decode HEVC with HEIFDecoder.c.
void heif_decoder_register(void);
/// Says, before a picture of a file is decoded, whether a damaged one is a failure.
void heif_decoder_begin(imghost_bytes file, int is_damage_accepted);
/// Returns what was wrong with the picture; NULL for nothing.
const char *heif_decoder_damage(void);

/// Whether the tiles of a grid, and of the items that it is made of, cover the picture; also true of other items.
int heif_tiles_cover(imghost_bytes file, uint32_t item);
/// Whether some item of the file has this size.
int heif_has_item_of(imghost_bytes file, int32_t width, int32_t height);

int32_t heif_codec_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t heif_codec_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t heif_codec_read(void *instance, const imghost_read *request);
void heif_codec_close(void *instance);
