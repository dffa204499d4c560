#if arch(x86_64)
  import CKernels
  import CProcessor
  import _Builtin_intrinsics.intel

  func premultiplyPairs8(_ products: UnsafePointer<PairProducts>) {
    let products = products.pointee
    let (rows, offset, count) = (products.rows, products.offset, products.count)
    let ahead = products.ahead
    let size = MemoryLayout<Vector>.size
    let zero = broadcast(0)
    var pair = 0
    while pair < products.pairs {
      let (upper, lower) = (rows[2 &* pair] + offset, rows[2 &* pair &+ 1] + offset)
      var out = UnsafeMutableRawPointer(mutating: products.outputs[pair])
      var i = 0
      while i < count {
        if i & 63 == 0 {
          imghost_prefetch_line(upper + i + ahead)
          imghost_prefetch_line(lower + i + ahead)
        }
        let (p, q) = (load(upper + i), load(lower + i))
        let (low, high) = (unpackLow8(p, q), unpackHigh8(p, q))
        storeProducts(unpackLow8(low, zero), out)
        storeProducts(unpackHigh8(low, zero), out + size)
        storeProducts(unpackLow8(high, zero), out + 2 &* size)
        storeProducts(unpackHigh8(high, zero), out + 3 &* size)
        out += 4 &* size
        i &+= size
      }
      pair &+= 1
    }
  }

  /// Stores the halved products of pixels of two rows, `r0 r1 g0 g1 b0 b1 a0 a1`.
  @inline(__always)
  private func storeProducts(_ pixels: Vector, _ output: UnsafeMutableRawPointer) {
    output.storeBytes(of: halvedProducts(pixels, factors(pixels)), as: Vector.self)
  }

  #if ISA_V4
    /// Returns alpha as the factor for colours, and 255 for alpha.
    @inline(__always)
    private func factors(_ pixels: Vector) -> Vector {
      _mm512_castps_si512(
        _mm512_mask_permutevar_ps(
          _mm512_castsi512_ps(_mm512_set1_epi32(0x00ff_00ff)), 0x7777,
          _mm512_castsi512_ps(pixels), _mm512_set1_epi32(3)))
    }
    @inline(__always)
    private func halvedProducts(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_srl_epi16(_mm512_mullo_epi16(a, b), _mm_cvtsi32_si128(1))
    }
  #elseif ISA_V3
    @inline(__always)
    private func factors(_ pixels: Vector) -> Vector {
      let alpha = _mm256_permutevar_ps(_mm256_castsi256_ps(pixels), _mm256_set1_epi32(3))
      let full: Int32 = 0x00ff_00ff
      return _mm256_or_si256(_mm256_castps_si256(alpha), _mm256_set_epi32(full, 0, 0, 0, full, 0, 0, 0))
    }
    @inline(__always)
    private func halvedProducts(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_srl_epi16(_mm256_mullo_epi16(a, b), _mm_cvtsi32_si128(1))
    }
  #else
    @inline(__always)
    private func factors(_ pixels: Vector) -> Vector {
      let high = _mm_unpackhi_epi32(pixels, pixels)
      return _mm_or_si128(
        _mm_unpackhi_epi64(high, high), _mm_set_epi32(0x00ff_00ff, 0, 0, 0))
    }
    @inline(__always)
    private func halvedProducts(_ a: Vector, _ b: Vector) -> Vector {
      _mm_srl_epi16(_mm_mullo_epi16(a, b), _mm_cvtsi32_si128(1))
    }
  #endif
#endif
