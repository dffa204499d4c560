// Storing a JPEG file as JPEG XL and restoring it, byte for byte.
#pragma once

#include "imghost_plugin.h"

/// The name for which the JPEG XL plugin's `extension` returns its `imghost_jpegxl_transcode`.
#define IMGHOST_JPEGXL_TRANSCODE_EXTENSION "imghost.jpegxl.transcode.1"

/// Takes the next bytes of a file. Other than 0: stop, nobody wants the file any more.
typedef int32_t (*imghost_write)(const imghost_call *call, const void *bytes, size_t count);

typedef struct imghost_jpegxl_transcode {
  uint32_t struct_size;
  /** Reserved: 0. */
  uint32_t reserved;
  /** Writes a JPEG file as JPEG XL, from which it can be restored byte for byte: that is checked before the first byte
   * is written. `effort` is 1 to 9. A JPEG of 12 bits, of CMYK, or with arithmetic coding is a failure. */
  int32_t (*from_jpeg)(const imghost_call *call, imghost_bytes jpeg, int32_t effort, imghost_write write);
  /** Writes the JPEG file from which a JPEG XL was made. Any other JPEG XL is a failure. */
  int32_t (*to_jpeg)(const imghost_call *call, imghost_bytes jpegxl, imghost_write write);
} imghost_jpegxl_transcode;

int32_t jpegxl_from_jpeg(const imghost_call *call, imghost_bytes jpeg, int32_t effort, imghost_write write);
int32_t jpegxl_to_jpeg(const imghost_call *call, imghost_bytes jpegxl, imghost_write write);
