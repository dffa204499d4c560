// Stores a JPEG file as JPEG XL, and restores it byte for byte.
#pragma once

#include "imghost_plugin.h"

/// The functions of `imghost_stored_codec`. A JPEG is only wrapped if it can be restored byte for byte, which is
/// checked before the first byte is written. JPEGs with 12 bits, CMYK, or arithmetic coding are refused.
int32_t jpegxl_wrap(const imghost_call *call, imghost_bytes jpeg, const imghost_value *values, uint32_t value_count,
    imghost_write write);
int32_t jpegxl_stored(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write);
