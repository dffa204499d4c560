#include "bench_colour.h"

#include <lcms2.h>

// The layout of pixels of a profile's colour space.
static cmsUInt32Number layout(cmsHPROFILE profile, int sample_bytes) {
  cmsUInt32Number bands = (cmsUInt32Number)cmsChannelsOf(cmsGetColorSpace(profile));
  cmsUInt32Number space = (cmsUInt32Number)_cmsLCMScolorSpace(cmsGetColorSpace(profile));
  return COLORSPACE_SH(space) | CHANNELS_SH(bands) | BYTES_SH((cmsUInt32Number)sample_bytes)
         | FLOAT_SH(sample_bytes == 4 ? 1u : 0u);
}

BenchColour *bench_colour_create(
    const uint8_t *source, size_t source_count, const uint8_t *target, size_t target_count, int sample_bytes) {
  cmsHPROFILE from = cmsOpenProfileFromMem(source, (cmsUInt32Number)source_count);
  cmsHPROFILE to = cmsOpenProfileFromMem(target, (cmsUInt32Number)target_count);
  cmsHTRANSFORM transform = NULL;
  if (from && to) {
    cmsUInt32Number flags = cmsFLAGS_BLACKPOINTCOMPENSATION | (sample_bytes == 4 ? cmsFLAGS_NOOPTIMIZE : 0u);
    transform = cmsCreateTransform(
        from, layout(from, sample_bytes), to, layout(to, sample_bytes), INTENT_RELATIVE_COLORIMETRIC, flags);
  }
  if (from) cmsCloseProfile(from);
  if (to) cmsCloseProfile(to);
  return transform;
}

void bench_colour_run(BenchColour *colour, const void *source, void *target, size_t pixels) {
  cmsDoTransform(colour, source, target, (cmsUInt32Number)pixels);
}

void bench_colour_destroy(BenchColour *colour) { cmsDeleteTransform(colour); }

int bench_colour_version(void) { return LCMS_VERSION; }
