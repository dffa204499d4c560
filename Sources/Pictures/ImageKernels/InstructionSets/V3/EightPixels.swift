#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // Loading and storing of eight pixels of a row, with interleaved samples in memory and separate bands in vectors.

  @inline(__always) func each(_ value: Float) -> __m256 { _mm256_set1_ps(value) }
  @inline(__always) func number8(_ value: Int32) -> __m256i { _mm256_set1_epi32(value) }

  @inline(__always) func eightFloats(_ address: UnsafePointer<Float>) -> __m256 {
    UnsafeRawPointer(address).loadUnaligned(as: __m256.self)
  }

  /// Clamps values to 0…`top`, and rounds them to the nearest integer, ties to even. Adding 2²³ rounds, and puts the
  /// result into the low bits.
  @inline(__always)
  func nearestEight(_ values: __m256, _ top: Float) -> __m256i {
    let inRange = _mm256_max_ps(_mm256_min_ps(values, each(top)), _mm256_setzero_ps())
    return _mm256_and_si256(_mm256_castps_si256(_mm256_add_ps(inRange, each(8_388_608))), number8(0x7f_ffff))
  }

  @inline(__always)
  func eightSamples8(_ address: UnsafeRawPointer) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128(address.loadUnaligned(as: Int64.self))))
  }

  @inline(__always)
  func eightSamples16(_ address: UnsafeRawPointer) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(load128(address)))
  }

  @inline(__always)
  func storeEight8(_ numbers: __m256i, _ address: UnsafeMutableRawPointer) {
    let words = _mm_packs_epi32(numbers.lowHalf, numbers.highHalf)
    address.storeBytes(of: _mm_cvtsi128_si64(_mm_packus_epi16(words, words)), as: Int64.self)
  }

  @inline(__always)
  func storeEight16(_ numbers: __m256i, _ address: UnsafeMutableRawPointer) {
    address.storeBytes(of: _mm_packus_epi32(numbers.lowHalf, numbers.highHalf), as: Vector128.self)
  }

  /// Returns a 32-bit number for each pixel of 8-bit samples, with red in its low byte. The fourth byte is alpha or 0.
  @inline(__always)
  func wholePixels8(_ address: UnsafeRawPointer, _ bands: Int) -> __m256i {
    if bands == 4 { return address.loadUnaligned(as: __m256i.self) }
    let order = _mm256_set_epi8(
      -1, 15, 14, 13, -1, 12, 11, 10, -1, 9, 8, 7, -1, 6, 5, 4, -1, 11, 10, 9, -1, 8, 7, 6, -1, 5, 4, 3, -1, 2, 1, 0)
    return _mm256_shuffle_epi8(_mm256_set_m128i(load128(address + 8), load128(address)), order)
  }

  /// Stores pixels in the form of `wholePixels8`; without alpha, their fourth byte is omitted.
  @inline(__always)
  func storePixels8(_ pixels: __m256i, _ bands: Int, _ address: UnsafeMutableRawPointer) {
    if bands == 4 {
      address.storeBytes(of: pixels, as: __m256i.self)
      return
    }
    let order = _mm256_set_epi8(
      -1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0, -1, -1, -1, -1, 14, 13, 12, 10, 9, 8, 6, 5, 4, 2, 1, 0)
    let dense = _mm256_permutevar8x32_epi32(
      _mm256_shuffle_epi8(pixels, order), _mm256_set_epi32(7, 3, 6, 5, 4, 2, 1, 0))
    address.storeBytes(of: dense.lowHalf, as: Vector128.self)
    address.storeBytes(of: _mm_cvtsi128_si64(dense.highHalf), toByteOffset: 16, as: Int64.self)
  }

  /// Returns the first two 16-bit samples of each pixel, the first one in the low half.
  @inline(__always)
  func firstPairs16(_ address: UnsafeRawPointer, _ bands: Int) -> __m256i {
    @inline(__always) func pair(_ pixel: Int) -> Int32 {
      address.loadUnaligned(fromByteOffset: 2 &* bands &* pixel, as: Int32.self)
    }
    return _mm256_set_epi32(pair(7), pair(6), pair(5), pair(4), pair(3), pair(2), pair(1), pair(0))
  }

  /// Stores eight pixels of 16-bit samples. Red and blue are in the low halves of the 32-bit numbers, green and alpha
  /// (or 0) in the high halves.
  @inline(__always)
  func storePixels16(
    _ redGreen: __m256i, _ blueAlpha: __m256i, _ bands: Int, _ address: UnsafeMutableRawPointer
  ) {
    let low = _mm256_unpacklo_epi32(redGreen, blueAlpha)
    let high = _mm256_unpackhi_epi32(redGreen, blueAlpha)
    if bands == 4 {
      address.storeBytes(of: low.lowHalf, as: Vector128.self)
      address.storeBytes(of: high.lowHalf, toByteOffset: 16, as: Vector128.self)
      address.storeBytes(of: low.highHalf, toByteOffset: 32, as: Vector128.self)
      address.storeBytes(of: high.highHalf, toByteOffset: 48, as: Vector128.self)
      return
    }
    // Twelve of sixteen bytes are used; each store but the last writes four more, which the next one overwrites.
    let order = _mm_set_epi8(-1, -1, -1, -1, 13, 12, 11, 10, 9, 8, 5, 4, 3, 2, 1, 0)
    address.storeBytes(of: _mm_shuffle_epi8(low.lowHalf, order), as: Vector128.self)
    address.storeBytes(of: _mm_shuffle_epi8(high.lowHalf, order), toByteOffset: 12, as: Vector128.self)
    address.storeBytes(of: _mm_shuffle_epi8(low.highHalf, order), toByteOffset: 24, as: Vector128.self)
    let last = _mm_shuffle_epi8(high.highHalf, order)
    address.storeBytes(of: _mm_cvtsi128_si64(last), toByteOffset: 36, as: Int64.self)
    address.storeBytes(of: _mm_cvtsi128_si32(_mm_unpackhi_epi64(last, last)), toByteOffset: 44, as: Int32.self)
  }
#endif
