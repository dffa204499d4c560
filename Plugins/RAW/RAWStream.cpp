#include <cstdio>
#include <cstring>
#include <new>

#include "RAW.h"

/* This file is in C++, because the C functions of LibRaw accept no stream, and cannot write a picture into the caller's
 * memory. */

/** The file's bytes as a stream that counts reads beyond the end, because LibRaw substitutes missing samples and often
 * reports success. */
struct raw_stream : LibRaw_buffer_datastream {
  uint64_t blocks = 0;
  uint64_t characters = 0;
  /** The number of zeros that may still follow the end. It is limited, so that a decoder that searches for a marker
   * stops. */
  uint64_t zeros = 0;

  explicit raw_stream(imghost_bytes file) : LibRaw_buffer_datastream(const_cast<uint8_t *>(file.bytes), file.count) {}

  int read(void *to, size_t size, size_t count) override {
    // A decoder that reads in blocks may request more than the last block contains. Only a read that begins at the end,
    // or gets a part of an item, shows that the file is truncated.
    INT64 start = tell(), end = this->size();
    int whole = LibRaw_buffer_datastream::read(to, size, count);
    size_t done = static_cast<size_t>(tell() - start), rest = size * count - done;
    if (rest == 0) return whole;
    if (start >= end || done % size > 0) blocks++;
    std::memset(static_cast<char *>(to) + done, 0, rest);
    if (rest > zeros) return whole;
    zeros -= rest;
    return static_cast<int>(count);
  }

  int get_char() override {
    int value = LibRaw_buffer_datastream::get_char();
    if (value >= 0) return value;
    characters++;
    if (zeros == 0) return value;
    zeros--;
    return 0;
  }
};

extern "C" raw_stream *raw_stream_create(imghost_bytes file) { return new (std::nothrow) raw_stream(file); }

extern "C" int raw_stream_open(raw_stream *stream, libraw_data_t *raw) {
  stream->seek(0, SEEK_SET);
  stream->zeros = 0;
  int code = static_cast<LibRaw *>(raw->parent_class)->open_datastream(stream);
  stream->blocks = stream->characters = 0;
  return code;
}

extern "C" void raw_stream_pad(raw_stream *stream) { stream->zeros = 1 << 28; }

extern "C" bool raw_stream_is_cut(const raw_stream *stream) {
  // Bit decoders read some bytes ahead, so a few bytes beyond the end are normal.
  return stream->blocks > 0 || stream->characters > 4096;
}

extern "C" void raw_stream_free(raw_stream *stream) { delete stream; }

extern "C" void raw_developed(libraw_data_t *raw, int *width, int *height, int *colours, int *bits) {
  static_cast<LibRaw *>(raw->parent_class)->get_mem_image_format(width, height, colours, bits);
}

extern "C" int raw_copy(libraw_data_t *raw, void *rows, ptrdiff_t stride) {
  return static_cast<LibRaw *>(raw->parent_class)->copy_mem_image(rows, static_cast<int>(stride), 0);
}
