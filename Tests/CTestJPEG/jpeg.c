#include "CTestJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct fence {
  struct jpeg_error_mgr manager;
  jmp_buf target;
};

static void leave(j_common_ptr info) { longjmp(((struct fence *)info->err)->target, 1); }
static void be_silent(j_common_ptr info) { (void)info; }

static struct jpeg_error_mgr *raise_fence(struct fence *fence) {
  struct jpeg_error_mgr *manager = jpeg_std_error(&fence->manager);
  manager->error_exit = leave;
  manager->output_message = be_silent;
  return manager;
}

// The settings that differ from libjpeg's defaults.
struct choices {
  int quality, across, down, restart_interval, optimise, progressive;
};

static uint8_t *encode(
    const uint8_t *pixels, int width, int height, int components, struct choices choices, size_t *count) {
  struct jpeg_compress_struct info;
  struct fence fence;
  unsigned char *bytes = NULL;
  unsigned long length = 0;
  info.err = raise_fence(&fence);
  jpeg_create_compress(&info);
  if (setjmp(fence.target)) {
    jpeg_destroy_compress(&info);
    free(bytes);
    return NULL;
  }
  jpeg_mem_dest(&info, &bytes, &length);
  info.image_width = width;
  info.image_height = height;
  info.input_components = components;
  info.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, choices.quality, TRUE);
  for (int i = 0; i < info.num_components; i++) info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
  info.comp_info[0].h_samp_factor = choices.across;
  info.comp_info[0].v_samp_factor = choices.down;
  info.restart_interval = choices.restart_interval;
  info.optimize_coding = choices.optimise;
  if (choices.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = (JSAMPROW)pixels + (size_t)info.next_scanline * width * components;
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  *count = length;
  return bytes;
}

uint8_t *test_jpeg_encode(
    const uint8_t *pixels, int width, int height, int components, int quality, int progressive, size_t *count) {
  struct choices choices = {quality, 1, 1, 0, 0, progressive};
  return encode(pixels, width, height, components, choices, count);
}

uint8_t *test_jpeg_encode_scan(const uint8_t *pixels, int width, int height, int components, int quality, int across,
    int down, int restart_interval, int optimise, size_t *count) {
  struct choices choices = {quality, across, down, restart_interval, optimise, 0};
  return encode(pixels, width, height, components, choices, count);
}

uint8_t *test_jpeg_decode(const uint8_t *bytes, size_t count, int *width, int *height, int *components) {
  struct jpeg_decompress_struct info;
  struct fence fence;
  uint8_t *volatile pixels = NULL;
  info.err = raise_fence(&fence);
  jpeg_create_decompress(&info);
  if (setjmp(fence.target)) {
    jpeg_destroy_decompress(&info);
    free(pixels);
    return NULL;
  }
  jpeg_mem_src(&info, bytes, count);
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  size_t stride = (size_t)info.output_width * info.output_components;
  pixels = malloc(stride * info.output_height);
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = pixels + stride * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  *width = info.output_width;
  *height = info.output_height;
  *components = info.output_components;
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return pixels;
}
