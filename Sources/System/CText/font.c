#include <stdlib.h>
#include <string.h>

#include "CText.h"
#include "font.h"
#include "libraries.h"

// Has the layout of HarfBuzz's hb_ot_var_axis_info_t.
typedef struct AxisInfo {
  unsigned index;
  uint32_t tag;
  unsigned name, flags;
  float least, usual, most;
  unsigned reserved;
} AxisInfo;

void ctext_free(void *memory) { free(memory); }

static hb_face_t *face_of(const CTextFont *font) { return CALL(hb_font_get_face)(font->font); }

CTextFont *ctext_font_create(void *face, const float *axes, uint32_t axis_count) {
  CTextFont *result = calloc(1, sizeof *result);
  if (result == NULL) return NULL;
  result->font = CALL(hb_font_create)(face);
  result->axis_count = axis_count > ctext_maximum_axes ? ctext_maximum_axes : axis_count;
  if (result->axis_count > 0) {
    memcpy(result->axes, axes, result->axis_count * sizeof *axes);
    CALL(hb_font_set_var_coords_design)(result->font, result->axes, result->axis_count);
  }
  int scale = (int)CALL(hb_face_get_upem)(face);
  CALL(hb_font_set_scale)(result->font, scale, scale);
  return result;
}

void ctext_font_destroy(CTextFont *font) {
  if (font == NULL) return;
  CALL(hb_font_destroy)(font->font);
  free(font);
}

uint32_t ctext_font_units_per_em(const CTextFont *font) { return CALL(hb_face_get_upem)(face_of(font)); }

uint32_t ctext_font_glyph_count(const CTextFont *font) { return CALL(hb_face_get_glyph_count)(face_of(font)); }

int ctext_font_is_variable(const CTextFont *font) { return CALL(hb_ot_var_has_data)(face_of(font)); }

int32_t ctext_font_advance(const CTextFont *font, uint32_t glyph) {
  return CALL(hb_font_get_glyph_h_advance)(font->font, glyph);
}

void ctext_font_reach(const CTextFont *font, uint32_t glyph, int32_t *below, int32_t *above) {
  hb_glyph_extents_t extents = {0};
  *below = *above = 0;
  if (!CALL(hb_font_get_glyph_extents)(font->font, glyph, &extents)) return;
  // The height is negative, because y goes up.
  *above = extents.y_bearing;
  *below = extents.y_bearing + extents.height;
}

// Copies the blob's data, and destroys the blob.
static uint8_t *copy(hb_blob_t *blob, size_t *length) {
  unsigned count = 0;
  const char *data = CALL(hb_blob_get_data)(blob, &count);
  uint8_t *result = count == 0 ? NULL : malloc(count);
  if (result != NULL) memcpy(result, data, count);
  *length = result == NULL ? 0 : count;
  CALL(hb_blob_destroy)(blob);
  return result;
}

uint8_t *ctext_font_copy_table(const CTextFont *font, uint32_t tag, size_t *length) {
  return copy(CALL(hb_face_reference_table)(face_of(font), tag), length);
}

#define TAG(text) \
  ((uint32_t)(text)[0] << 24 | (uint32_t)(text)[1] << 16 | (uint32_t)(text)[2] << 8 | (uint32_t)(text)[3])

// Tables that PDF readers do not need: the layout is fixed, and names are in the PDF.
static const char *const dropped[] = {"GSUB", "GPOS", "GDEF", "BASE", "JSTF", "MATH", "kern", "morx", "mort", "kerx",
    "feat", "trak", "cmap", "name", "post", "OS/2", "DSIG", "gasp", "hdmx", "LTSH", "VDMX", "PCLT", "vhea", "vmtx",
    "VORG", "STAT", "FFTM", "meta", "COLR", "CPAL", "SVG ", "CBDT", "CBLC", "EBDT", "EBLC", "sbix"};

// Fixes every axis of a variable font. Returns 0 if one of them cannot be fixed.
static int pin(const CTextFont *font, hb_subset_input_t *input) {
  AxisInfo axes[ctext_maximum_axes];
  unsigned count = ctext_maximum_axes;
  unsigned all = CALL(hb_ot_var_get_axis_infos)(face_of(font), 0, &count, axes);
  if (all > ctext_maximum_axes) return 0;
  for (unsigned i = 0; i < count; i++) {
    float value = i < font->axis_count ? font->axes[i] : axes[i].usual;
    if (!CALL(hb_subset_input_pin_axis_location)(input, face_of(font), axes[i].tag, value)) return 0;
  }
  return 1;
}

static uint8_t *execute(const CTextFont *font, const hb_subset_input_t *input, const uint32_t *glyphs, size_t count,
    uint32_t *new_glyphs, size_t *length) {
  hb_subset_plan_t *plan = CALL(hb_subset_plan_create_or_fail)(face_of(font), input);
  if (plan == NULL) return NULL;
  const hb_map_t *map = CALL(hb_subset_plan_old_to_new_glyph_mapping)(plan);
  for (size_t i = 0; i < count; i++) new_glyphs[i] = CALL(hb_map_get)(map, glyphs[i]);
  hb_face_t *subset = CALL(hb_subset_plan_execute_or_fail)(plan);
  uint8_t *result = NULL;
  if (subset != NULL) {
    result = copy(CALL(hb_face_reference_blob)(subset), length);
    CALL(hb_face_destroy)(subset);
  }
  CALL(hb_subset_plan_destroy)(plan);
  return result;
}

uint8_t *ctext_font_subset(const CTextFont *font, const uint32_t *glyphs, size_t count, int keeps_numbers,
    uint32_t *new_glyphs, size_t *length) {
  hb_subset_input_t *input = CALL(hb_subset_input_create_or_fail)();
  if (input == NULL) return NULL;
  hb_set_t *wanted = CALL(hb_subset_input_glyph_set)(input);
  for (size_t i = 0; i < count; i++) CALL(hb_set_add)(wanted, glyphs[i]);
  hb_set_t *tables = CALL(hb_subset_input_set)(input, HB_SUBSET_SETS_DROP_TABLE_TAG);
  for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
    CALL(hb_set_add)(tables, TAG(dropped[i]));
  }
  CALL(hb_subset_input_set_flags)
  (input,
      HB_SUBSET_FLAGS_NO_HINTING | HB_SUBSET_FLAGS_NOTDEF_OUTLINE | (keeps_numbers ? HB_SUBSET_FLAGS_RETAIN_GIDS : 0));
  uint8_t *result = NULL;
  if (!ctext_font_is_variable(font) || pin(font, input)) {
    result = execute(font, input, glyphs, count, new_glyphs, length);
  }
  CALL(hb_subset_input_destroy)(input);
  return result;
}
