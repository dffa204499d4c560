#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // A sum has four parts: part i adds the products of the taps i, i + 4, i + 8 and so on. The parts are added in the
  // order (0+2)+(1+3). Products and sums are rounded separately. Therefore all vector widths give the same bits.

  #if ISA_V4
    /// The sums of parts 0 to 3.
    typealias Parts = __m512
    @inline(__always) func noParts() -> Parts { _mm512_setzero_ps() }
    /// The next four weights, each repeated for the four lanes of its pixel.
    typealias FourWeights = __m512
    @inline(__always) func spreadTaps(_ weights: UnsafeRawPointer) -> FourWeights {
      _mm512_permutexvar_ps(
        _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0),
        _mm512_castps128_ps512(weights.loadUnaligned(as: __m128.self)))
    }
    @inline(__always)
    func addTaps(_ sum: Parts, _ lanes: UnsafeRawPointer, _ weights: FourWeights) -> Parts {
      _mm512_add_ps(sum, _mm512_mul_ps(lanes.loadUnaligned(as: __m512.self), weights))
    }
    @inline(__always) func total(_ sum: Parts) -> __m128 {
      let halves = _mm256_add_ps(sum.lowHalf, sum.highHalf)
      return _mm_add_ps(halves.lowHalf, halves.highHalf)
    }
  #elseif ISA_V3
    /// The sums of parts 0 and 1, and of parts 2 and 3.
    typealias Parts = (__m256, __m256)
    @inline(__always) func noParts() -> Parts { (_mm256_setzero_ps(), _mm256_setzero_ps()) }
    typealias FourWeights = (__m256, __m256)
    @inline(__always) func spreadTaps(_ weights: UnsafeRawPointer) -> FourWeights {
      let four = _mm256_castps128_ps256(weights.loadUnaligned(as: __m128.self))
      return (
        _mm256_permutevar8x32_ps(four, _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0)),
        _mm256_permutevar8x32_ps(four, _mm256_set_epi32(3, 3, 3, 3, 2, 2, 2, 2))
      )
    }
    @inline(__always)
    func addTaps(_ sum: Parts, _ lanes: UnsafeRawPointer, _ weights: FourWeights) -> Parts {
      (
        _mm256_add_ps(sum.0, _mm256_mul_ps(lanes.loadUnaligned(as: __m256.self), weights.0)),
        _mm256_add_ps(sum.1, _mm256_mul_ps((lanes + 32).loadUnaligned(as: __m256.self), weights.1))
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
    typealias FourWeights = (__m128, __m128, __m128, __m128)
    @inline(__always) func spreadTaps(_ weights: UnsafeRawPointer) -> FourWeights {
      let four = weights.loadUnaligned(as: __m128.self)
      let low = _mm_unpacklo_ps(four, four)
      let high = _mm_unpackhi_ps(four, four)
      return (_mm_movelh_ps(low, low), _mm_movehl_ps(low, low), _mm_movelh_ps(high, high), _mm_movehl_ps(high, high))
    }
    @inline(__always)
    func addTap(_ sum: __m128, _ lane: UnsafeRawPointer, _ weight: __m128) -> __m128 {
      _mm_add_ps(sum, _mm_mul_ps(lane.loadUnaligned(as: __m128.self), weight))
    }
    @inline(__always)
    func addTaps(_ sum: Parts, _ lanes: UnsafeRawPointer, _ weights: FourWeights) -> Parts {
      (
        addTap(sum.0, lanes, weights.0), addTap(sum.1, lanes + 16, weights.1),
        addTap(sum.2, lanes + 32, weights.2), addTap(sum.3, lanes + 48, weights.3)
      )
    }
    @inline(__always) func total(_ sum: Parts) -> __m128 {
      _mm_add_ps(_mm_add_ps(sum.0, sum.2), _mm_add_ps(sum.1, sum.3))
    }
  #endif

  func filterPixelsFloat(_ pass: UnsafePointer<HorizontalPassFloat>) {
    let pass = pass.pointee
    var row = 0
    while row &+ 4 <= pass.rowCount {
      filterFourRows(pass, pass.rows + row, pass.outputs + row)
      row &+= 4
    }
    while row < pass.rowCount {
      filterOneRow(pass, pass.rows[row], pass.outputs[row])
      row &+= 1
    }
  }

  @inline(__always)
  private func filterOneRow(_ pass: HorizontalPassFloat, _ lanes: UnsafeRawPointer, _ output: UnsafeMutableRawPointer) {
    let (starts, taps, count) = (pass.starts, pass.taps, pass.count)
    var weight = UnsafeRawPointer(pass.weights)
    var x = 0
    while x < count {
      var pixel = lanes + Int(truncatingIfNeeded: starts[x]) &* 16
      var sum = noParts()
      var k = 0
      while k < taps {
        sum = addTaps(sum, pixel, spreadTaps(weight))
        pixel += 64
        weight += 16
        k &+= 4
      }
      output.storeBytes(of: total(sum), toByteOffset: x &* 16, as: __m128.self)
      x &+= 1
    }
  }

  @inline(__always)
  private func filterFourRows(_ pass: HorizontalPassFloat, _ rows: RowAddresses, _ outputs: OutputAddresses) {
    let (starts, taps, count) = (pass.starts, pass.taps, pass.count)
    let (row0, row1, row2, row3) = (rows[0], rows[1], rows[2], rows[3])
    let (out0, out1, out2, out3) = (outputs[0], outputs[1], outputs[2], outputs[3])
    var weight = UnsafeRawPointer(pass.weights)
    var x = 0
    while x < count {
      var offset = Int(truncatingIfNeeded: starts[x]) &* 16
      var sum0 = noParts()
      var sum1 = noParts()
      var sum2 = noParts()
      var sum3 = noParts()
      var k = 0
      while k < taps {
        let spread = spreadTaps(weight)
        sum0 = addTaps(sum0, row0 + offset, spread)
        sum1 = addTaps(sum1, row1 + offset, spread)
        sum2 = addTaps(sum2, row2 + offset, spread)
        sum3 = addTaps(sum3, row3 + offset, spread)
        offset &+= 64
        weight += 16
        k &+= 4
      }
      let at = x &* 16
      out0.storeBytes(of: total(sum0), toByteOffset: at, as: __m128.self)
      out1.storeBytes(of: total(sum1), toByteOffset: at, as: __m128.self)
      out2.storeBytes(of: total(sum2), toByteOffset: at, as: __m128.self)
      out3.storeBytes(of: total(sum3), toByteOffset: at, as: __m128.self)
      x &+= 1
    }
  }

  func filterRowsFloat(_ pass: UnsafePointer<VerticalPassFloat>) {
    let pass = pass.pointee
    let (rows, weights, taps, output) = (pass.rows, pass.weights, pass.taps, pass.output)
    let size = MemoryLayout<Floats>.size
    let end = pass.count &* 4
    var at = 0
    while at < end {
      var sum0 = spread(0)
      var sum1 = spread(0)
      var sum2 = spread(0)
      var sum3 = spread(0)
      var k = 0
      while k < taps {
        let weight = spread(weights[k])
        let row = rows[k] + at
        sum0 = add(sum0, multiply(row.loadUnaligned(as: Floats.self), weight))
        sum1 = add(sum1, multiply((row + size).loadUnaligned(as: Floats.self), weight))
        sum2 = add(sum2, multiply((row + 2 &* size).loadUnaligned(as: Floats.self), weight))
        sum3 = add(sum3, multiply((row + 3 &* size).loadUnaligned(as: Floats.self), weight))
        k &+= 1
      }
      let out = output + at
      out.storeBytes(of: sum0, as: Floats.self)
      out.storeBytes(of: sum1, toByteOffset: size, as: Floats.self)
      out.storeBytes(of: sum2, toByteOffset: 2 &* size, as: Floats.self)
      out.storeBytes(of: sum3, toByteOffset: 3 &* size, as: Floats.self)
      at &+= 4 &* size
    }
  }
#endif
