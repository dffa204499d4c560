#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // The horizontal pass over eight interleaved rows, from floats to 16-bit samples. The floats are samples minus
  // 32,768, so sums over the even taps start at 32,768.5; the half rounds the result. Sums over the odd taps start at
  // 0. The two sums are added at the end.

  #if ISA_V4
    /// Two adjacent samples of eight rows.
    private typealias Eights = __m512
  #elseif ISA_V3
    /// One sample of eight rows.
    private typealias Eights = __m256
  #else
    /// One sample of eight rows.
    private struct Eights {
      var upper: __m128
      var lower: __m128
    }
  #endif

  @inline(__always)
  private func eights(_ value: Float) -> Eights {
    #if ISA_V4 || ISA_V3
      spread(value)
    #else
      Eights(upper: spread(value), lower: spread(value))
    #endif
  }

  @inline(__always)
  private func eights(_ weights: UnsafeRawPointer, _ at: Int) -> Eights {
    eights(weights.loadUnaligned(fromByteOffset: at, as: Float.self))
  }

  @inline(__always)
  private func product(_ sum: Eights, _ lanes: UnsafeRawPointer, _ weight: Eights) -> Eights {
    #if ISA_V4 || ISA_V3
      fused(sum, lanes.loadUnaligned(as: Floats.self), weight)
    #else
      Eights(
        upper: fused(sum.upper, lanes.loadUnaligned(as: Floats.self), weight.upper),
        lower: fused(sum.lower, (lanes + 16).loadUnaligned(as: Floats.self), weight.lower))
    #endif
  }

  /// Stores the integer parts of sums, clamped, as 16-bit samples.
  @inline(__always)
  private func storeSamples(
    _ even: Eights, _ odd: Eights, _ output: UnsafeMutableRawPointer
  ) {
    #if ISA_V4
      let numbers = _mm512_cvttps_epi32(add(even, odd))
      let samples = _mm512_cvtusepi32_epi16(_mm512_max_epi32(numbers, _mm512_setzero_si512()))
      output.storeBytes(of: samples, as: __m256i.self)
    #elseif ISA_V3
      store16(wholePart(add(even, odd)), output)
    #else
      storeClamped(add(even.upper, odd.upper), output)
      storeClamped(add(even.lower, odd.lower), output + 8)
    #endif
  }

  #if !ISA_V3 && !ISA_V4
    @inline(__always)
    private func storeClamped(_ sums: Floats, _ output: UnsafeMutableRawPointer) {
      store16(wholePart(larger(smaller(sums, spread(65_535)), spread(0))), output)
    }
  #endif

  #if ISA_V4
    /// Returns the first half of `first`, followed by the second half of `second`.
    @inline(__always)
    private func joined(_ first: Eights, _ second: Eights) -> Eights {
      _mm512_mask_blend_ps(0xff00, first, second)
    }

    /// Stores the integer parts of the sums of one sample, as `storeSamples` does.
    @inline(__always)
    private func storeSample(_ even: __m256, _ odd: __m256, _ output: UnsafeMutableRawPointer) {
      let numbers = _mm256_cvttps_epi32(_mm256_add_ps(even, odd))
      output.storeBytes(of: _mm_packus_epi32(numbers.lowHalf, numbers.highHalf), as: Vector128.self)
    }
  #endif

  #if ISA_V4
    /// Adds the products of four samples with their weights.
    @inline(__always)
    private func products(_ sums: Eights, _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer) -> Eights {
      let four = spreadPixel(weights.loadUnaligned(as: __m128.self))
      let first = _mm512_set_epi32(1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0)
      let second = _mm512_set_epi32(3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2)
      let sums = product(sums, lanes, _mm512_permutevar_ps(four, first))
      return product(sums, lanes + 64, _mm512_permutevar_ps(four, second))
    }

    /// Filters two adjacent pixels as `filterOneBand` filters one; neither pixel's sums wait for the other's.
    @inline(__always)
    private func filterTwoPixels(
      _ lanes0: UnsafeRawPointer, _ lanes1: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int,
      _ output: UnsafeMutableRawPointer
    ) {
      var sums0 = joined(eights(32_768.5), eights(0))
      var sums1 = sums0
      let weights1 = weights + taps &* 4
      var k = 0
      while k < taps {
        sums0 = products(sums0, lanes0 + k &* 32, weights + k &* 4)
        sums1 = products(sums1, lanes1 + k &* 32, weights1 + k &* 4)
        k &+= 4
      }
      let even = _mm512_permutex2var_ps(
        sums0, _mm512_set_epi32(23, 22, 21, 20, 19, 18, 17, 16, 7, 6, 5, 4, 3, 2, 1, 0), sums1)
      let odd = _mm512_permutex2var_ps(
        sums0, _mm512_set_epi32(31, 30, 29, 28, 27, 26, 25, 24, 15, 14, 13, 12, 11, 10, 9, 8), sums1)
      storeSamples(even, odd, output)
    }
  #endif

  @inline(__always)
  private func filterOneBand(
    _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int, _ output: UnsafeMutableRawPointer
  ) {
    #if ISA_V4
      var sums = joined(eights(32_768.5), eights(0))
      var k = 0
      while k < taps {
        sums = products(sums, lanes + k &* 32, weights + k &* 4)
        k &+= 4
      }
      storeSample(sums.lowHalf, sums.highHalf, output)
    #else
      var (even, odd) = (eights(32_768.5), eights(0))
      var k = 0
      while k < taps {
        even = product(even, lanes + k &* 32, eights(weights, k &* 4))
        odd = product(odd, lanes + (k &* 32 &+ 32), eights(weights, k &* 4 &+ 4))
        k &+= 2
      }
      storeSamples(even, odd, output)
    #endif
  }

  @inline(__always)
  private func filterTwoBands(
    _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int, _ output: UnsafeMutableRawPointer
  ) {
    var (even0, odd0) = (eights(32_768.5), eights(0))
    #if !ISA_V4
      var (even1, odd1) = (eights(32_768.5), eights(0))
    #endif
    var k = 0
    while k < taps {
      let (even, odd) = (eights(weights, k &* 4), eights(weights, k &* 4 &+ 4))
      let at = lanes + k &* 64
      even0 = product(even0, at, even)
      odd0 = product(odd0, at + 64, odd)
      #if !ISA_V4
        even1 = product(even1, at + 32, even)
        odd1 = product(odd1, at + 96, odd)
      #endif
      k &+= 2
    }
    storeSamples(even0, odd0, output)
    #if !ISA_V4
      storeSamples(even1, odd1, output + 16)
    #endif
  }

  @inline(__always)
  private func filterThreeBands(
    _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int, _ output: UnsafeMutableRawPointer
  ) {
    #if ISA_V4
      // The three vectors hold red and green of even taps; blue of even and red of odd taps; green and blue of odd
      // taps.
      var sums0 = eights(32_768.5)
      var sums1 = joined(eights(32_768.5), eights(0))
      var sums2 = eights(0)
      var k = 0
      while k < taps {
        let (even, odd) = (eights(weights, k &* 4), eights(weights, k &* 4 &+ 4))
        let at = lanes + k &* 96
        sums0 = product(sums0, at, even)
        sums1 = product(sums1, at + 64, joined(even, odd))
        sums2 = product(sums2, at + 128, odd)
        k &+= 2
      }
      storeSample(sums0.lowHalf, sums1.highHalf, output)
      storeSample(sums0.highHalf, sums2.lowHalf, output + 16)
      storeSample(sums1.lowHalf, sums2.highHalf, output + 32)
    #else
      var (even0, even1, even2) = (eights(32_768.5), eights(32_768.5), eights(32_768.5))
      var (odd0, odd1, odd2) = (eights(0), eights(0), eights(0))
      var k = 0
      while k < taps {
        let (even, odd) = (eights(weights, k &* 4), eights(weights, k &* 4 &+ 4))
        let at = lanes + k &* 96
        even0 = product(even0, at, even)
        even1 = product(even1, at + 32, even)
        even2 = product(even2, at + 64, even)
        odd0 = product(odd0, at + 96, odd)
        odd1 = product(odd1, at + 128, odd)
        odd2 = product(odd2, at + 160, odd)
        k &+= 2
      }
      storeSamples(even0, odd0, output)
      storeSamples(even1, odd1, output + 16)
      storeSamples(even2, odd2, output + 32)
    #endif
  }

  @inline(__always)
  private func filterFourBands(
    _ lanes: UnsafeRawPointer, _ weights: UnsafeRawPointer, _ taps: Int, _ output: UnsafeMutableRawPointer
  ) {
    var (even0, even1) = (eights(32_768.5), eights(32_768.5))
    var (odd0, odd1) = (eights(0), eights(0))
    #if !ISA_V4
      var (even2, even3) = (eights(32_768.5), eights(32_768.5))
      var (odd2, odd3) = (eights(0), eights(0))
    #endif
    var k = 0
    while k < taps {
      let (even, odd) = (eights(weights, k &* 4), eights(weights, k &* 4 &+ 4))
      let at = lanes + k &* 128
      #if ISA_V4
        even0 = product(even0, at, even)
        even1 = product(even1, at + 64, even)
        odd0 = product(odd0, at + 128, odd)
        odd1 = product(odd1, at + 192, odd)
      #else
        even0 = product(even0, at, even)
        even1 = product(even1, at + 32, even)
        even2 = product(even2, at + 64, even)
        even3 = product(even3, at + 96, even)
        odd0 = product(odd0, at + 128, odd)
        odd1 = product(odd1, at + 160, odd)
        odd2 = product(odd2, at + 192, odd)
        odd3 = product(odd3, at + 224, odd)
      #endif
      k &+= 2
    }
    #if ISA_V4
      storeSamples(even0, odd0, output)
      storeSamples(even1, odd1, output + 32)
    #else
      storeSamples(even0, odd0, output)
      storeSamples(even1, odd1, output + 16)
      storeSamples(even2, odd2, output + 32)
      storeSamples(even3, odd3, output + 48)
    #endif
  }

  func filterEightRows16(_ pass: UnsafePointer<HorizontalPassOfEight>) {
    let pass = pass.pointee
    let (bands, taps, starts) = (pass.bands, pass.taps, pass.starts)
    let end = pass.first &+ pass.count
    let size = bands &* 32
    let lanes = pass.lanes - pass.origin &* size
    var weight = UnsafeRawPointer(pass.weights) + pass.first &* taps &* 4
    var to = pass.output + pass.first &* bands &* 16
    var x = pass.first
    #if ISA_V4
      if bands == 1 {
        while x &+ 1 < end {
          filterTwoPixels(
            lanes + Int(truncatingIfNeeded: starts[x]) &* size,
            lanes + Int(truncatingIfNeeded: starts[x &+ 1]) &* size, weight, taps, to)
          weight += taps &* 8
          to += 32
          x &+= 2
        }
      }
    #endif
    while x < end {
      let from = lanes + Int(truncatingIfNeeded: starts[x]) &* size
      switch bands {
      case 1: filterOneBand(from, weight, taps, to)
      case 2: filterTwoBands(from, weight, taps, to)
      case 3: filterThreeBands(from, weight, taps, to)
      default: filterFourBands(from, weight, taps, to)
      }
      weight += taps &* 4
      to += bands &* 16
      x &+= 1
    }
  }
#endif
