// Storing a JPEG file as JPEG XL and restoring it, byte for byte.
#pragma once

#include "imghost_plugin.h"

/// The functions of `imghost_stored_codec`. A JPEG is wrapped only if it comes back byte for byte, which is checked before
/// the first byte is written. A JPEG of 12 bits, of CMYK, or with arithmetic coding is a failure.
int32_t jpegxl_wrap(const imghost_call *call, imghost_bytes jpeg, const imghost_value *values, uint32_t value_count,
    imghost_write write);
int32_t jpegxl_stored(void *instance, const imghost_call *call, imghost_stored *stored, imghost_write write);
