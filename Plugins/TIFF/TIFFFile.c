#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "TIFF.h"

/* libtiff reads from memory: it uses the mapping of the host. */

static tmsize_t read_bytes(thandle_t handle, void *buffer, tmsize_t size) {
  tiff_file *file = handle;
  if (size < 0 || file->position >= file->count) return 0;
  uint64_t rest = file->count - file->position;
  uint64_t taken = (uint64_t)size < rest ? (uint64_t)size : rest;
  memcpy(buffer, file->bytes + file->position, taken);
  file->position += taken;
  return (tmsize_t)taken;
}

static tmsize_t write_nothing(thandle_t handle, void *buffer, tmsize_t size) {
  (void)handle, (void)buffer, (void)size;
  return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
  tiff_file *file = handle;
  if (whence == SEEK_CUR) offset += file->position;
  if (whence == SEEK_END) offset += file->count;
  file->position = offset;
  return offset;
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
  return 1;
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

/** Ignores warnings, except those of the JPEG library about missing pixels. */
static int keep_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list arguments) {
  (void)tiff, (void)module;
  tiff_file *file = data;
  char text[200];
  vsnprintf(text, sizeof text, format, arguments);
  if (strstr(text, "Premature end") || strstr(text, "Corrupt JPEG")) file->jpeg_damaged = true;
  return 1;
}

bool tiff_file_open(tiff_file *file, const uint8_t *bytes, size_t count) {
  *file = (tiff_file){.bytes = bytes, .count = count};
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
  if (options == NULL) return false;
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)TIFF_LARGEST_PIECE);
  TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, file);
  TIFFOpenOptionsSetWarningHandlerExtR(options, keep_warning, file);
  file->tiff = TIFFClientOpenExt(
      "file", "r", file, read_bytes, write_nothing, seek, close_nothing, size_of, map, unmap, options);
  TIFFOpenOptionsFree(options);
  return file->tiff != NULL;
}

void tiff_file_close(tiff_file *file) {
  if (file->tiff != NULL) TIFFClose(file->tiff);
  file->tiff = NULL;
}

/** Reports a failure. */
void tiff_fail(const imghost_call *call, const char *format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  tiff_host->set_error(call, text);
}

/** Reports a failure, followed by libtiff's reason. */
void tiff_fail_reading(const imghost_call *call, const tiff_file *file, const char *what) {
  if (file->error[0]) {
    tiff_fail(call, "%s (libtiff: %s)", what, file->error);
  } else {
    tiff_fail(call, "%s", what);
  }
}
