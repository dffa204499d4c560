// The functions of Pango, GLib, Fontconfig and HarfBuzz that are used, declared here so that a build needs none of
// these libraries. All declarations match the stable C interfaces: Pango 1.50, GLib 2.0, HarfBuzz 6.0.
#pragma once
#include <stdint.h>

typedef struct PangoFontMap PangoFontMap;
typedef struct PangoContext PangoContext;
typedef struct PangoLayout PangoLayout;
typedef struct PangoLayoutIter PangoLayoutIter;
typedef struct PangoFont PangoFont;
typedef struct PangoFontFamily PangoFontFamily;
typedef struct PangoFontDescription PangoFontDescription;
typedef struct PangoLanguage PangoLanguage;
typedef struct FcPattern FcPattern;
typedef struct FcConfig FcConfig;
typedef struct FcStrList FcStrList;
typedef struct hb_face_t hb_face_t;
typedef struct hb_font_t hb_font_t;
typedef struct hb_blob_t hb_blob_t;
typedef struct hb_set_t hb_set_t;
typedef struct hb_map_t hb_map_t;
typedef struct hb_draw_funcs_t hb_draw_funcs_t;
typedef struct hb_subset_input_t hb_subset_input_t;
typedef struct hb_subset_plan_t hb_subset_plan_t;

typedef struct GSList {
  void *data;
  struct GSList *next;
} GSList;

typedef struct PangoRectangle {
  int x, y, width, height;
} PangoRectangle;

typedef struct hb_glyph_extents_t {
  int32_t x_bearing, y_bearing, width, height;
} hb_glyph_extents_t;

// The parameters are the receiver's data, the drawing state, points, and user data.
typedef void (*hb_draw_end_t)(hb_draw_funcs_t *, void *, void *, void *);
typedef void (*hb_draw_line_t)(hb_draw_funcs_t *, void *, void *, float, float, void *);
typedef void (*hb_draw_quadratic_t)(hb_draw_funcs_t *, void *, void *, float, float, float, float, void *);
typedef void (*hb_draw_cubic_t)(hb_draw_funcs_t *, void *, void *, float, float, float, float, float, float, void *);

typedef struct PangoItem {
  int offset, length, num_chars;
  struct {
    void *shape_engine, *lang_engine;
    PangoFont *font;
    uint8_t level, gravity, flags, script;
    PangoLanguage *language;
    GSList *extra_attrs;
  } analysis;
} PangoItem;

typedef struct PangoGlyphInfo {
  uint32_t glyph;
  struct {
    int width, x_offset, y_offset;
  } geometry;
  unsigned is_cluster_start : 1, is_color : 1;
} PangoGlyphInfo;

typedef struct PangoGlyphString {
  int num_glyphs;
  PangoGlyphInfo *glyphs;
  int *log_clusters;
  int space;
} PangoGlyphString;

typedef struct PangoGlyphItem {
  PangoItem *item;
  PangoGlyphString *glyphs;
  int y_offset, start_x_offset, end_x_offset;
} PangoGlyphItem;

typedef struct PangoLayoutLine {
  PangoLayout *layout;
  int start_index, length;
  GSList *runs;
  unsigned is_paragraph_start : 1, resolved_dir : 3;
} PangoLayoutLine;

enum {
  PANGO_SCALE = 1024,
  PANGO_ANALYSIS_FLAG_IS_ELLIPSIS = 1 << 1,
  PANGO_WRAP_WORD_CHAR = 2,
  PANGO_ELLIPSIZE_MIDDLE = 2,
  PANGO_ELLIPSIZE_END = 3,
  PANGO_DIRECTION_LTR = 0,
  PANGO_DIRECTION_RTL = 1,
  PANGO_DIRECTION_WEAK_LTR = 4,
  PANGO_DIRECTION_WEAK_RTL = 5,
  HB_SUBSET_FLAGS_NO_HINTING = 1,
  HB_SUBSET_FLAGS_RETAIN_GIDS = 2,
  HB_SUBSET_FLAGS_NOTDEF_OUTLINE = 0x40,
  HB_SUBSET_SETS_DROP_TABLE_TAG = 3,
};

// clang-format off
// For each function: the library, the result, the name, and the parameters.
#define CTEXT_FUNCTIONS(F)                                                                         \
  F(gobject, void, g_object_unref, (void *))                                                       \
  F(glib, void *, g_log_set_default_handler,                                                       \
    (void (*)(const char *, int, const char *, void *), void *))                                   \
  F(glib, void, g_log_default_handler, (const char *, int, const char *, void *))                  \
  F(glib, void, g_free, (void *))                                                                  \
  F(pango, PangoContext *, pango_font_map_create_context, (PangoFontMap *))                        \
  F(pango, void, pango_font_map_list_families, (PangoFontMap *, PangoFontFamily ***, int *))       \
  F(pango, const char *, pango_font_family_get_name, (PangoFontFamily *))                          \
  F(pango, PangoFont *, pango_font_map_load_font,                                                  \
    (PangoFontMap *, PangoContext *, const PangoFontDescription *))                                \
  F(pango, PangoFontDescription *, pango_font_describe, (PangoFont *))                             \
  F(pango, hb_font_t *, pango_font_get_hb_font, (PangoFont *))                                     \
  F(pango, PangoFontDescription *, pango_font_description_from_string, (const char *))             \
  F(pango, void, pango_font_description_set_absolute_size, (PangoFontDescription *, double))       \
  F(pango, const char *, pango_font_description_get_family, (const PangoFontDescription *))        \
  F(pango, void, pango_font_description_free, (PangoFontDescription *))                            \
  F(pango, PangoLanguage *, pango_language_from_string, (const char *))                            \
  F(pango, void, pango_context_set_language, (PangoContext *, PangoLanguage *))                    \
  F(pango, void, pango_context_set_base_dir, (PangoContext *, int))                                \
  F(pango, void, pango_context_set_round_glyph_positions, (PangoContext *, int))                   \
  F(pango, PangoLayout *, pango_layout_new, (PangoContext *))                                      \
  F(pango, void, pango_layout_set_text, (PangoLayout *, const char *, int))                        \
  F(pango, void, pango_layout_set_font_description,                                                \
    (PangoLayout *, const PangoFontDescription *))                                                 \
  F(pango, void, pango_layout_set_width, (PangoLayout *, int))                                     \
  F(pango, void, pango_layout_set_height, (PangoLayout *, int))                                    \
  F(pango, void, pango_layout_set_wrap, (PangoLayout *, int))                                      \
  F(pango, void, pango_layout_set_ellipsize, (PangoLayout *, int))                                 \
  F(pango, void, pango_layout_set_justify, (PangoLayout *, int))                                   \
  F(pango, void, pango_layout_set_auto_dir, (PangoLayout *, int))                                  \
  F(pango, void, pango_layout_set_line_spacing, (PangoLayout *, float))                            \
  F(pango, int, pango_layout_get_line_count, (PangoLayout *))                                      \
  F(pango, PangoLayoutIter *, pango_layout_get_iter, (PangoLayout *))                              \
  F(pango, void, pango_layout_iter_free, (PangoLayoutIter *))                                      \
  F(pango, int, pango_layout_iter_next_line, (PangoLayoutIter *))                                  \
  F(pango, int, pango_layout_iter_get_baseline, (PangoLayoutIter *))                               \
  F(pango, PangoLayoutLine *, pango_layout_iter_get_line_readonly, (PangoLayoutIter *))            \
  F(pango, void, pango_layout_line_get_height, (PangoLayoutLine *, int *))                         \
  F(pango, void, pango_layout_iter_get_line_extents,                                               \
    (PangoLayoutIter *, PangoRectangle *, PangoRectangle *))                                       \
  F(pangoft2, PangoFontMap *, pango_ft2_font_map_new, (void))                                      \
  F(pangoft2, void, pango_ft2_font_map_set_resolution, (PangoFontMap *, double, double))           \
  F(pangoft2, void, pango_ft2_font_map_set_default_substitute,                                     \
    (PangoFontMap *, void (*)(FcPattern *, void *), void *, void (*)(void *)))                     \
  F(fontconfig, FcConfig *, FcInitLoadConfig, (void))                                              \
  F(fontconfig, void, FcConfigDestroy, (FcConfig *))                                               \
  F(fontconfig, FcStrList *, FcConfigGetConfigFiles, (FcConfig *))                                 \
  F(fontconfig, FcStrList *, FcConfigGetFontDirs, (FcConfig *))                                    \
  F(fontconfig, unsigned char *, FcStrListNext, (FcStrList *))                                     \
  F(fontconfig, void, FcStrListDone, (FcStrList *))                                                \
  F(fontconfig, int, FcPatternDel, (FcPattern *, const char *))                                    \
  F(pangoft2, FcPattern *, pango_fc_font_get_pattern, (PangoFont *))                               \
  F(fontconfig, int, FcPatternGetBool, (const FcPattern *, const char *, int, int *))              \
  F(fontconfig, int, FcPatternAddBool, (FcPattern *, const char *, int))                           \
  F(harfbuzz, hb_face_t *, hb_font_get_face, (hb_font_t *))                                        \
  F(harfbuzz, void, hb_font_get_scale, (hb_font_t *, int *, int *))                                \
  F(harfbuzz, const float *, hb_font_get_var_coords_design, (hb_font_t *, unsigned *))             \
  F(harfbuzz, float, hb_font_get_synthetic_slant, (hb_font_t *))                                   \
  F(harfbuzz, hb_font_t *, hb_font_create, (hb_face_t *))                                          \
  F(harfbuzz, void, hb_font_destroy, (hb_font_t *))                                                \
  F(harfbuzz, void, hb_font_set_scale, (hb_font_t *, int, int))                                    \
  F(harfbuzz, void, hb_font_set_var_coords_design, (hb_font_t *, const float *, unsigned))         \
  F(harfbuzz, int32_t, hb_font_get_glyph_h_advance, (hb_font_t *, uint32_t))                       \
  F(harfbuzz, int, hb_font_get_glyph_extents, (hb_font_t *, uint32_t, hb_glyph_extents_t *))       \
  F(harfbuzz, hb_draw_funcs_t *, hb_draw_funcs_create, (void))                                     \
  F(harfbuzz, void, hb_draw_funcs_make_immutable, (hb_draw_funcs_t *))                             \
  F(harfbuzz, void, hb_draw_funcs_set_move_to_func,                                                \
    (hb_draw_funcs_t *, hb_draw_line_t, void *, void (*)(void *)))                                 \
  F(harfbuzz, void, hb_draw_funcs_set_line_to_func,                                                \
    (hb_draw_funcs_t *, hb_draw_line_t, void *, void (*)(void *)))                                 \
  F(harfbuzz, void, hb_draw_funcs_set_quadratic_to_func,                                           \
    (hb_draw_funcs_t *, hb_draw_quadratic_t, void *, void (*)(void *)))                            \
  F(harfbuzz, void, hb_draw_funcs_set_cubic_to_func,                                               \
    (hb_draw_funcs_t *, hb_draw_cubic_t, void *, void (*)(void *)))                                \
  F(harfbuzz, void, hb_draw_funcs_set_close_path_func,                                             \
    (hb_draw_funcs_t *, hb_draw_end_t, void *, void (*)(void *)))                                  \
  F(harfbuzz, void, hb_font_get_glyph_shape, (hb_font_t *, uint32_t, hb_draw_funcs_t *, void *))   \
  F(harfbuzz, hb_face_t *, hb_face_create, (hb_blob_t *, unsigned))                                \
  F(harfbuzz, void, hb_face_destroy, (hb_face_t *))                                                \
  F(harfbuzz, unsigned, hb_face_get_upem, (const hb_face_t *))                                     \
  F(harfbuzz, unsigned, hb_face_get_glyph_count, (const hb_face_t *))                              \
  F(harfbuzz, hb_blob_t *, hb_face_reference_table, (const hb_face_t *, uint32_t))                 \
  F(harfbuzz, hb_blob_t *, hb_face_reference_blob, (hb_face_t *))                                  \
  F(harfbuzz, const char *, hb_blob_get_data, (hb_blob_t *, unsigned *))                           \
  F(harfbuzz, void, hb_blob_destroy, (hb_blob_t *))                                                \
  F(harfbuzz, int, hb_ot_var_has_data, (hb_face_t *))                                              \
  F(harfbuzz, unsigned, hb_ot_var_get_axis_infos, (hb_face_t *, unsigned, unsigned *, void *))     \
  F(harfbuzz, void, hb_set_add, (hb_set_t *, uint32_t))                                            \
  F(harfbuzz, uint32_t, hb_map_get, (const hb_map_t *, uint32_t))                                  \
  F(subset, hb_subset_input_t *, hb_subset_input_create_or_fail, (void))                           \
  F(subset, void, hb_subset_input_destroy, (hb_subset_input_t *))                                  \
  F(subset, hb_set_t *, hb_subset_input_glyph_set, (hb_subset_input_t *))                          \
  F(subset, hb_set_t *, hb_subset_input_set, (hb_subset_input_t *, int))                           \
  F(subset, void, hb_subset_input_set_flags, (hb_subset_input_t *, unsigned))                      \
  F(subset, int, hb_subset_input_pin_axis_location,                                                \
    (hb_subset_input_t *, hb_face_t *, uint32_t, float))                                           \
  F(subset, hb_subset_plan_t *, hb_subset_plan_create_or_fail,                                     \
    (hb_face_t *, const hb_subset_input_t *))                                                      \
  F(subset, hb_face_t *, hb_subset_plan_execute_or_fail, (hb_subset_plan_t *))                     \
  F(subset, hb_map_t *, hb_subset_plan_old_to_new_glyph_mapping, (const hb_subset_plan_t *))       \
  F(subset, void, hb_subset_plan_destroy, (hb_subset_plan_t *))
// clang-format on

/// The functions, set by `ctext_load`.
typedef struct CTextLibraries {
#define CTEXT_MEMBER(library, result, name, arguments) result(*name) arguments;
  CTEXT_FUNCTIONS(CTEXT_MEMBER)
#undef CTEXT_MEMBER
} CTextLibraries;

extern CTextLibraries ctext_libraries __attribute__((visibility("hidden")));
#define CALL(name) ctext_libraries.name
