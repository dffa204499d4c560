#include <pthread.h>
#include <stdlib.h>

#include "CText.h"
#include "font.h"
#include "libraries.h"

// An outline that grows. A glyph's outline is small, so doubling wastes little memory.
typedef struct Growing {
  CTextOutline outline;
  size_t step_room, coordinate_room;
  int is_out_of_memory;
} Growing;

static void add(Growing *growing, uint8_t step, const float *coordinates, size_t count) {
  CTextOutline *outline = &growing->outline;
  if (growing->is_out_of_memory) return;
  if (outline->step_count == growing->step_room) {
    size_t room = growing->step_room * 2 + 32;
    uint8_t *steps = realloc(outline->steps, room);
    if (steps == NULL) {
      growing->is_out_of_memory = 1;
      return;
    }
    outline->steps = steps;
    growing->step_room = room;
  }
  if (outline->coordinate_count + count > growing->coordinate_room) {
    size_t room = growing->coordinate_room * 2 + 128;
    float *all = realloc(outline->coordinates, room * sizeof *all);
    if (all == NULL) {
      growing->is_out_of_memory = 1;
      return;
    }
    outline->coordinates = all;
    growing->coordinate_room = room;
  }
  outline->steps[outline->step_count++] = step;
  for (size_t i = 0; i < count; i++) outline->coordinates[outline->coordinate_count++] = coordinates[i];
}

static void on_move(hb_draw_funcs_t *functions, void *data, void *state, float x, float y, void *nothing) {
  (void)functions, (void)state, (void)nothing;
  add(data, ctext_start, (float[]){x, y}, 2);
}

static void on_line(hb_draw_funcs_t *functions, void *data, void *state, float x, float y, void *nothing) {
  (void)functions, (void)state, (void)nothing;
  add(data, ctext_line, (float[]){x, y}, 2);
}

static void on_quadratic(
    hb_draw_funcs_t *functions, void *data, void *state, float x1, float y1, float x, float y, void *nothing) {
  (void)functions, (void)state, (void)nothing;
  add(data, ctext_quadratic, (float[]){x1, y1, x, y}, 4);
}

static void on_cubic(hb_draw_funcs_t *functions, void *data, void *state, float x1, float y1, float x2, float y2,
    float x, float y, void *nothing) {
  (void)functions, (void)state, (void)nothing;
  add(data, ctext_cubic, (float[]){x1, y1, x2, y2, x, y}, 6);
}

static void on_close(hb_draw_funcs_t *functions, void *data, void *state, void *nothing) {
  (void)functions, (void)state, (void)nothing;
  add(data, ctext_end, NULL, 0);
}

static hb_draw_funcs_t *functions;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// HarfBuzz can read immutable functions on any thread.
static void make_functions(void) {
  functions = CALL(hb_draw_funcs_create)();
  CALL(hb_draw_funcs_set_move_to_func)(functions, on_move, NULL, NULL);
  CALL(hb_draw_funcs_set_line_to_func)(functions, on_line, NULL, NULL);
  CALL(hb_draw_funcs_set_quadratic_to_func)(functions, on_quadratic, NULL, NULL);
  CALL(hb_draw_funcs_set_cubic_to_func)(functions, on_cubic, NULL, NULL);
  CALL(hb_draw_funcs_set_close_path_func)(functions, on_close, NULL, NULL);
  CALL(hb_draw_funcs_make_immutable)(functions);
}

CTextOutline *ctext_outline_create(const CTextFont *font, uint32_t glyph) {
  pthread_once(&once, make_functions);
  Growing *growing = calloc(1, sizeof *growing);
  if (growing == NULL) return NULL;
  CALL(hb_font_get_glyph_shape)(font->font, glyph, functions, growing);
  if (growing->is_out_of_memory) {
    ctext_outline_destroy(&growing->outline);
    return NULL;
  }
  return &growing->outline;
}

void ctext_outline_destroy(CTextOutline *outline) {
  if (outline == NULL) return;
  free(outline->steps);
  free(outline->coordinates);
  // The outline is the first member of the allocated structure.
  free(outline);
}
