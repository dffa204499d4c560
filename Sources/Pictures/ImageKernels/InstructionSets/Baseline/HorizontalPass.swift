#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  #if ISA_V3 || ISA_V4
    /// Two sets of sums for four bands; the second half is added to the first at the end.
    typealias Sums = __m256i

    /// Returns sums with `value` in the first half only.
    @inline(__always) func startSums(_ value: Int32) -> Sums {
      _mm256_set_epi32(0, 0, 0, 0, value, value, value, value)
    }
    @inline(__always) func bandSums(_ sums: Sums) -> Vector128 {
      _mm_add_epi32(sums.lowHalf, sums.highHalf)
    }
    /// Four successive coefficients for each band: two pairs, each repeated four times.
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
        // Clang's unmasked form is a macro, which Swift cannot import; a full mask compiles to the same instruction.
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
  func samples(_ sums: Sums, _ shift: Vector128) -> Vector128 { _mm_sra_epi32(bandSums(sums), shift) }

  func filterPixels8(_ pass: UnsafePointer<HorizontalPass>) { byRows(pass, four: fourRows8, one: oneRow8) }
  func filterPixels16(_ pass: UnsafePointer<HorizontalPass>) { byRows(pass, four: fourRows16, one: oneRow16) }
  func filterPixelsIntoLanes(_ pass: UnsafePointer<HorizontalPass>) {
    byRows(pass, four: fourRowsIntoLanes, one: oneRowIntoLanes)
  }

  /// Calls `four` with the first row of each group of four, and `one` with each remaining row. They are separate
  /// functions, because one function would need more registers than there are.
  @inline(__always)
  private func byRows(
    _ pass: UnsafePointer<HorizontalPass>, four: (_ pass: UnsafePointer<HorizontalPass>, _ row: Int) -> Void,
    one: (_ pass: UnsafePointer<HorizontalPass>, _ row: Int) -> Void
  ) {
    var row = 0
    while row &+ 4 <= pass.pointee.rowCount {
      four(pass, row)
      row &+= 4
    }
    while row < pass.pointee.rowCount {
      one(pass, row)
      row &+= 1
    }
  }

  @inline(never) private func oneRow8(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) {
    let (output, step, shift) = (pass.pointee.outputs[row], pass.pointee.step, shiftCount(pass))
    filterOneRow(pass, row, half(pass)) { x, sums in
      let words = _mm_packs_epi32(samples(sums, shift), _mm_setzero_si128())
      let bytes = _mm_packus_epi16(words, words)
      output.storeBytes(of: _mm_cvtsi128_si32(bytes), toByteOffset: x &* step, as: Int32.self)
    }
  }

  @inline(never) private func fourRows8(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) {
    let ((output0, output1, output2, output3), step) = (fourOutputs(pass, row), pass.pointee.step)
    let shift = shiftCount(pass)
    filterFourRows(pass, row, half(pass)) { x, sums0, sums1, sums2, sums3 in
      let bytes = _mm_packus_epi16(
        _mm_packs_epi32(samples(sums0, shift), samples(sums1, shift)),
        _mm_packs_epi32(samples(sums2, shift), samples(sums3, shift)))
      let at = x &* step
      let (first, second) = (bytes[0], bytes[1])
      output0.storeBytes(of: Int32(truncatingIfNeeded: first), toByteOffset: at, as: Int32.self)
      output1.storeBytes(of: Int32(truncatingIfNeeded: first &>> 32), toByteOffset: at, as: Int32.self)
      output2.storeBytes(of: Int32(truncatingIfNeeded: second), toByteOffset: at, as: Int32.self)
      output3.storeBytes(of: Int32(truncatingIfNeeded: second &>> 32), toByteOffset: at, as: Int32.self)
    }
  }

  @inline(never) private func oneRow16(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) {
    let (output, step, shift) = (pass.pointee.outputs[row], pass.pointee.step, shiftCount(pass))
    filterOneRow(pass, row, half(pass)) { x, sums in
      let words = _mm_packs_epi32(samples(sums, shift), _mm_setzero_si128())
      output.storeBytes(of: words[0], toByteOffset: x &* step, as: Int64.self)
    }
  }

  @inline(never) private func fourRows16(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) {
    let ((output0, output1, output2, output3), step) = (fourOutputs(pass, row), pass.pointee.step)
    let shift = shiftCount(pass)
    filterFourRows(pass, row, half(pass)) { x, sums0, sums1, sums2, sums3 in
      let upper = _mm_packs_epi32(samples(sums0, shift), samples(sums1, shift))
      let lower = _mm_packs_epi32(samples(sums2, shift), samples(sums3, shift))
      let at = x &* step
      output0.storeBytes(of: upper[0], toByteOffset: at, as: Int64.self)
      output1.storeBytes(of: upper[1], toByteOffset: at, as: Int64.self)
      output2.storeBytes(of: lower[0], toByteOffset: at, as: Int64.self)
      output3.storeBytes(of: lower[1], toByteOffset: at, as: Int64.self)
    }
  }

  @inline(never) private func oneRowIntoLanes(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) {
    let output = pass.pointee.outputs[row]
    let (scale, middle) = (_mm_set1_ps(pass.pointee.scale), _mm_set1_ps(pass.pointee.middle))
    filterOneRow(pass, row, startSums(0)) { x, sums in
      output.storeBytes(of: lanes(sums, scale, middle), toByteOffset: x &* 16, as: __m128.self)
    }
  }

  @inline(never) private func fourRowsIntoLanes(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) {
    let (output0, output1, output2, output3) = fourOutputs(pass, row)
    let (scale, middle) = (_mm_set1_ps(pass.pointee.scale), _mm_set1_ps(pass.pointee.middle))
    filterFourRows(pass, row, startSums(0)) { x, sums0, sums1, sums2, sums3 in
      let at = x &* 16
      output0.storeBytes(of: lanes(sums0, scale, middle), toByteOffset: at, as: __m128.self)
      output1.storeBytes(of: lanes(sums1, scale, middle), toByteOffset: at, as: __m128.self)
      output2.storeBytes(of: lanes(sums2, scale, middle), toByteOffset: at, as: __m128.self)
      output3.storeBytes(of: lanes(sums3, scale, middle), toByteOffset: at, as: __m128.self)
    }
  }

  @inline(__always)
  private func shiftCount(_ pass: UnsafePointer<HorizontalPass>) -> Vector128 {
    _mm_cvtsi32_si128(Int32(truncatingIfNeeded: pass.pointee.shift))
  }

  /// Returns sums that start at half of the lowest kept bit, so that dropping the bits below it rounds.
  @inline(__always)
  private func half(_ pass: UnsafePointer<HorizontalPass>) -> Sums {
    startSums(Int32(truncatingIfNeeded: 1 &<< (pass.pointee.shift &- 1)))
  }

  @inline(__always)
  private func lanes(_ sums: Sums, _ scale: __m128, _ middle: __m128) -> __m128 {
    _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(bandSums(sums)), scale), middle)
  }

  private typealias FourOutputs = (
    UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer, UnsafeMutableRawPointer
  )

  @inline(__always)
  private func fourOutputs(_ pass: UnsafePointer<HorizontalPass>, _ row: Int) -> FourOutputs {
    let outputs = pass.pointee.outputs + row
    return (outputs[0], outputs[1], outputs[2], outputs[3])
  }

  /// Calls `store` with the sums of each target pixel. All sums start with `first`.
  @inline(__always)
  private func filterOneRow(
    _ pass: UnsafePointer<HorizontalPass>, _ row: Int, _ first: Sums, _ store: (_ x: Int, _ sums: Sums) -> Void
  ) {
    let (starts, taps, count) = (pass.pointee.starts, pass.pointee.taps, pass.pointee.count)
    let row = pass.pointee.rows[row]
    var weight = UnsafeRawPointer(pass.pointee.coefficients)
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

  @inline(__always)
  private func filterFourRows(
    _ pass: UnsafePointer<HorizontalPass>, _ row: Int, _ first: Sums,
    _ store: (_ x: Int, _ sums0: Sums, _ sums1: Sums, _ sums2: Sums, _ sums3: Sums) -> Void
  ) {
    let (starts, taps, count) = (pass.pointee.starts, pass.pointee.taps, pass.pointee.count)
    let rows = pass.pointee.rows + row
    let (row0, row1, row2, row3) = (rows[0], rows[1], rows[2], rows[3])
    var weight = UnsafeRawPointer(pass.pointee.coefficients)
    var x = 0
    while x < count {
      var offset = Int(truncatingIfNeeded: starts[x]) &* 8
      var sums0 = first
      var sums1 = first
      var sums2 = first
      var sums3 = first
      var k = 0
      #if ISA_V4
        // Two adjacent target pixels that start at the same source pixel load the source pixels once.
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
