// HEIF pictures, which phones write as HEIC, read with libheif: ISO/IEC 23008-12.
#pragma once

#include "imghost_plugin.h"

#include <libheif/heif.h>

/// Lays `words` down as the reason of a failure. Returns IMGHOST_FAILED.
int32_t heif_fail(const imghost_call *call, const char *words, ...) __attribute__((format(printf, 2, 3)));
/// Lays down the words for an error of libheif. Returns IMGHOST_FAILED.
int32_t heif_fail_with(const imghost_call *call, struct heif_error error);
int heif_is_cancelled(const imghost_call *call);

int32_t heif_codec_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t heif_codec_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t heif_codec_read(void *instance, const imghost_read *request);
void heif_codec_close(void *instance);
