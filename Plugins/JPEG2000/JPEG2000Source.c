#include <string.h>

#include "JPEG2000.h"

static uint64_t rest(const jp2_source *source) {
  uint64_t total = source->count + source->added;
  return source->position < total ? total - source->position : 0;
}

static OPJ_SIZE_T read_bytes(void *buffer, OPJ_SIZE_T count, void *data) {
  jp2_source *source = data;
  uint8_t *to = buffer;
  if (rest(source) == 0) return (OPJ_SIZE_T)-1;
  if (count > rest(source)) count = rest(source);
  for (OPJ_SIZE_T done = 0; done < count;) {
    uint64_t at = source->position + done, part = count - done;
    if (at < source->count) {
      if (part > source->count - at) part = source->count - at;
      memcpy(to + done, source->bytes + at, part);
    } else {
      uint64_t left = source->count + source->added - at;
      part = left > 2 ? (part < left - 2 ? part : left - 2) : 1;
      memset(to + done, left > 2 ? 0 : left == 2 ? 0xff : 0xd9, part);
    }
    done += part;
  }
  source->position += count;
  return count;
}

static OPJ_OFF_T skip(OPJ_OFF_T count, void *data) {
  jp2_source *source = data;
  if (count < 0 || rest(source) == 0) return -1;
  if ((uint64_t)count > rest(source)) count = (OPJ_OFF_T)rest(source);
  source->position += (uint64_t)count;
  return count;
}

static OPJ_BOOL seek(OPJ_OFF_T position, void *data) {
  jp2_source *source = data;
  if (position < 0 || (uint64_t)position > source->count + source->added) return OPJ_FALSE;
  source->position = (uint64_t)position;
  return OPJ_TRUE;
}

static uint64_t number(const uint8_t *bytes, int size) {
  uint64_t value = 0;
  for (int i = 0; i < size; i++) value = value << 8 | bytes[i];
  return value;
}

/** Extends a truncated file with zeros, which are empty packets, up to the end of the tile part in which it ends, and
 * with the end marker, so that all existing data can be decoded. If the file ends between parts, only the end marker is
 * added. If a part declares more bytes than its pixels can need, the file is not extended. */
void jp2_source_complete(jp2_source *source, const jp2_header *header, imghost_bytes file) {
  uint64_t most = (uint64_t)header->width * header->height * header->component_count * 4 + (64 << 10);
  uint64_t start = file.count - source->count, at = header->first_part;
  if (at == 0) return;
  while (at + 12 <= file.count && number(file.bytes + at, 2) == 0xff90) {
    uint64_t length = number(file.bytes + at + 6, 4), there = file.count - at;
    if (length > there) {
      if (length - there <= most) source->added = length - there + 2;
      return;
    }
    if (length < 12) return;
    at += length;
  }
  bool has_end = at + 2 <= file.count && number(file.bytes + at, 2) == 0xffd9;
  if (has_end || at < start) return;
  source->count = at - start;
  source->added = 2;
}

opj_stream_t *jp2_source_stream(jp2_source *source) {
  opj_stream_t *stream = opj_stream_create(64 << 10, OPJ_STREAM_READ);
  if (stream == NULL) return NULL;
  opj_stream_set_read_function(stream, read_bytes);
  opj_stream_set_skip_function(stream, skip);
  opj_stream_set_seek_function(stream, seek);
  opj_stream_set_user_data(stream, source, NULL);
  opj_stream_set_user_data_length(stream, source->count + source->added);
  return stream;
}
