#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // Interleaving of eight rows of floats sample by sample, and the inverse for 16-bit samples.

  /// Interleaves eight rows of floats: the eight floats with the same index become adjacent. Rows are `size` bytes
  /// long, a multiple of 128, and follow one another. With vectors of sixteen floats, rows consist of pairs of vectors:
  /// the first one has the first four of every eight samples, the second one the last four.
  @inline(__always)
  func interleaveEight(
    _ rows: UnsafeRawPointer, _ size: Int, _ output: UnsafeMutableRawPointer
  ) {
    var at = 0
    while at < size {
      interleaveVectors(rows + at, size, output + at &* 8)
      at &+= MemoryLayout<Floats>.size
      #if ISA_V4
        interleaveVectors(rows + at, size, output + (at &* 8 &- 384))
        at &+= MemoryLayout<Floats>.size
      #endif
    }
  }

  /// Returns `a0 b0 a1 b1` for each group of four lanes; `highPairs` returns `a2 b2 a3 b3`, `lowHalves` `a0 a1 b0 b1`,
  /// and `highHalves` `a2 a3 b2 b3`.
  @inline(__always) private func lowPairs(_ a: Floats, _ b: Floats) -> Floats {
    #if ISA_V4
      _mm512_unpacklo_ps(a, b)
    #elseif ISA_V3
      _mm256_unpacklo_ps(a, b)
    #else
      _mm_unpacklo_ps(a, b)
    #endif
  }
  @inline(__always) private func highPairs(_ a: Floats, _ b: Floats) -> Floats {
    #if ISA_V4
      _mm512_unpackhi_ps(a, b)
    #elseif ISA_V3
      _mm256_unpackhi_ps(a, b)
    #else
      _mm_unpackhi_ps(a, b)
    #endif
  }
  @inline(__always) private func lowHalves(_ a: Floats, _ b: Floats) -> Floats {
    #if ISA_V4
      _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
    #elseif ISA_V3
      _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
    #else
      _mm_movelh_ps(a, b)
    #endif
  }
  @inline(__always) private func highHalves(_ a: Floats, _ b: Floats) -> Floats {
    #if ISA_V4
      _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)))
    #elseif ISA_V3
      _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)))
    #else
      _mm_movehl_ps(b, a)
    #endif
  }

  /// Transposes one vector of each of four rows in groups of four samples. The first result has the first sample of
  /// every group, the second result the second sample, and so on.
  @inline(__always)
  private func fours(
    _ rows: UnsafeRawPointer, _ size: Int
  ) -> (Floats, Floats, Floats, Floats) {
    let row0 = rows.loadUnaligned(as: Floats.self)
    let row1 = (rows + size).loadUnaligned(as: Floats.self)
    let row2 = (rows + 2 &* size).loadUnaligned(as: Floats.self)
    let row3 = (rows + 3 &* size).loadUnaligned(as: Floats.self)
    let (low01, high01) = (lowPairs(row0, row1), highPairs(row0, row1))
    let (low23, high23) = (lowPairs(row2, row3), highPairs(row2, row3))
    return (lowHalves(low01, low23), highHalves(low01, low23), lowHalves(high01, high23), highHalves(high01, high23))
  }

  @inline(__always)
  private func interleaveVectors(_ rows: UnsafeRawPointer, _ size: Int, _ output: UnsafeMutableRawPointer) {
    let upper = fours(rows, size)
    let lower = fours(rows + 4 &* size, size)
    storeSamples(upper.0, lower.0, output)
    storeSamples(upper.1, lower.1, output + 32)
    storeSamples(upper.2, lower.2, output + 64)
    storeSamples(upper.3, lower.3, output + 96)
  }

  /// Stores one sample of each group of four: `upper` has those of rows 0 to 3, `lower` those of rows 4 to 7.
  @inline(__always)
  private func storeSamples(
    _ upper: Floats, _ lower: Floats, _ output: UnsafeMutableRawPointer
  ) {
    #if ISA_V4
      let first = _mm512_permutex2var_ps(
        upper, _mm512_set_epi32(23, 22, 21, 20, 7, 6, 5, 4, 19, 18, 17, 16, 3, 2, 1, 0), lower)
      let second = _mm512_permutex2var_ps(
        upper, _mm512_set_epi32(31, 30, 29, 28, 15, 14, 13, 12, 27, 26, 25, 24, 11, 10, 9, 8), lower)
      output.storeBytes(of: first.lowHalf, as: __m256.self)
      output.storeBytes(of: first.highHalf, toByteOffset: 256, as: __m256.self)
      output.storeBytes(of: second.lowHalf, toByteOffset: 512, as: __m256.self)
      output.storeBytes(of: second.highHalf, toByteOffset: 768, as: __m256.self)
    #elseif ISA_V3
      output.storeBytes(of: _mm256_set_m128(lower.lowHalf, upper.lowHalf), as: __m256.self)
      output.storeBytes(of: _mm256_set_m128(lower.highHalf, upper.highHalf), toByteOffset: 128, as: __m256.self)
    #else
      output.storeBytes(of: upper, as: __m128.self)
      output.storeBytes(of: lower, toByteOffset: 16, as: __m128.self)
    #endif
  }

  func splitEightRows16(_ samples: UnsafeRawPointer, _ first: Int, _ count: Int, _ outputs: OutputAddresses) {
    let end = first &+ count
    var i = first
    while i &+ 8 <= end {
      splitEight(samples + i &* 16, i &* 2, outputs)
      i &+= 8
    }
    while i < end {
      var row = 0
      while row < 8 {
        let sample = samples.loadUnaligned(fromByteOffset: i &* 16 &+ row &* 2, as: Int16.self)
        outputs[row].storeBytes(of: sample, toByteOffset: i &* 2, as: Int16.self)
        row &+= 1
      }
      i &+= 1
    }
  }

  @inline(__always)
  private func splitEight(
    _ samples: UnsafeRawPointer, _ at: Int, _ outputs: OutputAddresses
  ) {
    let (s0, s1) = (load128(samples), load128(samples + 16))
    let (s2, s3) = (load128(samples + 32), load128(samples + 48))
    let (s4, s5) = (load128(samples + 64), load128(samples + 80))
    let (s6, s7) = (load128(samples + 96), load128(samples + 112))
    let (a0, a1) = (_mm_unpacklo_epi16(s0, s1), _mm_unpackhi_epi16(s0, s1))
    let (b0, b1) = (_mm_unpacklo_epi16(s2, s3), _mm_unpackhi_epi16(s2, s3))
    let (c0, c1) = (_mm_unpacklo_epi16(s4, s5), _mm_unpackhi_epi16(s4, s5))
    let (d0, d1) = (_mm_unpacklo_epi16(s6, s7), _mm_unpackhi_epi16(s6, s7))
    storeRows(_mm_unpacklo_epi32(a0, b0), _mm_unpacklo_epi32(c0, d0), outputs[0] + at, outputs[1] + at)
    storeRows(_mm_unpackhi_epi32(a0, b0), _mm_unpackhi_epi32(c0, d0), outputs[2] + at, outputs[3] + at)
    storeRows(_mm_unpacklo_epi32(a1, b1), _mm_unpacklo_epi32(c1, d1), outputs[4] + at, outputs[5] + at)
    storeRows(_mm_unpackhi_epi32(a1, b1), _mm_unpackhi_epi32(c1, d1), outputs[6] + at, outputs[7] + at)
  }

  @inline(__always)
  private func storeRows(
    _ first: Vector128, _ last: Vector128, _ upper: UnsafeMutableRawPointer, _ lower: UnsafeMutableRawPointer
  ) {
    upper.storeBytes(of: _mm_unpacklo_epi64(first, last), as: Vector128.self)
    lower.storeBytes(of: _mm_unpackhi_epi64(first, last), as: Vector128.self)
  }
#endif
