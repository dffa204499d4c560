#if arch(x86_64)
  import _Builtin_intrinsics.intel

  #if ISA_V3
    /// Eight 16-bit numbers, or four 32-bit numbers, of each of two blocks.
    ///
    /// No operation moves numbers from one half to the other, so the same source works for one block and for two.
    typealias Lanes = __m256i
    /// The number of blocks in a vector.
    @inline(__always) var blocksAtOnce: Int { 2 }

    /// Loads a row of coefficients of both blocks.
    @inline(__always)
    func loadRow(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ row: Int) -> Lanes {
      Lanes(
        lowHalf: first.loadUnaligned(fromByteOffset: row &* 16, as: __m128i.self),
        highHalf: second.loadUnaligned(fromByteOffset: row &* 16, as: __m128i.self))
    }
    @inline(__always) func firstBlock(_ a: Lanes) -> __m128i { a.lowHalf }
    @inline(__always) func secondBlock(_ a: Lanes) -> __m128i { a.highHalf }
    @inline(__always) func zero() -> Lanes { _mm256_setzero_si256() }
    @inline(__always) func all16(_ value: Int16) -> Lanes { _mm256_set1_epi16(value) }
    @inline(__always) func all32(_ value: Int32) -> Lanes { _mm256_set1_epi32(value) }
    @inline(__always) func all8(_ value: Int8) -> Lanes { _mm256_set1_epi8(value) }
    @inline(__always) func add16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_add_epi16(a, b) }
    @inline(__always) func subtract16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_sub_epi16(a, b) }
    @inline(__always) func add8(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_add_epi8(a, b) }
    @inline(__always) func add32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_add_epi32(a, b) }
    @inline(__always) func subtract32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_sub_epi32(a, b) }
    @inline(__always) func dot(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_madd_epi16(a, b) }
    @inline(__always)
    func shiftRight32(_ a: Lanes, _ count: Int32) -> Lanes { _mm256_srai_epi32(a, count) }
    @inline(__always)
    func shiftLeft32(_ a: Lanes, _ count: Int32) -> Lanes { _mm256_slli_epi32(a, count) }
    /// Drops the low bits of each number: shifts right, and fills with zeros.
    @inline(__always)
    func dropLow32(_ a: Lanes, _ count: Int32) -> Lanes { _mm256_srli_epi32(a, count) }
    @inline(__always)
    func dropLow64(_ a: Lanes, _ count: Int32) -> Lanes { _mm256_srli_epi64(a, count) }
    @inline(__always) func either(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_or_si256(a, b) }
    @inline(__always) func both(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_and_si256(a, b) }
    @inline(__always) func pack32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_packs_epi32(a, b) }
    @inline(__always) func pack16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_packs_epi16(a, b) }
    @inline(__always) func zipLow8(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpacklo_epi8(a, b) }
    @inline(__always) func zipHigh8(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpackhi_epi8(a, b) }
    @inline(__always)
    func zipLow16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpacklo_epi16(a, b) }
    @inline(__always)
    func zipHigh16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpackhi_epi16(a, b) }
    @inline(__always)
    func zipLow32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpacklo_epi32(a, b) }
    @inline(__always)
    func zipHigh32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpackhi_epi32(a, b) }
    @inline(__always)
    func zipLow64(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpacklo_epi64(a, b) }
    @inline(__always)
    func zipHigh64(_ a: Lanes, _ b: Lanes) -> Lanes { _mm256_unpackhi_epi64(a, b) }
  #else
    /// Eight 16-bit numbers, or four 32-bit numbers, of one block.
    typealias Lanes = __m128i
    @inline(__always) var blocksAtOnce: Int { 1 }

    /// Loads a row of coefficients of the first block.
    @inline(__always)
    func loadRow(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, _ row: Int) -> Lanes {
      first.loadUnaligned(fromByteOffset: row &* 16, as: __m128i.self)
    }
    @inline(__always) func firstBlock(_ a: Lanes) -> __m128i { a }
    @inline(__always) func secondBlock(_ a: Lanes) -> __m128i { a }
    @inline(__always) func zero() -> Lanes { _mm_setzero_si128() }
    @inline(__always) func all16(_ value: Int16) -> Lanes { _mm_set1_epi16(value) }
    @inline(__always) func all32(_ value: Int32) -> Lanes { _mm_set1_epi32(value) }
    @inline(__always) func all8(_ value: Int8) -> Lanes { _mm_set1_epi8(value) }
    @inline(__always) func add16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_add_epi16(a, b) }
    @inline(__always) func subtract16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_sub_epi16(a, b) }
    @inline(__always) func add8(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_add_epi8(a, b) }
    @inline(__always) func add32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_add_epi32(a, b) }
    @inline(__always) func subtract32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_sub_epi32(a, b) }
    @inline(__always) func dot(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_madd_epi16(a, b) }
    @inline(__always)
    func shiftRight32(_ a: Lanes, _ count: Int32) -> Lanes { _mm_srai_epi32(a, count) }
    @inline(__always)
    func shiftLeft32(_ a: Lanes, _ count: Int32) -> Lanes { _mm_slli_epi32(a, count) }
    @inline(__always)
    func dropLow32(_ a: Lanes, _ count: Int32) -> Lanes { _mm_srli_epi32(a, count) }
    @inline(__always)
    func dropLow64(_ a: Lanes, _ count: Int32) -> Lanes { _mm_srli_epi64(a, count) }
    @inline(__always) func either(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_or_si128(a, b) }
    @inline(__always) func both(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_and_si128(a, b) }
    @inline(__always) func pack32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_packs_epi32(a, b) }
    @inline(__always) func pack16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_packs_epi16(a, b) }
    @inline(__always) func zipLow8(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpacklo_epi8(a, b) }
    @inline(__always) func zipHigh8(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpackhi_epi8(a, b) }
    @inline(__always) func zipLow16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpacklo_epi16(a, b) }
    @inline(__always) func zipHigh16(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpackhi_epi16(a, b) }
    @inline(__always) func zipLow32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpacklo_epi32(a, b) }
    @inline(__always) func zipHigh32(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpackhi_epi32(a, b) }
    @inline(__always) func zipLow64(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpacklo_epi64(a, b) }
    @inline(__always) func zipHigh64(_ a: Lanes, _ b: Lanes) -> Lanes { _mm_unpackhi_epi64(a, b) }
  #endif

  /// Returns pairs of weights for `dot`.
  @inline(__always)
  func weights(_ a: Int16, _ b: Int16) -> Lanes { all32(Int32(a) & 0xffff | Int32(b) &<< 16) }
#endif

/// Sets a block's 64 coefficients of 16 bits to 0.
@inline(__always)
func clearBlock(_ block: UnsafeMutableRawPointer) {
  #if arch(x86_64) && ISA_V3
    let zero = _mm256_setzero_si256()
    for part in 0..<4 { block.storeBytes(of: zero, toByteOffset: part &* 32, as: __m256i.self) }
  #else
    for part in 0..<8 { block.storeBytes(of: (0, 0), toByteOffset: part &* 16, as: (UInt64, UInt64).self) }
  #endif
}
