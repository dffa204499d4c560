// libjpeg.h needs size_t and FILE declared before it.
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "bench_jpeg.h"

struct BenchJPEGWriter {
  struct jpeg_compress_struct info;
  struct jpeg_error_mgr errors;
  FILE *file;
};

BenchJPEGWriter *bench_jpeg_writer_create(const char *path, int width, int height, int quality, int restarts) {
  BenchJPEGWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->file = fopen(path, "wb");
  if (!writer->file) {
    free(writer);
    return NULL;
  }
  struct jpeg_compress_struct *info = &writer->info;
  info->err = jpeg_std_error(&writer->errors);
  jpeg_create_compress(info);
  jpeg_stdio_dest(info, writer->file);
  info->image_width = (JDIMENSION)width;
  info->image_height = (JDIMENSION)height;
  info->input_components = 3;
  info->in_color_space = JCS_RGB;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  info->restart_in_rows = restarts ? 1 : 0;
  jpeg_start_compress(info, TRUE);
  return writer;
}

void bench_jpeg_writer_add(BenchJPEGWriter *writer, const uint8_t *rgb, int rows) {
  size_t stride = (size_t)writer->info.image_width * 3;
  for (int row = 0; row < rows; row++) {
    // libjpeg declares its input rows mutable and only reads them.
    JSAMPROW address = (uint8_t *)rgb + (size_t)row * stride;
    jpeg_write_scanlines(&writer->info, &address, 1);
  }
}

int bench_jpeg_writer_close(BenchJPEGWriter *writer) {
  jpeg_finish_compress(&writer->info);
  jpeg_destroy_compress(&writer->info);
  int code = fclose(writer->file);
  free(writer);
  return code == 0 ? 0 : -1;
}

int bench_jpeg_encode(const char *path, const uint8_t *rgb, int width, int height, int quality) {
  BenchJPEGWriter *writer = bench_jpeg_writer_create(path, width, height, quality, 0);
  if (!writer) return -1;
  bench_jpeg_writer_add(writer, rgb, height);
  return bench_jpeg_writer_close(writer);
}

int bench_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
  return LIBJPEG_TURBO_VERSION_NUMBER;
#else
  return 0;
#endif
}
