// Strips and tiles that are compressed with LZW: section 13 of TIFF 6.0
// (https://www.itu.int/itudoc/itu-t/com16/tiff-fx/docs/tiff6.pdf), and the differences of section 14.
//
// libtiff follows a chain of codes for each string. Here an entry of the dictionary is a place in what is expanded
// already: a new entry is the last string and the byte behind it. Strange data is left to libtiff, which knows what
// other programs wrote.
#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

enum { clear_code = 256, end_code, first_entry, shortest = 9, longest = 12, piece = 16 };

/** A string of the dictionary: where it begins in what is expanded, and its bytes. */
typedef struct {
  uint32_t start, count;
} entry;

/** How far a strip or tile is expanded. Places are counted from its first byte. */
typedef struct {
  /** Codes, and those of them that are taken out, the first in the highest bits. */
  const uint8_t *codes, *codes_end;
  uint64_t bits;
  int bit_count, width;
  uint32_t next_entry;
  entry last;
  /** The place of the first byte of the dictionary's strings. */
  uint32_t dictionary_start;
  /** The end of what is expanded and of what is taken, and that of the strip. */
  uint32_t place, taken, size;
  /** The place of the window's first byte. */
  uint32_t window_start;
} tiff_lzw_state;

struct tiff_lzw {
  tiff_lzw_state state;
  /** The last part of what is expanded: bytes that strings of the dictionary have, or that are not taken yet. */
  uint8_t *window;
  /** The size of the window, and the most of such bytes that it may have. */
  size_t capacity, most_kept;
  entry entries[1 << longest];
};

/** Brings bits for the next codes. */
static inline void fill(tiff_lzw_state *now) {
  if (now->codes_end - now->codes >= 8) {
    uint64_t more;
    memcpy(&more, now->codes, 8);
    now->bits |= __builtin_bswap64(more) >> now->bit_count;
    int bytes = (63 - now->bit_count) / 8;
    now->codes += bytes;
    now->bit_count += 8 * bytes;
  } else {
    while (now->bit_count <= 56 && now->codes < now->codes_end) {
      now->bits |= (uint64_t)*now->codes++ << (56 - now->bit_count);
      now->bit_count += 8;
    }
  }
}

/** Makes room for so many bytes more, and forgets what no string has any more. */
static bool make_room(tiff_lzw *lzw, size_t count) {
  tiff_lzw_state *state = &lzw->state;
  uint32_t keep = state->dictionary_start < state->taken ? state->dictionary_start : state->taken;
  size_t kept = state->place - keep;
  uint8_t *from = lzw->window + (keep - state->window_start);
  if (kept + count > lzw->most_kept) return false;
  if (kept + count > lzw->capacity / 2) {
    size_t capacity = 2 * (kept + count);
    uint8_t *larger = malloc(capacity);
    if (larger == NULL) return false;
    memcpy(larger, from, kept);
    free(lzw->window);
    lzw->window = larger;
    lzw->capacity = capacity;
  } else {
    memmove(lzw->window, from, kept);
  }
  state->window_start = keep;
  return true;
}

/** Expands codes up to a place at least. */
static bool expand(tiff_lzw *whole, uint32_t to_place) {
  // A copy without an address stays in registers.
  tiff_lzw_state now = whole->state;
  entry *entries = whole->entries;
  uint8_t *window = whole->window;
  size_t capacity = whole->capacity;
  while (now.place < to_place) {
    if (now.bit_count < now.width) fill(&now);
    uint32_t code = (uint32_t)(now.bits >> (64 - now.width)), next = now.next_entry;
    now.bits <<= now.width;
    now.bit_count -= now.width;
    if (now.bit_count < 0) return false;
    if (code == clear_code) {
      now.next_entry = first_entry;
      now.last.count = 0;
      now.width = shortest;
      now.dictionary_start = now.place;
      continue;
    }
    // The last string and the first byte of this one are the next entry, which this code may name already.
    uint32_t makes_entry = now.last.count > 0;
    if (code == end_code || next >= 1 << longest || code >= next + makes_entry) return false;
    entries[next] = (entry){now.last.start, now.last.count + 1};
    entry string = code < clear_code ? (entry){now.place, 1} : entries[code];
    if (string.count > now.size - now.place) string.count = now.size - now.place;
    // Whole pieces are copied, and what is behind a string is written later.
    size_t room = string.count + 2 * (size_t)piece;
    if (now.place - now.window_start + room > capacity) {
      whole->state = now;
      if (!make_room(whole, room)) return false;
      now = whole->state;
      window = whole->window;
      capacity = whole->capacity;
    }
    uint8_t *to = window + (now.place - now.window_start);
    const uint8_t *from = window + (string.start - now.window_start);
    if (code < clear_code) {
      *to = (uint8_t)code;
    } else if (code < next) {
      memmove(to, from, piece);
      for (uint32_t i = piece; i < string.count; i += piece) memmove(to + i, from + i, piece);
    } else {
      // It ends with its own first byte, which is copied before it is read.
      for (uint32_t i = 0; i < string.count; i++) to[i] = from[i];
    }
    now.last = (entry){now.place, string.count};
    now.place += string.count;
    now.next_entry = next + makes_entry;
    now.width += now.next_entry >= (1u << now.width) - 1 && now.width < longest;
  }
  whole->state = now;
  return true;
}

/** Adds up the differences in a row of `count` samples, `step` of a pixel. */
static void add_up(uint8_t *row, uint64_t count, uint32_t step) {
  if (step == 3) {
    uint8_t a = 0, b = 0, c = 0;
    for (uint64_t i = 0; i + 3 <= count; i += 3) {
      row[i] = a += row[i];
      row[i + 1] = b += row[i + 1];
      row[i + 2] = c += row[i + 2];
    }
  } else {
    for (uint64_t i = step; i < count; i++) row[i] += row[i - step];
  }
}

static void add_up_16(uint16_t *row, uint64_t count, uint32_t step) {
  for (uint64_t i = step; i < count; i++) row[i] += row[i - step];
}

/** Makes space for expanding a directory's strips or tiles. NULL if libtiff has to, or there is no memory. */
tiff_lzw *tiff_lzw_make(tiff_file *file, tiff_layout *layout) {
  uint16_t order = FILLORDER_MSB2LSB, predictor = PREDICTOR_NONE;
  bool native = layout->bits <= 8 || (layout->bits == 16 && !TIFFIsByteSwapped(file->tiff));
  if (layout->compression != COMPRESSION_LZW || layout->way == TIFF_BY_RGBA || !native) return NULL;
  // Such rows would be in memory several times.
  if (layout->row_bytes > (16 << 20)) return NULL;
  TIFFGetFieldDefaulted(file->tiff, TIFFTAG_FILLORDER, &order);
  TIFFGetFieldDefaulted(file->tiff, TIFFTAG_PREDICTOR, &predictor);
  bool adds = predictor == PREDICTOR_HORIZONTAL && (layout->bits == 8 || layout->bits == 16);
  if (order != FILLORDER_MSB2LSB || !(predictor == PREDICTOR_NONE || adds)) return NULL;
  // The strings of a photograph's dictionary are some ten thousand bytes.
  size_t capacity = layout->row_bytes + (64 << 10);
  tiff_lzw *lzw = calloc(1, sizeof *lzw);
  uint8_t *window = malloc(capacity);
  if (lzw == NULL || window == NULL) {
    free(lzw);
    free(window);
    return NULL;
  }
  lzw->window = window;
  lzw->capacity = capacity;
  lzw->most_kept = layout->row_bytes + TIFF_LZW_MOST_KEPT;
  layout->adds = adds;
  return lzw;
}

void tiff_lzw_free(tiff_lzw *lzw) {
  if (lzw == NULL) return;
  free(lzw->window);
  free(lzw);
}

/** Begins a strip or tile of `size` bytes. Returns false if libtiff has to decode it. */
bool tiff_lzw_begin(tiff_lzw *lzw, const tiff_file *file, uint32_t index, uint64_t size) {
  uint64_t offset = TIFFGetStrileOffset(file->tiff, index), count = TIFFGetStrileByteCount(file->tiff, index);
  if (size > UINT32_MAX || offset > file->count || count > file->count - offset || count < 2) return false;
  const uint8_t *codes = file->bytes + offset;
  // Old programs wrote codes from the lowest bit on; all others begin with a clear code.
  if (codes[0] != clear_code >> 1 || codes[1] >> 7 != 0) return false;
  lzw->state = (tiff_lzw_state){
      .codes = codes,
      .codes_end = codes + count,
      .width = shortest,
      .next_entry = first_entry,
      .size = (uint32_t)size,
  };
  return true;
}

/** Expands the next row. Returns false if libtiff has to decode the whole strip or tile. */
bool tiff_lzw_take(tiff_lzw *lzw, const tiff_layout *layout, uint8_t *row) {
  uint64_t count = layout->row_bytes;
  tiff_lzw_state *state = &lzw->state;
  if (state->size - state->taken < count || !expand(lzw, state->taken + (uint32_t)count)) return false;
  memcpy(row, lzw->window + (state->taken - state->window_start), count);
  state->taken += (uint32_t)count;
  if (!layout->adds) return true;
  uint32_t step = layout->planes > 1 ? 1 : layout->samples;
  if (layout->bits == 8) {
    add_up(row, count, step);
  } else {
    add_up_16((uint16_t *)(void *)row, count / 2, step);
  }
  return true;
}
