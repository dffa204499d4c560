// The files of this folder are compiled once per instruction set: ImageKernelsV3 and ImageKernelsV4 contain symbolic
// links to them. They use only raw pointers and intrinsics: generic functions and specialisations of the standard
// library would be weak symbols, which the linker may share with code for older processors.
#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Four 32-bit sums, or eight 16-bit samples.
  typealias Vector128 = __m128i

  @inline(__always)
  func load128(_ address: UnsafeRawPointer) -> Vector128 { address.loadUnaligned(as: Vector128.self) }

  #if ISA_V4
    typealias Vector = __m512i
    @inline(__always) func broadcast(_ value: Int32) -> Vector { _mm512_set1_epi32(value) }
    @inline(__always) func unpackLow8(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_unpacklo_epi8(a, b)
    }
    @inline(__always) func unpackHigh8(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_unpackhi_epi8(a, b)
    }
    @inline(__always) func unpackLow16(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_unpacklo_epi16(a, b)
    }
    @inline(__always) func unpackHigh16(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_unpackhi_epi16(a, b)
    }
    @inline(__always) func add16(_ a: Vector, _ b: Vector) -> Vector { _mm512_add_epi16(a, b) }
    @inline(__always) func flip(_ a: Vector, _ b: Vector) -> Vector { _mm512_xor_si512(a, b) }
    /// Returns the 16-bit numbers of `a` followed by those of `b` as bytes, in order.
    @inline(__always) func packBytes(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_permutexvar_epi64(
        _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), _mm512_packus_epi16(a, b))
    }
    /// Returns `sum + a[2i] b[2i] + a[2i+1] b[2i+1]`: `vpdpwssd`.
    @inline(__always) func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
      _mm512_dpwssd_epi32(sum, a, b)
    }
    @inline(__always) func shiftRight(_ a: Vector, _ count: Vector128) -> Vector {
      _mm512_sra_epi32(a, count)
    }
    @inline(__always) func shiftLeft(_ a: Vector, _ count: Vector128) -> Vector {
      _mm512_sll_epi32(a, count)
    }
    /// Returns 32-bit numbers, each with the lower half of the number in `a` and the upper half of the number in `b`.
    @inline(__always) func wordPairs(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_mask_mov_epi16(a, 0xaaaa_aaaa, b)
    }
    @inline(__always) func pack16(_ a: Vector, _ b: Vector) -> Vector {
      _mm512_packs_epi32(a, b)
    }
    /// Stores the 128-bit lanes of two vectors alternately, beginning with the first of `low`.
    @inline(__always)
    func storeLanes(_ low: Vector, _ high: Vector, _ output: UnsafeMutableRawPointer) {
      let first = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0)
      let second = _mm512_set_epi64(15, 14, 7, 6, 13, 12, 5, 4)
      output.storeBytes(of: _mm512_permutex2var_epi64(low, first, high), as: Vector.self)
      output.storeBytes(of: _mm512_permutex2var_epi64(low, second, high), toByteOffset: 64, as: Vector.self)
    }
  #elseif ISA_V3
    typealias Vector = __m256i
    @inline(__always) func broadcast(_ value: Int32) -> Vector { _mm256_set1_epi32(value) }
    @inline(__always) func unpackLow8(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_unpacklo_epi8(a, b)
    }
    @inline(__always) func unpackHigh8(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_unpackhi_epi8(a, b)
    }
    @inline(__always) func unpackLow16(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_unpacklo_epi16(a, b)
    }
    @inline(__always) func unpackHigh16(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_unpackhi_epi16(a, b)
    }
    @inline(__always) func add16(_ a: Vector, _ b: Vector) -> Vector { _mm256_add_epi16(a, b) }
    @inline(__always) func flip(_ a: Vector, _ b: Vector) -> Vector { _mm256_xor_si256(a, b) }
    @inline(__always) func packBytes(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_permutevar8x32_epi32(_mm256_packus_epi16(a, b), _mm256_set_epi32(7, 6, 3, 2, 5, 4, 1, 0))
    }
    /// Returns `sum + a[2i] b[2i] + a[2i+1] b[2i+1]`: `vpmaddwd`.
    @inline(__always) func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
      _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))
    }
    @inline(__always) func shiftRight(_ a: Vector, _ count: Vector128) -> Vector {
      _mm256_sra_epi32(a, count)
    }
    @inline(__always) func shiftLeft(_ a: Vector, _ count: Vector128) -> Vector {
      _mm256_sll_epi32(a, count)
    }
    @inline(__always) func wordPairs(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_blendv_epi8(a, b, _mm256_set1_epi32(Int32(bitPattern: 0xffff_0000)))
    }
    @inline(__always) func pack16(_ a: Vector, _ b: Vector) -> Vector {
      _mm256_packs_epi32(a, b)
    }
    @inline(__always)
    func storeLanes(_ low: Vector, _ high: Vector, _ output: UnsafeMutableRawPointer) {
      output.storeBytes(of: low.lowHalf, as: Vector128.self)
      output.storeBytes(of: high.lowHalf, toByteOffset: 16, as: Vector128.self)
      output.storeBytes(of: low.highHalf, toByteOffset: 32, as: Vector128.self)
      output.storeBytes(of: high.highHalf, toByteOffset: 48, as: Vector128.self)
    }
  #else
    typealias Vector = __m128i
    @inline(__always) func broadcast(_ value: Int32) -> Vector { _mm_set1_epi32(value) }
    @inline(__always) func unpackLow8(_ a: Vector, _ b: Vector) -> Vector {
      _mm_unpacklo_epi8(a, b)
    }
    @inline(__always) func unpackHigh8(_ a: Vector, _ b: Vector) -> Vector {
      _mm_unpackhi_epi8(a, b)
    }
    @inline(__always) func unpackLow16(_ a: Vector, _ b: Vector) -> Vector {
      _mm_unpacklo_epi16(a, b)
    }
    @inline(__always) func unpackHigh16(_ a: Vector, _ b: Vector) -> Vector {
      _mm_unpackhi_epi16(a, b)
    }
    @inline(__always) func add16(_ a: Vector, _ b: Vector) -> Vector { _mm_add_epi16(a, b) }
    @inline(__always) func flip(_ a: Vector, _ b: Vector) -> Vector { _mm_xor_si128(a, b) }
    @inline(__always) func packBytes(_ a: Vector, _ b: Vector) -> Vector {
      _mm_packus_epi16(a, b)
    }
    /// Returns `sum + a[2i] b[2i] + a[2i+1] b[2i+1]`: `pmaddwd`.
    @inline(__always) func dot(_ sum: Vector, _ a: Vector, _ b: Vector) -> Vector {
      _mm_add_epi32(sum, _mm_madd_epi16(a, b))
    }
    @inline(__always) func shiftRight(_ a: Vector, _ count: Vector128) -> Vector {
      _mm_sra_epi32(a, count)
    }
    @inline(__always) func shiftLeft(_ a: Vector, _ count: Vector128) -> Vector {
      _mm_sll_epi32(a, count)
    }
    @inline(__always) func wordPairs(_ a: Vector, _ b: Vector) -> Vector {
      let upper = _mm_set1_epi32(Int32(bitPattern: 0xffff_0000))
      return _mm_or_si128(_mm_andnot_si128(upper, a), _mm_and_si128(upper, b))
    }
    @inline(__always) func pack16(_ a: Vector, _ b: Vector) -> Vector { _mm_packs_epi32(a, b) }
    @inline(__always)
    func storeLanes(_ low: Vector, _ high: Vector, _ output: UnsafeMutableRawPointer) {
      output.storeBytes(of: low, as: Vector.self)
      output.storeBytes(of: high, toByteOffset: 16, as: Vector.self)
    }
  #endif

  @inline(__always)
  func load(_ address: UnsafeRawPointer) -> Vector { address.loadUnaligned(as: Vector.self) }
#endif
