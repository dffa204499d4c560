// Lays text out with Pango, and reads and subsets fonts with HarfBuzz. Both are opened at the first use, so that
// programs without text do not load them.
//
// An engine belongs to one thread at a time; several threads may use a font. Nothing calls back.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Opens the libraries, once for each process. Returns 0, or -1 if one is missing or too old. `*missing` then names the
/// missing part, in a string that is never freed.
int ctext_load(const char **missing);

/// Wraps free(3).
void ctext_free(void *memory);

/// Fonts and settings of one writer of texts. Wraps a PangoFT2FontMap and its PangoContext.
typedef struct CTextEngine CTextEngine;

/// NULL without memory. `ctext_load` must have succeeded.
CTextEngine *ctext_engine_create(void);
void ctext_engine_destroy(CTextEngine *engine);

/// Returns the installed families, by pango_font_map_list_families(3): an array of `count` names, to be freed with
/// `ctext_free_names`.
char **ctext_family_names(CTextEngine *engine, size_t *count);
void ctext_free_names(char **names, size_t count);

/// Returns the family in a font description, to be freed with `ctext_free`; NULL for none.
char *ctext_family_of(const char *font);

/// Returns the installed family that replaces a missing one, by pango_font_map_load_font(3); to be freed with
/// `ctext_free`. NULL if no font at all is installed.
char *ctext_nearest_family(CTextEngine *engine, const char *family);

typedef struct CTextRequest {
  /// One paragraph of valid UTF-8 without NUL.
  const char *text;
  size_t length;
  /// A description for pango_font_description_from_string(3); a size in it is ignored.
  const char *font;
  /// Points.
  double size;
  /// Points; negative for lines of any length.
  double width;
  /// Factor for the font's own line height.
  double line_spacing;
  /// BCP 47; empty for none.
  const char *language;
  /// 0 to follow the text's first strong letter, 1 for left to right, 2 for right to left.
  int direction;
  int justifies;
  /// 0 for any number.
  int maximum_lines;
  /// Whether to shorten the last line in its middle rather than at its end.
  int shortens_middle;
} CTextRequest;

typedef struct CTextGlyph {
  /// A code point that no font has if `ctext_unknown` is set; nothing to draw for `ctext_empty`.
  uint32_t glyph;
  /// The range of bytes in the text that the glyph shows, together with other glyphs of the same range.
  uint32_t start, end;
  /// Points from the line's left end, and up from its baseline.
  double x, y;
} CTextGlyph;
enum { ctext_unknown = 0x10000000, ctext_empty = 0x0fffffff };

/// A variable font's place on its axes.
enum { ctext_maximum_axes = 16 };

typedef struct CTextRun {
  /// An hb_face_t that lives as long as the layout, or longer if it is retained.
  void *face;
  /// Points.
  double size;
  /// The slant for a font without an italic of its own: units to the right for each unit up.
  double slant;
  /// Whether bold is requested of a font without a bold of its own.
  int is_emboldened;
  float axes[ctext_maximum_axes];
  uint32_t axis_count;
  /// More axes than fit.
  int has_more_axes;
  /// Whether it is an ellipsis, which replaces the bytes of its range.
  int is_ellipsis;
  int is_right_to_left;
  uint32_t first_glyph, glyph_count;
} CTextRun;

typedef struct CTextLine {
  uint32_t first_run, run_count;
  /// The bytes of the text in it.
  uint32_t start, end;
  /// Points down from the top of the first line.
  double baseline;
  /// Points, without the blanks at a line break.
  double width;
  int is_right_to_left;
} CTextLine;

typedef struct CTextLayout {
  CTextLine *lines;
  CTextRun *runs;
  CTextGlyph *glyphs;
  size_t line_count, run_count, glyph_count;
  /// Points.
  double width, height;
  /// Points from the top of the first line to the top of a paragraph after it.
  double pitch;
  /// The number of lines that the whole text takes.
  size_t whole_line_count;
  /// Not 0 if no font is installed; there are no lines then.
  int lacks_fonts;
  /// The owner of the faces.
  void *owner;
} CTextLayout;

/// Lays a text out. NULL without memory. Wraps PangoLayout.
CTextLayout *ctext_layout_create(CTextEngine *engine, const CTextRequest *request);
void ctext_layout_destroy(CTextLayout *layout);

/// A face at a position on its axes, at a size of one unit of its grid. Keeps the face alive.
typedef struct CTextFont CTextFont;
CTextFont *ctext_font_create(void *face, const float *axes, uint32_t axis_count);
void ctext_font_destroy(CTextFont *font);

uint32_t ctext_font_units_per_em(const CTextFont *font);
uint32_t ctext_font_glyph_count(const CTextFont *font);
int ctext_font_is_variable(const CTextFont *font);
/// Units of the grid.
int32_t ctext_font_advance(const CTextFont *font, uint32_t glyph);
/// Sets the reach of a glyph below and above the baseline, in units of the grid; both 0 if it shows nothing.
void ctext_font_reach(const CTextFont *font, uint32_t glyph, int32_t *below, int32_t *above);
/// The outline of a glyph: steps, and the points that they need.
typedef struct CTextOutline {
  /// Values of the enumeration below.
  uint8_t *steps;
  /// Units of the grid, x and y in turn; y goes up.
  float *coordinates;
  size_t step_count, coordinate_count;
} CTextOutline;
/// A contour's start and a line take one point, a quadratic curve two, a cubic one three, and an end none.
enum { ctext_start, ctext_line, ctext_quadratic, ctext_cubic, ctext_end };

/// Returns the outline of a glyph, to be freed with `ctext_outline_destroy`; NULL without memory. It is empty for a
/// blank and for a glyph that has no outline. Wraps hb_font_get_glyph_shape.
CTextOutline *ctext_outline_create(const CTextFont *font, uint32_t glyph);
void ctext_outline_destroy(CTextOutline *outline);

/// Returns a copy of a table, to be freed with `ctext_free`; NULL for none. The tag's first letter is the highest byte.
uint8_t *ctext_font_copy_table(const CTextFont *font, uint32_t tag, size_t *length);

/// Returns the font with these glyphs and no layout tables, as an OpenType file to be freed with `ctext_free`; NULL if
/// it cannot be made. `new_glyphs` receives the new number of each glyph. Wraps hb_subset_plan_create_or_fail.
uint8_t *ctext_font_subset(const CTextFont *font, const uint32_t *glyphs, size_t count, int keeps_numbers,
    uint32_t *new_glyphs, size_t *length);
