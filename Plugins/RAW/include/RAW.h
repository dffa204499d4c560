/* RAW.h: declarations shared by the files of the RAW plugin. */
#pragma once

#include <libraw/libraw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "imghost_plugin.h"

extern const imghost_host *raw_host;
/** Reports the reason for a failure, formatted as by printf(3). Returns IMGHOST_FAILED. */
#define raw_fail(...) imghost_fail(raw_host, __VA_ARGS__)

/** The options of `img.open`, in their order. */
enum { RAW_PARAMETER_RAW, RAW_PARAMETER_COUNT };

/** The choices of the option `raw`. */
enum { RAW_PREVIEW, RAW_DEVELOP };

/** The preview that a file contains in addition to its raw samples. */
typedef struct raw_preview raw_preview;

#ifdef __cplusplus
extern "C" {
#endif

/** The bytes of a file, as LibRaw reads them. */
typedef struct raw_stream raw_stream;

/** Returns a stream over the bytes of a file, which must outlive the stream; NULL if there is not enough memory. */
raw_stream *raw_stream_create(imghost_bytes file);
/** Opens the stream with LibRaw from its beginning. The stream must outlive `raw`. Returns LibRaw's code. */
int raw_stream_open(raw_stream *stream, libraw_data_t *raw);
/** Appends zeros to an open stream, for truncated files. */
void raw_stream_pad(raw_stream *stream);
/** Returns whether LibRaw has read further beyond the end of the open stream than its decoders usually do. */
bool raw_stream_is_cut(const raw_stream *stream);
void raw_stream_free(raw_stream *stream);
/** Returns the format of a picture that LibRaw has developed. */
void raw_developed(libraw_data_t *raw, int *width, int *height, int *colours, int *bits);
/** Copies a developed picture to rows in the format of `raw_developed`, `stride` bytes apart. Returns LibRaw's code. */
int raw_copy(libraw_data_t *raw, void *rows, ptrdiff_t stride);

#ifdef __cplusplus
}
#endif

/** Unpacks the samples of an open file. Samples that LibRaw leaves unset become 0 if damage is accepted, and are an
 * error otherwise. Returns LibRaw's code. */
int raw_unpack(libraw_data_t *raw, bool accepts_damage);
/** Develops the unpacked samples. Returns LibRaw's code. */
int raw_process(libraw_data_t *raw);

raw_preview *raw_preview_open(const libraw_thumbnail_t *thumbnail);
void raw_preview_describe(const raw_preview *preview, imghost_image *image);
int32_t raw_preview_read(raw_preview *preview, const imghost_read *request);
void raw_preview_close(raw_preview *preview);

int32_t raw_open(const imghost_call *call, const imghost_file *file, uint32_t page, const imghost_value *values,
    uint32_t value_count, void **instance, imghost_image *image);
int32_t raw_turn(void *instance, const imghost_call *call, uint32_t page, imghost_image *image);
int32_t raw_read(void *instance, const imghost_read *request);
void raw_close(void *instance);
