#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* The reduced images of a page. A program that modifies a page may leave its reduced images unchanged, so they are
 * compared with the page. A page of up to TIFF_SMALL_PAGE pixels is always read directly. For a larger page, 8 by 8
 * places are compared when a reduced image is first read. If any place differs, the page's own pixels are averaged
 * instead. */

/** The maximum side of a compared place, in pixels of the page, unless a single pixel of the reduced image is
 * larger. */
#define PLACE_SIDE 256u

/** The maximum side of a compared place, in pixels of the reduced image. */
#define CELL_SIDE 8u

/** The number of places across and down. */
#define PLACES 8u

/** Accepts a reduced image as a level if its sides are those of an exact reduction, and its samples have the same
 * format as those of the page. Ignores images with palettes or few bits, because programs reduce these by sampling, not
 * by averaging. */
static void add_level(tiff_reader *reader, uint64_t directory, const tiff_layout *page, const imghost_call *call) {
  uint64_t w = tiff_value(&reader->bytes, directory, TIFFTAG_IMAGEWIDTH);
  uint64_t h = tiff_value(&reader->bytes, directory, TIFFTAG_IMAGELENGTH);
  if (reader->level_count == 16 || w == 0 || h == 0 || w >= page->width || h >= page->height) return;
  uint64_t shrink = (page->width + w / 2) / w;
  if (shrink < 2 || (page->width + shrink - 1) / shrink != w || (page->height + shrink - 1) / shrink != h) return;
  for (uint32_t i = 0; i < reader->level_count; i++) {
    if (reader->levels[i].shrink == shrink) return;
  }
  if (!tiff_go_to(reader, directory, call)) return;
  const tiff_layout *level = &reader->rows.layout;
  if (level->bands != page->bands || level->sample != page->sample || level->bits < 8
      || level->colour == TIFF_PALETTE) {
    return;
  }
  uint32_t at = reader->level_count++;
  for (; at > 0 && reader->levels[at - 1].shrink > shrink; at--) reader->levels[at] = reader->levels[at - 1];
  reader->levels[at] = (tiff_level){directory, (uint32_t)shrink, TIFF_LEVEL_UNKNOWN};
}

/** Finds the reduced images of a page: those below it, and those after it in the chain. */
void tiff_levels_find(tiff_reader *reader, uint32_t page, const imghost_call *call) {
  const tiff_pages *pages = &reader->pages;
  tiff_layout layout = reader->rows.layout;
  tiff_entry below;
  reader->level_count = 0;
  if (tiff_entry_find(&reader->bytes, pages->pages[page], TIFFTAG_SUBIFD, &below)) {
    for (uint64_t i = 0; i < below.count && i < 32; i++) {
      tiff_directory directory;
      uint64_t offset = tiff_entry_number(&reader->bytes, &below, i);
      if (!tiff_directory_read(&reader->bytes, offset, &directory)) continue;
      if (directory.reduced && !directory.mask) add_level(reader, offset, &layout, call);
    }
  }
  uint32_t end = page + 1 < pages->page_count ? pages->first_reduced[page + 1] : pages->reduced_count;
  for (uint32_t i = pages->first_reduced[page]; i < end && i - pages->first_reduced[page] < 32; i++) {
    add_level(reader, pages->reduced[i], &layout, call);
  }
}

/** Returns whether a page's levels are used: not for small pages, which need none; not with straight alpha, because the
 * colours of invisible pixels are mixed in; and not with long strips, which a comparison would decode nearly
 * completely. */
bool tiff_levels_serve(const tiff_layout *page) {
  bool has_straight_alpha = page->alpha >= 0 && !page->associated;
  bool is_one_strip = page->way == TIFF_BY_ROWS && page->band_rows > page->height / (2 * PLACES);
  return (uint64_t)page->width * page->height > TIFF_SMALL_PAGE && !has_straight_alpha && !is_one_strip;
}

/** Reads part of a row of the open directory. */
static bool read_row(
    tiff_reader *reader, const imghost_read *like, uint32_t left, uint32_t row, uint32_t width, void *to) {
  const tiff_layout *layout = &reader->rows.layout;
  imghost_picture output = *like->output;
  output.width = (int32_t)layout->width;
  output.height = (int32_t)layout->height;
  output.valid = (imghost_region){(int32_t)left, (int32_t)row, (int32_t)width, 1};
  output.writable = to;
  imghost_read request = *like;
  request.output = &output;
  return tiff_rows_read(&reader->rows, &reader->file, &request);
}

static double sample_of(const tiff_layout *layout, const void *row, size_t index) {
  return layout->sample == IMGHOST_SAMPLE_U8 ? ((const uint8_t *)row)[index] : ((const uint16_t *)row)[index] / 257.0;
}

/** The places to compare: squares of `cell` by `cell` pixels of the reduced image, in rows of PLACES. */
typedef struct {
  uint32_t left[PLACES], top[PLACES];
  uint32_t shrink;
  uint32_t cell;
  uint32_t bands;
  /** For each sample of each place: the averages of the page's samples and of their squares, and the level's sample. */
  double *means;
  double *squares;
  double *samples;
} comparison;

/** Chooses the places. Returns false if the picture is too small. */
static bool choose_places(comparison *all, const tiff_layout *page, uint32_t shrink) {
  uint32_t columns = page->width / shrink, rows = page->height / shrink, cell = PLACE_SIDE / shrink;
  cell = cell < 1 ? 1 : cell > CELL_SIDE ? CELL_SIDE : cell;
  *all = (comparison){.shrink = shrink, .cell = cell, .bands = page->bands};
  for (uint32_t i = 0; i < PLACES; i++) {
    all->left[i] = (uint32_t)((uint64_t)columns * (2 * i + 1) / (2 * PLACES)) / cell * cell;
    all->top[i] = (uint32_t)((uint64_t)rows * (2 * i + 1) / (2 * PLACES)) / cell * cell;
  }
  return all->left[PLACES - 1] + cell <= columns && all->top[PLACES - 1] + cell <= rows;
}

/** Returns the index of the first sample of a place. */
static size_t first_of(const comparison *all, uint32_t row, uint32_t column) {
  return ((size_t)row * PLACES + column) * all->cell * all->cell * all->bands;
}

/** A function that adds one row of a place to the averages or the samples. */
typedef void (*taker)(const comparison *all, size_t first, uint32_t y, const tiff_layout *layout, const void *pixels);

static void add_to_averages(
    const comparison *all, size_t first, uint32_t y, const tiff_layout *layout, const void *pixels) {
  double weight = 1.0 / all->shrink / all->shrink;
  first += (size_t)(y / all->shrink) * all->cell * all->bands;
  for (uint32_t x = 0; x < all->cell * all->shrink; x++) {
    size_t to = first + (size_t)(x / all->shrink) * all->bands;
    for (uint32_t b = 0; b < all->bands; b++) {
      double value = sample_of(layout, pixels, (size_t)x * all->bands + b);
      all->means[to + b] += value * weight;
      all->squares[to + b] += value * value * weight;
    }
  }
}

static void keep_samples(
    const comparison *all, size_t first, uint32_t y, const tiff_layout *layout, const void *pixels) {
  size_t count = (size_t)all->cell * all->bands;
  for (size_t i = 0; i < count; i++) all->samples[first + y * count + i] = sample_of(layout, pixels, i);
}

/** Reads the places from the open directory, where a pixel of the reduced image covers `scale` by `scale` pixels. With
 * strips, each row is read once for all places in it; with tiles, only the part of it at each place is read. */
static bool walk(tiff_reader *reader, const comparison *all, const imghost_read *request, uint32_t scale, taker take) {
  const tiff_layout *layout = &reader->rows.layout;
  size_t pixel = (size_t)layout->bands * layout->sample;
  uint8_t *row = malloc(layout->width * pixel);
  bool good = row != NULL;
  for (uint32_t j = 0; good && j < PLACES; j++) {
    uint32_t top = all->top[j] * scale, side = all->cell * scale, turns = layout->tiled ? PLACES : 1;
    for (uint32_t turn = 0; good && turn < turns; turn++) {
      good = !tiff_host->is_cancelled(request->call);
      uint32_t from = layout->tiled ? all->left[turn] * scale : 0;
      for (uint32_t y = 0; good && y < side; y++) {
        good = read_row(reader, request, from, top + y, layout->tiled ? side : layout->width, row);
        for (uint32_t i = layout->tiled ? turn : 0; good && i < (layout->tiled ? turn + 1 : PLACES); i++) {
          take(all, first_of(all, j, i), y, layout, row + (all->left[i] * scale - from) * pixel);
        }
      }
    }
  }
  free(row);
  return good;
}

/** Returns whether a place of the reduced image matches the page, whatever filter reduced it. With samples up to 255,
 * the mean squared difference from the averages may be 6² plus a quarter of the variance of the page's samples there.
 * The square of the mean difference may be 3² plus a quarter of the variance within each average, because averages in
 * linear light are brighter. */
static bool fits(const comparison *all, size_t first) {
  double difference = 0, variance = 0, inner = 0, bias = 0, count = (double)all->cell * all->cell;
  for (uint32_t b = 0; b < all->bands; b++) {
    double sum = 0, square = 0, error = 0;
    for (size_t i = 0; i < (size_t)all->cell * all->cell; i++) {
      size_t at = first + i * all->bands + b;
      double mean = all->means[at], d = all->samples[at] - mean;
      error += d, difference += d * d;
      sum += mean, square += all->squares[at];
      inner += all->squares[at] - mean * mean;
    }
    variance += square - sum * sum / count;
    bias += error * error / count;
  }
  double samples = count * all->bands;
  return difference <= 36 * samples + 0.25 * variance && bias <= 9 * samples + 0.25 * inner;
}

/** Returns whether a level shows the same picture as the page. The page's directory must be open. */
static bool is_consistent(tiff_reader *reader, const tiff_level *level, const imghost_read *request) {
  comparison all;
  if (!choose_places(&all, &reader->rows.layout, level->shrink)) return false;
  size_t count = first_of(&all, PLACES, 0);
  double *memory = calloc(3 * count, sizeof *memory);
  if (memory == NULL) return false;
  all.means = memory;
  all.squares = memory + count;
  all.samples = memory + 2 * count;
  imghost_read strict = *request;
  strict.flags &= ~IMGHOST_READ_DAMAGED;
  bool good = walk(reader, &all, &strict, all.shrink, add_to_averages)
              && tiff_go_to(reader, level->directory, request->call) && walk(reader, &all, &strict, 1, keep_samples);
  for (uint32_t j = 0; good && j < PLACES; j++) {
    for (uint32_t i = 0; good && i < PLACES; i++) good = fits(&all, first_of(&all, j, i));
  }
  free(memory);
  return good;
}

static bool average_row(
    tiff_reader *reader, const imghost_read *request, uint32_t y, uint8_t *row, double *sums, void *to) {
  const tiff_layout *page = &reader->rows.layout;
  const imghost_region *valid = &request->output->valid;
  uint32_t shrink = request->shrink, left = (uint32_t)valid->left * shrink, bands = page->bands;
  uint64_t right = ((uint64_t)valid->left + (uint64_t)valid->width) * shrink;
  uint32_t width = (uint32_t)(right < page->width ? right : page->width) - left;
  uint32_t end = page->height - y * shrink < shrink ? page->height : (y + 1) * shrink;
  bool has_alpha = page->alpha >= 0;
  size_t count = (size_t)valid->width * (bands + 1);
  memset(sums, 0, count * sizeof *sums);
  for (uint32_t from = y * shrink; from < end; from++) {
    if (!read_row(reader, request, left, from, width, row)) return false;
    for (uint32_t x = 0; x < width; x++) {
      double *sum = sums + (size_t)(x / shrink) * (bands + 1);
      double weight = has_alpha ? sample_of(page, row, (size_t)x * bands + bands - 1) : 1;
      for (uint32_t b = 0; b < bands; b++) {
        double value = sample_of(page, row, (size_t)x * bands + b);
        sum[b] += has_alpha && b + 1 == bands ? value : value * weight;
      }
      sum[bands] += weight;
    }
  }
  for (uint32_t x = 0; x < (uint32_t)valid->width; x++) {
    const double *sum = sums + (size_t)x * (bands + 1);
    uint32_t across = width - x * shrink < shrink ? width - x * shrink : shrink;
    for (uint32_t b = 0; b < bands; b++) {
      double divisor = has_alpha && b + 1 == bands ? (double)across * (end - y * shrink) : sum[bands];
      double value = divisor > 0 ? sum[b] / divisor : 0;
      size_t at = (size_t)x * bands + b;
      if (page->sample == IMGHOST_SAMPLE_U8) {
        ((uint8_t *)to)[at] = (uint8_t)(value + 0.5);
      } else {
        ((uint16_t *)to)[at] = (uint16_t)(value * 257 + 0.5);
      }
    }
  }
  return true;
}

/** Computes rows of the reduced page from the page itself, whose directory must be open. */
static bool average(tiff_reader *reader, const imghost_read *request) {
  const tiff_layout *page = &reader->rows.layout;
  const imghost_picture *output = request->output;
  size_t width = (size_t)output->valid.width;
  uint8_t *row = malloc(width * request->shrink * page->bands * page->sample);
  double *sums = malloc(width * (page->bands + 1) * sizeof *sums);
  bool good = row != NULL && sums != NULL;
  if (!good) tiff_fail(request->call, "takes more memory than there is");
  for (int32_t y = 0; good && y < output->valid.height; y++) {
    uint8_t *to = (uint8_t *)output->writable + y * output->stride;
    good = average_row(reader, request, (uint32_t)(output->valid.top + y), row, sums, to);
  }
  free(row);
  free(sums);
  return good;
}

/** Reads rows of the reduced page: from the level if it shows the same picture, else as averages of the page. */
bool tiff_levels_read(tiff_reader *reader, tiff_level *level, const imghost_read *request) {
  uint64_t page = reader->pages.pages[reader->page];
  if (level->state == TIFF_LEVEL_UNKNOWN) {
    if (!tiff_go_to(reader, page, request->call)) return false;
    bool is_same = is_consistent(reader, level, request);
    if (tiff_host->is_cancelled(request->call)) return false;
    level->state = is_same ? TIFF_LEVEL_SAME : TIFF_LEVEL_OTHER;
  }
  if (level->state == TIFF_LEVEL_SAME) {
    return tiff_go_to(reader, level->directory, request->call) && tiff_rows_read(&reader->rows, &reader->file, request);
  }
  return tiff_go_to(reader, page, request->call) && average(reader, request);
}
