#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  func spreadLanes(_ rows: RowAddresses, _ bands: Int, _ first: Int, _ count: Int, _ output: UnsafeMutableRawPointer) {
    let end = first &+ count
    switch bands {
    case 1: spreadFourRows(rows, first, end, output)
    case 2: spreadTwoRows(rows, first, end, output)
    default: spreadTriples(rows[0], first, end, output)
    }
  }

  @inline(__always)
  private func spreadFourRows(_ rows: RowAddresses, _ first: Int, _ end: Int, _ output: UnsafeMutableRawPointer) {
    let (row0, row1, row2, row3) = (rows[0], rows[1], rows[2], rows[3])
    var x = first
    while x < end {
      let at = x &* 4
      let a = (row0 + at).loadUnaligned(as: __m128.self)
      let b = (row1 + at).loadUnaligned(as: __m128.self)
      let c = (row2 + at).loadUnaligned(as: __m128.self)
      let d = (row3 + at).loadUnaligned(as: __m128.self)
      let abLow = _mm_unpacklo_ps(a, b)
      let abHigh = _mm_unpackhi_ps(a, b)
      let cdLow = _mm_unpacklo_ps(c, d)
      let cdHigh = _mm_unpackhi_ps(c, d)
      let out = output + at &* 4
      out.storeBytes(of: _mm_movelh_ps(abLow, cdLow), as: __m128.self)
      out.storeBytes(of: _mm_movehl_ps(cdLow, abLow), toByteOffset: 16, as: __m128.self)
      out.storeBytes(of: _mm_movelh_ps(abHigh, cdHigh), toByteOffset: 32, as: __m128.self)
      out.storeBytes(of: _mm_movehl_ps(cdHigh, abHigh), toByteOffset: 48, as: __m128.self)
      x &+= 4
    }
  }

  @inline(__always)
  private func spreadTwoRows(_ rows: RowAddresses, _ first: Int, _ end: Int, _ output: UnsafeMutableRawPointer) {
    let (upper, lower) = (rows[0], rows[1])
    var x = first
    while x < end {
      let a = (upper + x &* 8).loadUnaligned(as: __m128.self)
      let b = (lower + x &* 8).loadUnaligned(as: __m128.self)
      let out = output + x &* 16
      out.storeBytes(of: _mm_movelh_ps(a, b), as: __m128.self)
      out.storeBytes(of: _mm_movehl_ps(b, a), toByteOffset: 16, as: __m128.self)
      x &+= 2
    }
  }

  @inline(__always)
  private func spreadTriples(_ row: UnsafeRawPointer, _ first: Int, _ end: Int, _ output: UnsafeMutableRawPointer) {
    var x = first
    while x < end {
      let from = row + x &* 12
      let out = output + x &* 16
      #if ISA_V4
        let places = _mm512_set_epi32(12, 11, 10, 9, 9, 8, 7, 6, 6, 5, 4, 3, 3, 2, 1, 0)
        let four = _mm512_permutexvar_ps(places, from.loadUnaligned(as: __m512.self))
        out.storeBytes(of: four, as: __m512.self)
        x &+= 4
      #elseif ISA_V3
        let places = _mm256_set_epi32(6, 5, 4, 3, 3, 2, 1, 0)
        let two = _mm256_permutevar8x32_ps(from.loadUnaligned(as: __m256.self), places)
        out.storeBytes(of: two, as: __m256.self)
        x &+= 2
      #else
        out.storeBytes(of: from.loadUnaligned(as: __m128.self), as: __m128.self)
        x &+= 1
      #endif
    }
  }
#endif
