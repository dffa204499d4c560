#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "CReferencePNG.h"

typedef struct Input {
  const uint8_t *bytes;
  size_t left;
} Input;

static void read_bytes(png_structp png, png_bytep to, size_t count) {
  Input *input = png_get_io_ptr(png);
  if (count > input->left) png_error(png, "truncated");
  memcpy(to, input->bytes, count);
  input->bytes += count;
  input->left -= count;
}

static void ignore(png_structp png, png_const_charp words) {
  (void)png;
  (void)words;
}

static _Noreturn void fail(png_structp png, png_const_charp words) {
  (void)words;
  longjmp(png_jmpbuf(png), 1);
}

uint8_t *reference_png_decode(
    const void *bytes, size_t count, uint32_t *width, uint32_t *height, int *channels, int *bits) {
  Input input = {bytes, count};
  uint8_t *volatile pixels = NULL;
  png_bytep *volatile rows = NULL;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, ignore);
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, NULL);
    free(pixels);
    free(rows);
    return NULL;
  }
  png_set_read_fn(png, &input, read_bytes);
  png_read_info(png, info);
  png_set_expand(png);
  png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  *width = png_get_image_width(png, info);
  *height = png_get_image_height(png, info);
  *channels = png_get_channels(png, info);
  *bits = png_get_bit_depth(png, info);
  size_t stride = png_get_rowbytes(png, info);
  pixels = malloc(stride * *height);
  rows = malloc(sizeof(png_bytep) * *height);
  for (uint32_t y = 0; y < *height; y++) rows[y] = pixels + y * stride;
  png_read_image(png, rows);
  png_read_end(png, NULL);
  png_destroy_read_struct(&png, &info, NULL);
  free(rows);
  return pixels;
}
