#include "CShims.h"

#include <string.h>

// What is looked at before asking whether there was anything: compilers make vectors of it.
enum { block = 128 };

size_t shim_find_jpeg_marker(const uint8_t *bytes, size_t count) {
  size_t start = 0;
  for (; start + block < count; start += block) {
    const uint8_t *here = bytes + start;
    uint8_t found = 0;
    for (int i = 0; i < block; i++) found |= (here[i] == 0xff) & (here[i + 1] != 0);
    if (found) break;
  }
  while (start < count) {
    const uint8_t *next = memchr(bytes + start, 0xff, count - start);
    if (!next) return count;
    start = (size_t)(next - bytes);
    if (start + 1 == count || bytes[start + 1] != 0) return start;
    start += 2;
  }
  return count;
}
