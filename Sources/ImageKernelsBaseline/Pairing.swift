#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Interleaves the pixels of `rows` two by two for `weighPixels8`: 16-bit samples as
  /// `r0 r1 g0 g1 b0 b1 x x`, 16 bytes a pair.
  ///
  /// Four lanes are filled whatever the bands: with 3 or 4 bands from one row, with 2 bands from two
  /// rows, with 1 band from four rows.
  ///
  /// - Parameters:
  ///   - rows: 1, 2 or 4 rows of interleaved 16-bit samples, readable 16 bytes past the last pair.
  ///   - pairs: how many pairs of pixels, even; `output` has room for 16 bytes each.
  public func pairPixels(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ bands: Int, _ pairs: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    switch bands {
    case 1: pairFourRows(rows, pairs, output)
    case 2: pairTwoRows(rows, pairs, output)
    default: pairOneRow(rows[0], bands, pairs, output)
    }
  }

  private func pairOneRow(
    _ row: UnsafeRawPointer, _ bands: Int, _ pairs: Int, _ output: UnsafeMutableRawPointer
  ) {
    let pixel = bands &* 2
    var from = row
    var index = 0
    while index < pairs {
      let both = _mm_unpacklo_epi16(load128(from), load128(from + pixel))
      output.storeBytes(of: both, toByteOffset: index &* 16, as: Vector128.self)
      from += 2 &* pixel
      index &+= 1
    }
  }

  private func pairTwoRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ pairs: Int, _ output: UnsafeMutableRawPointer
  ) {
    let (upper, lower) = (rows[0], rows[1])
    var index = 0
    while index < pairs {
      let at = index &* 8
      let first = _mm_unpacklo_epi16(load128(upper + at), load128(upper + at + 4))
      let second = _mm_unpacklo_epi16(load128(lower + at), load128(lower + at + 4))
      output.storeBytes(
        of: _mm_unpacklo_epi64(first, second), toByteOffset: index &* 16, as: Vector128.self)
      index &+= 1
    }
  }

  private func pairFourRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ pairs: Int, _ output: UnsafeMutableRawPointer
  ) {
    let (row0, row1, row2, row3) = (rows[0], rows[1], rows[2], rows[3])
    var index = 0
    while index < pairs {
      let at = index &* 4
      let upper = _mm_unpacklo_epi32(load128(row0 + at), load128(row1 + at))
      let lower = _mm_unpacklo_epi32(load128(row2 + at), load128(row3 + at))
      let out = output + index &* 16
      out.storeBytes(of: _mm_unpacklo_epi64(upper, lower), as: Vector128.self)
      out.storeBytes(of: _mm_unpackhi_epi64(upper, lower), toByteOffset: 16, as: Vector128.self)
      index &+= 2
    }
  }
#endif
