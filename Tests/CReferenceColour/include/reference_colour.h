// Little CMS for tests: exact conversions, and a profile that consists of tables.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Converts floats (0 to 1, inks 0 to 100) without optimised tables: relative colorimetric with black point
// compensation, or absolute colorimetric. Returns 0, or -1 if the profiles cannot be used.
int reference_colour_convert(const uint8_t *source, size_t source_count, const uint8_t *target, size_t target_count,
    const float *input, float *output, size_t pixels, int is_absolute);

// Writes an RGB profile of version 2 or 4 that consists of tables, for colours that no matrix can describe. Returns its
// size, or 0 if it does not fit.
size_t reference_colour_table_profile(double version, uint8_t *bytes, size_t capacity);
