// The codes of a frame, expanded into indices: appendix F of https://www.w3.org/Graphics/GIF/spec-gif89a.txt
//
// giflib's DGifGetLine() follows a chain of codes for each pixel. Here an entry of the dictionary holds the end of its
// string, eight indices at once; most strings of photographs are no longer than that.
#include "GIF.h"

#include <stdlib.h>
#include <string.h>

enum { none = -1, longest_code = 12, dictionary_size = 1 << longest_code, piece = sizeof(uint64_t) };

/// A string of indices: that of `before`, then the indices in `end`, the first in the lowest byte.
typedef struct entry {
  uint64_t end;
  uint16_t count, before;
  uint8_t first;
} entry;

struct gif_codes {
  entry entries[dictionary_size];
  /// The bits of single indices, from 0 to 8; their code for a new dictionary follows, then that of the end.
  int32_t index_bits;
  int32_t code_bits, next, last;
  uint64_t bits;
  int32_t bit_count;
  /// The rest of the block of codes that giflib gave last.
  const uint8_t *block;
  size_t block_count;
  int has_ended;
  /// Indices that are expanded and not yet taken.
  size_t start, end, capacity;
  uint8_t indices[];
};

static void start_dictionary(gif_codes *codes) {
  codes->code_bits = codes->index_bits + 1;
  codes->next = (1 << codes->index_bits) + 2;
  codes->last = none;
}

// Goes on with a block of giflib, whose first byte is its size. NULL comes after the last one.
static void use_block(gif_codes *codes, const uint8_t *block) {
  codes->has_ended = block == NULL;
  codes->block_count = block != NULL ? block[0] : 0;
  codes->block = block != NULL ? block + 1 : NULL;
}

gif_codes *gif_codes_make(int32_t index_bits, const uint8_t *first_block, int32_t width) {
  // A string may begin at the last index of a row, and whole pieces are written.
  enum { slack = dictionary_size + piece, several_rows = 16 << 10 };
  size_t capacity = (size_t)width + slack + several_rows;
  gif_codes *codes = malloc(sizeof *codes + capacity);
  if (codes == NULL) return NULL;
  codes->index_bits = index_bits;
  codes->capacity = capacity;
  codes->bits = 0;
  codes->bit_count = 0;
  codes->start = codes->end = 0;
  use_block(codes, first_block);
  for (int32_t i = 0; i < 1 << index_bits; i++) codes->entries[i] = (entry){(uint64_t)i, 1, 0, (uint8_t)i};
  start_dictionary(codes);
  return codes;
}

// Makes the next entry of the last string and one index.
static void add_entry(gif_codes *codes, uint8_t index) {
  entry made = codes->entries[codes->last];
  int32_t filled = made.count % piece;
  if (filled == 0) {
    made.before = (uint16_t)codes->last;
    made.end = index;
  } else {
    made.end |= (uint64_t)index << 8 * filled;
  }
  made.count++;
  codes->entries[codes->next++] = made;
}

// Writes a string. Bytes up to the next whole piece after it are written, too.
static void expand(const entry *entries, const entry *string, uint8_t *target) {
  int32_t place = (string->count - 1) / piece * piece;
  memcpy(target + place, &string->end, piece);
  while (place > 0) {
    string = entries + string->before;
    place -= piece;
    memcpy(target + place, &string->end, piece);
  }
}

// Brings the bits of the next code.
static gif_codes_status fill_bits(gif_codes *codes, GifFileType *file) {
  while (codes->bit_count < codes->code_bits) {
    if (codes->block_count > 0) {
      codes->bits |= (uint64_t)*codes->block++ << codes->bit_count;
      codes->bit_count += 8;
      codes->block_count--;
    } else {
      GifByteType *block;
      if (codes->has_ended) return gif_codes_ended;
      if (DGifGetCodeNext(file, &block) != GIF_OK) return gif_codes_unreadable;
      use_block(codes, block);
    }
  }
  return gif_codes_done;
}

// Expands one code.
static gif_codes_status step(gif_codes *codes, GifFileType *file) {
  gif_codes_status status = fill_bits(codes, file);
  if (status != gif_codes_done) return status;
  int32_t code = (int32_t)(codes->bits & ((1u << codes->code_bits) - 1)), clear = 1 << codes->index_bits;
  codes->bits >>= codes->code_bits;
  codes->bit_count -= codes->code_bits;
  if (code == clear) {
    start_dictionary(codes);
    return gif_codes_done;
  }
  if (code == clear + 1) return gif_codes_ended;
  // The last string and the first index of this one are the next entry, which this code may name already.
  int32_t makes_entry = codes->last != none && codes->next < dictionary_size;
  if (code >= codes->next + makes_entry) return gif_codes_damaged;
  if (makes_entry) add_entry(codes, codes->entries[code < codes->next ? code : codes->last].first);
  const entry *string = codes->entries + code;
  expand(codes->entries, string, codes->indices + codes->end);
  codes->end += string->count;
  codes->last = code;
  if (codes->next >= 1 << codes->code_bits && codes->code_bits < longest_code) codes->code_bits++;
  return gif_codes_done;
}

gif_codes_status gif_codes_take(gif_codes *codes, GifFileType *file, uint8_t *indices, int32_t width) {
  size_t count = (size_t)width;
  while (codes->end - codes->start < count) {
    if (codes->end + dictionary_size + piece > codes->capacity) {
      memmove(codes->indices, codes->indices + codes->start, codes->end - codes->start);
      codes->end -= codes->start;
      codes->start = 0;
    }
    gif_codes_status status = step(codes, file);
    if (status != gif_codes_done) return status;
  }
  memcpy(indices, codes->indices + codes->start, count);
  codes->start += count;
  return gif_codes_done;
}
