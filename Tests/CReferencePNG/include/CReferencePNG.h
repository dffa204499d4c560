// An independent PNG decoder for tests: libpng, behind a setjmp fence.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Decodes to 8 or 16 bits a sample in the machine's order, palettes and tRNS expanded.
// Returns rows without padding, to be freed with free(3), or NULL for a file libpng refuses.
uint8_t *reference_png_decode(
    const void *bytes, size_t count, uint32_t *width, uint32_t *height, int *channels, int *bits);
