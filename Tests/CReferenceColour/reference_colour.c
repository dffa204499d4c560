#include "reference_colour.h"

#include <lcms2.h>
#include <math.h>

static cmsUInt32Number layout(cmsHPROFILE profile) {
  cmsColorSpaceSignature space = cmsGetColorSpace(profile);
  return COLORSPACE_SH((cmsUInt32Number)_cmsLCMScolorSpace(space)) | CHANNELS_SH((cmsUInt32Number)cmsChannelsOf(space))
         | BYTES_SH(4u) | FLOAT_SH(1u);
}

int reference_colour_convert(const uint8_t *source, size_t source_count, const uint8_t *target, size_t target_count,
    const float *input, float *output, size_t pixels, int is_absolute) {
  cmsHPROFILE from = cmsOpenProfileFromMem(source, (cmsUInt32Number)source_count);
  cmsHPROFILE to = cmsOpenProfileFromMem(target, (cmsUInt32Number)target_count);
  cmsHTRANSFORM transform = NULL;
  if (from && to) {
    transform = cmsCreateTransform(from, layout(from), to, layout(to),
        is_absolute ? INTENT_ABSOLUTE_COLORIMETRIC : INTENT_RELATIVE_COLORIMETRIC,
        cmsFLAGS_BLACKPOINTCOMPENSATION | cmsFLAGS_NOOPTIMIZE | cmsFLAGS_NOCACHE);
  }
  if (transform) {
    cmsDoTransform(transform, input, output, (cmsUInt32Number)pixels);
    cmsDeleteTransform(transform);
  }
  if (from) cmsCloseProfile(from);
  if (to) cmsCloseProfile(to);
  return transform ? 0 : -1;
}

// Returns the Lab colours of a display whose green tends to blue in the shadows.
static int32_t to_lab(const uint16_t input[], uint16_t output[], void *unused) {
  (void)unused;
  double r = input[0] / 65535.0, g = input[1] / 65535.0, b = input[2] / 65535.0;
  cmsCIELab lab = {
      .L = 100 * pow(0.25 * r + 0.65 * g + 0.10 * b, 0.9),
      .a = 80 * (r - g) + 15 * (b - g) * b,
      .b = 70 * (0.6 * g + 0.4 * r - b) - 10 * g * (1 - g),
  };
  cmsFloat2LabEncoded(output, &lab);
  return 1;
}

static int32_t to_lab_of_version_2(const uint16_t input[], uint16_t output[], void *unused) {
  to_lab(input, output, unused);
  cmsCIELab lab;
  cmsLabEncoded2Float(&lab, output);
  cmsFloat2LabEncodedV2(output, &lab);
  return 1;
}

size_t reference_colour_table_profile(double version, uint8_t *bytes, size_t capacity) {
  cmsHPROFILE profile = cmsCreateProfilePlaceholder(NULL);
  if (!profile) return 0;
  cmsSetProfileVersion(profile, version);
  cmsSetDeviceClass(profile, cmsSigInputClass);
  cmsSetColorSpace(profile, cmsSigRgbData);
  cmsSetPCS(profile, cmsSigLabData);
  cmsWriteTag(profile, cmsSigMediaWhitePointTag, cmsD50_XYZ());
  cmsPipeline *pipeline = cmsPipelineAlloc(NULL, 3, 3);
  cmsStage *curves = cmsStageAllocToneCurves(NULL, 3, NULL);
  cmsStage *table = cmsStageAllocCLut16bit(NULL, 17, 3, 3, NULL);
  cmsStage *last = cmsStageAllocToneCurves(NULL, 3, NULL);
  cmsUInt32Number count = 0;
  if (pipeline && curves && table && last
      && cmsStageSampleCLut16bit(table, version < 4 ? to_lab_of_version_2 : to_lab, NULL, 0)
      && cmsPipelineInsertStage(pipeline, cmsAT_END, curves) && cmsPipelineInsertStage(pipeline, cmsAT_END, table)
      && cmsPipelineInsertStage(pipeline, cmsAT_END, last) && cmsWriteTag(profile, cmsSigAToB0Tag, pipeline)) {
    if (!cmsSaveProfileToMem(profile, NULL, &count) || count > capacity) {
      count = 0;
    } else if (!cmsSaveProfileToMem(profile, bytes, &count)) {
      count = 0;
    }
  }
  if (pipeline) cmsPipelineFree(pipeline);
  cmsCloseProfile(profile);
  return count;
}
