// Conversions between colour profiles, computed with Little CMS (https://www.littlecms.com) and passed to the host as
// pictures of numbers.
//
// The "file" is a request of the host: the line "imghost colour 1", two 32-bit numbers (the rendering intent as in
// ICC.1, and 1 for black point compensation), the size of the source's profile as a 32-bit number, the source's
// profile, and the target's profile. All numbers are little-endian.
//
// Page 1 contains samples of the conversion: for gray sources a row of 4,096 pixels, for RGB a cube of 33 steps (x is
// red plus 33 times green, y is blue), for CMYK a grid of 25 steps of each ink (x is cyan plus 25 times magenta, y is
// yellow plus 25 times black). The numbers of page 1 represent -0.5 to 1.5, where 0 to 1 is the target's range. Page 2,
// if there is one, contains the curves of two matrix profiles: rows 1 to 3 are the square roots of the linear light of
// 4,096 encoded values of red, green and blue, rows 4 to 6 are the target's encoded values at the squares of 4,096
// equal steps of light. The facts m0 to m8 are the matrix from the source's light to the target's, row by row.
//
// For conversions from CMYK to RGB with a matrix profile, page 1 contains linear light, which is interpolated more
// accurately. The fact "light" is then 1, and page 2 contains only the encoded values.
#pragma once

#include "imghost_plugin.h"

#include <lcms2.h>

enum { colour_steps = 33, colour_ink_steps = 25, colour_curve_steps = 4096 };

extern const imghost_host *colour_host;
/// Reports the reason for a failure. Returns IMGHOST_FAILED.
#define colour_fail(call, words) imghost_fail(colour_host, call, "%s", words)

/// The validated request.
typedef struct colour_request {
  cmsHPROFILE source, target;
  cmsUInt32Number intent, flags;
  /// The numbers of bands of the source and of the target: 1, 3 or 4.
  int32_t source_bands, target_bands;
} colour_request;

int32_t colour_request_open(const imghost_call *call, imghost_bytes content, colour_request *request);
void colour_request_close(colour_request *request);

/// Returns whether both profiles are matrices with curves, which the host can apply exactly. If so, stores the matrix.
int colour_has_matrix(const colour_request *request, double matrix[9]);
/// Returns whether page 1 contains linear light.
int colour_has_light(const colour_request *request);
/// Returns a copy of the target's profile with linear curves, or NULL on failure. The caller closes the copy.
cmsHPROFILE colour_linear_target(const colour_request *request);
/// Computes the rows of page 2 that `output->valid` covers.
int32_t colour_fill_curves(const imghost_call *call, const colour_request *request, const imghost_picture *output);
/// Computes the rows of page 1 that `output->valid` covers.
int32_t colour_fill_samples(const imghost_call *call, const colour_request *request, const imghost_picture *output);
