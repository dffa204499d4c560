// Errors, input and limits of the decoding wrapper, see CJPEGFence.h.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jpeg_decoder.h"

enum {
  // Usual encoders write progressive files with about 10 scans, mozjpeg up to 64.
  MAXIMUM_SCANS = 500,
  USUAL_SCANS = 64,
  USUAL_HEADER = 8 << 10,
};
// Even large headers have only 255 ICC segments (16 MB), an EXIF segment and comments. Skipped segments do not count.
static const uint64_t maximum_header = 64u << 20;
// The maximum of scans × blocks in a file with more than USUAL_SCANS scans: some seconds of work.
static const uint64_t maximum_visits = 1000000000;

static ShimJPEGDecoder *of(j_common_ptr info) { return info->client_data; }

_Noreturn void shim_jpeg_leave(ShimJPEGDecoder *decoder, ShimJPEGCode code, const char *message) {
  decoder->code = code;
  if (message) snprintf(decoder->message, sizeof decoder->message, "%s", message);
  longjmp(decoder->fence, 1);
}

static ShimJPEGCode code_of(int message) {
  switch (message) {
    case JERR_INPUT_EOF:
    case JERR_INPUT_EMPTY:
    case JWRN_JPEG_EOF: return SHIM_JPEG_TRUNCATED;
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_COMPONENT_COUNT:
    case JERR_EMPTY_IMAGE:
    case JERR_IMAGE_TOO_BIG: return SHIM_JPEG_UNSUPPORTED;
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE: return SHIM_JPEG_NO_MEMORY;
    default: return SHIM_JPEG_DAMAGED;
  }
}

// Describes an unsupported feature by a noun phrase, because libjpeg's own messages are sentences.
static void name_feature(ShimJPEGDecoder *decoder) {
  const struct jpeg_error_mgr *errors = &decoder->errors;
  char *to = decoder->message;
  size_t size = sizeof decoder->message;
  switch (errors->msg_code) {
    case JERR_BAD_PRECISION:
      snprintf(to, size,
          decoder->info.arith_code ? "an arithmetic-coded JPEG with %d bits a sample" : "a JPEG with %d bits a sample",
          errors->msg_parm.i[0]);
      break;
    case JERR_SOF_UNSUPPORTED:
      snprintf(to, size, "a lossless or hierarchical JPEG (SOF%d)", errors->msg_parm.i[0] & 15);
      break;
    case JERR_EMPTY_IMAGE: snprintf(to, size, "a JPEG that does not state its size"); break;
    case JERR_IMAGE_TOO_BIG: snprintf(to, size, "a JPEG of more than 65500 pixels a side"); break;
    case JERR_COMPONENT_COUNT: snprintf(to, size, "a JPEG with that many components"); break;
    default: snprintf(to, size, "a JPEG with colours stored like this"); break;
  }
}

static void error_exit(j_common_ptr info) {
  ShimJPEGDecoder *decoder = of(info);
  ShimJPEGCode code = code_of(info->err->msg_code);
  info->err->format_message(info, decoder->message);
  if (decoder->lacks_end) code = SHIM_JPEG_TRUNCATED;
  if (code == SHIM_JPEG_UNSUPPORTED) name_feature(decoder);
  shim_jpeg_leave(decoder, code, NULL);
}

// Level -1 is a warning: libjpeg found damage, and would continue with substituted pixels.
static void emit_message(j_common_ptr info, int level) {
  ShimJPEGDecoder *decoder = of(info);
  if (level >= 0) return;
  switch (info->err->msg_code) {
    // These warnings do not concern the pixels: padding between segments, an unknown Adobe transform, a newer JFIF
    // version, and spectral selection in a sequential file, which is ignored.
    case JWRN_EXTRANEOUS_DATA:
      if (decoder->in_header) decoder->has_strays = 1;
      return;
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL: return;
  }
  if (decoder->accepts_damage) return;
  info->err->format_message(info, decoder->message);
  ShimJPEGCode code = code_of(info->err->msg_code);
  // JWRN_HIT_MARKER: a marker interrupts the entropy-coded data. If it is the end marker, data is missing.
  int is_at_end = info->err->msg_code == JWRN_HIT_MARKER && decoder->info.unread_marker == JPEG_EOI;
  if (is_at_end || decoder->lacks_end) code = SHIM_JPEG_TRUNCATED;
  shim_jpeg_leave(decoder, code, NULL);
}

static void output_message(j_common_ptr info) { (void)info; }

static void init_source(j_decompress_ptr info) { (void)info; }
static void term_source(j_decompress_ptr info) { (void)info; }

static size_t read_at(ShimJPEGDecoder *decoder, uint64_t offset, void *to, size_t size) {
  for (;;) {
    ssize_t count = pread(decoder->descriptor, to, size, (off_t)offset);
    if (count >= 0) return (size_t)count;
    if (errno == EINTR) continue;
    decoder->system_error = errno;
    shim_jpeg_leave(decoder, SHIM_JPEG_UNREADABLE, "read failed");
  }
}

static size_t read_more(ShimJPEGDecoder *decoder) {
  if (decoder->offset >= decoder->data_end) return 0;
  // The first read is short, because most headers end within it, and buffer pages that are never written use no memory.
  // The read after a skipped segment is short, too, because the next segment is probably also skipped.
  size_t size = decoder->offset == 0 || decoder->has_passed ? USUAL_HEADER : SHIM_JPEG_BUFFER_SIZE;
  decoder->has_passed = 0;
  if (size > decoder->data_end - decoder->offset) size = decoder->data_end - decoder->offset;
  return read_at(decoder, decoder->offset, decoder->buffer, size);
}

// Returns the length of the bytes without the zeros at their end. A zero after 255 is a part of the data (T.81,
// B.1.1.5).
static size_t without_zeros(const uint8_t *bytes, size_t count) {
  size_t end = count;
  while (end > 0 && bytes[end - 1] == 0) end--;
  return end > 0 && end < count && bytes[end - 1] == 0xFF ? end + 1 : end;
}

// Returns the offset at which the zeros at the end of the file begin, but at least `least`.
static uint64_t find_zeros(ShimJPEGDecoder *decoder, uint64_t least) {
  if (decoder->bytes) return least + without_zeros(decoder->bytes + least, decoder->byte_count - least);
  uint8_t piece[4096];
  uint64_t end = decoder->byte_count;
  while (end > least) {
    uint64_t start = end - least > sizeof piece ? end - sizeof piece : least;
    size_t count = read_at(decoder, start, piece, end - start);
    size_t kept = without_zeros(piece, count);
    if (kept > 1 || start == least) return start + kept;
    // Pieces overlap by a byte, because the first byte of this one may be a zero that belongs to a 255 before it.
    end = start + 1;
  }
  return least;
}

void shim_jpeg_pass_zeros(ShimJPEGDecoder *decoder) {
  struct jpeg_source_mgr *source = &decoder->source;
  uint64_t buffered = decoder->bytes ? decoder->byte_count : decoder->offset;
  uint64_t position = buffered - source->bytes_in_buffer;
  if (position >= decoder->byte_count) return;
  uint8_t last = 0;
  if (decoder->bytes) {
    last = decoder->bytes[decoder->byte_count - 1];
  } else {
    read_at(decoder, decoder->byte_count - 1, &last, 1);
  }
  if (last != 0) return;
  decoder->data_end = find_zeros(decoder, position);
  if (decoder->data_end >= buffered) return;
  size_t excess = (size_t)(buffered - decoder->data_end);
  source->bytes_in_buffer -= excess < source->bytes_in_buffer ? excess : source->bytes_in_buffer;
}

static boolean fill_input_buffer(j_decompress_ptr info) {
  ShimJPEGDecoder *decoder = info->client_data;
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  if (decoder->in_header && decoder->header_bytes > maximum_header) {
    shim_jpeg_leave(decoder, SHIM_JPEG_UNSUPPORTED, "a JPEG header of more than 64 MB");
  }
  size_t count = decoder->bytes ? 0 : read_more(decoder);
  decoder->offset += count;
  if (decoder->in_header) decoder->header_bytes += count;
  if (count > 0) {
    decoder->source.next_input_byte = decoder->buffer;
    decoder->source.bytes_in_buffer = count;
    return TRUE;
  }
  // The file ended before its end marker, so an end marker is substituted. If libjpeg then needs more data, it warns;
  // see emit_message. With arithmetic coding it would not warn, because such data may end anywhere (T.81, D.2.6).
  if (decoder->in_header || (!decoder->accepts_damage && decoder->info.arith_code)) {
    shim_jpeg_leave(decoder, SHIM_JPEG_TRUNCATED, "premature end of file");
  }
  decoder->lacks_end = !decoder->accepts_damage;
  decoder->source.next_input_byte = end;
  decoder->source.bytes_in_buffer = sizeof end;
  return TRUE;
}

static void skip_input_data(j_decompress_ptr info, long count) {
  ShimJPEGDecoder *decoder = info->client_data;
  struct jpeg_source_mgr *source = &decoder->source;
  if (count <= 0) return;
  if ((size_t)count <= source->bytes_in_buffer) {
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
    return;
  }
  decoder->offset += (uint64_t)count - source->bytes_in_buffer;
  decoder->has_passed = decoder->in_header;
  source->bytes_in_buffer = 0;
}

// Limits the number of scans: a scan of a few bytes can visit every block, so thousands of them would take minutes.
static void progress_monitor(j_common_ptr common) {
  ShimJPEGDecoder *decoder = of(common);
  if (decoder->pause && decoder->pause(decoder->owner)) shim_jpeg_leave(decoder, SHIM_JPEG_CANCELLED, "cancelled");
  uint64_t scans = (uint64_t)decoder->info.input_scan_number;
  if (scans > MAXIMUM_SCANS || (scans > USUAL_SCANS && scans * decoder->blocks > maximum_visits)) {
    shim_jpeg_leave(decoder, SHIM_JPEG_UNSUPPORTED, "a progressive JPEG with that many scans");
  }
}

void shim_jpeg_connect_errors(ShimJPEGDecoder *decoder) {
  decoder->info.err = jpeg_std_error(&decoder->errors);
  decoder->errors.error_exit = error_exit;
  decoder->errors.emit_message = emit_message;
  decoder->errors.output_message = output_message;
  decoder->info.client_data = decoder;
}

void shim_jpeg_connect_source(ShimJPEGDecoder *decoder) {
  decoder->source.init_source = init_source;
  decoder->source.fill_input_buffer = fill_input_buffer;
  decoder->source.skip_input_data = skip_input_data;
  decoder->source.resync_to_restart = jpeg_resync_to_restart;
  decoder->source.term_source = term_source;
  decoder->info.src = &decoder->source;
  decoder->progress.progress_monitor = progress_monitor;
  decoder->info.progress = &decoder->progress;
}
