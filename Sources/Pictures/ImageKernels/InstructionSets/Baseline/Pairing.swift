#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  func pairPixels(_ rows: RowAddresses, _ bands: Int, _ pairs: Int, _ output: UnsafeMutableRawPointer) {
    switch bands {
    case 1: pairFourRows(rows, pairs, output)
    case 2: pairTwoRows(rows, pairs, output)
    default: pairOneRow(rows[0], bands, pairs, output)
    }
  }

  #if ISA_V4
    private func pairOneRow(_ row: UnsafeRawPointer, _ bands: Int, _ pairs: Int, _ output: UnsafeMutableRawPointer) {
      var from = row
      var index = 0
      if bands == 4 {
        let order = _mm512_set_epi64(
          0x0f0e_0706_0d0c_0504, 0x0b0a_0302_0908_0100, 0x0f0e_0706_0d0c_0504,
          0x0b0a_0302_0908_0100, 0x0f0e_0706_0d0c_0504, 0x0b0a_0302_0908_0100,
          0x0f0e_0706_0d0c_0504, 0x0b0a_0302_0908_0100)
        while index < pairs {
          let four = _mm512_shuffle_epi8(load(from), order)
          output.storeBytes(of: four, toByteOffset: index &* 16, as: Vector.self)
          from += 64
          index &+= 4
        }
      } else {
        let order = _mm512_set_epi64(
          0x0017_0017_0017_0014, 0x0016_0013_0015_0012, 0x0011_0011_0011_000e,
          0x0010_000d_000f_000c, 0x000b_000b_000b_0008, 0x000a_0007_0009_0006,
          0x0005_0005_0005_0002, 0x0004_0001_0003_0000)
        while index < pairs {
          let four = _mm512_permutexvar_epi16(order, load(from))
          output.storeBytes(of: four, toByteOffset: index &* 16, as: Vector.self)
          from += 48
          index &+= 4
        }
      }
    }
  #elseif ISA_V3
    private func pairOneRow(_ row: UnsafeRawPointer, _ bands: Int, _ pairs: Int, _ output: UnsafeMutableRawPointer) {
      let size = bands &* 4
      let order =
        bands == 4
        ? _mm256_set_epi64x(0x0f0e_0706_0d0c_0504, 0x0b0a_0302_0908_0100, 0x0f0e_0706_0d0c_0504, 0x0b0a_0302_0908_0100)
        : _mm256_set_epi64x(0x0f0e_0d0c_0b0a_0504, 0x0908_0302_0706_0100, 0x0f0e_0d0c_0b0a_0504, 0x0908_0302_0706_0100)
      var from = row
      var index = 0
      while index < pairs {
        let two = _mm256_set_m128i(load128(from + size), load128(from))
        output.storeBytes(of: _mm256_shuffle_epi8(two, order), toByteOffset: index &* 16, as: Vector.self)
        from += 2 &* size
        index &+= 2
      }
    }
  #else
    private func pairOneRow(_ row: UnsafeRawPointer, _ bands: Int, _ pairs: Int, _ output: UnsafeMutableRawPointer) {
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
  #endif

  private func pairTwoRows(
    _ rows: RowAddresses, _ pairs: Int, _ output: UnsafeMutableRawPointer
  ) {
    let (upper, lower) = (rows[0], rows[1])
    var index = 0
    while index < pairs {
      let at = index &* 8
      let first = _mm_unpacklo_epi16(load128(upper + at), load128(upper + at + 4))
      let second = _mm_unpacklo_epi16(load128(lower + at), load128(lower + at + 4))
      output.storeBytes(of: _mm_unpacklo_epi64(first, second), toByteOffset: index &* 16, as: Vector128.self)
      index &+= 1
    }
  }

  private func pairFourRows(
    _ rows: RowAddresses, _ pairs: Int, _ output: UnsafeMutableRawPointer
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
