// SVG drawings, read with librsvg: https://www.w3.org/TR/SVG2/
#pragma once

#include "imghost_plugin.h"

/// The parameters of `open`, in the order of their values.
enum { svg_width, svg_height, svg_dpi, svg_scale, svg_parameter_count };

/// Lays `words` down as the reason of a failure. Returns IMGHOST_FAILED.
int32_t svg_fail(const imghost_call *call, const char *words, ...) __attribute__((format(printf, 2, 3)));
/// Whether the root element of a text is `svg`, behind a byte order mark, declarations and comments of any length.
/// `nests` becomes whether it declares entities that are made of others.
int svg_has_root(imghost_bytes bytes, int *nests);
/// Passes messages of librsvg, Pango and GLib on to the host while they work for a call.
void svg_listen(const imghost_call *call);
int svg_is_cancelled(const imghost_call *call);

int32_t svg_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t svg_read(void *instance, const imghost_read *request);
void svg_close(void *instance);
