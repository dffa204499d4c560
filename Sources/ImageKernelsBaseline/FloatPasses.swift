#if arch(x86_64)
  import _Builtin_intrinsics.intel

  // Sums run over the taps in four interleaved parts, 0 4 8…, 1 5 9…, 2 6 10…, 3 7 11…, which are added
  // as (0 + 2) + (1 + 3); products and sums are rounded apart. All widths therefore give the same bits.

  #if ISA_V4
    /// Parts 0 to 3.
    typealias Parts = __m512
    @inline(__always) func noParts() -> Parts { _mm512_setzero_ps() }
    @inline(__always)
    func addTaps(_ sum: Parts, _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer) -> Parts {
      let four = _mm512_castps128_ps512(weights.loadUnaligned(as: __m128.self))
      let spread = _mm512_permutexvar_ps(
        _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0), four)
      return _mm512_add_ps(sum, _mm512_mul_ps(lanes.loadUnaligned(as: __m512.self), spread))
    }
    @inline(__always) func total(_ sum: Parts) -> __m128 {
      let halves = _mm256_add_ps(sum.lowHalf, sum.highHalf)
      return _mm_add_ps(halves.lowHalf, halves.highHalf)
    }
  #elseif ISA_V3
    /// Parts 0 and 1, parts 2 and 3.
    typealias Parts = (__m256, __m256)
    @inline(__always) func noParts() -> Parts { (_mm256_setzero_ps(), _mm256_setzero_ps()) }
    @inline(__always)
    func addTaps(_ sum: Parts, _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer) -> Parts {
      let four = _mm256_castps128_ps256(weights.loadUnaligned(as: __m128.self))
      let first = _mm256_permutevar8x32_ps(four, _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0))
      let second = _mm256_permutevar8x32_ps(four, _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2))
      return (
        _mm256_add_ps(sum.0, _mm256_mul_ps(lanes.loadUnaligned(as: __m256.self), first)),
        _mm256_add_ps(sum.1, _mm256_mul_ps((lanes + 32).loadUnaligned(as: __m256.self), second))
      )
    }
    @inline(__always) func total(_ sum: Parts) -> __m128 {
      let halves = _mm256_add_ps(sum.0, sum.1)
      return _mm_add_ps(halves.lowHalf, halves.highHalf)
    }
  #else
    typealias Parts = (__m128, __m128, __m128, __m128)
    @inline(__always) func noParts() -> Parts {
      (_mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps())
    }
    @inline(__always)
    func addTap(_ sum: __m128, _ lane: UnsafeRawPointer, _ weight: UnsafeRawPointer) -> __m128 {
      let spread = _mm_set1_ps(weight.loadUnaligned(as: Float.self))
      return _mm_add_ps(sum, _mm_mul_ps(lane.loadUnaligned(as: __m128.self), spread))
    }
    @inline(__always)
    func addTaps(_ sum: Parts, _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer) -> Parts {
      (
        addTap(sum.0, lanes, weights), addTap(sum.1, lanes + 16, weights + 4),
        addTap(sum.2, lanes + 32, weights + 8), addTap(sum.3, lanes + 48, weights + 12)
      )
    }
    @inline(__always) func total(_ sum: Parts) -> __m128 {
      _mm_add_ps(_mm_add_ps(sum.0, sum.2), _mm_add_ps(sum.1, sum.3))
    }
  #endif

  /// The horizontal pass: `output[x] = Σ weights[x taps + k] lanes[starts[x] + k]`, four floats a pixel.
  ///
  /// - Parameters:
  ///   - taps: a multiple of 4; `lanes` is readable, and finite, for as many pixels from each start.
  public func weighPixelsFloat(
    _ lanes: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
    _ taps: Int, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    var weight = UnsafeRawPointer(weights)
    var x = 0
    while x < count {
      var pixel = lanes + Int(truncatingIfNeeded: starts[x]) &* 16
      var sum = noParts()
      var k = 0
      while k < taps {
        sum = addTaps(sum, pixel, weight)
        pixel += 64
        weight += 16
        k &+= 4
      }
      output.storeBytes(of: total(sum), toByteOffset: x &* 16, as: __m128.self)
      x &+= 1
    }
  }

  #if ISA_V4
    typealias Floats = __m512
    @inline(__always) func spread(_ value: Float) -> Floats { _mm512_set1_ps(value) }
    @inline(__always) func add(_ a: Floats, _ b: Floats) -> Floats { _mm512_add_ps(a, b) }
    @inline(__always) func multiply(_ a: Floats, _ b: Floats) -> Floats { _mm512_mul_ps(a, b) }
  #elseif ISA_V3
    typealias Floats = __m256
    @inline(__always) func spread(_ value: Float) -> Floats { _mm256_set1_ps(value) }
    @inline(__always) func add(_ a: Floats, _ b: Floats) -> Floats { _mm256_add_ps(a, b) }
    @inline(__always) func multiply(_ a: Floats, _ b: Floats) -> Floats { _mm256_mul_ps(a, b) }
  #else
    typealias Floats = __m128
    @inline(__always) func spread(_ value: Float) -> Floats { _mm_set1_ps(value) }
    @inline(__always) func add(_ a: Floats, _ b: Floats) -> Floats { _mm_add_ps(a, b) }
    @inline(__always) func multiply(_ a: Floats, _ b: Floats) -> Floats { _mm_mul_ps(a, b) }
  #endif

  /// The vertical pass: `output[i] = Σ weights[k] rows[k][i]`, summed in the order of `k`.
  ///
  /// - Parameter count: floats, a multiple of 32.
  public func weighRowsFloat(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ weights: UnsafePointer<Float>, _ taps: Int,
    _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Floats>.size
    let end = count &* 4
    var at = 0
    while at < end {
      var sum0 = spread(0)
      var sum1 = spread(0)
      var k = 0
      while k < taps {
        let weight = spread(weights[k])
        let row = rows[k] + at
        sum0 = add(sum0, multiply(row.loadUnaligned(as: Floats.self), weight))
        sum1 = add(sum1, multiply((row + size).loadUnaligned(as: Floats.self), weight))
        k &+= 1
      }
      output.storeBytes(of: sum0, toByteOffset: at, as: Floats.self)
      output.storeBytes(of: sum1, toByteOffset: at &+ size, as: Floats.self)
      at &+= 2 &* size
    }
  }

  /// Reads 8-bit pixels of three colours and alpha into four floats each, colours times alpha / 255.
  public func premultiply8(
    _ input: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let zero = _mm_setzero_si128()
    let scale = _mm_set_ps(0, 1 / 255, 1 / 255, 1 / 255)
    let one = _mm_set_ps(1, 0, 0, 0)
    var x = 0
    while x < count {
      let bytes = _mm_cvtsi32_si128(input.loadUnaligned(fromByteOffset: x &* 4, as: Int32.self))
      let lanes = _mm_cvtepi32_ps(_mm_unpacklo_epi16(_mm_unpacklo_epi8(bytes, zero), zero))
      let alpha = _mm_set1_ps(lanes[3])
      // The factor is alpha / 255 for colours and exactly 1 for alpha.
      let factor = _mm_add_ps(_mm_mul_ps(alpha, scale), one)
      output.storeBytes(of: _mm_mul_ps(lanes, factor), toByteOffset: x &* 16, as: __m128.self)
      x &+= 1
    }
  }

  /// Turns four floats a pixel, colours times alpha, into 8-bit pixels of straight alpha, rounded to
  /// nearest and clamped. Where alpha rounds to 0 the pixel is all 0.
  public func unpremultiply8(
    _ lanes: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer
  ) {
    let zero = _mm_setzero_ps()
    let top = _mm_set1_ps(255)
    let half = _mm_set1_ps(0.5)
    let one = _mm_set_ps(1, 0, 0, 0)
    let colours = _mm_set_ps(0, 255, 255, 255)
    var x = 0
    while x < count {
      let lane = lanes.loadUnaligned(fromByteOffset: x &* 16, as: __m128.self)
      let alpha = _mm_set1_ps(lane[3])
      let factor = _mm_add_ps(_mm_div_ps(colours, alpha), one)
      let straight = _mm_max_ps(_mm_min_ps(_mm_mul_ps(lane, factor), top), zero)
      let seen = _mm_and_ps(_mm_add_ps(straight, half), _mm_cmpge_ps(alpha, half))
      let words = _mm_packs_epi32(_mm_cvttps_epi32(seen), _mm_setzero_si128())
      output.storeBytes(
        of: _mm_cvtsi128_si32(_mm_packus_epi16(words, words)), toByteOffset: x &* 4,
        as: Int32.self)
      x &+= 1
    }
  }
#endif
