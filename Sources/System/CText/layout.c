#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "CText.h"
#include "libraries.h"

struct CTextEngine {
  PangoFontMap *map;
  PangoContext *context;
};

// A PDF has no fixed resolution, so advances must not be rounded to pixels, and only outlines are allowed.
static void choose_outlines(FcPattern *pattern, void *nothing) {
  (void)nothing;
  static const struct {
    const char *name;
    int value;
  } wishes[] = {{"hinting", 0}, {"autohint", 0}, {"outline", 1}, {"color", 0}, {"variable", 0}};
  for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++) {
    CALL(FcPatternDel)(pattern, wishes[i].name);
    CALL(FcPatternAddBool)(pattern, wishes[i].name, wishes[i].value);
  }
}

CTextEngine *ctext_engine_create(void) {
  CTextEngine *engine = calloc(1, sizeof *engine);
  if (engine == NULL) return NULL;
  engine->map = CALL(pango_ft2_font_map_new)();
  // One device unit is one point.
  CALL(pango_ft2_font_map_set_resolution)(engine->map, 72, 72);
  CALL(pango_ft2_font_map_set_default_substitute)(engine->map, choose_outlines, NULL, NULL);
  engine->context = CALL(pango_font_map_create_context)(engine->map);
  CALL(pango_context_set_round_glyph_positions)(engine->context, 0);
  return engine;
}

void ctext_engine_destroy(CTextEngine *engine) {
  if (engine == NULL) return;
  CALL(g_object_unref)(engine->context);
  CALL(g_object_unref)(engine->map);
  free(engine);
}

char **ctext_family_names(CTextEngine *engine, size_t *count) {
  PangoFontFamily **families = NULL;
  int number = 0;
  CALL(pango_font_map_list_families)(engine->map, &families, &number);
  char **names = calloc((size_t)number + 1, sizeof *names);
  *count = 0;
  for (int i = 0; names != NULL && i < number; i++) {
    char *name = strdup(CALL(pango_font_family_get_name)(families[i]));
    if (name != NULL) names[(*count)++] = name;
  }
  CALL(g_free)(families);
  return names;
}

// Appends copies of a list's texts to an array.
static char **append(char **paths, size_t *count, FcStrList *list) {
  for (unsigned char *path; list != NULL && (path = CALL(FcStrListNext)(list)) != NULL;) {
    char **more = realloc(paths, (*count + 1) * sizeof *paths);
    if (more == NULL) break;
    paths = more;
    paths[*count] = strdup((const char *)path);
    if (paths[*count] != NULL) (*count)++;
  }
  if (list != NULL) CALL(FcStrListDone)(list);
  return paths;
}

char **ctext_font_sources(size_t *files, size_t *count) {
  *files = *count = 0;
  FcConfig *config = CALL(FcInitLoadConfig)();
  if (config == NULL) return NULL;
  char **paths = append(NULL, files, CALL(FcConfigGetConfigFiles)(config));
  *count = *files;
  paths = append(paths, count, CALL(FcConfigGetFontDirs)(config));
  CALL(FcConfigDestroy)(config);
  return paths;
}

void ctext_free_names(char **names, size_t count) {
  if (names == NULL) return;
  for (size_t i = 0; i < count; i++) free(names[i]);
  free(names);
}

char *ctext_family_of(const char *font) {
  PangoFontDescription *description = CALL(pango_font_description_from_string)(font);
  const char *family = CALL(pango_font_description_get_family)(description);
  char *copy = family == NULL ? NULL : strdup(family);
  CALL(pango_font_description_free)(description);
  return copy;
}

char *ctext_nearest_family(CTextEngine *engine, const char *family) {
  PangoFontDescription *wanted = CALL(pango_font_description_from_string)(family);
  CALL(pango_font_description_set_absolute_size)(wanted, 12 * PANGO_SCALE);
  PangoFont *font = CALL(pango_font_map_load_font)(engine->map, engine->context, wanted);
  CALL(pango_font_description_free)(wanted);
  if (font == NULL) return NULL;
  PangoFontDescription *found = CALL(pango_font_describe)(font);
  const char *name = CALL(pango_font_description_get_family)(found);
  char *copy = name == NULL ? NULL : strdup(name);
  CALL(pango_font_description_free)(found);
  CALL(g_object_unref)(font);
  return copy;
}

static int units(double points) { return (int)lround(fmin(points, 1e6) * PANGO_SCALE); }

static double points(int units) { return (double)units / PANGO_SCALE; }

static PangoLayout *make(CTextEngine *engine, const CTextRequest *request) {
  CALL(pango_context_set_base_dir)
  (engine->context, request->direction == 1   ? PANGO_DIRECTION_LTR
                    : request->direction == 2 ? PANGO_DIRECTION_RTL
                                              : PANGO_DIRECTION_WEAK_LTR);
  const char *language = *request->language == 0 ? "en" : request->language;
  CALL(pango_context_set_language)(engine->context, CALL(pango_language_from_string)(language));
  PangoLayout *layout = CALL(pango_layout_new)(engine->context);
  PangoFontDescription *font = CALL(pango_font_description_from_string)(request->font);
  CALL(pango_font_description_set_absolute_size)(font, request->size * PANGO_SCALE);
  CALL(pango_layout_set_font_description)(layout, font);
  CALL(pango_font_description_free)(font);
  CALL(pango_layout_set_auto_dir)(layout, request->direction == 0);
  CALL(pango_layout_set_wrap)(layout, PANGO_WRAP_WORD_CHAR);
  CALL(pango_layout_set_width)(layout, request->width < 0 ? -1 : units(request->width));
  CALL(pango_layout_set_justify)(layout, request->justifies);
  CALL(pango_layout_set_line_spacing)(layout, (float)request->line_spacing);
  CALL(pango_layout_set_text)(layout, request->text, (int)request->length);
  return layout;
}

// Counts lines, runs and glyphs. Returns 0 if a run has no font, because none is installed.
static int count(PangoLayout *layout, CTextLayout *result) {
  int has_fonts = 1;
  PangoLayoutIter *iterator = CALL(pango_layout_get_iter)(layout);
  do {
    result->line_count++;
    PangoLayoutLine *line = CALL(pango_layout_iter_get_line_readonly)(iterator);
    for (GSList *item = line->runs; item != NULL; item = item->next) {
      if (((PangoGlyphItem *)item->data)->item->analysis.font == NULL) has_fonts = 0;
      result->run_count++;
      result->glyph_count += (size_t)((PangoGlyphItem *)item->data)->glyphs->num_glyphs;
    }
  } while (CALL(pango_layout_iter_next_line)(iterator));
  CALL(pango_layout_iter_free)(iterator);
  return has_fonts;
}

// Returns the end of the bytes that glyph `i` represents, relative to the run's first byte. Clusters are in the order
// of the text if the run is left to right, else in reverse order.
static int cluster_end(const PangoGlyphItem *run, int i) {
  const int *clusters = run->glyphs->log_clusters;
  int step = run->item->analysis.level % 2 == 0 ? 1 : -1;
  int j = i;
  while (j >= 0 && j < run->glyphs->num_glyphs && clusters[j] == clusters[i]) j += step;
  return j >= 0 && j < run->glyphs->num_glyphs ? clusters[j] : run->item->length;
}

// Adds a run's glyphs, and returns its width in Pango's units.
static int add_glyphs(const PangoGlyphItem *run, int x, CTextLayout *result) {
  int pen = 0;
  for (int i = 0; i < run->glyphs->num_glyphs; i++) {
    const PangoGlyphInfo *info = &run->glyphs->glyphs[i];
    CTextGlyph *glyph = &result->glyphs[result->glyph_count++];
    glyph->glyph = info->glyph;
    glyph->start = (uint32_t)(run->item->offset + run->glyphs->log_clusters[i]);
    glyph->end = (uint32_t)(run->item->offset + cluster_end(run, i));
    glyph->x = points(x + pen + info->geometry.x_offset);
    glyph->y = points(-info->geometry.y_offset - run->y_offset);
    pen += info->geometry.width;
  }
  return pen;
}

static int add_run(const PangoGlyphItem *run, int x, CTextLayout *result) {
  CTextRun *added = &result->runs[result->run_count++];
  hb_font_t *font = CALL(pango_font_get_hb_font)(run->item->analysis.font);
  int scale = 0, scale_down = 0;
  CALL(hb_font_get_scale)(font, &scale, &scale_down);
  added->face = CALL(hb_font_get_face)(font);
  added->size = points(abs(scale_down));
  added->slant = CALL(hb_font_get_synthetic_slant)(font);
  int emboldens = 0;
  FcPattern *pattern = CALL(pango_fc_font_get_pattern)(run->item->analysis.font);
  // The value of FcResultMatch is 0.
  added->is_emboldened = CALL(FcPatternGetBool)(pattern, "embolden", 0, &emboldens) == 0 && emboldens;
  unsigned axes = 0;
  const float *coordinates = CALL(hb_font_get_var_coords_design)(font, &axes);
  added->has_more_axes = axes > ctext_maximum_axes;
  added->axis_count = axes > ctext_maximum_axes ? ctext_maximum_axes : axes;
  if (added->axis_count > 0) {
    memcpy(added->axes, coordinates, added->axis_count * sizeof *coordinates);
  }
  added->is_ellipsis = (run->item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS) != 0;
  added->is_right_to_left = run->item->analysis.level % 2 != 0;
  added->first_glyph = (uint32_t)result->glyph_count;
  int width = add_glyphs(run, x, result);
  added->glyph_count = (uint32_t)result->glyph_count - added->first_glyph;
  return width;
}

static void add_lines(PangoLayout *layout, double spacing, CTextLayout *result) {
  PangoLayoutIter *iterator = CALL(pango_layout_get_iter)(layout);
  do {
    PangoLayoutLine *line = CALL(pango_layout_iter_get_line_readonly)(iterator);
    PangoRectangle extents;
    CALL(pango_layout_iter_get_line_extents)(iterator, NULL, &extents);
    CTextLine *added = &result->lines[result->line_count++];
    added->first_run = (uint32_t)result->run_count;
    added->start = (uint32_t)line->start_index;
    added->end = (uint32_t)(line->start_index + line->length);
    added->baseline = points(CALL(pango_layout_iter_get_baseline)(iterator));
    added->is_right_to_left =
        line->resolved_dir == PANGO_DIRECTION_RTL || line->resolved_dir == PANGO_DIRECTION_WEAK_RTL;
    int x = 0;
    for (GSList *item = line->runs; item != NULL; item = item->next) {
      x += add_run(item->data, x, result);
    }
    added->run_count = (uint32_t)result->run_count - added->first_run;
    added->width = points(x);
    result->width = fmax(result->width, added->width);
    result->height = points(extents.y + extents.height);
    // Includes the font's line gap, which is not part of the extents.
    int line_height = 0;
    CALL(pango_layout_line_get_height)(line, &line_height);
    result->pitch = points(extents.y) + points(line_height) * spacing;
  } while (CALL(pango_layout_iter_next_line)(iterator));
  CALL(pango_layout_iter_free)(iterator);
}

CTextLayout *ctext_layout_create(CTextEngine *engine, const CTextRequest *request) {
  CTextLayout *result = calloc(1, sizeof *result);
  if (result == NULL) return NULL;
  PangoLayout *layout = make(engine, request);
  result->owner = layout;
  result->whole_line_count = (size_t)CALL(pango_layout_get_line_count)(layout);
  if (request->maximum_lines > 0 && result->whole_line_count > (size_t)request->maximum_lines) {
    // A negative height is a number of lines; a height in points would only be approximate.
    CALL(pango_layout_set_height)(layout, -request->maximum_lines);
    CALL(pango_layout_set_ellipsize)
    (layout, request->shortens_middle ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
  }
  if (!count(layout, result)) {
    result->lacks_fonts = 1;
    result->line_count = result->run_count = result->glyph_count = 0;
    return result;
  }
  result->lines = calloc(result->line_count + 1, sizeof *result->lines);
  result->runs = calloc(result->run_count + 1, sizeof *result->runs);
  result->glyphs = calloc(result->glyph_count + 1, sizeof *result->glyphs);
  if (result->lines == NULL || result->runs == NULL || result->glyphs == NULL) {
    ctext_layout_destroy(result);
    return NULL;
  }
  result->line_count = result->run_count = result->glyph_count = 0;
  add_lines(layout, request->line_spacing, result);
  return result;
}

void ctext_layout_destroy(CTextLayout *layout) {
  if (layout == NULL) return;
  CALL(g_object_unref)(layout->owner);
  free(layout->lines);
  free(layout->runs);
  free(layout->glyphs);
  free(layout);
}
