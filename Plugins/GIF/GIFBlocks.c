// The blocks of a GIF file: https://www.w3.org/Graphics/GIF/spec-gif89a.txt
#include "GIF.h"

#include <stdlib.h>
#include <string.h>

enum { screen_end = 13, descriptor_size = 10, control_size = 4, application_size = 11 };

/// The graphic control extension before a frame.
typedef struct control {
  gif_disposal disposal;
  int32_t transparent;
  uint32_t delay;
} control;

static const control no_control = {gif_keep, -1, 0};

static int32_t word(const uint8_t *bytes) { return bytes[0] | bytes[1] << 8; }

// Returns the number of colours that a block's flags declare.
static int32_t color_count(uint8_t flags) { return flags & 0x80 ? 2 << (flags & 7) : 0; }

// Returns the position after the sub-blocks at `at`, or the end of the file if that comes first.
static size_t skip_sub_blocks(imghost_bytes content, size_t at) {
  while (at < content.count && content.bytes[at] != 0) at += 1 + (size_t)content.bytes[at];
  return at < content.count ? at + 1 : content.count;
}

static control read_control(const uint8_t *bytes) {
  control control = no_control;
  int method = bytes[0] >> 2 & 7;
  if (method == 2) control.disposal = gif_clear;
  // Some writers confuse the value 3 with the third bit, so 4 is treated as 3, as in browsers.
  if (method == 3 || method == 4) control.disposal = gif_restore;
  control.delay = (uint32_t)word(bytes + 1);
  if (bytes[0] & 1) control.transparent = bytes[3];
  return control;
}

// Joins the sub-blocks of an ICC profile.
static void read_profile(gif_blocks *blocks, size_t at, size_t end) {
  imghost_bytes content = blocks->content;
  if (blocks->icc != NULL || end <= at || (blocks->icc = malloc(end - at)) == NULL) return;
  while (at < content.count && content.bytes[at] != 0) {
    size_t count = content.bytes[at], rest = content.count - at - 1;
    if (count > rest) count = rest;
    memcpy(blocks->icc + blocks->icc_count, content.bytes + at + 1, count);
    blocks->icc_count += count;
    at += 1 + count;
  }
}

// Reads XMP, which is stored as plain text, without sub-blocks. A trailer follows: with it, readers that take the text
// for sub-blocks still find the end of the extension.
static void read_xmp(gif_blocks *blocks, size_t at, size_t end) {
  enum { trailer = 258 };
  const uint8_t *bytes = blocks->content.bytes;
  if (blocks->xmp.count > 0 || end - at <= trailer || bytes[end - trailer] != 1 || bytes[end - trailer + 1] != 255)
    return;
  blocks->xmp = (imghost_bytes){bytes + at, end - at - trailer};
}

// Reads an application extension, whose sub-blocks extend from `at` to `end`.
static void read_application(gif_blocks *blocks, size_t at, size_t end) {
  const uint8_t *bytes = blocks->content.bytes;
  size_t data = at + 1 + application_size;
  if (data >= end || bytes[at] != application_size) return;
  const char *name = (const char *)bytes + at + 1;
  if (memcmp(name, "NETSCAPE2.0", application_size) == 0 || memcmp(name, "ANIMEXTS1.0", application_size) == 0) {
    if (end - data < 4 || bytes[data] < 3 || (bytes[data + 1] & 7) != 1) return;
    // The file stores the number of repetitions after the first play.
    int32_t repetitions = word(bytes + data + 2);
    blocks->loop_count = repetitions == 0 ? 0 : (uint32_t)repetitions + 1;
  }
  if (memcmp(name, "ICCRGBG1012", application_size) == 0) read_profile(blocks, data, end);
  if (memcmp(name, "XMP DataXMP", application_size) == 0) read_xmp(blocks, data, end);
}

static int append(gif_blocks *blocks, gif_frame frame) {
  if (blocks->frame_count == blocks->frame_capacity) {
    uint32_t capacity = blocks->frame_capacity == 0 ? 4 : 2 * blocks->frame_capacity;
    gif_frame *frames = realloc(blocks->frames, capacity * sizeof *frames);
    if (frames == NULL) return 0;
    blocks->frames = frames;
    blocks->frame_capacity = capacity;
  }
  blocks->frames[blocks->frame_count++] = frame;
  return 1;
}

// Reads the frame at `*at`, and advances `*at` past it.
static int32_t read_frame(const imghost_call *call, gif_blocks *blocks, size_t *at, const control *control) {
  const uint8_t *bytes = blocks->content.bytes + *at;
  gif_frame frame = {
      .offset = *at,
      .left = word(bytes + 1),
      .top = word(bytes + 3),
      .width = word(bytes + 5),
      .height = word(bytes + 7),
      .colors = *at + descriptor_size,
      .color_count = color_count(bytes[9]),
      .transparent = control->transparent,
      .delay = control->delay,
      .disposal = control->disposal,
      .is_interlaced = (bytes[9] & 0x40) != 0,
  };
  if (blocks->frame_count == gif_maximum_frames) {
    return gif_fail(call, "has more than %d frames, and imghost reads no more", gif_maximum_frames);
  }
  blocks->any_restores |= frame.disposal == gif_restore;
  if (!append(blocks, frame)) return gif_fail(call, "needs more memory than there is");
  // The byte before the sub-blocks is the LZW minimum code size.
  *at = skip_sub_blocks(blocks->content, frame.colors + 3 * (size_t)frame.color_count + 1);
  return IMGHOST_OK;
}

static int32_t read_blocks(const imghost_call *call, gif_blocks *blocks) {
  enum { image = 0x2c, extension = 0x21, control_label = 0xf9, application_label = 0xff };
  imghost_bytes content = blocks->content;
  control control = no_control;
  for (size_t at = blocks->colors + 3 * (size_t)blocks->color_count; at < content.count;) {
    const uint8_t *bytes = content.bytes + at;
    size_t rest = content.count - at;
    if (bytes[0] == image && rest >= descriptor_size) {
      int32_t result = read_frame(call, blocks, &at, &control);
      if (result != IMGHOST_OK) return result;
      control = no_control;
    } else if (bytes[0] == extension && rest > 2) {
      size_t end = skip_sub_blocks(content, at + 2);
      if (bytes[1] == control_label && rest >= 3 + control_size && bytes[2] >= control_size) {
        control = read_control(bytes + 3);
      }
      if (bytes[1] == application_label) read_application(blocks, at + 2, end);
      at = end;
    } else if (bytes[0] == 0) {
      // Some writers end a block twice.
      at++;
    } else {
      break;
    }
  }
  return IMGHOST_OK;
}

int32_t gif_blocks_read(const imghost_call *call, imghost_bytes content, gif_blocks *blocks) {
  if (content.count < screen_end) return gif_fail(call, "ends in the middle of its header");
  if (memcmp(content.bytes, "GIF8", 4) != 0) return IMGHOST_NOT_MINE;
  *blocks = (gif_blocks){.content = content, .colors = screen_end, .loop_count = 1};
  blocks->width = word(content.bytes + 6);
  blocks->height = word(content.bytes + 8);
  blocks->color_count = color_count(content.bytes[10]);
  int32_t result = read_blocks(call, blocks);
  if (result != IMGHOST_OK) return result;
  if (blocks->frame_count == 0) return gif_fail(call, "has no frame");
  // As in browsers, a first frame that does not fit enlarges the canvas.
  const gif_frame *first = blocks->frames;
  if (first->left + first->width > blocks->width) blocks->width = first->left + first->width;
  if (first->top + first->height > blocks->height) blocks->height = first->top + first->height;
  if (blocks->width == 0 || blocks->height == 0) return gif_fail(call, "has no pixels");
  return IMGHOST_OK;
}

void gif_blocks_free(gif_blocks *blocks) {
  free(blocks->frames);
  free(blocks->icc);
}

int gif_is_solid(const gif_blocks *blocks, uint32_t index) {
  const gif_frame *frame = blocks->frames + index;
  return frame->left == 0 && frame->top == 0 && frame->width >= blocks->width && frame->height >= blocks->height
         && frame->transparent < 0;
}

int gif_has_alpha(const gif_blocks *blocks) {
  if (!gif_is_solid(blocks, 0)) return 1;
  for (uint32_t i = 0; i + 1 < blocks->frame_count; i++) {
    // Restoring what was below the first frame clears the canvas, too.
    gif_disposal disposal = blocks->frames[i].disposal;
    int uncovers = disposal == gif_clear || (i == 0 && disposal == gif_restore);
    if (uncovers && !gif_is_solid(blocks, i + 1)) return 1;
  }
  return 0;
}
