// JPEG encoding and decoding in memory for tests, independent of the codec under test.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Encodes interleaved samples of 1, 3 (RGB) or 4 (CMYK, with an Adobe marker) components without
/// subsampling. The caller frees the result with free(3); NULL on any error.
uint8_t *test_jpeg_encode(
    const uint8_t *pixels, int width, int height, int components, int quality, int progressive, size_t *count);

/// Encodes gray or RGB samples in one scan, with luminance sampled `across` and `down` times as often as
/// chrominance, a restart marker every `restart_interval` MCUs (0 for none), and Huffman tables made for the
/// picture or the usual ones. The caller frees the result with free(3); NULL on any error.
uint8_t *test_jpeg_encode_scan(const uint8_t *pixels, int width, int height, int components, int quality, int across,
    int down, int restart_interval, int optimise, size_t *count);

/// Decodes to 1, 3 or 4 interleaved components. The caller frees the result with free(3); NULL on any
/// error.
uint8_t *test_jpeg_decode(const uint8_t *bytes, size_t count, int *width, int *height, int *components);
