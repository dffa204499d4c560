// Little CMS with nothing around it: what a conversion between two ICC profiles costs, and its exact result.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct BenchColour BenchColour;

// A conversion of samples of 1, 2 or 4 bytes (float: 0 to 1, inks 0 to 100), relative colorimetric with black point
// compensation. Floats are converted without tables. NULL if the profiles cannot be used.
BenchColour *bench_colour_create(
    const uint8_t *source, size_t source_count, const uint8_t *target, size_t target_count, int sample_bytes);
void bench_colour_run(BenchColour *colour, const void *source, void *target, size_t pixels);
void bench_colour_destroy(BenchColour *colour);

// Little CMS's version, 2140 for 2.14.
int bench_colour_version(void);
