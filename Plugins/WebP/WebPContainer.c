// The chunks of a WebP file: https://developers.google.com/speed/webp/docs/riff_container
#include "WebP.h"

#include <stdlib.h>
#include <string.h>

enum { file_header = 12, chunk_header = 8, frame_header = 16 };

typedef struct chunk {
  const uint8_t *tag;
  /// The payload, as far as the file contains it.
  size_t offset, count;
  int is_complete;
} chunk;

static uint32_t little(const uint8_t *bytes, int size) {
  uint32_t value = 0;
  for (int i = 0; i < size; i++) value |= (uint32_t)bytes[i] << 8 * i;
  return value;
}

static int has_tag(const uint8_t *bytes, const char *tag) { return memcmp(bytes, tag, 4) == 0; }

// Reads the chunk at `*at`, and advances `*at` to the next one. Returns 0 at the end.
static int next_chunk(const webp_container *container, size_t *at, chunk *chunk) {
  if (*at > container->count || container->count - *at < chunk_header) return 0;
  chunk->tag = container->bytes + *at;
  chunk->offset = *at + chunk_header;
  size_t count = little(chunk->tag + 4, 4), rest = container->count - chunk->offset;
  chunk->is_complete = count <= rest;
  chunk->count = chunk->is_complete ? count : rest;
  *at = chunk->offset + count + (count & 1);
  return 1;
}

// Determines from the first bytes of a frame's image chunks whether the frame is lossless and has alpha.
static void look_at_image(const webp_container *container, webp_frame *frame) {
  const uint8_t *image = container->bytes + frame->offset;
  if (frame->count < chunk_header + 5) return;
  frame->is_lossless = has_tag(image, "VP8L");
  // VP8L stores an alpha hint in bit 28 of its header, which follows a signature byte.
  frame->has_alpha = has_tag(image, "ALPH") || (frame->is_lossless && (image[chunk_header + 4] >> 4 & 1));
}

static webp_frame read_frame(const webp_container *container, const chunk *chunk) {
  const uint8_t *header = container->bytes + chunk->offset;
  webp_frame frame = {
      .offset = chunk->offset + frame_header,
      .count = chunk->count - frame_header,
      .left = (int32_t)little(header, 3) * 2,
      .top = (int32_t)little(header + 3, 3) * 2,
      .width = (int32_t)little(header + 6, 3) + 1,
      .height = (int32_t)little(header + 9, 3) + 1,
      .milliseconds = little(header + 12, 3),
      .blends = !(header[15] & 2),
      .disposes = header[15] & 1,
  };
  look_at_image(container, &frame);
  return frame;
}

static int32_t read_frames(const imghost_call *call, webp_container *container, uint32_t count, size_t first) {
  if (count == 0) return webp_fail(call, "is an animation without frames");
  if (count > webp_maximum_frames) {
    return webp_fail(call, "has %u frames, and imghost reads %d at most", count, webp_maximum_frames);
  }
  container->frames = calloc(count, sizeof *container->frames);
  if (container->frames == NULL) return webp_fail(call, "needs more memory than there is");
  container->is_lossless = 1;
  chunk chunk;
  for (size_t at = first; next_chunk(container, &at, &chunk) && container->frame_count < count;) {
    if (!has_tag(chunk.tag, "ANMF") || chunk.count < frame_header) continue;
    webp_frame frame = read_frame(container, &chunk);
    if (frame.width > container->width - frame.left || frame.height > container->height - frame.top) {
      return webp_fail(call, "has a frame that lies outside of its canvas");
    }
    int is_first = container->frame_count == 0;
    int is_full = frame.width == container->width && frame.height == container->height;
    // Blending over an opaque canvas leaves it opaque, whatever the file's alpha flag says.
    int is_opaque = is_first ? is_full && !frame.has_alpha : frame.blends || !frame.has_alpha;
    container->has_alpha |= !is_opaque || frame.disposes;
    container->is_lossless &= frame.is_lossless;
    container->any_blends |= !is_first && frame.blends && frame.has_alpha;
    container->frames[container->frame_count++] = frame;
  }
  return IMGHOST_OK;
}

static imghost_bytes part(const webp_container *container, const chunk *chunk) {
  return (imghost_bytes){container->bytes + chunk->offset, chunk->count};
}

// Some writers put the marker of a JPEG's EXIF segment before the TIFF header.
static imghost_bytes without_marker(imghost_bytes exif) {
  if (exif.count < 6 || memcmp(exif.bytes, "Exif\0\0", 6) != 0) return exif;
  return (imghost_bytes){exif.bytes + 6, exif.count - 6};
}

static void read_metadata(webp_container *container, const chunk *chunk) {
  if (!chunk->is_complete || chunk->count == 0) return;
  imghost_bytes bytes = part(container, chunk);
  if (has_tag(chunk->tag, "ICCP") && container->icc.count == 0) container->icc = bytes;
  if (has_tag(chunk->tag, "EXIF") && container->exif.count == 0) container->exif = without_marker(bytes);
  if (has_tag(chunk->tag, "XMP ") && container->xmp.count == 0) container->xmp = bytes;
}

int32_t webp_container_read(const imghost_call *call, imghost_bytes content, webp_container *container) {
  enum { animation_flag = 2 };
  if (content.count < file_header + chunk_header) return webp_fail(call, "ends in the middle of its header");
  if (!has_tag(content.bytes, "RIFF") || !has_tag(content.bytes + 8, "WEBP")) return IMGHOST_NOT_MINE;
  size_t size = (size_t)little(content.bytes + 4, 4) + chunk_header;
  *container = (webp_container){.bytes = content.bytes, .count = size < content.count ? size : content.count};
  uint32_t frames = 0;
  int has_pixels = 0, lacks_pixels = 0;
  chunk chunk;
  for (size_t at = file_header; next_chunk(container, &at, &chunk);) {
    const uint8_t *payload = content.bytes + chunk.offset;
    if (has_tag(chunk.tag, "VP8X") && chunk.count >= 10 && container->width == 0) {
      container->is_animated = (payload[0] & animation_flag) != 0;
      container->width = (int32_t)little(payload + 4, 3) + 1;
      container->height = (int32_t)little(payload + 7, 3) + 1;
    }
    if (has_tag(chunk.tag, "ANIM") && chunk.count >= 6) container->loop_count = little(payload + 4, 2);
    if (has_tag(chunk.tag, "ANMF") && chunk.count >= frame_header) frames++;
    if (has_tag(chunk.tag, "VP8 ") || has_tag(chunk.tag, "VP8L") || has_tag(chunk.tag, "ANMF")) {
      has_pixels |= chunk.is_complete;
      lacks_pixels |= !chunk.is_complete;
    }
    read_metadata(container, &chunk);
    container->is_cut |= !chunk.is_complete;
  }
  // Some writers count a padding byte that they do not write.
  container->is_cut |= size > content.count + 1;
  if (container->is_cut && has_pixels && !lacks_pixels)
    webp_host->log(call, IMGHOST_LOG_FILE, "the file is cut off behind its pixels");
  return container->is_animated ? read_frames(call, container, frames, file_header) : IMGHOST_OK;
}

void webp_container_free(webp_container *container) { free(container->frames); }
