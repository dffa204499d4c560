#if arch(x86_64)
  import _Builtin_intrinsics.intel

  // The horizontal pass from floats straight to 16-bit samples. Sums run over the taps in interleaved parts,
  // four where a pixel has four lanes (see FloatPasses.swift), five where it has three:
  // `((0 + 2) + 4) + (1 + 3)`.

  /// Samples of 16 bits as the numbers they round to, clamped.
  @inline(__always)
  private func samples(_ sums: __m128) -> Vector128 {
    let clamped = _mm_max_ps(_mm_min_ps(sums, _mm_set1_ps(65_535)), _mm_set1_ps(0))
    return _mm_cvttps_epi32(_mm_add_ps(clamped, _mm_set1_ps(0.5)))
  }

  /// Numbers up to 65,535, of `a` and then of `b`, in 16 bits each.
  @inline(__always)
  private func words(_ a: Vector128, _ b: Vector128) -> Vector128 {
    #if ISA_V3 || ISA_V4
      return _mm_packus_epi32(a, b)
    #else
      // SSE2 packs signed numbers only.
      let middle = _mm_set1_epi32(32_768)
      return _mm_xor_si128(
        _mm_packs_epi32(_mm_sub_epi32(a, middle), _mm_sub_epi32(b, middle)),
        _mm_set1_epi16(Int16.min))
    #endif
  }

  /// Stores the first four of eight 16-bit samples.
  @inline(__always)
  private func storeLow(_ samples: Vector128, _ output: UnsafeMutableRawPointer) {
    output.storeBytes(of: samples[0], as: Int64.self)
  }

  /// Stores the last four of eight 16-bit samples.
  @inline(__always)
  private func storeHigh(_ samples: Vector128, _ output: UnsafeMutableRawPointer) {
    output.storeBytes(of: samples[1], as: Int64.self)
  }

  @inline(__always)
  private func weighedPixel(
    _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int
  ) -> Vector128 {
    var sum = noParts()
    var k = 0
    while k < taps {
      sum = addTaps(sum, lanes + k &* 16, spreadTaps(weights + k &* 4))
      k &+= 4
    }
    return samples(total(sum))
  }

  /// Two rows of pixels of four floats into 16-bit samples:
  /// `output[x] = clamp(round(Σ weights[x taps + k] row[starts[x] + k]))`.
  ///
  /// - Parameters:
  ///   - rows: two addresses, as `outputs`.
  ///   - taps: a multiple of 4; rows are readable, and finite, for as many pixels from each start.
  public func weighQuads16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let (row0, row1) = (rows[0], rows[1])
    let (out0, out1) = (outputs[0], outputs[1])
    var weight = UnsafeRawPointer(weights)
    var x = 0
    while x < count {
      var offset = Int(truncatingIfNeeded: starts[x]) &* 16
      var sum0 = noParts()
      var sum1 = noParts()
      var k = 0
      while k < taps {
        let spread = spreadTaps(weight)
        sum0 = addTaps(sum0, row0 + offset, spread)
        sum1 = addTaps(sum1, row1 + offset, spread)
        offset &+= 64
        weight += 16
        k &+= 4
      }
      let both = words(samples(total(sum0)), samples(total(sum1)))
      storeLow(both, out0 + x &* 8)
      storeHigh(both, out1 + x &* 8)
      x &+= 1
    }
  }

  /// Four rows of single floats, interleaved to pixels of four, into four rows of 16-bit samples; otherwise as
  /// `weighQuads16`.
  ///
  /// - Parameter outputs: four addresses.
  public func weighSingles16(
    _ lanes: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>,
    _ taps: Int, _ count: Int, _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let (out0, out1, out2, out3) = (outputs[0], outputs[1], outputs[2], outputs[3])
    var weight = UnsafeRawPointer(weights)
    let step = taps &* 4
    var x = 0
    while x &+ 4 <= count {
      let lanes0 = lanes + Int(truncatingIfNeeded: starts[x]) &* 16
      let lanes1 = lanes + Int(truncatingIfNeeded: starts[x &+ 1]) &* 16
      let lanes2 = lanes + Int(truncatingIfNeeded: starts[x &+ 2]) &* 16
      let lanes3 = lanes + Int(truncatingIfNeeded: starts[x &+ 3]) &* 16
      var sum0 = noParts()
      var sum1 = noParts()
      var sum2 = noParts()
      var sum3 = noParts()
      var k = 0
      while k < step {
        sum0 = addTaps(sum0, lanes0 + k &* 4, spreadTaps(weight + k))
        sum1 = addTaps(sum1, lanes1 + k &* 4, spreadTaps(weight + (step &+ k)))
        sum2 = addTaps(sum2, lanes2 + k &* 4, spreadTaps(weight + (2 &* step &+ k)))
        sum3 = addTaps(sum3, lanes3 + k &* 4, spreadTaps(weight + (3 &* step &+ k)))
        k &+= 16
      }
      let (pixel0, pixel1) = (samples(total(sum0)), samples(total(sum1)))
      let (pixel2, pixel3) = (samples(total(sum2)), samples(total(sum3)))
      let first = words(pixel0, pixel1)
      let second = words(pixel2, pixel3)
      let even = _mm_unpacklo_epi16(first, second)
      let odd = _mm_unpackhi_epi16(first, second)
      let upper = _mm_unpacklo_epi16(even, odd)
      let lower = _mm_unpackhi_epi16(even, odd)
      storeLow(upper, out0 + x &* 2)
      storeHigh(upper, out1 + x &* 2)
      storeLow(lower, out2 + x &* 2)
      storeHigh(lower, out3 + x &* 2)
      weight += 4 &* step
      x &+= 4
    }
    while x < count {
      let pixel = weighedPixel(lanes + Int(truncatingIfNeeded: starts[x]) &* 16, weight, taps)
      let rows = words(pixel, pixel)[0]
      out0.storeBytes(of: Int16(truncatingIfNeeded: rows), toByteOffset: x &* 2, as: Int16.self)
      out1.storeBytes(
        of: Int16(truncatingIfNeeded: rows &>> 16), toByteOffset: x &* 2, as: Int16.self)
      out2.storeBytes(
        of: Int16(truncatingIfNeeded: rows &>> 32), toByteOffset: x &* 2, as: Int16.self)
      out3.storeBytes(
        of: Int16(truncatingIfNeeded: rows &>> 48), toByteOffset: x &* 2, as: Int16.self)
      weight += step
      x &+= 1
    }
  }

  // Five pixels of three bands, and a lane of the sixth, which is left out at the end.
  #if ISA_V4
    private typealias FivePixels = __m512
    @inline(__always) private func noPixels() -> FivePixels { _mm512_setzero_ps() }
    @inline(__always) private func spreadFive(_ weights: UnsafeRawPointer) -> FivePixels {
      _mm512_permutexvar_ps(
        _mm512_set_epi32(5, 4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0),
        _mm512_castps256_ps512(weights.loadUnaligned(as: __m256.self)))
    }
    @inline(__always)
    private func addFive(
      _ sum: FivePixels, _ pixels: UnsafeRawPointer, _ weights: FivePixels
    ) -> FivePixels {
      _mm512_add_ps(sum, _mm512_mul_ps(pixels.loadUnaligned(as: __m512.self), weights))
    }
    /// The pixel of each of two rows: four samples each, of which the last means nothing.
    @inline(__always)
    private func pixels(_ a: FivePixels, _ b: FivePixels) -> Vector128 {
      // Parts 0 of both rows and parts 1; parts 2 and 3; parts 4 and zeros.
      let first = _mm512_permutex2var_ps(
        a, _mm512_set_epi32(22, 21, 20, 19, 6, 5, 4, 3, 19, 18, 17, 16, 3, 2, 1, 0), b)
      let second = _mm512_permutex2var_ps(
        a, _mm512_set_epi32(28, 27, 26, 25, 12, 11, 10, 9, 25, 24, 23, 22, 9, 8, 7, 6), b)
      let third = _mm512_maskz_permutex2var_ps(
        0xff, a, _mm512_set_epi32(0, 0, 0, 0, 0, 0, 0, 0, 31, 30, 29, 28, 15, 14, 13, 12), b)
      let parts = _mm512_add_ps(_mm512_add_ps(first, second), third)
      let sums = _mm256_add_ps(parts.lowHalf, parts.highHalf)
      let clamped = _mm256_max_ps(_mm256_min_ps(sums, _mm256_set1_ps(65_535)), _mm256_set1_ps(0))
      let numbers = _mm256_cvttps_epi32(_mm256_add_ps(clamped, _mm256_set1_ps(0.5)))
      return words(numbers.lowHalf, numbers.highHalf)
    }
  #elseif ISA_V3
    private typealias FivePixels = (__m256, __m256)
    @inline(__always) private func noPixels() -> FivePixels {
      (_mm256_setzero_ps(), _mm256_setzero_ps())
    }
    @inline(__always) private func spreadFive(_ weights: UnsafeRawPointer) -> FivePixels {
      let eight = weights.loadUnaligned(as: __m256.self)
      return (
        _mm256_permutevar8x32_ps(eight, _mm256_set_epi32(2, 2, 1, 1, 1, 0, 0, 0)),
        _mm256_permutevar8x32_ps(eight, _mm256_set_epi32(5, 4, 4, 4, 3, 3, 3, 2))
      )
    }
    @inline(__always)
    private func addFive(
      _ sum: FivePixels, _ pixels: UnsafeRawPointer, _ weights: FivePixels
    ) -> FivePixels {
      (
        _mm256_add_ps(sum.0, _mm256_mul_ps(pixels.loadUnaligned(as: __m256.self), weights.0)),
        _mm256_add_ps(
          sum.1, _mm256_mul_ps((pixels + 32).loadUnaligned(as: __m256.self), weights.1))
      )
    }
    @inline(__always)
    private func pixel(_ sum: FivePixels) -> Vector128 {
      let second = _mm256_permutevar8x32_ps(sum.0, _mm256_set_epi32(6, 5, 4, 3, 6, 5, 4, 3))
      let fourth = _mm256_permutevar8x32_ps(sum.1, _mm256_set_epi32(4, 3, 2, 1, 4, 3, 2, 1))
      let third = _mm_movelh_ps(
        _mm_movehl_ps(sum.0.highHalf, sum.0.highHalf), sum.1.lowHalf)
      let three = _mm_add_ps(_mm_add_ps(sum.0.lowHalf, third), sum.1.highHalf)
      return samples(_mm_add_ps(three, _mm_add_ps(second.lowHalf, fourth.lowHalf)))
    }
    @inline(__always)
    private func pixels(_ a: FivePixels, _ b: FivePixels) -> Vector128 { words(pixel(a), pixel(b)) }
  #else
    private typealias FivePixels = (__m128, __m128, __m128, __m128)
    @inline(__always) private func noPixels() -> FivePixels {
      (_mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps(), _mm_setzero_ps())
    }
    @inline(__always) private func spreadFive(_ weights: UnsafeRawPointer) -> FivePixels {
      let four = weights.loadUnaligned(as: __m128.self)
      let last = weights.loadUnaligned(fromByteOffset: 16, as: Float.self)
      return (
        __m128(four[0], four[0], four[0], four[1]), __m128(four[1], four[1], four[2], four[2]),
        __m128(four[2], four[3], four[3], four[3]), _mm_set1_ps(last)
      )
    }
    @inline(__always)
    private func addFive(
      _ sum: FivePixels, _ pixels: UnsafeRawPointer, _ weights: FivePixels
    ) -> FivePixels {
      (
        addTap(sum.0, pixels, weights.0), addTap(sum.1, pixels + 16, weights.1),
        addTap(sum.2, pixels + 32, weights.2), addTap(sum.3, pixels + 48, weights.3)
      )
    }
    @inline(__always)
    private func pixel(_ sum: FivePixels) -> Vector128 {
      let second = __m128(sum.0[3], sum.1[0], sum.1[1], sum.1[2])
      let third = _mm_movelh_ps(_mm_movehl_ps(sum.1, sum.1), sum.2)
      let fourth = __m128(sum.2[1], sum.2[2], sum.2[3], sum.3[0])
      let three = _mm_add_ps(_mm_add_ps(sum.0, third), sum.3)
      return samples(_mm_add_ps(three, _mm_add_ps(second, fourth)))
    }
    @inline(__always)
    private func pixels(_ a: FivePixels, _ b: FivePixels) -> Vector128 { words(pixel(a), pixel(b)) }
  #endif

  /// Two rows of pixels of three floats into 16-bit samples; otherwise as `weighQuads16`.
  ///
  /// - Parameters:
  ///   - weights: readable for three more than are used.
  ///   - taps: a multiple of 5; rows are readable for one float more than as many pixels from each start.
  ///   - outputs: two addresses; nothing is written after the last sample.
  public func weighTriples16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Float>, _ taps: Int, _ count: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let (row0, row1) = (rows[0], rows[1])
    let (out0, out1) = (outputs[0], outputs[1])
    let last = count &- 1
    var weight = UnsafeRawPointer(weights)
    var x = 0
    while x < last {
      let offset = Int(truncatingIfNeeded: starts[x]) &* 12
      let both = triples(row0 + offset, row1 + offset, weight, taps)
      // The fourth sample is covered by the next pixel.
      storeLow(both, out0 + x &* 6)
      storeHigh(both, out1 + x &* 6)
      weight += taps &* 4
      x &+= 1
    }
    let offset = Int(truncatingIfNeeded: starts[last]) &* 12
    let both = triples(row0 + offset, row1 + offset, weight, taps)
    storeTriple(both[0], out0 + last &* 6)
    storeTriple(both[1], out1 + last &* 6)
  }

  @inline(__always)
  private func triples(
    _ row0: UnsafeRawPointer, _ row1: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int
  ) -> Vector128 {
    var sum0 = noPixels()
    var sum1 = noPixels()
    var k = 0
    while k < taps {
      let spread = spreadFive(weights + k &* 4)
      sum0 = addFive(sum0, row0 + k &* 12, spread)
      sum1 = addFive(sum1, row1 + k &* 12, spread)
      k &+= 5
    }
    return pixels(sum0, sum1)
  }

  @inline(__always)
  private func storeTriple(_ samples: Int64, _ output: UnsafeMutableRawPointer) {
    output.storeBytes(of: Int32(truncatingIfNeeded: samples), as: Int32.self)
    output.storeBytes(
      of: Int16(truncatingIfNeeded: samples &>> 32), toByteOffset: 4, as: Int16.self)
  }
#endif
