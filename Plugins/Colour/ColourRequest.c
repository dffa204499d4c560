// Parses requests and opens their profiles. Both are untrusted. This file checks sizes, intents, and the classes and
// colour spaces of profiles; Little CMS checks the rest.
#include "Colour.h"

#include <math.h>
#include <string.h>

static const char magic[] = "imghost colour 1\n";
enum { magic_size = sizeof magic - 1, header_size = magic_size + 12, largest_profile = 4 << 20 };

static uint32_t number(const uint8_t *bytes) {
  return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// Returns whether Little CMS can convert from a profile (`is_source`) or to it. Opening a profile does not prove this:
// Little CMS also opens profiles whose tags it cannot use.
static int is_usable(cmsHPROFILE profile, int32_t bands, int is_source) {
  static const cmsUInt32Number types[] = {0, TYPE_GRAY_FLT, 0, TYPE_RGB_FLT, TYPE_CMYK_FLT};
  const cmsUInt32Number flags = cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE;
  cmsHPROFILE lab = cmsCreateLab4Profile(NULL);
  if (lab == NULL) return 0;
  cmsHTRANSFORM transform =
      is_source ? cmsCreateTransform(profile, types[bands], lab, TYPE_Lab_FLT, INTENT_RELATIVE_COLORIMETRIC, flags)
                : cmsCreateTransform(lab, TYPE_Lab_FLT, profile, types[bands], INTENT_RELATIVE_COLORIMETRIC, flags);
  cmsCloseProfile(lab);
  if (transform != NULL) cmsDeleteTransform(transform);
  return transform != NULL;
}

// Opens a profile, and checks whether it can be used in its role, which is `words`: "source" or "target". After a
// failure, `words` is the message, because Little CMS reports reasons only to a process-wide handler.
static int32_t open_profile(const imghost_call *call, const uint8_t *bytes, size_t count, const char *words,
    cmsHPROFILE *profile, int32_t *bands) {
  if (count == 0 || count > largest_profile) return colour_fail(call, words);
  *profile = cmsOpenProfileFromMem(bytes, (cmsUInt32Number)count);
  if (*profile == NULL) return colour_fail(call, words);
  cmsProfileClassSignature class = cmsGetDeviceClass(*profile);
  if (class != cmsSigInputClass && class != cmsSigDisplayClass && class != cmsSigOutputClass
      && class != cmsSigColorSpaceClass) {
    return colour_fail(call, words);
  }
  switch (cmsGetColorSpace(*profile)) {
    case cmsSigGrayData: *bands = 1; break;
    case cmsSigRgbData: *bands = 3; break;
    case cmsSigCmykData: *bands = 4; break;
    default: return colour_fail(call, words);
  }
  return is_usable(*profile, *bands, words[0] == 's') ? IMGHOST_OK : colour_fail(call, words);
}

int32_t colour_request_open(const imghost_call *call, imghost_bytes content, colour_request *request) {
  if (content.count < header_size || memcmp(content.bytes, magic, magic_size) != 0) {
    return colour_fail(call, "is no request for a colour conversion");
  }
  uint32_t intent = number(content.bytes + magic_size), compensates = number(content.bytes + magic_size + 4);
  uint32_t source = number(content.bytes + magic_size + 8);
  if (intent > 3 || source > content.count - header_size) return colour_fail(call, "is no request that can be met");
  request->intent = intent;
  request->flags = cmsFLAGS_NOCACHE | cmsFLAGS_NOOPTIMIZE | (compensates ? cmsFLAGS_BLACKPOINTCOMPENSATION : 0u);
  const uint8_t *first = content.bytes + header_size;
  int32_t code = open_profile(call, first, source, "source", &request->source, &request->source_bands);
  if (code != IMGHOST_OK) return code;
  return open_profile(
      call, first + source, content.count - header_size - source, "target", &request->target, &request->target_bands);
}

void colour_request_close(colour_request *request) {
  if (request->source != NULL) cmsCloseProfile(request->source);
  if (request->target != NULL) cmsCloseProfile(request->target);
}

static int colorants(cmsHPROFILE profile, double matrix[9]) {
  static const cmsTagSignature tags[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
  for (int i = 0; i < 3; i++) {
    const cmsCIEXYZ *colour = cmsReadTag(profile, tags[i]);
    if (colour == NULL || !isfinite(colour->X + colour->Y + colour->Z)) return 0;
    matrix[i] = colour->X;
    matrix[3 + i] = colour->Y;
    matrix[6 + i] = colour->Z;
  }
  return 1;
}

static int inverted(const double m[9], double result[9]) {
  double a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
  double determinant = m[0] * a + m[1] * b + m[2] * c;
  if (fabs(determinant) < 1e-6) return 0;
  double cofactors[9] = {a, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4], b, m[0] * m[8] - m[2] * m[6],
      m[2] * m[3] - m[0] * m[5], c, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
  for (int i = 0; i < 9; i++) result[i] = cofactors[i] / determinant;
  return 1;
}

// Returns whether Little CMS would use a profile's matrix; it prefers lookup tables, if the profile has any.
static int is_matrix(cmsHPROFILE profile, cmsUInt32Number intent, cmsUInt32Number direction) {
  return cmsGetColorSpace(profile) == cmsSigRgbData && cmsGetPCS(profile) == cmsSigXYZData && cmsIsMatrixShaper(profile)
         && !cmsIsCLUT(profile, intent, direction);
}

// Returns the white point that Little CMS uses for the absolute intent: D50 for display profiles before ICC version 4,
// and for profiles without a usable white point.
static cmsCIEXYZ white_of(cmsHPROFILE profile) {
  const cmsCIEXYZ *white = cmsReadTag(profile, cmsSigMediaWhitePointTag);
  int is_old_display = cmsGetEncodedICCversion(profile) < 0x4000000 && cmsGetDeviceClass(profile) == cmsSigDisplayClass;
  int is_white = white != NULL && !is_old_display && isfinite(white->X + white->Y + white->Z) && white->X > 0
                 && white->Y > 0 && white->Z > 0;
  return is_white ? *white : *cmsD50_XYZ();
}

int colour_has_light(const colour_request *request) {
  return request->source_bands == 4 && is_matrix(request->target, request->intent, LCMS_USED_AS_OUTPUT);
}

cmsHPROFILE colour_linear_target(const colour_request *request) {
  static const cmsTagSignature colours[] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};
  static const cmsTagSignature curves[] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
  cmsHPROFILE profile = cmsCreateProfilePlaceholder(NULL);
  cmsToneCurve *straight = cmsBuildGamma(NULL, 1);
  int made = profile != NULL && straight != NULL;
  if (made) {
    int is_absolute = request->intent == INTENT_ABSOLUTE_COLORIMETRIC;
    cmsCIEXYZ white = white_of(request->target);
    cmsSetProfileVersion(profile, is_absolute ? 4.3 : cmsGetProfileVersion(request->target));
    made = !is_absolute || cmsWriteTag(profile, cmsSigMediaWhitePointTag, &white);
    cmsSetDeviceClass(profile, cmsSigDisplayClass);
    cmsSetColorSpace(profile, cmsSigRgbData);
    cmsSetPCS(profile, cmsSigXYZData);
  }
  for (int i = 0; i < 3 && made; i++) {
    const void *colour = cmsReadTag(request->target, colours[i]);
    made = colour != NULL && cmsWriteTag(profile, colours[i], colour) && cmsWriteTag(profile, curves[i], straight);
  }
  cmsFreeToneCurve(straight);
  if (made) return profile;
  if (profile != NULL) cmsCloseProfile(profile);
  return NULL;
}

int colour_has_matrix(const colour_request *request, double matrix[9]) {
  double source[9], target[9], inverse[9];
  if (!is_matrix(request->source, request->intent, LCMS_USED_AS_INPUT)
      || !is_matrix(request->target, request->intent, LCMS_USED_AS_OUTPUT) || !colorants(request->source, source)
      || !colorants(request->target, target) || !inverted(target, inverse)) {
    return 0;
  }
  // The absolute intent keeps the difference between the white points. For matrices, whose black is 0, all other
  // intents are identical.
  double scales[3] = {1, 1, 1};
  if (request->intent == INTENT_ABSOLUTE_COLORIMETRIC) {
    cmsCIEXYZ from = white_of(request->source), to = white_of(request->target);
    scales[0] = from.X / to.X, scales[1] = from.Y / to.Y, scales[2] = from.Z / to.Z;
  }
  for (int row = 0; row < 3; row++) {
    for (int column = 0; column < 3; column++) {
      double sum = 0;
      for (int i = 0; i < 3; i++) sum += inverse[3 * row + i] * scales[i] * source[3 * i + column];
      if (!isfinite(sum) || fabs(sum) > 100) return 0;
      matrix[3 * row + column] = sum;
    }
  }
  return 1;
}
