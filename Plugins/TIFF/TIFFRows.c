#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/** Prepares to read the rows of libtiff's current directory. */
bool tiff_rows_begin(tiff_rows *rows, tiff_file *file, const imghost_call *call) {
  *rows = (tiff_rows){.band = UINT32_MAX};
  if (!tiff_layout_read(file, &rows->layout, call)) return false;
  if (!tiff_converter_begin(&rows->converter, file, &rows->layout)) {
    tiff_fail(call, rows->layout.colour == TIFF_PALETTE ? "has no palette" : "takes more memory than there is");
    return false;
  }
  // Otherwise, libtiff would apply the orientation to pixels that it converts.
  if (rows->layout.way == TIFF_BY_RGBA) TIFFSetField(file->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
  return true;
}

void tiff_rows_end(tiff_rows *rows) {
  tiff_converter_end(&rows->converter);
  free(rows->memory);
  free(rows->failed);
  free(rows->planes);
  *rows = (tiff_rows){.band = UINT32_MAX};
}

/** Reports why a strip or tile could not be decoded. */
static void fail_band(
    const tiff_file *file, const tiff_layout *layout, uint32_t index, uint32_t row, const imghost_call *call) {
  uint64_t offset = TIFFGetStrileOffset(file->tiff, index), count = TIFFGetStrileByteCount(file->tiff, index);
  char what[80];
  if (offset > file->count || count > file->count - offset) {
    tiff_fail(call, "ends in the middle of its pixels");
  } else {
    snprintf(what, sizeof what, "has a damaged %s near row %u", layout->tiled ? "tile" : "strip", row);
    tiff_fail_reading(call, file, what);
  }
}

/** Decodes one strip or tile of one plane. */
static bool decode(tiff_rows *rows, tiff_file *file, uint32_t row, uint32_t column, uint16_t plane, uint8_t *to) {
  const tiff_layout *layout = &rows->layout;
  uint32_t left = layout->height - row, height = left < layout->band_rows ? left : layout->band_rows;
  uint32_t index =
      layout->tiled ? TIFFComputeTile(file->tiff, column, row, 0, plane) : TIFFComputeStrip(file->tiff, row, plane);
  tmsize_t size = layout->tiled ? (tmsize_t)layout->band_bytes : TIFFVStripSize(file->tiff, height);
  file->error[0] = 0;
  file->jpeg_damaged = false;
  memset(to, 0, layout->band_bytes);
  if (layout->way == TIFF_BY_RGBA) {
    return (layout->tiled ? TIFFReadRGBATileExt(file->tiff, column, row, (uint32_t *)(void *)to, 1)
                          : TIFFReadRGBAStripExt(file->tiff, row, (uint32_t *)(void *)to, 1))
           && !file->jpeg_damaged;
  }
  if (size <= 0 || (uint64_t)size > layout->band_bytes) return false;
  tmsize_t got = layout->tiled ? TIFFReadEncodedTile(file->tiff, index, to, size)
                               : TIFFReadEncodedStrip(file->tiff, index, to, size);
  return got == size && !file->jpeg_damaged;
}

/** Decodes those tiles of the row of tiles `band` that the request needs. A strip counts as one tile. */
static bool load_band(tiff_rows *rows, tiff_file *file, uint32_t band, const imghost_read *request) {
  const tiff_layout *layout = &rows->layout;
  uint32_t row = band * layout->band_rows;
  for (uint32_t t = 0; t < rows->tile_count; t++) {
    uint32_t column = (rows->first_tile + t) * layout->tile_width;
    rows->failed[t] = 0;
    for (uint16_t plane = 0; plane < (layout->way == TIFF_BY_RGBA ? 1 : layout->planes); plane++) {
      uint8_t *to = rows->memory + ((uint64_t)plane * rows->tile_count + t) * layout->band_bytes;
      if (decode(rows, file, row, column, plane, to)) continue;
      if (!(request->flags & IMGHOST_READ_DAMAGED)) {
        uint32_t index = layout->tiled ? TIFFComputeTile(file->tiff, column, row, 0, plane)
                                       : TIFFComputeStrip(file->tiff, row, plane);
        fail_band(file, layout, index, row, request->call);
        return false;
      }
      // Keeps the part of damaged data that the JPEG library could decode.
      rows->failed[t] = rows->failed[t] || !file->jpeg_damaged;
    }
  }
  rows->band = band;
  return true;
}

/** Decodes one row of a strip that is decoded row by row. */
static bool load_row(tiff_rows *rows, tiff_file *file, uint32_t row, const imghost_read *request) {
  const tiff_layout *layout = &rows->layout;
  uint32_t strip = row / layout->band_rows, start = strip * layout->band_rows;
  if (rows->band != strip || row < rows->next_row) {
    rows->next_row = start;
    rows->band = strip;
    rows->failed[0] = 0;
    file->jpeg_damaged = false;
  }
  for (; rows->next_row <= row; rows->next_row++) {
    if (rows->failed[0]) continue;
    file->error[0] = 0;
    memset(rows->memory, 0, layout->row_bytes);
    bool good = TIFFReadScanline(file->tiff, rows->memory, rows->next_row, 0) > 0;
    if (good && !file->jpeg_damaged) continue;
    if (!(request->flags & IMGHOST_READ_DAMAGED)) {
      fail_band(file, layout, strip, rows->next_row, request->call);
      rows->band = UINT32_MAX;
      return false;
    }
    rows->failed[0] = !good;
  }
  return true;
}

/** Converts the columns of a region in one row. Their tiles must be in memory. */
static void convert_row(tiff_rows *rows, uint32_t row, const imghost_region *region, uint8_t *output) {
  const tiff_layout *layout = &rows->layout;
  const uint8_t **planes = rows->planes;
  size_t pixel = (size_t)layout->bands * layout->sample;
  uint32_t within = row % layout->band_rows, left = (uint32_t)region->left, right = left + (uint32_t)region->width;
  uint16_t count = layout->way == TIFF_BY_RGBA ? 1 : layout->planes;
  if (layout->way == TIFF_BY_RGBA) {
    uint32_t rest = layout->height - (row - within), height = rest < layout->band_rows ? rest : layout->band_rows;
    within = (layout->tiled ? layout->band_rows : height) - 1 - within;
  }
  for (uint32_t t = 0; t < rows->tile_count; t++) {
    uint32_t start = (rows->first_tile + t) * layout->tile_width, end = start + layout->tile_width;
    uint32_t from = left > start ? left : start, to = right < end ? right : end;
    if (to <= from) continue;
    uint8_t *place = output + (from - left) * pixel;
    if (rows->failed[t]) {
      memset(place, 0, (to - from) * pixel);
      continue;
    }
    for (uint16_t p = 0; p < count; p++) {
      uint64_t tile = (uint64_t)p * rows->tile_count + t;
      planes[p] =
          rows->memory + tile * layout->band_bytes + (layout->way == TIFF_BY_ROWS ? 0 : within * layout->row_bytes);
    }
    tiff_convert(&rows->converter, layout, planes, from - start, to - from, place);
  }
}

/** Converts a row that the file stores uncompressed. */
static bool copy_row(tiff_rows *rows, tiff_file *file, uint32_t row, const imghost_read *request, uint8_t *output) {
  const tiff_layout *layout = &rows->layout;
  uint32_t strip = row / layout->band_rows;
  uint64_t offset = TIFFGetStrileOffset(file->tiff, strip), skipped = (row % layout->band_rows) * layout->row_bytes;
  size_t size = (size_t)request->output->valid.width * layout->bands * layout->sample;
  if (offset < 8 || offset > file->count || file->count - offset < skipped
      || file->count - offset - skipped < layout->row_bytes) {
    if (request->flags & IMGHOST_READ_DAMAGED) return memset(output, 0, size) != NULL;
    tiff_fail(request->call, "ends in the middle of its pixels");
    return false;
  }
  const uint8_t *planes[1] = {file->bytes + offset + skipped};
  tiff_convert(&rows->converter, layout, planes, (uint32_t)request->output->valid.left,
      (uint32_t)request->output->valid.width, output);
  return true;
}

/** Allocates memory for the tiles that a region needs. */
static bool make_room(tiff_rows *rows, const imghost_read *request) {
  const tiff_layout *layout = &rows->layout;
  uint32_t first = (uint32_t)request->output->valid.left / layout->tile_width;
  uint32_t last = (uint32_t)(request->output->valid.left + request->output->valid.width - 1) / layout->tile_width;
  uint64_t planes = layout->way == TIFF_BY_RGBA ? 1 : layout->planes;
  uint64_t each = layout->way == TIFF_BY_ROWS ? layout->row_bytes : layout->band_bytes;
  if (layout->way == TIFF_BY_BYTES) return true;
  if (rows->memory != NULL && rows->first_tile == first && rows->tile_count == last - first + 1) return true;
  free(rows->memory);
  free(rows->failed);
  free(rows->planes);
  rows->first_tile = first;
  rows->tile_count = last - first + 1;
  rows->memory = malloc(planes * rows->tile_count * each);
  rows->failed = calloc(rows->tile_count, 1);
  rows->planes = malloc(planes * sizeof *rows->planes);
  rows->band = UINT32_MAX;
  if (rows->memory == NULL || rows->failed == NULL || rows->planes == NULL) {
    tiff_fail(request->call, "takes more memory than there is");
    return false;
  }
  return true;
}

bool tiff_rows_read(tiff_rows *rows, tiff_file *file, const imghost_read *request) {
  const imghost_picture *output = request->output;
  if (!make_room(rows, request)) return false;
  for (int32_t y = 0; y < output->valid.height; y++) {
    uint32_t row = (uint32_t)(output->valid.top + y), band = row / rows->layout.band_rows;
    uint8_t *to = (uint8_t *)output->writable + y * output->stride;
    if (rows->layout.way == TIFF_BY_BYTES) {
      if (!copy_row(rows, file, row, request, to)) return false;
      continue;
    }
    if (rows->layout.way == TIFF_BY_ROWS) {
      if (!load_row(rows, file, row, request)) return false;
    } else if (rows->band != band && !load_band(rows, file, band, request)) {
      return false;
    }
    convert_row(rows, row, &output->valid, to);
  }
  return true;
}
