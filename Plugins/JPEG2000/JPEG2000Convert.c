#include <string.h>

#include "JPEG2000.h"

/** Determines the decoded component of each band. Returns false if the components differ from those that the header
 * declared. */
bool jp2_check_components(jp2_reader *reader) {
  const opj_image_t *image = reader->image;
  uint32_t colours = 0, alpha = UINT32_MAX;
  bool defined = reader->header.has_definitions;
  if (image->numcomps > JP2_MOST_COMPONENTS) return false;
  for (uint32_t i = 0; i < image->numcomps; i++) {
    if (image->comps[i].data == NULL || image->comps[i].prec > 31 || image->comps[i].prec == 0) return false;
    bool is_alpha = defined ? image->comps[i].alpha != 0 : reader->has_alpha && i == reader->colours;
    if (is_alpha) {
      if (alpha == UINT32_MAX) alpha = i;
    } else if (colours < reader->colours) {
      reader->order[colours++] = i;
    }
  }
  if (colours < reader->colours || (reader->has_alpha && alpha == UINT32_MAX)) return false;
  if (reader->has_alpha) reader->order[colours++] = alpha;
  for (uint32_t i = 0; i < colours; i++) {
    const opj_image_comp_t *c = &image->comps[reader->order[i]];
    const imghost_region *area = &reader->area;
    if (c->dx == 0 || c->dy == 0 || c->dx > 4 || c->dy > 4) return false;
    uint32_t w = ((uint32_t)area->width + c->dx - 1) / c->dx, h = ((uint32_t)area->height + c->dy - 1) / c->dy;
    if (c->w < w || c->h < h) return false;
  }
  return true;
}

static uint32_t widen(int32_t value, const opj_image_comp_t *component, uint32_t full) {
  int64_t largest = ((int64_t)1 << component->prec) - 1, sample = value;
  if (component->sgnd) sample += (int64_t)1 << (component->prec - 1);
  if (sample < 0) sample = 0;
  if (sample > largest) sample = largest;
  if (largest == full) return (uint32_t)sample;
  return (uint32_t)((sample * full + largest / 2) / largest);
}

static uint32_t clamp(double value, uint32_t full) {
  if (value <= 0) return 0;
  return value >= full ? full : (uint32_t)(value + 0.5);
}

/** Converts one pixel from YCC to RGB, and undoes premultiplied alpha, where the file has them. */
static void colour(const jp2_reader *reader, uint32_t *v, uint32_t full) {
  if (reader->ycc) {
    double half = (full + 1) / 2, cb = v[1] - half, cr = v[2] - half, y = v[0];
    v[0] = clamp(y + 1.402 * cr, full);
    v[1] = clamp(y - 0.344136 * cb - 0.714136 * cr, full);
    v[2] = clamp(y + 1.772 * cb, full);
  }
  if (reader->header.premultiplied && reader->has_alpha) {
    uint32_t alpha = v[reader->bands - 1];
    for (uint32_t c = 0; c + 1 < reader->bands; c++) {
      uint64_t value = alpha ? ((uint64_t)v[c] * full + alpha / 2) / alpha : 0;
      v[c] = value < full ? (uint32_t)value : full;
    }
  }
}

/** Converts the part of a row in the columns of `region`. `row` and `region` count pixels of the reduced picture. */
void jp2_convert_row(const jp2_reader *reader, uint32_t row, const imghost_region *region, void *output) {
  uint32_t channels = reader->colours + reader->has_alpha, full = reader->sample == IMGHOST_SAMPLE_U8 ? 255 : 65535;
  uint32_t first = (uint32_t)(region->left - reader->area.left), y = row - (uint32_t)reader->area.top;
  const opj_image_comp_t *c[5];
  const int32_t *rows[5];
  bool plain = !reader->ycc && !reader->header.premultiplied && reader->sample == IMGHOST_SAMPLE_U8;
  for (uint32_t i = 0; i < channels; i++) {
    c[i] = &reader->image->comps[reader->order[i]];
    rows[i] = c[i]->data + (size_t)(y / c[i]->dy) * c[i]->w;
    plain = plain && c[i]->dx == 1 && c[i]->prec == 8 && !c[i]->sgnd;
  }
  uint8_t *bytes = output;
  uint16_t *words = output;
  for (uint32_t x = first, end = first + (uint32_t)region->width; x < end; x++) {
    if (plain) {
      for (uint32_t i = 0; i < channels; i++) {
        int32_t value = rows[i][x];
        *bytes++ = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
      }
      continue;
    }
    uint32_t values[5] = {0};
    for (uint32_t i = 0; i < channels; i++) values[i] = widen(rows[i][x / c[i]->dx], c[i], full);
    colour(reader, values, full);
    for (uint32_t i = 0; i < reader->bands; i++) {
      if (full == 255)
        *bytes++ = (uint8_t)values[i];
      else
        *words++ = (uint16_t)values[i];
    }
  }
}
