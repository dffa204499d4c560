#pragma once
#include "CText.h"
#include "libraries.h"

// The font keeps its face alive.
struct CTextFont {
  hb_font_t *font;
  float axes[ctext_maximum_axes];
  uint32_t axis_count;
};
