// SHA-256 with the SHA extensions of x86-64 (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2,
// SHA256RNDS2, SHA256MSG1, SHA256MSG2). It is written in C, because Swift selects instruction sets per module, and the
// rest of the hash is in a module that runs on every processor.
#include "imghost_sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

int imghost_sha256_supported(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
  int has_shuffles = (c & bit_SSSE3) && (c & bit_SSE4_1);
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 0;
  return has_shuffles && (b & bit_SHA);
}

// FIPS 180-4, section 4.2.2.
static const uint32_t constants[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7,
    0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c,
    0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

#define WITH_SHA __attribute__((target("sha,ssse3,sse4.1")))

// The instructions expect a, b, e, f in one register and c, d, g, h in the other, with the highest word first.
WITH_SHA static void unpack(const uint32_t *state, __m128i *abef, __m128i *cdgh) {
  __m128i dcba = _mm_loadu_si128((const __m128i *)state);
  __m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
  __m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
  __m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
  *abef = _mm_alignr_epi8(cdab, efgh, 8);
  *cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
}

WITH_SHA static void pack(uint32_t *state, __m128i abef, __m128i cdgh) {
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

WITH_SHA void imghost_sha256_blocks(uint32_t *state, const void *bytes, size_t count) {
  const __m128i big_endian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  const uint8_t *next = bytes;
  __m128i abef, cdgh;
  unpack(state, &abef, &cdgh);
  for (; count > 0; count--, next += 64) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    // The last 16 words of the message schedule, four in each vector.
    __m128i w[4];
#pragma clang loop unroll(full)
    for (int step = 0; step < 16; step++) {
      __m128i words;
      if (step < 4) {
        words = _mm_loadu_si128((const __m128i *)(next + 16 * step));
        words = _mm_shuffle_epi8(words, big_endian);
      } else {
        // w[t] = s1(w[t-2]) + w[t-7] + s0(w[t-15]) + w[t-16], for four t at once.
        __m128i sum = _mm_sha256msg1_epu32(w[step & 3], w[(step + 1) & 3]);
        sum = _mm_add_epi32(sum, _mm_alignr_epi8(w[(step + 3) & 3], w[(step + 2) & 3], 4));
        words = _mm_sha256msg2_epu32(sum, w[(step + 3) & 3]);
      }
      w[step & 3] = words;
      __m128i sums = _mm_add_epi32(words, _mm_loadu_si128((const __m128i *)(constants + 4 * step)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sums);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sums, 0x0e));
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  pack(state, abef, cdgh);
}

#else

int imghost_sha256_supported(void) { return 0; }

void imghost_sha256_blocks(uint32_t *state, const void *bytes, size_t count) { (void)state, (void)bytes, (void)count; }

#endif
