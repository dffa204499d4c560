// Text set by Pango and subset by HarfBuzz, which are opened when they are first needed: nothing here
// makes a program that shows no text load them.
//
// An engine belongs to one thread at a time; a font may be used by several. Nothing calls back.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Opens the libraries, once a process. 0, or -1 where one is missing or too old; `*missing` is then
/// what could not be found, a constant of the program or of the process's life.
int ctext_load(const char **missing);

/// Wraps free(3).
void ctext_free(void *memory);

/// The version of Pango, 0 before `ctext_load`: 15012 for 1.50.12.
int ctext_pango_version(void);

/// Fonts and settings of one writer of texts. Wraps a PangoFT2FontMap and its PangoContext.
typedef struct CTextEngine CTextEngine;

/// NULL without memory. `ctext_load` must have succeeded.
CTextEngine *ctext_engine_create(void);
void ctext_engine_destroy(CTextEngine *engine);

/// The families that are installed, by pango_font_map_list_families(3): an array of `count` names, to be freed
/// with `ctext_free_names`.
char **ctext_family_names(CTextEngine *engine, size_t *count);
void ctext_free_names(char **names, size_t count);

/// The family that a font description names, to be freed with `ctext_free`; NULL for none.
char *ctext_family_of(const char *font);

/// The installed family that stands in for one that is not, by pango_font_map_load_font(3); to be freed with
/// `ctext_free`, NULL where no font at all is installed.
char *ctext_nearest_family(CTextEngine *engine, const char *family);

typedef struct CTextRequest {
  /// One paragraph of UTF-8 that is known to be valid, without NUL.
  const char *text;
  size_t length;
  /// As pango_font_description_from_string(3) reads it; a size in it does not count.
  const char *font;
  /// Points.
  double size;
  /// Points; negative for lines of any length.
  double width;
  /// Of the font's own line height.
  double line_spacing;
  /// BCP 47; empty for none.
  const char *language;
  /// 0 from the text's first strong letter, 1 left to right, 2 right to left.
  int direction;
  int justifies;
  /// 0 for any number.
  int maximum_lines;
  /// Whether what is too much goes from the middle of the last line rather than from its end.
  int shortens_middle;
} CTextRequest;

typedef struct CTextGlyph {
  /// With `ctext_unknown` set: a code point that no font has. `ctext_empty`: nothing is drawn.
  uint32_t glyph;
  /// The bytes of the text that the glyph, with others of the same bytes, stands for.
  uint32_t start, end;
  /// From the line's left end and up from its baseline; points.
  double x, y;
} CTextGlyph;
enum { ctext_unknown = 0x10000000, ctext_empty = 0x0fffffff };

/// A variable font's place on its axes.
enum { ctext_maximum_axes = 16 };

typedef struct CTextRun {
  /// An hb_face_t that lives as long as the layout, or for whoever retains it.
  void *face;
  /// Points.
  double size;
  /// Of a font without an italic of its own: across for each unit up.
  double slant;
  /// Whether a font without a bold of its own was to be bold.
  int is_emboldened;
  float axes[ctext_maximum_axes];
  uint32_t axis_count;
  /// More axes than fit.
  int has_more_axes;
  /// An ellipsis, which stands for its bytes.
  int is_ellipsis;
  int is_right_to_left;
  uint32_t first_glyph, glyph_count;
} CTextRun;

typedef struct CTextLine {
  uint32_t first_run, run_count;
  /// The bytes of the text in it.
  uint32_t start, end;
  /// From the top of the first line down; points.
  double baseline;
  /// Points, without the blanks where it was broken.
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
  /// From the top of the first line to that of a paragraph after it; points.
  double pitch;
  /// How many lines all of the text takes.
  size_t whole_line_count;
  /// What keeps the faces alive.
  void *owner;
} CTextLayout;

/// Lays a text out. NULL without memory. Wraps PangoLayout.
CTextLayout *ctext_layout_create(CTextEngine *engine, const CTextRequest *request);
void ctext_layout_destroy(CTextLayout *layout);

/// A face at a place on its axes, at a size of one unit of its grid. Keeps the face alive.
typedef struct CTextFont CTextFont;
CTextFont *ctext_font_create(void *face, const float *axes, uint32_t axis_count);
void ctext_font_destroy(CTextFont *font);

uint32_t ctext_font_units_per_em(const CTextFont *font);
uint32_t ctext_font_glyph_count(const CTextFont *font);
int ctext_font_is_variable(const CTextFont *font);
/// Units of the grid.
int32_t ctext_font_advance(const CTextFont *font, uint32_t glyph);
/// How far a glyph reaches below and above the baseline, in units of the grid; both 0 where it shows nothing.
void ctext_font_reach(const CTextFont *font, uint32_t glyph, int32_t *below, int32_t *above);
/// A copy of a table, to be freed with `ctext_free`; NULL for none. The tag's first letter is the highest byte.
uint8_t *ctext_font_copy_table(const CTextFont *font, uint32_t tag, size_t *length);

/// The font with these glyphs and no layout tables, as an OpenType file to be freed with `ctext_free`; NULL
/// where it cannot be made. `new_glyphs` gets what each glyph becomes. Wraps hb_subset_plan_create_or_fail.
uint8_t *ctext_font_subset(const CTextFont *font, const uint32_t *glyphs, size_t count, int keeps_numbers,
    uint32_t *new_glyphs, size_t *length);
