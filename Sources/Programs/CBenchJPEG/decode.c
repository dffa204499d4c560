// libjpeg.h needs size_t and FILE declared before it.
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "bench_jpeg.h"

enum { ROWS_AT_ONCE = 16 };

// Starts decoding at 1/shrink; NULL if the file cannot be opened.
static FILE *start(struct jpeg_decompress_struct *info, struct jpeg_error_mgr *errors, const char *path, int shrink) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  info->err = jpeg_std_error(errors);
  jpeg_create_decompress(info);
  jpeg_stdio_src(info, file);
  jpeg_read_header(info, TRUE);
  info->out_color_space = JCS_RGB;
  info->scale_num = 1;
  info->scale_denom = (unsigned int)shrink;
  return file;
}

static void end(struct jpeg_decompress_struct *info, FILE *file) {
  jpeg_finish_decompress(info);
  jpeg_destroy_decompress(info);
  fclose(file);
}

int bench_jpeg_size(const char *path, int *width, int *height) {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  FILE *file = start(&info, &errors, path, 1);
  if (!file) return -1;
  *width = (int)info.image_width;
  *height = (int)info.image_height;
  jpeg_destroy_decompress(&info);
  fclose(file);
  return 0;
}

int bench_jpeg_decode(const char *path, int shrink, uint8_t *rgb) {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  FILE *file = start(&info, &errors, path, shrink);
  if (!file) return -1;
  jpeg_start_decompress(&info);
  size_t stride = (size_t)info.output_width * 3;
  while (info.output_scanline < info.output_height) {
    JSAMPROW rows[ROWS_AT_ONCE];
    unsigned int count = info.output_height - info.output_scanline;
    if (count > ROWS_AT_ONCE) count = ROWS_AT_ONCE;
    for (unsigned int i = 0; i < count; i++) rows[i] = rgb + (info.output_scanline + i) * stride;
    jpeg_read_scanlines(&info, rows, count);
  }
  end(&info, file);
  return 0;
}

int bench_jpeg_decode_away(const char *path, int shrink) {
  struct jpeg_decompress_struct info;
  struct jpeg_error_mgr errors;
  FILE *file = start(&info, &errors, path, shrink);
  if (!file) return -1;
  jpeg_start_decompress(&info);
  JSAMPARRAY rows = info.mem->alloc_sarray((j_common_ptr)&info, JPOOL_IMAGE, info.output_width * 3, ROWS_AT_ONCE);
  while (info.output_scanline < info.output_height) {
    jpeg_read_scanlines(&info, rows, ROWS_AT_ONCE);
  }
  end(&info, file);
  return 0;
}
