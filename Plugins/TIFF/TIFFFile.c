#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "TIFF.h"

/* libtiff reads a file in the memory where the host has mapped it. While writing, libtiff changes earlier parts of the
 * file, which the host's `write` does not support, so the file is kept in memory, in pieces, until it is finished. */

#define PIECE ((uint64_t)1 << 20)

static bool reserve(tiff_file *file, uint64_t end) {
  uint64_t wanted = (end + PIECE - 1) / PIECE;
  if (wanted > file->piece_count) {
    uint8_t **pieces = realloc(file->pieces, wanted * sizeof *pieces);
    if (pieces == NULL) return false;
    file->pieces = pieces;
    for (; file->piece_count < wanted; file->piece_count++) {
      if ((pieces[file->piece_count] = calloc(1, PIECE)) == NULL) return false;
    }
  }
  return true;
}

static tmsize_t read_bytes(thandle_t handle, void *buffer, tmsize_t size) {
  tiff_file *file = handle;
  if (size < 0 || file->position >= file->count) return 0;
  uint64_t rest = file->count - file->position, taken = (uint64_t)size < rest ? (uint64_t)size : rest;
  for (uint64_t done = 0, part; done < taken; done += part) {
    uint64_t at = file->position % PIECE;
    part = file->bytes != NULL || taken - done < PIECE - at ? taken - done : PIECE - at;
    const uint8_t *from =
        file->bytes != NULL ? file->bytes + file->position : file->pieces[file->position / PIECE] + at;
    memcpy((uint8_t *)buffer + done, from, part);
    file->position += part;
  }
  return (tmsize_t)taken;
}

static tmsize_t write_bytes(thandle_t handle, void *buffer, tmsize_t size) {
  tiff_file *file = handle;
  uint64_t end = file->position + (uint64_t)size;
  if (file->bytes != NULL || size < 0 || end < file->position) return 0;
  file->out_of_memory = file->out_of_memory || !reserve(file, end);
  if (file->out_of_memory) return 0;
  for (uint64_t done = 0, part; done < (uint64_t)size; done += part) {
    uint64_t at = file->position % PIECE;
    part = (uint64_t)size - done < PIECE - at ? (uint64_t)size - done : PIECE - at;
    memcpy(file->pieces[file->position / PIECE] + at, (uint8_t *)buffer + done, part);
    file->position += part;
  }
  if (end > file->count) file->count = end;
  return size;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  tiff_file *file = handle;
  if (whence == SEEK_CUR) offset += file->position;
  if (whence == SEEK_END) offset += file->count;
  return file->position = offset;
}

static int close_nothing(thandle_t handle) {
  (void)handle;
  return 0;
}

static toff_t size_of(thandle_t handle) { return ((tiff_file *)handle)->count; }

static int map(thandle_t handle, void **base, toff_t *size) {
  tiff_file *file = handle;
  *base = (void *)file->bytes;
  *size = file->count;
  return file->bytes != NULL;
}

static void unmap(thandle_t handle, void *base, toff_t size) { (void)handle, (void)base, (void)size; }

/** Keeps the first error of a call, because later ones are its consequences. */
static int keep_error(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  tiff_file *file = data;
  if (file->error[0]) return 1;
  vsnprintf(file->error, sizeof file->error, format, arguments);
  for (char *c = file->error; *c; c++) {
    if (!isprint((unsigned char)*c)) *c = '?';
  }
  size_t length = strlen(file->error);
  while (length > 0 && strchr(".! ", file->error[length - 1])) file->error[--length] = 0;
  return 1;
}

/** Ignores warnings, except those of the JPEG library about missing or damaged data. */
static int keep_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  tiff_file *file = data;
  char text[200];
  vsnprintf(text, sizeof text, format, arguments);
  if (strstr(text, "Premature end") || strstr(text, "Corrupt JPEG")) file->jpeg_damaged = true;
  return 1;
}

bool tiff_file_open(tiff_file *file, const char *mode, imghost_bytes content) {
  *file = (tiff_file){.bytes = content.bytes, .count = content.count};
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == NULL) return false;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)TIFF_LARGEST_PIECE);
  TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, file);
  TIFFOpenOptionsSetWarningHandlerExtR(options, keep_warning, file);
  file->tiff =
      TIFFClientOpenExt("file", mode, file, read_bytes, write_bytes, seek, close_nothing, size_of, map, unmap, options);
  TIFFOpenOptionsFree(options);
  return file->tiff != NULL;
}

void tiff_file_close(tiff_file *file) {
  if (file->tiff != NULL) TIFFClose(file->tiff);
  for (uint64_t i = 0; i < file->piece_count; i++) free(file->pieces[i]);
  free(file->pieces);
  *file = (tiff_file){0};
}

bool tiff_file_append(tiff_file *file, uint64_t at, void *bytes, size_t count) {
  file->position = at;
  return write_bytes(file, bytes, (tmsize_t)count) == (tmsize_t)count;
}

int32_t tiff_file_send(
    const tiff_file *file, uint64_t start, uint64_t count, const imghost_call *call, imghost_write write) {
  for (uint64_t at = start, part; at < start + count; at += part) {
    part = PIECE - at % PIECE < start + count - at ? PIECE - at % PIECE : start + count - at;
    if (write(call, file->pieces[at / PIECE] + at % PIECE, part)) return IMGHOST_CANCELLED;
  }
  return IMGHOST_OK;
}

/** Reports a failure, followed by libtiff's reason. */
int32_t tiff_fail_reading(const imghost_call *call, const tiff_file *file, const char *what) {
  return file->error[0] ? tiff_fail(call, "%s (libtiff: %s)", what, file->error) : tiff_fail(call, "%s", what);
}
