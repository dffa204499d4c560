#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  /// Two adjacent points of the grid. With four bands, the fourth band is interpolated between them.
  #if ISA_V3 || ISA_V4
    private typealias Points = __m256
    @inline(__always) private func scaled(_ points: UnsafeRawPointer, _ weight: __m128) -> Points {
      _mm256_mul_ps(points.loadUnaligned(as: __m256.self), _mm256_set_m128(weight, weight))
    }
    @inline(__always) private func sum(_ a: Points, _ b: Points) -> Points { _mm256_add_ps(a, b) }
    @inline(__always) private func halves(_ points: Points) -> (__m128, __m128) { (points.lowHalf, points.highHalf) }
  #else
    private typealias Points = (__m128, __m128)
    @inline(__always) private func scaled(_ points: UnsafeRawPointer, _ weight: __m128) -> Points {
      (
        _mm_mul_ps(points.loadUnaligned(as: __m128.self), weight),
        _mm_mul_ps(points.loadUnaligned(fromByteOffset: 16, as: __m128.self), weight)
      )
    }
    @inline(__always) private func sum(_ a: Points, _ b: Points) -> Points {
      (_mm_add_ps(a.0, b.0), _mm_add_ps(a.1, b.1))
    }
    @inline(__always) private func halves(_ points: Points) -> (__m128, __m128) { points }
  #endif

  func sampleColours(_ sampling: UnsafePointer<ColourSampling>) {
    let sampling = sampling.pointee
    switch (sampling.sourceBands, sampling.sampleBytes) {
    case (3, 1): sampleColours(sampling, bands: 3, bytes: 1)
    case (3, _): sampleColours(sampling, bands: 3, bytes: 2)
    case (_, 1): sampleColours(sampling, bands: 4, bytes: 1)
    default: sampleColours(sampling, bands: 4, bytes: 2)
    }
  }

  /// Converts the pixels. This function is inlined with constant arguments, so that branches are resolved at compile
  /// time.
  @inline(__always)
  private func sampleColours(_ sampling: ColourSampling, bands: Int, bytes: Int) {
    let points = sampling.points
    let steps = Float(sampling.steps)
    let strides =
      bands == 4
      ? _mm_set_ps(16, 16 * steps * steps * steps, 16 * steps * steps, 16 * steps)
      : _mm_set_ps(0, 16 * steps * steps, 16 * steps, 16)
    let scale = _mm_set1_ps(sampling.scale)
    let last = _mm_set1_epi32(Int32(truncatingIfNeeded: sampling.steps &- 2))
    let one = _mm_set1_ps(1)
    let top = _mm_set1_ps(bytes == 1 ? 255 : 65_535)
    let corners = sampling.corners
    let (sourceStep, outputStep) = (sampling.sourceSamples &* bytes, sampling.outputSamples &* bytes)
    let alpha = sampling.hasAlpha ? sourceStep &- bytes : -1
    let outputAlpha = outputStep &- bytes
    var (from, to) = (sampling.source, sampling.output)
    var left = sampling.count
    while left > 0 {
      let position = _mm_mul_ps(_mm_cvtepi32_ps(pixel(from, sourceStep, bytes, isLast: left == 1)), scale)
      // This is the minimum of `whole` and `last` without SSE4: the mask is -1 where `whole` is `last` + 1.
      let whole = _mm_cvttps_epi32(position)
      let isBeyond = _mm_cmpgt_epi32(whole, last)
      let index = _mm_cvtepi32_ps(_mm_add_epi32(whole, isBeyond))
      let rest = _mm_sub_ps(position, index)
      let places = _mm_cvttps_epi32(_mm_mul_ps(index, strides))
      // The four lanes are summed: first both halves, then adjacent lanes.
      let half = _mm_add_epi32(places, _mm_unpackhi_epi64(places, places))
      let offset = _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_srli_epi64(half, 32)))
      let first = points + Int(truncatingIfNeeded: offset)
      // In `next`, the second fraction is in the first lane, the third in the second, and the first in the third.
      let third = _mm_movehl_ps(rest, rest)
      let pairs = _mm_unpacklo_ps(rest, third)
      let next = _mm_movelh_ps(_mm_unpacklo_ps(_mm_movehl_ps(pairs, pairs), third), rest)
      let order = Int(truncatingIfNeeded: _mm_movemask_ps(_mm_cmpge_ps(rest, next)) & 7)
      let largest = _mm_max_ps(_mm_max_ps(rest, next), third)
      let least = _mm_min_ps(_mm_min_ps(rest, next), third)
      let middle = _mm_max_ps(_mm_min_ps(rest, next), _mm_min_ps(_mm_max_ps(rest, next), third))
      // The fractions in descending order. `near`, `far` and `end` are the corners after `first`.
      let (a, b, c) = (lane0(largest), lane0(middle), lane0(least))
      let (near, far) = (first + Int(corners[2 &* order]), first + Int(corners[2 &* order &+ 1]))
      let end = first + Int(corners[16])
      let colour: __m128
      if bands == 4 {
        var sums = sum(scaled(first, _mm_sub_ps(one, a)), scaled(near, _mm_sub_ps(a, b)))
        sums = sum(sums, scaled(far, _mm_sub_ps(b, c)))
        let (low, high) = halves(sum(sums, scaled(end, c)))
        colour = _mm_add_ps(low, _mm_mul_ps(_mm_sub_ps(high, low), lane3(rest)))
      } else {
        var sums = _mm_add_ps(
          _mm_mul_ps(floats(first), _mm_sub_ps(one, a)), _mm_mul_ps(floats(near), _mm_sub_ps(a, b)))
        sums = _mm_add_ps(sums, _mm_mul_ps(floats(far), _mm_sub_ps(b, c)))
        colour = _mm_add_ps(sums, _mm_mul_ps(floats(end), c))
      }
      let inRange = _mm_max_ps(_mm_min_ps(colour, top), _mm_setzero_ps())
      store(_mm_cvtps_epi32(inRange), to, sampling.targetBands, bytes, isLast: left == 1)
      if alpha >= 0 {
        if bytes == 1 {
          to.storeBytes(of: from.load(fromByteOffset: alpha, as: UInt8.self), toByteOffset: outputAlpha, as: UInt8.self)
        } else {
          to.storeBytes(
            of: from.load(fromByteOffset: alpha, as: UInt16.self), toByteOffset: outputAlpha, as: UInt16.self)
        }
      }
      from += sourceStep
      to += outputStep
      left &-= 1
    }
  }

  @inline(__always) private func floats(_ address: UnsafeRawPointer) -> __m128 {
    address.loadUnaligned(as: __m128.self)
  }
  #if ISA_V3 || ISA_V4
    @inline(__always) private func lane0(_ a: __m128) -> __m128 { _mm_broadcastss_ps(a) }
    @inline(__always) private func lane3(_ a: __m128) -> __m128 { _mm_permutevar_ps(a, _mm_set1_epi32(3)) }
  #else
    @inline(__always) private func lane0(_ a: __m128) -> __m128 {
      let low = _mm_unpacklo_ps(a, a)
      return _mm_movelh_ps(low, low)
    }
    @inline(__always) private func lane3(_ a: __m128) -> __m128 {
      let high = _mm_unpackhi_ps(a, a)
      return _mm_movehl_ps(high, high)
    }
  #endif

  /// Reads four samples; the last pixel's are read individually if there are only three.
  @inline(__always)
  private func pixel(_ address: UnsafeRawPointer, _ step: Int, _ bytes: Int, isLast: Bool) -> Vector128 {
    let zero = _mm_setzero_si128()
    if bytes == 1 {
      var samples: Int32
      if isLast && step == 3 {
        samples = Int32(address.loadUnaligned(as: UInt16.self))
        samples |= Int32(address.load(fromByteOffset: 2, as: UInt8.self)) &<< 16
      } else {
        samples = address.loadUnaligned(as: Int32.self)
      }
      return _mm_unpacklo_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(samples), zero), zero)
    }
    var samples: Int64
    if isLast && step == 6 {
      samples = Int64(address.loadUnaligned(as: UInt32.self))
      samples |= Int64(address.load(fromByteOffset: 4, as: UInt16.self)) &<< 32
    } else {
      samples = address.loadUnaligned(as: Int64.self)
    }
    return _mm_unpacklo_epi16(_mm_cvtsi64_si128(samples), zero)
  }

  /// Writes `bands` samples, or one more that the next pixel overwrites.
  @inline(__always)
  private func store(_ levels: Vector128, _ address: UnsafeMutableRawPointer, _ bands: Int, _ bytes: Int, isLast: Bool)
  {
    if bytes == 1 {
      let words = _mm_packs_epi32(levels, levels)
      let samples = _mm_cvtsi128_si32(_mm_packus_epi16(words, words))
      if bands == 4 || bands == 3 && !isLast {
        address.storeBytes(of: samples, as: Int32.self)
      } else {
        address.storeBytes(of: UInt8(truncatingIfNeeded: samples), as: UInt8.self)
        if bands == 3 {
          address.storeBytes(of: UInt8(truncatingIfNeeded: samples &>> 8), toByteOffset: 1, as: UInt8.self)
          address.storeBytes(of: UInt8(truncatingIfNeeded: samples &>> 16), toByteOffset: 2, as: UInt8.self)
        }
      }
      return
    }
    let signed = _mm_packs_epi32(
      _mm_sub_epi32(levels, _mm_set1_epi32(32_768)), _mm_sub_epi32(levels, _mm_set1_epi32(32_768)))
    let samples = _mm_cvtsi128_si64(_mm_xor_si128(signed, _mm_set1_epi16(-32_768)))
    if bands == 4 || bands == 3 && !isLast {
      address.storeBytes(of: samples, as: Int64.self)
    } else {
      address.storeBytes(of: UInt16(truncatingIfNeeded: samples), as: UInt16.self)
      if bands == 3 {
        address.storeBytes(of: UInt16(truncatingIfNeeded: samples &>> 16), toByteOffset: 2, as: UInt16.self)
        address.storeBytes(of: UInt16(truncatingIfNeeded: samples &>> 32), toByteOffset: 4, as: UInt16.self)
      }
    }
  }
#endif
