#include <malloc.h>
#include <pthread.h>
#include <string.h>

#include "RAW.h"

/* Unpacks raw samples. Decoders of LibRaw that stop early leave samples unset without reporting this, and these samples
 * would show the previous contents of the memory, such as another picture. So new memory is filled with a value that
 * makes unset samples recognisable. */

/** The value of each byte of new blocks whose contents are FILLED. */
#define FILL 0xfe
/** The minimum length of a run of samples with the fill value that is taken for unset; shorter runs may occur by
 * chance. */
#define LEAST_RUN 16

/** The contents of new blocks: `FILL` while samples are unpacked by a decoder that may leave some unset; zeros for
 * other decoders, and while a file is developed, because LibRaw also reads the margins of a damaged file, which were
 * never set. */
enum { FILLED, CLEARED };

/** Makes malloc fill new blocks, or stop doing so. Calls can be nested, and made on any thread. */
static void fill_blocks(int kind, bool on) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int users[2];
  pthread_mutex_lock(&lock);
  users[kind] += on ? 1 : -1;
  // glibc fills new memory with the complement of this value.
  mallopt(M_PERTURB, users[FILLED] > 0 ? FILL ^ 0xff : users[CLEARED] > 0 ? 0xff : 0);
  pthread_mutex_unlock(&lock);
}

/** Returns whether the decoder reads each sample separately, so that samples can only be unset after an early end of
 * the file, which the stream reports. These decoders are fast, and filling would cost 1 to 2 % of the time. */
static bool sets_all(libraw_data_t *raw) {
  static const char *const names[] = {
      "unpacked_load_raw()", "packed_load_raw()", "packed_dng_load_raw()", "eight_bit_load_raw()"};
  libraw_decoder_info_t decoder;
  if (libraw_get_decoder_info(raw, &decoder) != LIBRAW_SUCCESS || decoder.decoder_name == NULL) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(decoder.decoder_name, names[i]) == 0) return true;
  }
  return false;
}

/** Sets the unset samples of a row to 0. Returns whether there are any. */
static bool clear_row(ushort *row, size_t count) {
  const ushort unset = FILL << 8 | FILL;
  bool found = false;
  for (size_t x = 0; x < count; x += LEAST_RUN / 2) {
    if (row[x] != unset) continue;
    size_t from = x, to = x;
    while (from > 0 && row[from - 1] == unset) from--;
    while (to < count && row[to] == unset) to++;
    if (to - from < LEAST_RUN) continue;
    memset(row + from, 0, (to - from) * sizeof *row);
    found = true;
  }
  return found;
}

/** Sets the unset samples of the picture to 0. Returns whether there are any. */
static bool clear_unset(libraw_data_t *raw) {
  const libraw_image_sizes_t *sizes = &raw->sizes;
  const libraw_rawdata_t *data = &raw->rawdata;
  size_t bands = data->raw_image ? 1 : data->color3_image ? 3 : 4;
  ushort *samples = data->raw_image      ? data->raw_image
                    : data->color3_image ? (ushort *)data->color3_image
                                         : (ushort *)data->color4_image;
  size_t right = (size_t)sizes->left_margin + sizes->width, bottom = (size_t)sizes->top_margin + sizes->height;
  if (right > sizes->raw_width) right = sizes->raw_width;
  if (bottom > sizes->raw_height) bottom = sizes->raw_height;
  if (samples == NULL || right <= sizes->left_margin || sizes->raw_pitch < sizes->raw_width * bands * 2) return false;
  bool found = false;
  for (size_t y = sizes->top_margin; y < bottom; y++) {
    ushort *row = samples + y * (sizes->raw_pitch / 2) + sizes->left_margin * bands;
    if (clear_row(row, (right - sizes->left_margin) * bands)) found = true;
  }
  return found;
}

int raw_unpack(libraw_data_t *raw, bool accepts_damage) {
  int kind = sets_all(raw) ? CLEARED : FILLED;
  fill_blocks(kind, true);
  int code = libraw_unpack(raw);
  fill_blocks(kind, false);
  if (code != LIBRAW_SUCCESS || kind == CLEARED) return code;
  return clear_unset(raw) && !accepts_damage ? LIBRAW_DATA_ERROR : LIBRAW_SUCCESS;
}

int raw_process(libraw_data_t *raw) {
  fill_blocks(CLEARED, true);
  int code = libraw_dcraw_process(raw);
  fill_blocks(CLEARED, false);
  return code;
}
