#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  #if ISA_V3 || ISA_V4
    /// The sums of even and of odd taps.
    typealias EvenOdd = __m256
    @inline(__always) func noEvenOdd() -> EvenOdd { _mm256_setzero_ps() }
    @inline(__always)
    func spreadPair(_ weights: UnsafeRawPointer) -> EvenOdd {
      let both = _mm_cvtsi64_si128(weights.loadUnaligned(as: Int64.self))
      return _mm256_permutevar8x32_ps(
        _mm256_castps128_ps256(_mm_castsi128_ps(both)), _mm256_set_epi32(1, 1, 1, 1, 0, 0, 0, 0))
    }
    @inline(__always)
    func weighted(_ pixels: UnsafeRawPointer, _ laneBytes: Int, _ weights: EvenOdd) -> EvenOdd {
      let lanes =
        laneBytes == 1
        ? _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(pixels.loadUnaligned(as: Int64.self)))
        : _mm256_cvtepu16_epi32(load128(pixels))
      return _mm256_mul_ps(_mm256_cvtepi32_ps(lanes), weights)
    }
    @inline(__always)
    func weighted(_ row: EvenOdd, _ weight: Float) -> EvenOdd { _mm256_mul_ps(row, _mm256_set1_ps(weight)) }
    @inline(__always) func plus(_ a: EvenOdd, _ b: EvenOdd) -> EvenOdd { _mm256_add_ps(a, b) }
    @inline(__always) func joined(_ sum: EvenOdd) -> __m128 {
      _mm_add_ps(sum.lowHalf, sum.highHalf)
    }
  #else
    typealias EvenOdd = (__m128, __m128)
    @inline(__always) func noEvenOdd() -> EvenOdd { (_mm_setzero_ps(), _mm_setzero_ps()) }
    @inline(__always)
    func spreadPair(_ weights: UnsafeRawPointer) -> EvenOdd {
      (
        _mm_set1_ps(weights.loadUnaligned(as: Float.self)),
        _mm_set1_ps(weights.loadUnaligned(fromByteOffset: 4, as: Float.self))
      )
    }
    @inline(__always)
    func weighted(_ pixels: UnsafeRawPointer, _ laneBytes: Int, _ weights: EvenOdd) -> EvenOdd {
      let zero = _mm_setzero_si128()
      let both =
        laneBytes == 1
        ? _mm_unpacklo_epi8(_mm_cvtsi64_si128(pixels.loadUnaligned(as: Int64.self)), zero)
        : load128(pixels)
      let even = _mm_cvtepi32_ps(_mm_unpacklo_epi16(both, zero))
      let odd = _mm_cvtepi32_ps(_mm_unpackhi_epi16(both, zero))
      return (_mm_mul_ps(even, weights.0), _mm_mul_ps(odd, weights.1))
    }
    @inline(__always)
    func weighted(_ row: EvenOdd, _ weight: Float) -> EvenOdd {
      let spread = _mm_set1_ps(weight)
      return (_mm_mul_ps(row.0, spread), _mm_mul_ps(row.1, spread))
    }
    @inline(__always) func plus(_ a: EvenOdd, _ b: EvenOdd) -> EvenOdd { (_mm_add_ps(a.0, b.0), _mm_add_ps(a.1, b.1)) }
    @inline(__always) func joined(_ sum: EvenOdd) -> __m128 { _mm_add_ps(sum.0, sum.1) }
  #endif

  // The private functions below are inlined with constant arguments, so that loops are unrolled and branches resolved
  // at compile time.

  func samplePoints(_ points: UnsafePointer<PointSampling>) {
    let points = points.pointee
    if points.laneBytes == 1 {
      samplePoints(points, laneBytes: 1)
    } else {
      samplePoints(points, laneBytes: 2)
    }
  }

  @inline(__always)
  private func samplePoints(_ points: PointSampling, laneBytes: Int) {
    switch points.taps {
    case 2: samplePoints(points, laneBytes, pairs: 1)
    case 4: samplePoints(points, laneBytes, pairs: 2)
    default: samplePoints(points, laneBytes, pairs: 3)
    }
  }

  /// - Parameter pairs: half of the number of taps, 1 to 3.
  @inline(__always)
  private func samplePoints(_ points: PointSampling, _ laneBytes: Int, pairs: Int) {
    let (frame, stride, count) = (points.frame, points.stride, points.count)
    let (offsets, phases, output) = (points.offsets, points.phases, points.output)
    let (across, down) = (points.across, points.down)
    let (taps, pair) = (2 &* pairs, 8 &* laneBytes)
    var i = 0
    while i < count {
      var row = frame + offsets[i]
      let weights = UnsafeRawPointer(across + Int(truncatingIfNeeded: phases[2 &* i]) &* taps)
      let rowWeights = down + Int(truncatingIfNeeded: phases[2 &* i &+ 1]) &* taps
      let first = spreadPair(weights)
      let second = pairs > 1 ? spreadPair(weights + 8) : noEvenOdd()
      let third = pairs > 2 ? spreadPair(weights + 16) : noEvenOdd()
      // Sums start with their first product: to start at 0 and add the product would take a tenth more time.
      @inline(__always) func rowSum() -> EvenOdd {
        var sum = weighted(row, laneBytes, first)
        if pairs > 1 { sum = plus(sum, weighted(row + pair, laneBytes, second)) }
        if pairs > 2 { sum = plus(sum, weighted(row + 2 &* pair, laneBytes, third)) }
        return sum
      }
      var sum = weighted(rowSum(), rowWeights[0])
      row += stride
      var j = 1
      while j < taps {
        sum = plus(sum, weighted(rowSum(), rowWeights[j]))
        row += stride
        j &+= 1
      }
      output.storeBytes(of: joined(sum), toByteOffset: i &* 16, as: __m128.self)
      i &+= 1
    }
  }
#endif
