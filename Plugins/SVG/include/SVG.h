// SVG drawings, read with librsvg: https://www.w3.org/TR/SVG2/
#pragma once

#include "imghost_plugin.h"

/// The indices of the parameters of `open` in the array of their values.
enum { svg_width, svg_height, svg_dpi, svg_scale, svg_parameter_count };

extern const imghost_host *svg_host;
/// Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED.
#define svg_fail(...) imghost_fail(svg_host, __VA_ARGS__)
/// Returns whether the root element of a text is `svg`, after a byte order mark, declarations and comments of any
/// length. Sets `nests` to whether the text declares entities that refer to other entities.
int svg_has_root(imghost_bytes bytes, int *nests);

int32_t svg_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t svg_read(void *instance, const imghost_read *request);
void svg_close(void *instance);
