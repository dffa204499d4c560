// Decodes the rows of one frame. giflib reads a virtual file: a header without colours, followed by the bytes of the
// frame. Each frame is thus decoded independently, and a damaged frame does not affect others.
#include "GIF.h"

#include <string.h>

static const uint8_t header[13] = "GIF89a";

static int give(GifFileType *file, GifByteType *target, int wanted) {
  gif_rows *rows = file->UserData;
  size_t count = wanted < 0 ? 0 : (size_t)wanted, given = 0;
  while (rows->header_left > 0 && given < count) target[given++] = header[sizeof header - rows->header_left--];
  size_t rest = rows->content.count - rows->at;
  size_t from_file = count - given < rest ? count - given : rest;
  memcpy(target + given, rows->content.bytes + rows->at, from_file);
  rows->at += from_file;
  given += from_file;
  if (given == count) return wanted;
  // The last frame may lack the terminator of its sub-blocks, so it is supplied here: giflib reads the size of each
  // sub-block as a single byte, and a size of 0 is the terminator.
  rows->has_ended = 1;
  if (wanted == 1) target[given++] = 0;
  return (int)given;
}

static int32_t failed(const gif_rows *rows, const imghost_call *call, int error) {
  uint32_t number = rows->index + 1;
  if (rows->has_ended) return gif_fail(call, "ends in the middle of frame %u", number);
  switch (error) {
    case D_GIF_ERR_NOT_ENOUGH_MEM: return gif_fail(call, "needs more memory than there is");
    case D_GIF_ERR_EOF_TOO_SOON:
    case D_GIF_ERR_READ_FAILED: return gif_fail(call, "ends in the middle of frame %u", number);
    default: return gif_fail(call, "has damaged pixels in frame %u", number);
  }
}

int32_t gif_rows_begin(gif_rows *rows, const imghost_call *call, const gif_blocks *blocks, uint32_t index) {
  *rows = (gif_rows){.content = blocks->content, .at = blocks->frames[index].offset, .index = index};
  rows->header_left = sizeof header;
  int error = 0;
  rows->file = DGifOpen(rows, give, &error);
  if (rows->file == NULL) return failed(rows, call, error);
  GifRecordType type;
  if (DGifGetRecordType(rows->file, &type) != GIF_OK || type != IMAGE_DESC_RECORD_TYPE
      || DGifGetImageDesc(rows->file) != GIF_OK) {
    return failed(rows, call, rows->file->Error);
  }
  return IMGHOST_OK;
}

int32_t gif_rows_next(gif_rows *rows, const imghost_call *call, uint8_t *indices, int32_t width) {
  if (DGifGetLine(rows->file, indices, width) == GIF_OK) return IMGHOST_OK;
  return failed(rows, call, rows->file->Error);
}

void gif_rows_end(gif_rows *rows) {
  int error;
  if (rows->file != NULL) DGifCloseFile(rows->file, &error);
  rows->file = NULL;
}

int32_t gif_palette_read(gif_palette *palette, const imghost_call *call, const gif_blocks *blocks, uint32_t index) {
  const gif_frame *frame = blocks->frames + index;
  int32_t count = frame->color_count > 0 ? frame->color_count : blocks->color_count;
  size_t at = frame->color_count > 0 ? frame->colors : blocks->colors;
  memset(palette, 0, sizeof *palette);
  if (count == 0) return gif_fail(call, "has no colours for frame %u", index + 1);
  if (at + 3 * (size_t)count > blocks->content.count)
    return gif_fail(call, "ends in the middle of frame %u", index + 1);
  for (int32_t i = 0; i < count; i++) {
    if (i == frame->transparent) continue;
    memcpy(palette->values[i], blocks->content.bytes + at + 3 * (size_t)i, 3);
    palette->values[i][3] = 255;
  }
  return IMGHOST_OK;
}

int32_t gif_row_at(const gif_frame *frame, int32_t index) {
  static const int32_t first[] = {0, 4, 2, 1}, step[] = {8, 8, 4, 2};
  if (!frame->is_interlaced) return index;
  for (int pass = 0; pass < 4; pass++) {
    int32_t count = (frame->height - first[pass] + step[pass] - 1) / step[pass];
    if (count < 0) count = 0;
    if (index < count) return first[pass] + index * step[pass];
    index -= count;
  }
  return frame->height;
}
