#pragma once
#include <stddef.h>
#include <stdint.h>

/// Returns whether `imghost_sha256_blocks` may be called: 1 on x86-64 with the SHA extensions.
int imghost_sha256_supported(void);

/// Processes `count` blocks of 64 bytes, and updates the eight words of a SHA-256 state (FIPS 180-4, 6.2.2), with the
/// processor's SHA extensions. The bytes need no alignment.
void imghost_sha256_blocks(uint32_t *state, const void *bytes, size_t count);
