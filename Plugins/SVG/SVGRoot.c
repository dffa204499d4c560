// Searches for the root element after everything that may precede it.
#include "SVG.h"

#include <string.h>

/// The text of a file, character by character. Beyond its end there are zeros.
typedef struct text {
  imghost_bytes bytes;
  size_t start, at;
  /// The number of bytes per character, and the index of the low byte.
  size_t width, low;
  /// Whether an entity refers to other entities.
  int nests;
} text;

static int character(const text *self, size_t ahead) {
  size_t at = self->start + (self->at + ahead) * self->width;
  if (at + self->width > self->bytes.count) return 0;
  // All markup characters of XML have a high byte of 0. Other characters need not be distinguished.
  if (self->width == 2 && self->bytes.bytes[at + 1 - self->low]) return 0xffff;
  return self->bytes.bytes[at + self->low];
}

static int is_at(const text *self, const char *word) {
  for (size_t i = 0; word[i]; i++) {
    if (character(self, i) != word[i]) return 0;
  }
  return 1;
}

static int is_over(const text *self) { return self->start + (self->at + 1) * self->width > self->bytes.count; }

// Advances past the next `mark`. Returns 0 if there is none.
static int skip_past(text *self, const char *mark) {
  for (; !is_over(self); self->at++) {
    if (is_at(self, mark)) {
      self->at += strlen(mark);
      return 1;
    }
  }
  return 0;
}

// Advances past a document type, which may contain declarations in brackets. Notes whether an entity refers to another.
static int skip_type(text *self) {
  int quote = 0, depth = 0;
  while (!is_over(self)) {
    int c = character(self, 0);
    if (!quote && is_at(self, "<!--")) {
      if (!skip_past(self, "-->")) return 0;
      continue;
    }
    self->at++;
    if (quote) {
      if (c == quote) quote = 0;
      if (c == '&') self->nests = 1;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == ']') {
      depth += c == '[' ? 1 : -1;
    } else if (c == '>' && depth <= 0) {
      return 1;
    }
  }
  return 0;
}

static text open_text(imghost_bytes bytes) {
  const uint8_t *b = bytes.bytes;
  if (bytes.count >= 3 && memcmp(b, "\xef\xbb\xbf", 3) == 0) return (text){bytes, 3, 0, 1, 0, 0};
  if (bytes.count >= 4 && memcmp(b, "\xff\xfe", 2) == 0) return (text){bytes, 2, 0, 2, 0, 0};
  if (bytes.count >= 4 && memcmp(b, "\xfe\xff", 2) == 0) return (text){bytes, 2, 0, 2, 1, 0};
  if (bytes.count >= 4 && b[0] == '<' && b[1] == 0) return (text){bytes, 0, 0, 2, 0, 0};
  if (bytes.count >= 4 && b[0] == 0 && b[1] == '<') return (text){bytes, 0, 0, 2, 1, 0};
  return (text){bytes, 0, 0, 1, 0, 0};
}

// Returns whether an element has the name svg, with or without a prefix.
static int is_name(text *self) {
  for (size_t length = 0; length < 256; length++) {
    int c = character(self, length);
    if (c == ':') {
      self->at += length + 1;
      break;
    }
    if (c <= ' ' || c == '>' || c == '/') break;
  }
  int end = character(self, 3);
  return is_at(self, "svg") && (end <= ' ' || end == '>' || end == '/');
}

static int find_root(text *self) {
  while (!is_over(self)) {
    int c = character(self, 0);
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      self->at++;
    } else if (is_at(self, "<!--")) {
      if (!skip_past(self, "-->")) return 0;
    } else if (is_at(self, "<?")) {
      if (!skip_past(self, "?>")) return 0;
    } else if (is_at(self, "<!")) {
      if (!skip_type(self)) return 0;
    } else if (c == '<') {
      self->at++;
      return is_name(self);
    } else {
      return 0;
    }
  }
  return 0;
}

int svg_has_root(imghost_bytes bytes, int *nests) {
  text self = open_text(bytes);
  int found = find_root(&self);
  *nests = self.nests;
  return found;
}
