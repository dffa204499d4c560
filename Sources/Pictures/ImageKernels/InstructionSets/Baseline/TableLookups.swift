#if arch(x86_64)
  import _Builtin_intrinsics.intel

  // Pixels as vectors, and curves as tables of floats that are looked up for three lanes at once. The fourth lane is
  // ignored.

  /// Returns interpolated entries of a table: `a + (b - a) rest`.
  @inline(__always)
  func interpolated(_ table: UnsafePointer<Float>, _ indices: Vector128, _ rest: __m128) -> __m128 {
    let pair = _mm_cvtsi128_si64(indices)
    let last = _mm_cvtsi128_si32(_mm_unpackhi_epi64(indices, indices))
    let pairs = _mm_unpacklo_ps(
      twoFloats(table + Int(pair & 0xffff_ffff)), twoFloats(table + Int(truncatingIfNeeded: pair &>> 32)))
    let third = _mm_unpacklo_ps(twoFloats(table + Int(last)), _mm_setzero_ps())
    let first = _mm_movelh_ps(pairs, third)
    return _mm_add_ps(first, _mm_mul_ps(_mm_sub_ps(_mm_movehl_ps(third, pairs), first), rest))
  }

  @inline(__always)
  private func twoFloats(_ address: UnsafePointer<Float>) -> __m128 {
    _mm_castsi128_ps(_mm_cvtsi64_si128(UnsafeRawPointer(address).loadUnaligned(as: Int64.self)))
  }

  /// Returns `Σ columns[band] light[band]`, added from left to right.
  @inline(__always)
  func mixed(_ light: __m128, _ columns: (__m128, __m128, __m128)) -> __m128 {
    // Each lane is repeated, first twice and then four times.
    let (low, high) = (_mm_unpacklo_ps(light, light), _mm_unpackhi_ps(light, light))
    let sum = _mm_add_ps(
      _mm_mul_ps(columns.0, _mm_movelh_ps(low, low)), _mm_mul_ps(columns.1, _mm_movehl_ps(low, low)))
    return _mm_add_ps(sum, _mm_mul_ps(columns.2, _mm_movelh_ps(high, high)))
  }

  @inline(__always)
  func fourColumns(_ columns: UnsafePointer<Float>) -> (__m128, __m128, __m128) {
    let address = UnsafeRawPointer(columns)
    return (
      address.loadUnaligned(as: __m128.self), address.loadUnaligned(fromByteOffset: 16, as: __m128.self),
      address.loadUnaligned(fromByteOffset: 32, as: __m128.self)
    )
  }

  /// Returns three adjacent samples of 16 bits.
  @inline(__always)
  func threeSamples16(_ pixel: UnsafeRawPointer) -> UInt64 {
    UInt64(pixel.loadUnaligned(as: UInt32.self))
      | UInt64(pixel.loadUnaligned(fromByteOffset: 4, as: UInt16.self)) &<< 32
  }

  @inline(__always)
  func lanes(_ samples: UInt64) -> Vector128 {
    _mm_unpacklo_epi16(_mm_cvtsi64_si128(Int64(bitPattern: samples)), _mm_setzero_si128())
  }

  /// Stores three numbers from 0 to 65,535.
  @inline(__always)
  func storeThree16(_ numbers: Vector128, _ pixel: UnsafeMutableRawPointer) {
    // SSE2 can only pack signed numbers.
    let middle = _mm_sub_epi32(numbers, _mm_set1_epi32(32_768))
    let samples = _mm_cvtsi128_si64(_mm_xor_si128(_mm_packs_epi32(middle, middle), _mm_set1_epi16(Int16.min)))
    pixel.storeBytes(of: UInt32(truncatingIfNeeded: samples), as: UInt32.self)
    pixel.storeBytes(of: UInt16(truncatingIfNeeded: samples &>> 32), toByteOffset: 4, as: UInt16.self)
  }
#endif
