// A test card: colour bars in the order of ITU-R BT.471, a ramp and steps of gray, wedges of lines up to the resolution
// of the pixels, a grid, and a circle that shows whether pixels are square.
#include "TestCard.h"

#include <math.h>

// The frequencies at the wide end of a wedge and at the narrow one, in cycles per pixel. At the narrow end a line is
// one pixel wide (the Nyquist frequency).
static const float first_frequency = 0.1f, last_frequency = 0.5f;

static test_card_box box(int32_t width, int32_t height, int left, int top, int right, int bottom) {
  test_card_box result = {(int32_t)((int64_t)width * left / 100), (int32_t)((int64_t)height * top / 100),
      (int32_t)((int64_t)width * right / 100), (int32_t)((int64_t)height * bottom / 100)};
  return result;
}

void test_card_prepare(test_card *card, const test_card_options *options, int32_t width, int32_t height) {
  int32_t side = width < height ? width : height;
  card->options = *options;
  card->width = width;
  card->height = height;
  card->line = side / 500 + 1;
  card->bars = box(width, height, 12, 12, 88, 36);
  card->ramp = box(width, height, 12, 38, 88, 46);
  card->steps = box(width, height, 12, 46, 88, 54);
  card->upright = box(width, height, 12, 58, 46, 88);
  card->level = box(width, height, 54, 58, 88, 88);
  card->middle_x = (float)width / 2;
  card->middle_y = (float)height / 2;
  card->radius = (float)side * 0.48f;
}

static void paint(float *pixel, float red, float green, float blue) {
  pixel[0] = red;
  pixel[1] = green;
  pixel[2] = blue;
}

static void mix(float *pixel, float value, float share) {
  for (int i = 0; i < 3; i++) pixel[i] += (value - pixel[i]) * share;
}

// Returns the index of the part that contains column `x`, if the box is divided into `count` equal parts.
static int part(const test_card_box *box, int32_t x, int count) {
  return (int)((int64_t)(x - box->left) * count / (box->right - box->left));
}

// Returns the black length of the line from 0 to `u`: the first half of each of `pairs` cycles is black.
static float black_upto(float u, float pairs) {
  if (u <= 0) return 0;
  if (u >= pairs) return pairs / 2;
  float whole = floorf(u), rest = u - whole;
  return whole / 2 + (rest < 0.5f ? rest : 0.5f);
}

float test_card_wedge(const test_card_box *box, int is_upright, int32_t x, int32_t y) {
  float wide = (float)(is_upright ? box->right - box->left : box->bottom - box->top);
  float length = (float)(is_upright ? box->bottom - box->top : box->right - box->left);
  float along = (float)(is_upright ? y - box->top : x - box->left) + 0.5f;
  float across = (float)(is_upright ? x - box->left : y - box->top) - wide / 2;
  float pairs = floorf(wide * first_frequency);
  if (pairs < 1) return 0;
  float narrow = pairs / last_frequency;
  // The frequency at this pixel, in cycles per pixel. Lines are straight, so the wedge becomes narrower linearly.
  float frequency = pairs / (wide + (narrow - wide) * (along / length));
  float u = across * frequency + pairs / 2;
  return (black_upto(u + frequency, pairs) - black_upto(u, pairs)) / frequency;
}

// Returns whether a row or column is covered by a line of the grid. One of the lines goes through the middle.
static int is_line(const test_card *card, int32_t place, int32_t size) {
  if (card->options.grid == 0) return 0;
  float cell = (float)card->height / (float)card->options.grid;
  if (cell < (float)(2 * card->line)) return 0;
  float distance = (float)place + 0.5f - (float)size / 2;
  float nearest = floorf(distance / cell + 0.5f) * cell;
  return fabsf(distance - nearest) <= (float)card->line / 2;
}

static int is_frame(const test_card *card, int32_t x, int32_t y) {
  return x < card->line || y < card->line || x >= card->width - card->line || y >= card->height - card->line;
}

static int is_within(const test_card_box *box, int32_t x, int32_t y) {
  return x >= box->left && x < box->right && y >= box->top && y < box->bottom;
}

// White, yellow, cyan, green, magenta, red, blue, black: green is on in the first four bars, red in every other pair,
// blue in every other bar.
static void bar(const test_card *card, int32_t x, float *pixel) {
  int index = part(&card->bars, x, 8);
  float level = card->options.level;
  paint(pixel, index & 2 ? 0 : level, index & 4 ? 0 : level, index & 1 ? 0 : level);
}

static void gray(const test_card_box *box, int32_t x, int fields, float *pixel) {
  int32_t last = box->right - box->left - 1;
  float value = fields > 0 ? (float)part(box, x, fields) / (float)(fields - 1)
                : last > 0 ? (float)(x - box->left) / (float)last
                           : 0;
  paint(pixel, value, value, value);
}

// A white ring with a black one inside it, which is visible on any background.
static void circle(const test_card *card, int32_t x, int32_t y, float *pixel) {
  float dx = (float)x + 0.5f - card->middle_x, dy = (float)y + 0.5f - card->middle_y;
  float square = dx * dx + dy * dy, line = (float)card->line;
  float inner = card->radius - line - 1, outer = card->radius + line + 1;
  // Nearly all pixels are off the ring, and need no square root.
  if (square > outer * outer || (inner > 0 && square < inner * inner)) return;
  float off = fabsf(sqrtf(square) - card->radius);
  float white = line + 0.5f - off, black = line / 2 + 0.5f - off;
  if (white > 0) mix(pixel, 1, white < 1 ? white : 1);
  if (black > 0) mix(pixel, 0, black < 1 ? black : 1);
}

static void draw(const test_card *card, int32_t x, int32_t y, int is_row, float *pixel) {
  const float *ground = card->options.background;
  paint(pixel, ground[0], ground[1], ground[2]);
  if (is_within(&card->bars, x, y)) {
    bar(card, x, pixel);
  } else if (is_within(&card->ramp, x, y)) {
    gray(&card->ramp, x, 0, pixel);
  } else if (is_within(&card->steps, x, y)) {
    gray(&card->steps, x, card->options.steps, pixel);
  } else if (card->options.has_wedges && is_within(&card->upright, x, y)) {
    paint(pixel, 1, 1, 1);
    mix(pixel, 0, test_card_wedge(&card->upright, 1, x, y));
  } else if (card->options.has_wedges && is_within(&card->level, x, y)) {
    paint(pixel, 1, 1, 1);
    mix(pixel, 0, test_card_wedge(&card->level, 0, x, y));
  } else if (is_row || is_frame(card, x, y) || is_line(card, x, card->width)) {
    paint(pixel, 1, 1, 1);
  }
  if (card->options.has_circle) circle(card, x, y, pixel);
}

void test_card_row(const test_card *card, int32_t y, int32_t left, int32_t count, float *rgb) {
  int is_row = is_line(card, y, card->height);
  for (int32_t i = 0; i < count; i++) draw(card, left + i, y, is_row, rgb + 3 * (int64_t)i);
}
