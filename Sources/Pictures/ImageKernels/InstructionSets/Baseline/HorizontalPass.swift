#if arch(x86_64)
  import _Builtin_intrinsics.intel

  #if ISA_V4
    /// Target pixels that had best begin with the same source pixel: they are weighed together then.
    public let pixelsTogether = 2
  #else
    public let pixelsTogether = 1
  #endif

  #if ISA_V3 || ISA_V4
    /// Sums of four bands, twice: the second half is added to the first at the end.
    typealias Sums = __m256i

    /// Puts `value` into the first half only.
    @inline(__always) func startSums(_ value: Int32) -> Sums {
      _mm256_set_epi32(0, 0, 0, 0, value, value, value, value)
    }
    @inline(__always) func bandSums(_ sums: Sums) -> Vector128 {
      _mm_add_epi32(sums.lowHalf, sums.highHalf)
    }
    /// The next four coefficients as each band needs them: two pairs, each four times.
    typealias FourCoefficients = __m256i
    @inline(__always) func coefficients(_ address: UnsafeRawPointer) -> FourCoefficients {
      let both = _mm256_set1_epi64x(address.loadUnaligned(as: Int64.self))
      return _mm256_shuffle_epi8(
        both,
        _mm256_set_epi64x(
          0x0706_0504_0706_0504, 0x0706_0504_0706_0504, 0x0302_0100_0302_0100,
          0x0302_0100_0302_0100))
    }
    @inline(__always)
    func addFour(_ sums: Sums, _ pixels: UnsafeRawPointer, _ c: FourCoefficients) -> Sums {
      addFour(sums, pixels.loadUnaligned(as: __m256i.self), c)
    }
    @inline(__always)
    func addFour(_ sums: Sums, _ samples: __m256i, _ c: FourCoefficients) -> Sums {
      #if ISA_V4
        // Clang's unmasked form is a macro, which Swift cannot see; a full mask compiles to the same.
        return _mm256_mask_dpwssd_epi32(sums, 0xff, samples, c)
      #else
        return _mm256_add_epi32(sums, _mm256_madd_epi16(samples, c))
      #endif
    }
  #else
    typealias Sums = __m128i
    @inline(__always) func startSums(_ value: Int32) -> Sums { _mm_set1_epi32(value) }
    @inline(__always) func bandSums(_ sums: Sums) -> Vector128 { sums }
    typealias FourCoefficients = (__m128i, __m128i)
    @inline(__always) func coefficients(_ address: UnsafeRawPointer) -> FourCoefficients {
      (
        _mm_set1_epi32(address.loadUnaligned(as: Int32.self)),
        _mm_set1_epi32(address.loadUnaligned(fromByteOffset: 4, as: Int32.self))
      )
    }
    @inline(__always)
    func addFour(_ sums: Sums, _ pixels: UnsafeRawPointer, _ c: FourCoefficients) -> Sums {
      dot(dot(sums, load128(pixels), c.0), load128(pixels + 16), c.1)
    }
  #endif

  @inline(__always)
  func samples(_ sums: Sums, _ shift: Vector128) -> Vector128 {
    _mm_sra_epi32(bandSums(sums), shift)
  }

  /// Weighs pixels of one pair-interleaved row into 8-bit pixels of four bands.
  ///
  /// `row` holds 16-bit samples of pixels two by two, `r0 r1 g0 g1 b0 b1 a0 a1`, 8 bytes a pixel.
  /// `output[step x + band] = clamp((Σ c[x taps + k] row[starts[x] + k][band] + half) >> shift)`.
  ///
  /// - Parameters:
  ///   - starts: `count` even pixel indices; `row` is readable for `taps` pixels from each.
  ///   - taps: a multiple of 4.
  ///   - step: bytes from one target pixel to the next; four are written for each, from left to right.
  public func weighPixels8(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer, _ step: Int
  ) {
    weighWords(row, starts, weights, taps, count, shift) { x, words in
      let bytes = _mm_packus_epi16(words, words)
      output.storeBytes(of: _mm_cvtsi128_si32(bytes), toByteOffset: x &* step, as: Int32.self)
    }
  }

  /// `weighPixels8` for four rows at once, which share the work on coefficients.
  ///
  /// `rows` and `outputs` hold four addresses each.
  public func weighPixelsOfFourRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ shift: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>, _ step: Int
  ) {
    let (out0, out1, out2, out3) = (outputs[0], outputs[1], outputs[2], outputs[3])
    weighFourWords(rows, starts, weights, taps, count, shift) { x, upper, lower in
      let bytes = _mm_packus_epi16(upper, lower)
      let at = x &* step
      let first = bytes[0]
      let second = bytes[1]
      out0.storeBytes(of: Int32(truncatingIfNeeded: first), toByteOffset: at, as: Int32.self)
      out1.storeBytes(of: Int32(truncatingIfNeeded: first &>> 32), toByteOffset: at, as: Int32.self)
      out2.storeBytes(of: Int32(truncatingIfNeeded: second), toByteOffset: at, as: Int32.self)
      out3.storeBytes(
        of: Int32(truncatingIfNeeded: second &>> 32), toByteOffset: at, as: Int32.self)
    }
  }

  /// `weighPixels8` into 16-bit samples, saturated, eight bytes for each target pixel.
  public func weighPixels16(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer, _ step: Int
  ) {
    weighWords(row, starts, weights, taps, count, shift) { x, words in
      output.storeBytes(of: words[0], toByteOffset: x &* step, as: Int64.self)
    }
  }

  /// `weighPixels16` for four rows at once, which share the work on coefficients.
  ///
  /// `rows` and `outputs` hold four addresses each.
  public func weighPixelsOfFourRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ shift: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>, _ step: Int
  ) {
    let (out0, out1, out2, out3) = (outputs[0], outputs[1], outputs[2], outputs[3])
    weighFourWords(rows, starts, weights, taps, count, shift) { x, upper, lower in
      let at = x &* step
      out0.storeBytes(of: upper[0], toByteOffset: at, as: Int64.self)
      out1.storeBytes(of: upper[1], toByteOffset: at, as: Int64.self)
      out2.storeBytes(of: lower[0], toByteOffset: at, as: Int64.self)
      out3.storeBytes(of: lower[1], toByteOffset: at, as: Int64.self)
    }
  }

  /// `weighPixels8` into floats: `output[x] = scale × Σ + middle`, product and sum rounded apart, four floats
  /// for each target pixel.
  public func weighPixelsIntoLanes(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ scale: Float, _ middle: Float, _ output: UnsafeMutableRawPointer
  ) {
    let (scale, middle) = (_mm_set1_ps(scale), _mm_set1_ps(middle))
    weigh(row, starts, weights, taps, count, startSums(0)) { x, sums in
      output.storeBytes(of: lane(sums, scale, middle), toByteOffset: x &* 16, as: __m128.self)
    }
  }

  /// `weighPixelsIntoLanes` for four rows at once, which share the work on coefficients.
  ///
  /// `rows` and `outputs` hold four addresses each.
  public func weighPixelsOfFourRowsIntoLanes(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ scale: Float, _ middle: Float,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let (out0, out1, out2, out3) = (outputs[0], outputs[1], outputs[2], outputs[3])
    let (scale, middle) = (_mm_set1_ps(scale), _mm_set1_ps(middle))
    weighFour(rows, starts, weights, taps, count, startSums(0)) { x, sums0, sums1, sums2, sums3 in
      let at = x &* 16
      out0.storeBytes(of: lane(sums0, scale, middle), toByteOffset: at, as: __m128.self)
      out1.storeBytes(of: lane(sums1, scale, middle), toByteOffset: at, as: __m128.self)
      out2.storeBytes(of: lane(sums2, scale, middle), toByteOffset: at, as: __m128.self)
      out3.storeBytes(of: lane(sums3, scale, middle), toByteOffset: at, as: __m128.self)
    }
  }

  @inline(__always)
  private func lane(_ sums: Sums, _ scale: __m128, _ middle: __m128) -> __m128 {
    _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(bandSums(sums)), scale), middle)
  }

  /// Gives `store` each target pixel: its four bands as the first four 16-bit numbers.
  @inline(__always)
  private func weighWords(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ shift: Int, _ store: (_ x: Int, _ words: Vector128) -> Void
  ) {
    let half = startSums(Int32(truncatingIfNeeded: 1 &<< (shift &- 1)))
    let shift = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))
    weigh(row, starts, weights, taps, count, half) { x, sums in
      store(x, _mm_packs_epi32(samples(sums, shift), _mm_setzero_si128()))
    }
  }

  /// `weighWords` for four rows: four bands each of the first two, and of the last two.
  @inline(__always)
  private func weighFourWords(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ shift: Int,
    _ store: (_ x: Int, _ upper: Vector128, _ lower: Vector128) -> Void
  ) {
    let half = startSums(Int32(truncatingIfNeeded: 1 &<< (shift &- 1)))
    let shift = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))
    weighFour(rows, starts, weights, taps, count, half) { x, sums0, sums1, sums2, sums3 in
      store(
        x, _mm_packs_epi32(samples(sums0, shift), samples(sums1, shift)),
        _mm_packs_epi32(samples(sums2, shift), samples(sums3, shift)))
    }
  }

  /// Gives `store` the sums of each target pixel, which begin with `first`.
  @inline(__always)
  private func weigh(
    _ row: UnsafeRawPointer, _ starts: UnsafePointer<Int32>, _ weights: UnsafePointer<Int16>,
    _ taps: Int, _ count: Int, _ first: Sums, _ store: (_ x: Int, _ sums: Sums) -> Void
  ) {
    var weight = UnsafeRawPointer(weights)
    var x = 0
    while x < count {
      var pixel = row + Int(truncatingIfNeeded: starts[x]) &* 8
      var sums = first
      var k = 0
      #if ISA_V4
        if x &+ 1 < count, starts[x] == starts[x &+ 1] {
          var next = first
          while k < taps {
            sums = addFour(sums, pixel, coefficients(weight))
            next = addFour(next, pixel, coefficients(weight + taps &* 2))
            pixel += 32
            weight += 8
            k &+= 4
          }
          store(x, sums)
          store(x &+ 1, next)
          weight += taps &* 2
          x &+= 2
          continue
        }
      #endif
      while k < taps {
        sums = addFour(sums, pixel, coefficients(weight))
        pixel += 32
        weight += 8
        k &+= 4
      }
      store(x, sums)
      x &+= 1
    }
  }

  /// `weigh` for four rows.
  @inline(__always)
  private func weighFour(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ starts: UnsafePointer<Int32>,
    _ weights: UnsafePointer<Int16>, _ taps: Int, _ count: Int, _ first: Sums,
    _ store: (_ x: Int, _ sums0: Sums, _ sums1: Sums, _ sums2: Sums, _ sums3: Sums) -> Void
  ) {
    let (row0, row1, row2, row3) = (rows[0], rows[1], rows[2], rows[3])
    var weight = UnsafeRawPointer(weights)
    var x = 0
    while x < count {
      var offset = Int(truncatingIfNeeded: starts[x]) &* 8
      var sums0 = first
      var sums1 = first
      var sums2 = first
      var sums3 = first
      var k = 0
      #if ISA_V4
        // Two target pixels of the same source pixels read these once.
        if x &+ 1 < count, starts[x] == starts[x &+ 1] {
          var next0 = first
          var next1 = first
          var next2 = first
          var next3 = first
          while k < taps {
            let c = coefficients(weight)
            let n = coefficients(weight + taps &* 2)
            let pixels0 = (row0 + offset).loadUnaligned(as: __m256i.self)
            sums0 = addFour(sums0, pixels0, c)
            next0 = addFour(next0, pixels0, n)
            let pixels1 = (row1 + offset).loadUnaligned(as: __m256i.self)
            sums1 = addFour(sums1, pixels1, c)
            next1 = addFour(next1, pixels1, n)
            let pixels2 = (row2 + offset).loadUnaligned(as: __m256i.self)
            sums2 = addFour(sums2, pixels2, c)
            next2 = addFour(next2, pixels2, n)
            let pixels3 = (row3 + offset).loadUnaligned(as: __m256i.self)
            sums3 = addFour(sums3, pixels3, c)
            next3 = addFour(next3, pixels3, n)
            offset &+= 32
            weight += 8
            k &+= 4
          }
          store(x, sums0, sums1, sums2, sums3)
          store(x &+ 1, next0, next1, next2, next3)
          weight += taps &* 2
          x &+= 2
          continue
        }
      #endif
      while k < taps {
        let c = coefficients(weight)
        sums0 = addFour(sums0, row0 + offset, c)
        sums1 = addFour(sums1, row1 + offset, c)
        sums2 = addFour(sums2, row2 + offset, c)
        sums3 = addFour(sums3, row3 + offset, c)
        offset &+= 32
        weight += 8
        k &+= 4
      }
      store(x, sums0, sums1, sums2, sums3)
      x &+= 1
    }
  }
#endif
