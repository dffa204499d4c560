#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jerror.h>
#include <jpeglib.h>

#include "RAW.h"

/* Previews are JPEG files, rarely bitmaps. libjpeg reports errors by a longjmp to `guarded`, so `guarded` calls each
 * step directly: the jump then skips only one stack frame of this file. */

struct raw_preview {
  /** The bytes of the preview, owned by LibRaw. */
  const uint8_t *bytes;
  size_t count;
  /** The number of samples per pixel of a bitmap; 0 for a JPEG. */
  uint32_t bitmap_bands;
  int32_t width;
  int32_t height;
  bool progressive;
  JOCTET *icc;
  unsigned icc_count;
  struct jpeg_decompress_struct decoder;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  /** The number of errors in the entropy-coded data so far. */
  uint32_t damage;
  /** Whether an error has ended decoding. */
  bool is_broken;
  uint32_t shrink;
  int32_t next_row;
  uint8_t *row;
};

static void leave(j_common_ptr decoder) { longjmp(((raw_preview *)decoder->client_data)->escape, 1); }

static void count_damage(j_common_ptr decoder, int level) {
  if (level >= 0) return;
  switch (decoder->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_JPEG_EOF:
    case JWRN_MUST_RESYNC:
    case JWRN_NOT_SEQUENTIAL:
    case JWRN_BOGUS_PROGRESSION: ((raw_preview *)decoder->client_data)->damage++;
  }
}

static void print_nothing(j_common_ptr decoder) { (void)decoder; }

static bool guarded(raw_preview *preview, bool (*step)(raw_preview *)) {
  if (setjmp(preview->escape)) return false;
  return step(preview);
}

static bool create(raw_preview *preview) {
  preview->decoder.err = jpeg_std_error(&preview->errors);
  preview->errors.error_exit = leave;
  preview->errors.emit_message = count_damage;
  preview->errors.output_message = print_nothing;
  preview->decoder.client_data = preview;
  jpeg_create_decompress(&preview->decoder);
  return true;
}

static bool read_header(raw_preview *preview) {
  j_decompress_ptr decoder = &preview->decoder;
  jpeg_abort_decompress(decoder);
  jpeg_mem_src(decoder, preview->bytes, (unsigned long)preview->count);
  if (preview->icc == NULL) jpeg_save_markers(decoder, JPEG_APP0 + 2, 0xffff);
  if (jpeg_read_header(decoder, TRUE) != JPEG_HEADER_OK) return false;
  if (decoder->num_components != 1 && decoder->num_components != 3) return false;
  decoder->out_color_space = JCS_RGB;
  return true;
}

static bool read_profile(raw_preview *preview) {
  jpeg_read_icc_profile(&preview->decoder, &preview->icc, &preview->icc_count);
  return true;
}

static bool start(raw_preview *preview) {
  if (!read_header(preview)) return false;
  preview->decoder.scale_num = 1;
  preview->decoder.scale_denom = preview->shrink;
  return jpeg_start_decompress(&preview->decoder);
}

static bool read_row(raw_preview *preview) {
  JSAMPROW row = preview->row;
  return jpeg_read_scanlines(&preview->decoder, &row, 1) == 1;
}

/** Opens the preview that LibRaw has unpacked. Returns NULL if its kind is not supported, or if it is damaged. */
raw_preview *raw_preview_open(const libraw_thumbnail_t *thumbnail) {
  raw_preview *preview = calloc(1, sizeof *preview);
  if (preview == NULL || thumbnail->thumb == NULL) {
    free(preview);
    return NULL;
  }
  preview->bytes = (const uint8_t *)thumbnail->thumb;
  preview->count = thumbnail->tlength;
  bool is_read = false;
  if (thumbnail->tformat == LIBRAW_THUMBNAIL_BITMAP) {
    preview->bitmap_bands = (uint32_t)thumbnail->tcolors;
    preview->width = thumbnail->twidth;
    preview->height = thumbnail->theight;
    uint64_t size = (uint64_t)thumbnail->twidth * thumbnail->theight * preview->bitmap_bands;
    is_read = (preview->bitmap_bands == 1 || preview->bitmap_bands == 3) && size > 0 && size <= preview->count;
  } else if (thumbnail->tformat == LIBRAW_THUMBNAIL_JPEG && guarded(preview, create)) {
    is_read = guarded(preview, read_header);
    preview->width = (int32_t)preview->decoder.image_width;
    preview->height = (int32_t)preview->decoder.image_height;
    preview->progressive = preview->decoder.progressive_mode;
    if (is_read) guarded(preview, read_profile);
  }
  if (is_read) return preview;
  raw_preview_close(preview);
  return NULL;
}

void raw_preview_close(raw_preview *preview) {
  if (preview == NULL) return;
  if (preview->bitmap_bands == 0) jpeg_destroy_decompress(&preview->decoder);
  free(preview->icc);
  free(preview->row);
  free(preview);
}

/** Reports the preview's size, reductions, profile, and memory to the host. */
void raw_preview_describe(const raw_preview *preview, imghost_image *image) {
  image->flags = IMGHOST_IMAGE_STREAMED;
  image->width = preview->width;
  image->height = preview->height;
  if (preview->bitmap_bands == 0) {
    for (uint32_t shrink = 2; shrink <= 8; shrink *= 2) image->shrinks[image->shrink_count++] = shrink;
  }
  image->metadata.icc = (imghost_bytes){preview->icc, preview->icc_count};
  // The memory of the bytes that LibRaw has unpacked, of some rows, and of all coefficients of a progressive JPEG.
  uint64_t pixels = (uint64_t)preview->width * (uint64_t)preview->height;
  image->working_bytes = preview->count + (uint64_t)preview->width * 200 + (2 << 20);
  if (preview->progressive) image->working_bytes += pixels * 6;
}

static int32_t fail(const imghost_call *call) {
  return raw_fail(call, "has a damaged preview, which raw = \"develop\" does not need");
}

/** Reads the next row of the reduced picture into `row`. Returns false if the row cannot be decoded. */
static bool next_row(raw_preview *preview) {
  size_t width = ((size_t)preview->width + preview->shrink - 1) / preview->shrink;
  int32_t y = preview->next_row++;
  if (preview->bitmap_bands == 0) {
    if (preview->is_broken) return false;
    preview->is_broken = !guarded(preview, read_row);
    return !preview->is_broken;
  }
  uint32_t bands = preview->bitmap_bands;
  const uint8_t *from = preview->bytes + (size_t)y * width * bands;
  uint8_t *to = preview->row;
  for (size_t x = 0; x < width; x++, from += bands, to += 3) {
    to[0] = from[0], to[1] = from[bands / 2], to[2] = from[bands - 1];
  }
  return true;
}

static bool begin(raw_preview *preview, uint32_t shrink) {
  size_t width = ((size_t)preview->width + shrink - 1) / shrink;
  free(preview->row);
  preview->row = calloc(width, 3);
  preview->shrink = shrink;
  preview->next_row = 0;
  preview->damage = 0;
  preview->is_broken = preview->row == NULL || (preview->bitmap_bands == 0 && !guarded(preview, start));
  if (!preview->is_broken && preview->bitmap_bands == 0) preview->is_broken = preview->decoder.output_width != width;
  return !preview->is_broken;
}

int32_t raw_preview_read(raw_preview *preview, const imghost_read *request) {
  const imghost_picture *output = request->output;
  const imghost_region *valid = &output->valid;
  bool accepts_damage = request->flags & IMGHOST_READ_DAMAGED;
  if (valid->top == request->region.top && !begin(preview, request->shrink) && !accepts_damage) {
    return fail(request->call);
  }
  if (preview->row == NULL || preview->next_row > valid->top) return fail(request->call);
  for (int32_t y = preview->next_row; y < valid->top + valid->height; y++) {
    if (y % 64 == 0 && raw_host->is_cancelled(request->call)) return IMGHOST_CANCELLED;
    bool is_read = next_row(preview);
    if ((!is_read || preview->damage > 0) && !accepts_damage) return fail(request->call);
    if (y < valid->top) continue;
    uint8_t *to = (uint8_t *)output->writable + (y - valid->top) * output->stride;
    size_t size = (size_t)valid->width * 3;
    if (is_read) {
      memcpy(to, preview->row + (size_t)valid->left * 3, size);
    } else {
      memset(to, 0, size);
    }
  }
  return IMGHOST_OK;
}
