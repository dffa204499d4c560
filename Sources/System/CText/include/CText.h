// Lays out text with Pango, and reads and subsets fonts with HarfBuzz. Both libraries are opened on first use, so that
// programs without text do not load them.
//
// An engine is used by one thread at a time; a font may be used by several. There are no callbacks.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Opens the libraries, once per process. Returns 0, or -1 if one is missing or too old. `*missing` then names the
/// missing part, in a string that is never freed.
int ctext_load(const char **missing);

/// Wraps free(3).
void ctext_free(void *memory);

/// The fonts and settings for laying out texts. Wraps a PangoFT2FontMap and its PangoContext.
typedef struct CTextEngine CTextEngine;

/// Creates an engine; NULL if there is not enough memory. `ctext_load` must have succeeded.
CTextEngine *ctext_engine_create(void);
void ctext_engine_destroy(CTextEngine *engine);

/// Returns the installed families, by pango_font_map_list_families(3): an array of `count` names, to be freed with
/// `ctext_free_names`.
char **ctext_family_names(CTextEngine *engine, size_t *count);
void ctext_free_names(char **names, size_t count);

/// Returns `count` paths, to be freed with `ctext_free_names`: those of fontconfig's `files` configuration files, by
/// FcConfigGetConfigFiles(3), and then those of the font folders that these files name, by FcConfigGetFontDirs(3). No
/// font is read. `ctext_load` must have succeeded.
char **ctext_font_sources(size_t *files, size_t *count);

/// Returns the family in a font description, to be freed with `ctext_free`; NULL for none.
char *ctext_family_of(const char *font);

/// Returns the installed family that replaces a missing one, by pango_font_map_load_font(3), to be freed with
/// `ctext_free`. NULL if no font is installed.
char *ctext_nearest_family(CTextEngine *engine, const char *family);

typedef struct CTextRequest {
  /// One paragraph of valid UTF-8 without NUL.
  const char *text;
  size_t length;
  /// A description for pango_font_description_from_string(3), in which a size is ignored.
  const char *font;
  /// The font size in points.
  double size;
  /// The line width in points; negative for lines of any length.
  double width;
  /// The factor for the font's own line height.
  double line_spacing;
  /// The BCP 47 tag of the language; empty for English.
  const char *language;
  /// 0 to follow the text's first strong character, 1 for left to right, 2 for right to left.
  int direction;
  int justifies;
  /// The maximum number of lines; 0 for any number.
  int maximum_lines;
  /// Whether to shorten the last line in its middle and not at its end.
  int shortens_middle;
} CTextRequest;

typedef struct CTextGlyph {
  /// The glyph's index in the font. With the bit `ctext_unknown`, it is a code point that no font has. If it equals
  /// `ctext_empty`, nothing is drawn.
  uint32_t glyph;
  /// The byte range in the text that the glyph represents, possibly together with other glyphs that have the same
  /// range.
  uint32_t start, end;
  /// The position in points, from the line's left end and up from its baseline.
  double x, y;
} CTextGlyph;
enum { ctext_unknown = 0x10000000, ctext_empty = 0x0fffffff };

/// The maximum number of axes in a variable font's position.
enum { ctext_maximum_axes = 16 };

typedef struct CTextRun {
  /// An hb_face_t that lives as long as the layout, or longer if it is retained.
  void *face;
  /// The font size in points.
  double size;
  /// The slant for a font without italics: units to the right per unit upwards.
  double slant;
  /// Whether bold is requested, but the font has no bold variant.
  int is_emboldened;
  float axes[ctext_maximum_axes];
  uint32_t axis_count;
  /// Whether the font has more axes than fit here.
  int has_more_axes;
  /// Whether the run is an ellipsis, which replaces the bytes of its range.
  int is_ellipsis;
  int is_right_to_left;
  uint32_t first_glyph, glyph_count;
} CTextRun;

typedef struct CTextLine {
  uint32_t first_run, run_count;
  /// The byte range of the line in the text.
  uint32_t start, end;
  /// The distance of the baseline in points, down from the top of the first line.
  double baseline;
  /// The width in points, without the blanks at a line break.
  double width;
  int is_right_to_left;
} CTextLine;

typedef struct CTextLayout {
  CTextLine *lines;
  CTextRun *runs;
  CTextGlyph *glyphs;
  size_t line_count, run_count, glyph_count;
  /// The size in points.
  double width, height;
  /// The distance in points from the top of the first line to the top of a following paragraph.
  double pitch;
  /// The number of lines that the whole text would need.
  size_t whole_line_count;
  /// Nonzero if no font is installed; there are no lines then.
  int lacks_fonts;
  /// The owner of the faces.
  void *owner;
} CTextLayout;

/// Lays out a text. NULL if there is not enough memory. Wraps PangoLayout.
CTextLayout *ctext_layout_create(CTextEngine *engine, const CTextRequest *request);
void ctext_layout_destroy(CTextLayout *layout);

/// A face at a position of its axes, scaled so that all measures are in font units. Keeps the face alive.
typedef struct CTextFont CTextFont;
CTextFont *ctext_font_create(void *face, const float *axes, uint32_t axis_count);
void ctext_font_destroy(CTextFont *font);

uint32_t ctext_font_units_per_em(const CTextFont *font);
uint32_t ctext_font_glyph_count(const CTextFont *font);
int ctext_font_is_variable(const CTextFont *font);
/// Returns the advance in font units.
int32_t ctext_font_advance(const CTextFont *font, uint32_t glyph);
/// Sets the extent of a glyph below and above the baseline, in font units; both are 0 if it is invisible.
void ctext_font_reach(const CTextFont *font, uint32_t glyph, int32_t *below, int32_t *above);
/// The outline of a glyph: steps, and the coordinates of their points.
typedef struct CTextOutline {
  /// The steps, with values of the enumeration below.
  uint8_t *steps;
  /// The coordinates in font units, x and y alternating; y goes up.
  float *coordinates;
  size_t step_count, coordinate_count;
} CTextOutline;
/// `ctext_start` and `ctext_line` have one point, `ctext_quadratic` has two, `ctext_cubic` three, and `ctext_end` none.
enum { ctext_start, ctext_line, ctext_quadratic, ctext_cubic, ctext_end };

/// Returns the outline of a glyph, to be freed with `ctext_outline_destroy`; NULL if there is not enough memory. It is
/// empty for a blank and for a glyph without an outline. Wraps hb_font_get_glyph_shape.
CTextOutline *ctext_outline_create(const CTextFont *font, uint32_t glyph);
void ctext_outline_destroy(CTextOutline *outline);

/// Returns a copy of a table, to be freed with `ctext_free`; NULL if there is none. The tag's first letter is the
/// highest byte.
uint8_t *ctext_font_copy_table(const CTextFont *font, uint32_t tag, size_t *length);

/// Returns the font with these glyphs and without layout tables, as an OpenType file to be freed with `ctext_free`;
/// NULL on failure. `new_glyphs` receives the new index of each glyph: the old one if `keeps_numbers` is set. Wraps
/// hb_subset_plan_create_or_fail.
uint8_t *ctext_font_subset(const CTextFont *font, const uint32_t *glyphs, size_t count, int keeps_numbers,
    uint32_t *new_glyphs, size_t *length);
