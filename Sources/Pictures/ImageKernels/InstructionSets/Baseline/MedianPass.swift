#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // Medians of squares of samples, computed with networks of minima and maxima. Each column is sorted once, for all
  // squares that contain it.

  /// The number of bytes of a row that are processed at a time, so that their sorted columns fit into the first-level
  /// cache.
  private var blockBytes: Int { 2_048 }
  /// The number of bytes from one row of sorted columns to the next: a block, four neighbours of 8 bytes each, and room
  /// for a vector beyond them.
  private var sortedStride: Int { blockBytes &+ 128 }

  func median(_ pass: UnsafePointer<MedianPass>) {
    let pass = pass.pointee
    var first = 0
    while first < pass.byteCount {
      let length = min(blockBytes, pass.byteCount &- first)
      switch (pass.side, pass.sampleBytes) {
      case (5, 1):
        sortFives(pass, first, length, false)
        medianOfFives(pass, first, length, false)
      case (5, _):
        sortFives(pass, first, length, true)
        medianOfFives(pass, first, length, true)
      case (_, 1):
        sortThrees(pass, first, length, false)
        medianOfThrees(pass, first, length, false)
      default:
        sortThrees(pass, first, length, true)
        medianOfThrees(pass, first, length, true)
      }
      first &+= blockBytes
    }
  }

  // MARK: - Columns

  @inline(__always)
  private func sortFives(_ pass: MedianPass, _ first: Int, _ length: Int, _ isWide: Bool) {
    let end = length &+ 4 &* pass.pixelBytes
    let (row0, row1, row2) = (pass.rows[0] + first, pass.rows[1] + first, pass.rows[2] + first)
    let (row3, row4) = (pass.rows[3] + first, pass.rows[4] + first)
    var x = 0
    while x < end {
      var a = (row0 + x).loadUnaligned(as: Vector.self)
      var b = (row1 + x).loadUnaligned(as: Vector.self)
      var c = (row2 + x).loadUnaligned(as: Vector.self)
      var d = (row3 + x).loadUnaligned(as: Vector.self)
      var e = (row4 + x).loadUnaligned(as: Vector.self)
      sort(&a, &b, isWide)
      sort(&d, &e, isWide)
      sort(&c, &e, isWide)
      sort(&c, &d, isWide)
      sort(&b, &e, isWide)
      sort(&a, &d, isWide)
      sort(&a, &c, isWide)
      sort(&b, &d, isWide)
      sort(&b, &c, isWide)
      let sorted = pass.scratch + x
      sorted.storeBytes(of: a, as: Vector.self)
      sorted.storeBytes(of: b, toByteOffset: sortedStride, as: Vector.self)
      sorted.storeBytes(of: c, toByteOffset: 2 &* sortedStride, as: Vector.self)
      sorted.storeBytes(of: d, toByteOffset: 3 &* sortedStride, as: Vector.self)
      sorted.storeBytes(of: e, toByteOffset: 4 &* sortedStride, as: Vector.self)
      x &+= vectorBytes
    }
  }

  @inline(__always)
  private func sortThrees(_ pass: MedianPass, _ first: Int, _ length: Int, _ isWide: Bool) {
    let end = length &+ 2 &* pass.pixelBytes
    let (row0, row1, row2) = (pass.rows[0] + first, pass.rows[1] + first, pass.rows[2] + first)
    var x = 0
    while x < end {
      var a = (row0 + x).loadUnaligned(as: Vector.self)
      var b = (row1 + x).loadUnaligned(as: Vector.self)
      var c = (row2 + x).loadUnaligned(as: Vector.self)
      sort(&a, &b, isWide)
      sort(&b, &c, isWide)
      sort(&a, &b, isWide)
      let sorted = pass.scratch + x
      sorted.storeBytes(of: a, as: Vector.self)
      sorted.storeBytes(of: b, toByteOffset: sortedStride, as: Vector.self)
      sorted.storeBytes(of: c, toByteOffset: 2 &* sortedStride, as: Vector.self)
      x &+= vectorBytes
    }
  }

  // MARK: - Squares

  @inline(__always)
  private func medianOfThrees(_ pass: MedianPass, _ first: Int, _ length: Int, _ isWide: Bool) {
    let step = pass.pixelBytes
    var x = 0
    while x < length {
      let least = pass.scratch + x
      let middle = least + sortedStride
      let most = middle + sortedStride
      // The median of nine samples is the median of three: the greatest of the columns' minima, the median of their
      // medians, and the least of their maxima.
      let low = greater(greater(load(least), load(least + step), isWide), load(least + 2 &* step), isWide)
      let centre = middleOf(load(middle), load(middle + step), load(middle + 2 &* step), isWide)
      let high = lesser(lesser(load(most), load(most + step), isWide), load(most + 2 &* step), isWide)
      store(middleOf(low, centre, high, isWide), pass, first, x, length)
      x &+= vectorBytes
    }
  }

  /// Computes the medians of 5x5 samples from their sorted columns.
  ///
  /// The minima of the columns are sorted, and so are their second samples, and so on. Then six samples have too many
  /// samples above them to be the median, and six too many below. The median is among the other 13. The network was
  /// found by a search that removes steps, and proven correct by the 0-1 principle for all 6^5 combinations of sorted
  /// columns of zeros and ones.
  @inline(__always)
  private func medianOfFives(_ pass: MedianPass, _ first: Int, _ length: Int, _ isWide: Bool) {
    let step = pass.pixelBytes
    var x = 0
    while x < length {
      let sorted = pass.scratch + x
      var (v3, v4) = greatestTwo(sorted, step, isWide)
      var (v7, v8, v9) = greatestThree(sorted + sortedStride, step, isWide)
      var (v11, v12, v13) = middleThree(sorted + 2 &* sortedStride, step, isWide)
      var (v15, v16, v17) = leastThree(sorted + 3 &* sortedStride, step, isWide)
      var (v20, v21) = leastTwo(sorted + 4 &* sortedStride, step, isWide)
      sort(&v15, &v12, isWide)
      v13 = lesser(v13, v16, isWide)
      sort(&v4, &v20, isWide)
      v21 = lesser(v21, v9, isWide)
      v7 = greater(v15, v7, isWide)
      sort(&v12, &v11, isWide)
      sort(&v3, &v13, isWide)
      v7 = greater(v12, v7, isWide)
      sort(&v8, &v13, isWide)
      sort(&v4, &v17, isWide)
      v3 = greater(v7, v3, isWide)
      sort(&v11, &v8, isWide)
      v21 = lesser(v21, v17, isWide)
      v3 = greater(v11, v3, isWide)
      sort(&v8, &v13, isWide)
      sort(&v20, &v21, isWide)
      v4 = greater(v3, v4, isWide)
      v8 = lesser(v8, v20, isWide)
      v13 = lesser(lesser(v13, v21, isWide), v4, isWide)
      store(greater(v8, v13, isWide), pass, first, x, length)
      x &+= vectorBytes
    }
  }

  /// Returns the two greatest of five samples of a row, the lesser one first.
  @inline(__always)
  private func greatestTwo(_ row: UnsafeRawPointer, _ step: Int, _ isWide: Bool) -> (Vector, Vector) {
    var (v0, v1, v2, v3, v4) = five(row, step)
    sort(&v0, &v1, isWide)
    sort(&v3, &v4, isWide)
    sort(&v2, &v4, isWide)
    v3 = greater(v2, v3, isWide)
    sort(&v1, &v4, isWide)
    v3 = greater(greater(v0, v3, isWide), v1, isWide)
    return (v3, v4)
  }

  @inline(__always)
  private func greatestThree(_ row: UnsafeRawPointer, _ step: Int, _ isWide: Bool) -> (Vector, Vector, Vector) {
    var (v0, v1, v2, v3, v4) = five(row, step)
    sort(&v0, &v1, isWide)
    sort(&v3, &v4, isWide)
    sort(&v2, &v4, isWide)
    sort(&v2, &v3, isWide)
    sort(&v1, &v4, isWide)
    v3 = greater(v0, v3, isWide)
    sort(&v1, &v3, isWide)
    v2 = greater(v1, v2, isWide)
    return (v2, v3, v4)
  }

  @inline(__always)
  private func middleThree(_ row: UnsafeRawPointer, _ step: Int, _ isWide: Bool) -> (Vector, Vector, Vector) {
    var (v0, v1, v2, v3, v4) = five(row, step)
    sort(&v0, &v1, isWide)
    sort(&v3, &v4, isWide)
    sort(&v2, &v4, isWide)
    sort(&v2, &v3, isWide)
    v1 = lesser(v1, v4, isWide)
    sort(&v0, &v3, isWide)
    v2 = greater(v0, v2, isWide)
    sort(&v1, &v3, isWide)
    return (v1, v2, v3)
  }

  @inline(__always)
  private func leastThree(_ row: UnsafeRawPointer, _ step: Int, _ isWide: Bool) -> (Vector, Vector, Vector) {
    var (v0, v1, v2, v3, v4) = five(row, step)
    sort(&v0, &v1, isWide)
    sort(&v3, &v4, isWide)
    sort(&v2, &v3, isWide)
    v1 = lesser(v1, v4, isWide)
    sort(&v0, &v3, isWide)
    sort(&v0, &v2, isWide)
    v1 = lesser(v1, v3, isWide)
    sort(&v1, &v2, isWide)
    return (v0, v1, v2)
  }

  @inline(__always)
  private func leastTwo(_ row: UnsafeRawPointer, _ step: Int, _ isWide: Bool) -> (Vector, Vector) {
    var (v0, v1, v2, v3, v4) = five(row, step)
    sort(&v0, &v1, isWide)
    sort(&v3, &v4, isWide)
    v2 = lesser(v2, v4, isWide)
    sort(&v2, &v3, isWide)
    v0 = lesser(v0, v3, isWide)
    sort(&v0, &v2, isWide)
    return (v0, lesser(v1, v2, isWide))
  }

  // MARK: - Vectors

  @inline(__always)
  private func five(_ row: UnsafeRawPointer, _ step: Int) -> (Vector, Vector, Vector, Vector, Vector) {
    (load(row), load(row + step), load(row + 2 &* step), load(row + 3 &* step), load(row + 4 &* step))
  }

  /// Stores a vector of the result without writing beyond the end of the row.
  @inline(__always)
  private func store(_ vector: Vector, _ pass: MedianPass, _ first: Int, _ x: Int, _ length: Int) {
    let output = pass.output + (first &+ x)
    if x &+ vectorBytes <= length {
      output.storeBytes(of: vector, as: Vector.self)
      return
    }
    // This is the memory after the sorted columns.
    let rest = pass.scratch + (5 &* sortedStride)
    rest.storeBytes(of: vector, as: Vector.self)
    var index = 0
    while x &+ index < length {
      output.storeBytes(of: (rest + index).load(as: UInt8.self), toByteOffset: index, as: UInt8.self)
      index &+= 1
    }
  }

  @inline(__always)
  private func sort(_ a: inout Vector, _ b: inout Vector, _ isWide: Bool) {
    let least = lesser(a, b, isWide)
    b = greater(a, b, isWide)
    a = least
  }

  @inline(__always)
  private func middleOf(_ a: Vector, _ b: Vector, _ c: Vector, _ isWide: Bool) -> Vector {
    greater(lesser(a, b, isWide), lesser(greater(a, b, isWide), c, isWide), isWide)
  }

  #if ISA_V4
    private var vectorBytes: Int { 64 }
    @inline(__always)
    private func lesser(_ a: Vector, _ b: Vector, _ isWide: Bool) -> Vector {
      isWide ? _mm512_min_epu16(a, b) : _mm512_min_epu8(a, b)
    }
    @inline(__always)
    private func greater(_ a: Vector, _ b: Vector, _ isWide: Bool) -> Vector {
      isWide ? _mm512_max_epu16(a, b) : _mm512_max_epu8(a, b)
    }
  #elseif ISA_V3
    private var vectorBytes: Int { 32 }
    @inline(__always)
    private func lesser(_ a: Vector, _ b: Vector, _ isWide: Bool) -> Vector {
      isWide ? _mm256_min_epu16(a, b) : _mm256_min_epu8(a, b)
    }
    @inline(__always)
    private func greater(_ a: Vector, _ b: Vector, _ isWide: Bool) -> Vector {
      isWide ? _mm256_max_epu16(a, b) : _mm256_max_epu8(a, b)
    }
  #else
    private var vectorBytes: Int { 16 }
    // SSE2 has no minimum of unsigned 16-bit numbers.
    @inline(__always)
    private func lesser(_ a: Vector, _ b: Vector, _ isWide: Bool) -> Vector {
      isWide ? _mm_sub_epi16(a, _mm_subs_epu16(a, b)) : _mm_min_epu8(a, b)
    }
    @inline(__always)
    private func greater(_ a: Vector, _ b: Vector, _ isWide: Bool) -> Vector {
      isWide ? _mm_add_epi16(b, _mm_subs_epu16(a, b)) : _mm_max_epu8(a, b)
    }
  #endif
#endif
