#if arch(x86_64)
  import _Builtin_intrinsics.intel

  // Vectors of `Float` as wide as the instruction set allows, for one or more pixels of four lanes. `Numbers` are
  // vectors with the same number of 32-bit integers. Functions are described at their first variant.

  #if ISA_V4
    typealias Floats = __m512
    typealias Numbers = __m512i
    @inline(__always) func spread(_ value: Float) -> Floats { _mm512_set1_ps(value) }
    @inline(__always) func spreadPixel(_ pixel: __m128) -> Floats {
      _mm512_broadcast_f32x4(pixel)
    }
    @inline(__always) func add(_ a: Floats, _ b: Floats) -> Floats { _mm512_add_ps(a, b) }
    @inline(__always) func multiply(_ a: Floats, _ b: Floats) -> Floats { _mm512_mul_ps(a, b) }
    /// Returns `sum + a b`, rounded once.
    @inline(__always) func fused(_ sum: Floats, _ a: Floats, _ b: Floats) -> Floats {
      _mm512_fmadd_ps(a, b, sum)
    }
    @inline(__always) func divide(_ a: Floats, _ b: Floats) -> Floats { _mm512_div_ps(a, b) }
    @inline(__always) func smaller(_ a: Floats, _ b: Floats) -> Floats { _mm512_min_ps(a, b) }
    @inline(__always) func larger(_ a: Floats, _ b: Floats) -> Floats { _mm512_max_ps(a, b) }
    @inline(__always) func bits(_ a: Floats) -> Numbers { _mm512_castps_si512(a) }
    @inline(__always) func number(_ value: Int32) -> Numbers { _mm512_set1_epi32(value) }
    @inline(__always) func subtract(_ a: Numbers, _ b: Numbers) -> Numbers {
      _mm512_sub_epi32(a, b)
    }
    @inline(__always) func signs(_ a: Numbers) -> Numbers { _mm512_srai_epi32(a, 31) }
    @inline(__always) func clear(_ mask: Numbers, _ a: Numbers) -> Numbers {
      _mm512_andnot_si512(mask, a)
    }
    @inline(__always) func either(_ a: Numbers, _ b: Numbers) -> Numbers {
      _mm512_or_si512(a, b)
    }
    /// Returns whether any pixel's last lane is below 0.
    @inline(__always) func hasSignInLastLane(_ a: Numbers) -> Bool {
      _mm512_movepi32_mask(a) & 0x8888 != 0
    }
    @inline(__always) func wholePart(_ a: Floats) -> Numbers { _mm512_cvttps_epi32(a) }
    @inline(__always) func floats(_ a: Numbers) -> Floats { _mm512_cvtepi32_ps(a) }
    @inline(__always) func floats8(_ address: UnsafeRawPointer) -> Floats {
      _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(load128(address)))
    }
    @inline(__always) func floats16(_ address: UnsafeRawPointer) -> Floats {
      _mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(address.loadUnaligned(as: __m256i.self)))
    }
    /// Returns the last band of each pixel of 4 bands in all lanes of that pixel; `lastOfTwo` for pixels of 2 bands.
    @inline(__always) func lastOfFour(_ a: Floats) -> Floats {
      _mm512_permutevar_ps(a, _mm512_set1_epi32(3))
    }
    @inline(__always) func lastOfTwo(_ a: Floats) -> Floats { _mm512_movehdup_ps(a) }
    /// Returns `a * b` in the first three lanes of each pixel of four bands, and `a` in the fourth.
    @inline(__always) func multiplyColours(_ a: Floats, _ b: Floats) -> Floats {
      _mm512_mask_mul_ps(a, 0x7777, a, b)
    }
    @inline(__always) func store8(_ a: Numbers, _ output: UnsafeMutableRawPointer) {
      output.storeBytes(of: _mm512_cvtepi32_epi8(a), as: Vector128.self)
    }
    @inline(__always) func store16(_ a: Numbers, _ output: UnsafeMutableRawPointer) {
      output.storeBytes(of: _mm512_cvtepi32_epi16(a), as: __m256i.self)
    }
  #elseif ISA_V3
    typealias Floats = __m256
    typealias Numbers = __m256i
    @inline(__always) func spread(_ value: Float) -> Floats { _mm256_set1_ps(value) }
    @inline(__always) func spreadPixel(_ pixel: __m128) -> Floats { _mm256_set_m128(pixel, pixel) }
    @inline(__always) func add(_ a: Floats, _ b: Floats) -> Floats { _mm256_add_ps(a, b) }
    @inline(__always) func multiply(_ a: Floats, _ b: Floats) -> Floats { _mm256_mul_ps(a, b) }
    @inline(__always) func fused(_ sum: Floats, _ a: Floats, _ b: Floats) -> Floats {
      _mm256_fmadd_ps(a, b, sum)
    }
    @inline(__always) func divide(_ a: Floats, _ b: Floats) -> Floats { _mm256_div_ps(a, b) }
    @inline(__always) func smaller(_ a: Floats, _ b: Floats) -> Floats { _mm256_min_ps(a, b) }
    @inline(__always) func larger(_ a: Floats, _ b: Floats) -> Floats { _mm256_max_ps(a, b) }
    @inline(__always) func bits(_ a: Floats) -> Numbers { _mm256_castps_si256(a) }
    @inline(__always) func number(_ value: Int32) -> Numbers { _mm256_set1_epi32(value) }
    @inline(__always) func subtract(_ a: Numbers, _ b: Numbers) -> Numbers {
      _mm256_sub_epi32(a, b)
    }
    @inline(__always) func signs(_ a: Numbers) -> Numbers { _mm256_srai_epi32(a, 31) }
    @inline(__always) func clear(_ mask: Numbers, _ a: Numbers) -> Numbers {
      _mm256_andnot_si256(mask, a)
    }
    @inline(__always) func either(_ a: Numbers, _ b: Numbers) -> Numbers {
      _mm256_or_si256(a, b)
    }
    @inline(__always) func hasSignInLastLane(_ a: Numbers) -> Bool {
      _mm256_movemask_ps(_mm256_castsi256_ps(a)) & 0x88 != 0
    }
    @inline(__always) func wholePart(_ a: Floats) -> Numbers { _mm256_cvttps_epi32(a) }
    @inline(__always) func floats(_ a: Numbers) -> Floats { _mm256_cvtepi32_ps(a) }
    @inline(__always) func floats8(_ address: UnsafeRawPointer) -> Floats {
      let eight = _mm_cvtsi64_si128(address.loadUnaligned(as: Int64.self))
      return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight))
    }
    @inline(__always) func floats16(_ address: UnsafeRawPointer) -> Floats {
      _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(load128(address)))
    }
    @inline(__always) func lastOfFour(_ a: Floats) -> Floats {
      _mm256_permutevar_ps(a, _mm256_set1_epi32(3))
    }
    @inline(__always) func lastOfTwo(_ a: Floats) -> Floats { _mm256_movehdup_ps(a) }
    @inline(__always) func multiplyColours(_ a: Floats, _ b: Floats) -> Floats {
      let last = _mm256_castsi256_ps(_mm256_set_epi32(-1, 0, 0, 0, -1, 0, 0, 0))
      let one = _mm256_set_ps(1, 0, 0, 0, 1, 0, 0, 0)
      return _mm256_mul_ps(a, _mm256_or_ps(_mm256_andnot_ps(last, b), one))
    }
    @inline(__always) func store8(_ a: Numbers, _ output: UnsafeMutableRawPointer) {
      let words = _mm_packs_epi32(a.lowHalf, a.highHalf)
      output.storeBytes(of: _mm_cvtsi128_si64(_mm_packus_epi16(words, words)), as: Int64.self)
    }
    @inline(__always) func store16(_ a: Numbers, _ output: UnsafeMutableRawPointer) {
      output.storeBytes(of: _mm_packus_epi32(a.lowHalf, a.highHalf), as: Vector128.self)
    }
  #else
    typealias Floats = __m128
    typealias Numbers = __m128i
    @inline(__always) func spread(_ value: Float) -> Floats { _mm_set1_ps(value) }
    @inline(__always) func spreadPixel(_ pixel: __m128) -> Floats { pixel }
    @inline(__always) func add(_ a: Floats, _ b: Floats) -> Floats { _mm_add_ps(a, b) }
    @inline(__always) func multiply(_ a: Floats, _ b: Floats) -> Floats { _mm_mul_ps(a, b) }
    /// Rounds once if the exact value needs at most 53 bits: the product of two floats is always exact in `Double`, and
    /// the sum is exact in this case.
    @inline(__always) func fused(_ sum: Floats, _ a: Floats, _ b: Floats) -> Floats {
      let low = _mm_add_pd(_mm_cvtps_pd(sum), _mm_mul_pd(_mm_cvtps_pd(a), _mm_cvtps_pd(b)))
      let high = _mm_add_pd(
        _mm_cvtps_pd(_mm_movehl_ps(sum, sum)),
        _mm_mul_pd(_mm_cvtps_pd(_mm_movehl_ps(a, a)), _mm_cvtps_pd(_mm_movehl_ps(b, b))))
      return _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high))
    }
    @inline(__always) func divide(_ a: Floats, _ b: Floats) -> Floats { _mm_div_ps(a, b) }
    @inline(__always) func smaller(_ a: Floats, _ b: Floats) -> Floats { _mm_min_ps(a, b) }
    @inline(__always) func larger(_ a: Floats, _ b: Floats) -> Floats { _mm_max_ps(a, b) }
    @inline(__always) func bits(_ a: Floats) -> Numbers { _mm_castps_si128(a) }
    @inline(__always) func number(_ value: Int32) -> Numbers { _mm_set1_epi32(value) }
    @inline(__always) func subtract(_ a: Numbers, _ b: Numbers) -> Numbers { _mm_sub_epi32(a, b) }
    @inline(__always) func signs(_ a: Numbers) -> Numbers { _mm_srai_epi32(a, 31) }
    @inline(__always) func clear(_ mask: Numbers, _ a: Numbers) -> Numbers {
      _mm_andnot_si128(mask, a)
    }
    @inline(__always) func either(_ a: Numbers, _ b: Numbers) -> Numbers { _mm_or_si128(a, b) }
    @inline(__always) func hasSignInLastLane(_ a: Numbers) -> Bool {
      _mm_movemask_ps(_mm_castsi128_ps(a)) & 8 != 0
    }
    @inline(__always) func wholePart(_ a: Floats) -> Numbers { _mm_cvttps_epi32(a) }
    @inline(__always) func floats(_ a: Numbers) -> Floats { _mm_cvtepi32_ps(a) }
    @inline(__always) func floats8(_ address: UnsafeRawPointer) -> Floats {
      let four = _mm_cvtsi32_si128(address.loadUnaligned(as: Int32.self))
      let zero = _mm_setzero_si128()
      return _mm_cvtepi32_ps(_mm_unpacklo_epi16(_mm_unpacklo_epi8(four, zero), zero))
    }
    @inline(__always) func floats16(_ address: UnsafeRawPointer) -> Floats {
      let four = _mm_cvtsi64_si128(address.loadUnaligned(as: Int64.self))
      return _mm_cvtepi32_ps(_mm_unpacklo_epi16(four, _mm_setzero_si128()))
    }
    @inline(__always) func lastOfFour(_ a: Floats) -> Floats {
      let high = _mm_unpackhi_ps(a, a)
      return _mm_movehl_ps(high, high)
    }
    @inline(__always) func lastOfTwo(_ a: Floats) -> Floats {
      _mm_movehl_ps(_mm_unpackhi_ps(a, a), _mm_unpacklo_ps(a, a))
    }
    @inline(__always) func multiplyColours(_ a: Floats, _ b: Floats) -> Floats {
      let last = _mm_castsi128_ps(_mm_set_epi32(-1, 0, 0, 0))
      return _mm_mul_ps(a, _mm_or_ps(_mm_andnot_ps(last, b), _mm_set_ps(1, 0, 0, 0)))
    }
    @inline(__always) func store8(_ a: Numbers, _ output: UnsafeMutableRawPointer) {
      let words = _mm_packs_epi32(a, a)
      output.storeBytes(of: _mm_cvtsi128_si32(_mm_packus_epi16(words, words)), as: Int32.self)
    }
    @inline(__always) func store16(_ a: Numbers, _ output: UnsafeMutableRawPointer) {
      // SSE2 can only pack signed numbers.
      let middle = _mm_sub_epi32(a, _mm_set1_epi32(32_768))
      let words = _mm_xor_si128(_mm_packs_epi32(middle, middle), _mm_set1_epi16(Int16.min))
      output.storeBytes(of: _mm_cvtsi128_si64(words), as: Int64.self)
    }
  #endif
#endif
