#if arch(x86_64)
  import _Builtin_intrinsics.intel
#endif

/// Converts a row of YCbCr to RGB by the formulas of JFIF 1.02, such as R = Y + 1.402 (Cr - 128), in fixed point with
/// 16 fraction bits. Rounds as libjpeg's `jdcolor.c` does.
///
/// - Parameters:
///   - y: `count` samples, as many as `cb` and `cr` have.
///   - output: `count` pixels of three bytes.
public func convertYCC(
  _ y: UnsafePointer<UInt8>, _ cb: UnsafePointer<UInt8>, _ cr: UnsafePointer<UInt8>,
  _ count: Int, _ output: UnsafeMutablePointer<UInt8>
) {
  var index = 0
  #if arch(x86_64) && ISA_V3
    while index &+ 32 <= count {
      convert32(y + index, cb + index, cr + index, output + 3 &* index)
      index &+= 32
    }
  #elseif arch(x86_64)
    while index &+ 8 <= count {
      convert8(y + index, cb + index, cr + index, output + 3 &* index)
      index &+= 8
    }
  #endif
  while index < count {
    let luma = Int32(y[index])
    let blue = Int32(cb[index]) &- 128
    let red = Int32(cr[index]) &- 128
    let pixel = output + 3 &* index
    pixel[0] = clamped(luma &+ (91881 &* red &+ 32768) &>> 16)
    pixel[1] = clamped(luma &+ (-22554 &* blue &- 46802 &* red &+ 32768) &>> 16)
    pixel[2] = clamped(luma &+ (116130 &* blue &+ 32768) &>> 16)
    index &+= 1
  }
}

@inline(__always)
private func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }

#if arch(x86_64)

  #if ISA_V3
    @inline(__always)
    private func load(_ samples: UnsafePointer<UInt8>) -> __m256i {
      UnsafeRawPointer(samples).loadUnaligned(as: __m256i.self)
    }

    @inline(__always)
    private func convert32(
      _ y: UnsafePointer<UInt8>, _ cb: UnsafePointer<UInt8>, _ cr: UnsafePointer<UInt8>,
      _ output: UnsafeMutableRawPointer
    ) {
      let zero = _mm256_setzero_si256()
      let (luma, blue, red) = (load(y), load(cb), load(cr))
      // `low` and `high` have alternate groups of eight pixels. `packus` brings the groups back into order.
      let low = colours(
        _mm256_unpacklo_epi8(luma, zero), _mm256_unpacklo_epi8(blue, zero),
        _mm256_unpacklo_epi8(red, zero))
      let high = colours(
        _mm256_unpackhi_epi8(luma, zero), _mm256_unpackhi_epi8(blue, zero),
        _mm256_unpackhi_epi8(red, zero))
      interleave(
        _mm256_packus_epi16(low.r, high.r), _mm256_packus_epi16(low.g, high.g),
        _mm256_packus_epi16(low.b, high.b), output)
    }

    @inline(__always)
    private func colours(_ luma: __m256i, _ cb: __m256i, _ cr: __m256i) -> (r: __m256i, g: __m256i, b: __m256i) {
      let centre = _mm256_set1_epi16(128)
      let blue = _mm256_sub_epi16(cb, centre)
      let red = _mm256_sub_epi16(cr, centre)
      let one = _mm256_set1_epi16(1)
      // 91881 = 65536 + 26345, and 116130 = 2 * 65536 - 14942. Twice each product is computed, then halved with
      // rounding.
      let red2 = _mm256_add_epi16(red, red)
      let blue2 = _mm256_add_epi16(blue, blue)
      let redPart = _mm256_srai_epi16(_mm256_add_epi16(_mm256_mulhi_epi16(red2, _mm256_set1_epi16(26345)), one), 1)
      let bluePart = _mm256_srai_epi16(_mm256_add_epi16(_mm256_mulhi_epi16(blue2, _mm256_set1_epi16(-14942)), one), 1)
      // In terms of `blue` and `red`, G = Y - red + (-22554 blue + 18734 red) / 65536, as 46802 = 65536 - 18734.
      let factors = _mm256_set1_epi32(-22554 & 0xffff | 18734 &<< 16)
      let half = _mm256_set1_epi32(32768)
      let low = _mm256_madd_epi16(_mm256_unpacklo_epi16(blue, red), factors)
      let high = _mm256_madd_epi16(_mm256_unpackhi_epi16(blue, red), factors)
      let greenPart = _mm256_packs_epi32(
        _mm256_srai_epi32(_mm256_add_epi32(low, half), 16),
        _mm256_srai_epi32(_mm256_add_epi32(high, half), 16))
      return (
        _mm256_add_epi16(_mm256_add_epi16(luma, red), redPart),
        _mm256_add_epi16(_mm256_sub_epi16(luma, red), greenPart),
        _mm256_add_epi16(_mm256_add_epi16(luma, blue2), bluePart)
      )
    }

    /// Stores 32 pixels of three bytes.
    @inline(__always)
    private func interleave(_ r: __m256i, _ g: __m256i, _ b: __m256i, _ output: UnsafeMutableRawPointer) {
      // The bytes of sixteen pixels are moved to their positions in three vectors.
      let r0 = _mm256_shuffle_epi8(r, twice(_mm_set_epi8(5, -1, -1, 4, -1, -1, 3, -1, -1, 2, -1, -1, 1, -1, -1, 0)))
      let g0 = _mm256_shuffle_epi8(g, twice(_mm_set_epi8(-1, -1, 4, -1, -1, 3, -1, -1, 2, -1, -1, 1, -1, -1, 0, -1)))
      let b0 = _mm256_shuffle_epi8(b, twice(_mm_set_epi8(-1, 4, -1, -1, 3, -1, -1, 2, -1, -1, 1, -1, -1, 0, -1, -1)))
      let r1 = _mm256_shuffle_epi8(r, twice(_mm_set_epi8(-1, 10, -1, -1, 9, -1, -1, 8, -1, -1, 7, -1, -1, 6, -1, -1)))
      let g1 = _mm256_shuffle_epi8(g, twice(_mm_set_epi8(10, -1, -1, 9, -1, -1, 8, -1, -1, 7, -1, -1, 6, -1, -1, 5)))
      let b1 = _mm256_shuffle_epi8(b, twice(_mm_set_epi8(-1, -1, 9, -1, -1, 8, -1, -1, 7, -1, -1, 6, -1, -1, 5, -1)))
      let r2 = _mm256_shuffle_epi8(
        r, twice(_mm_set_epi8(-1, -1, 15, -1, -1, 14, -1, -1, 13, -1, -1, 12, -1, -1, 11, -1)))
      let g2 = _mm256_shuffle_epi8(
        g, twice(_mm_set_epi8(-1, 15, -1, -1, 14, -1, -1, 13, -1, -1, 12, -1, -1, 11, -1, -1)))
      let b2 = _mm256_shuffle_epi8(
        b, twice(_mm_set_epi8(15, -1, -1, 14, -1, -1, 13, -1, -1, 12, -1, -1, 11, -1, -1, 10)))
      let v0 = _mm256_or_si256(_mm256_or_si256(r0, g0), b0)
      let v1 = _mm256_or_si256(_mm256_or_si256(r1, g1), b1)
      let v2 = _mm256_or_si256(_mm256_or_si256(r2, g2), b2)
      output.storeBytes(of: v0.lowHalf, toByteOffset: 0, as: __m128i.self)
      output.storeBytes(of: v1.lowHalf, toByteOffset: 16, as: __m128i.self)
      output.storeBytes(of: v2.lowHalf, toByteOffset: 32, as: __m128i.self)
      output.storeBytes(of: v0.highHalf, toByteOffset: 48, as: __m128i.self)
      output.storeBytes(of: v1.highHalf, toByteOffset: 64, as: __m128i.self)
      output.storeBytes(of: v2.highHalf, toByteOffset: 80, as: __m128i.self)
    }

    @inline(__always)
    private func twice(_ half: __m128i) -> __m256i { __m256i(lowHalf: half, highHalf: half) }
  #else
    @inline(__always)
    private func widen(_ samples: UnsafePointer<UInt8>) -> __m128i {
      _mm_unpacklo_epi8(_mm_set_epi64x(0, UnsafeRawPointer(samples).loadUnaligned(as: Int64.self)), _mm_setzero_si128())
    }

    /// Converts and stores eight pixels; the formulas are those of `colours` for AVX2.
    @inline(__always)
    private func convert8(
      _ y: UnsafePointer<UInt8>, _ cb: UnsafePointer<UInt8>, _ cr: UnsafePointer<UInt8>,
      _ output: UnsafeMutableRawPointer
    ) {
      let luma = widen(y)
      let centre = _mm_set1_epi16(128)
      let blue = _mm_sub_epi16(widen(cb), centre)
      let red = _mm_sub_epi16(widen(cr), centre)
      let one = _mm_set1_epi16(1)
      let red2 = _mm_add_epi16(red, red)
      let blue2 = _mm_add_epi16(blue, blue)
      let redPart = _mm_srai_epi16(_mm_add_epi16(_mm_mulhi_epi16(red2, _mm_set1_epi16(26345)), one), 1)
      let bluePart = _mm_srai_epi16(_mm_add_epi16(_mm_mulhi_epi16(blue2, _mm_set1_epi16(-14942)), one), 1)
      let factors = _mm_set1_epi32(-22554 & 0xffff | 18734 &<< 16)
      let half = _mm_set1_epi32(32768)
      let low = _mm_madd_epi16(_mm_unpacklo_epi16(blue, red), factors)
      let high = _mm_madd_epi16(_mm_unpackhi_epi16(blue, red), factors)
      let greenPart = _mm_packs_epi32(
        _mm_srai_epi32(_mm_add_epi32(low, half), 16),
        _mm_srai_epi32(_mm_add_epi32(high, half), 16))
      let r = _mm_add_epi16(_mm_add_epi16(luma, red), redPart)
      let g = _mm_add_epi16(_mm_sub_epi16(luma, red), greenPart)
      let b = _mm_add_epi16(_mm_add_epi16(luma, blue2), bluePart)
      let zero = _mm_setzero_si128()
      let rg = _mm_unpacklo_epi8(_mm_packus_epi16(r, r), _mm_packus_epi16(g, g))
      let b0 = _mm_unpacklo_epi8(_mm_packus_epi16(b, b), zero)
      storePixels(_mm_unpacklo_epi16(rg, b0), output)
      storePixels(_mm_unpackhi_epi16(rg, b0), output + 12)
    }

    /// Stores four pixels of three bytes, given as four bytes each, the last of them 0.
    @inline(__always)
    private func storePixels(_ pixels: __m128i, _ output: UnsafeMutableRawPointer) {
      let first = UInt64(bitPattern: pixels[0])
      let second = UInt64(bitPattern: pixels[1])
      let two = (first & 0xff_ffff) | (first &>> 32) &<< 24
      let next = (second & 0xff_ffff) | (second &>> 32) &<< 24
      output.storeBytes(of: two | next &<< 48, as: UInt64.self)
      output.storeBytes(of: UInt32(truncatingIfNeeded: next &>> 16), toByteOffset: 8, as: UInt32.self)
    }
  #endif
#endif
