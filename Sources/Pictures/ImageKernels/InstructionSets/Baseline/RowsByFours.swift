#if arch(x86_64)
  import CProcessor
  import _Builtin_intrinsics.intel

  // Source rows as floats, weighed into one target row or into four at once. They are of one of two kinds,
  // which is known when this is compiled, as all of it is inlined:
  // - wide: 16-bit samples. Products are added with one rounding.
  // - premultiplied: 8-bit pixels of four bands, whose colours are multiplied by their alpha, the last band.
  //   Products and sums are rounded apart.
  // All types are private, as others would have metadata, whose symbols are weak.

  /// Some vectors of a source row as floats, wide samples in the order of `wideFloats`.
  private struct RowVectors {
    let part0: Floats
    let part1: Floats
    #if ISA_V4
      let part2: Floats
      let part3: Floats
    #endif

    @inline(__always)
    init(_ address: UnsafeRawPointer, _ isWide: Bool) {
      let size = MemoryLayout<Floats>.size / 4
      if isWide {
        (part0, part1) = wideFloats(address)
        #if ISA_V4
          (part2, part3) = wideFloats(address + 4 &* size)
        #endif
      } else {
        part0 = premultipliedFloats(address)
        part1 = premultipliedFloats(address + size)
        #if ISA_V4
          part2 = premultipliedFloats(address + 2 &* size)
          part3 = premultipliedFloats(address + 3 &* size)
        #endif
      }
    }
  }

  @inline(__always)
  private func premultipliedFloats(_ address: UnsafeRawPointer) -> Floats {
    let lanes = floats8(address)
    return multiplyColours(lanes, lastOfFour(lanes))
  }

  /// Two vectors of 16-bit samples.
  @inline(__always)
  private func wideFloats(_ address: UnsafeRawPointer) -> (Floats, Floats) {
    #if ISA_V4
      // Each sample below the upper half of 2^23 as a float, less 2^23: two steps a vector, as to widen and to convert
      // are, but none that crosses lanes. Of each eight samples the first vector has the first four.
      let samples = address.loadUnaligned(as: __m512i.self)
      let exponent = _mm512_set1_epi16(0x4b00)
      let none = spread(-8_388_608)
      return (
        add(_mm512_castsi512_ps(_mm512_unpacklo_epi16(samples, exponent)), none),
        add(_mm512_castsi512_ps(_mm512_unpackhi_epi16(samples, exponent)), none)
      )
    #else
      return (floats16(address), floats16(address + MemoryLayout<Floats>.size / 2))
    #endif
  }

  /// The same vectors of a target row.
  private struct RowSums {
    var sum0: Floats
    var sum1: Floats
    #if ISA_V4
      var sum2: Floats
      var sum3: Floats
    #endif

    /// Bytes of all vectors.
    @inline(__always)
    static var size: Int { MemoryLayout<RowSums>.size }

    /// Sums of wide samples begin at -32,768, so that they are small for what samples are around their middle.
    @inline(__always)
    init(_ isWide: Bool) {
      let first = spread(isWide ? -32_768 : 0)
      sum0 = first
      sum1 = first
      #if ISA_V4
        sum2 = first
        sum3 = first
      #endif
    }

    @inline(__always)
    fileprivate mutating func add(_ row: RowVectors, _ weight: Float, _ isWide: Bool) {
      let weight = spread(weight)
      sum0 = added(sum0, row.part0, weight, isWide)
      sum1 = added(sum1, row.part1, weight, isWide)
      #if ISA_V4
        sum2 = added(sum2, row.part2, weight, isWide)
        sum3 = added(sum3, row.part3, weight, isWide)
      #endif
    }

    @inline(__always)
    fileprivate func store(_ output: UnsafeMutableRawPointer, _ isWide: Bool) {
      let size = MemoryLayout<Floats>.size
      output.storeBytes(of: finished(sum0, isWide), as: Floats.self)
      output.storeBytes(of: finished(sum1, isWide), toByteOffset: size, as: Floats.self)
      #if ISA_V4
        output.storeBytes(of: finished(sum2, isWide), toByteOffset: 2 &* size, as: Floats.self)
        output.storeBytes(of: finished(sum3, isWide), toByteOffset: 3 &* size, as: Floats.self)
      #endif
    }
  }

  @inline(__always)
  private func added(_ sum: Floats, _ a: Floats, _ weight: Floats, _ isWide: Bool) -> Floats {
    isWide ? fused(sum, a, weight) : add(sum, multiply(a, weight))
  }

  /// What is stored of a sum: of wide samples rounded to 64ths, of premultiplied ones colours by 255.
  @inline(__always)
  private func finished(_ sum: Floats, _ isWide: Bool) -> Floats {
    if isWide { return roundedTo64ths(sum) }
    let unit: Float = 1 / 255
    return multiply(sum, spreadPixel(_mm_set_ps(1, unit, unit, unit)))
  }

  /// How often four target rows fetch for each piece of them. In longer pieces of rows more often, as processors wait
  /// where they are asked for much at once.
  @inline(__always)
  private var fetches: Int {
    #if ISA_V4
      7
    #else
      2
    #endif
  }

  @inline(__always)
  private func fetchBetween(_ ahead: inout Ahead) {
    if fetches > 2 { fetch(&ahead) }
  }

  /// Weighs up to eight target rows, those by fours that have source rows in common.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - size: bytes of a target row, as floats.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - output: where the first target row goes; the others are `stride` bytes apart.
  @inline(__always)
  private func weighByFours(
    _ isWide: Bool, _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ size: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int, _ ahead: inout Ahead
  ) {
    var target = 0
    while target < targets {
      let first = rowTaps(ranges, weights, taps, target)
      let to = output + target &* stride
      if target &+ 4 <= targets, ranges[2 &* target &+ 6] <= ranges[2 &* target &+ 1] {
        weighFourRows(
          isWide, rows, offset, size, first, rowTaps(ranges, weights, taps, target &+ 1),
          rowTaps(ranges, weights, taps, target &+ 2), rowTaps(ranges, weights, taps, target &+ 3),
          to, stride, &ahead)
        target &+= 4
      } else {
        weighRow(isWide, rows, offset, size, first, to, &ahead)
        target &+= 1
      }
    }
  }

  @inline(__always)
  private func weighRow(
    _ isWide: Bool, _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ size: Int,
    _ taps: RowTaps, _ output: UnsafeMutableRawPointer, _ ahead: inout Ahead
  ) {
    var at = 0
    while at < size {
      let from = offset &+ at / 4 &* (isWide ? 2 : 1)
      var sums = RowSums(isWide)
      fetch(&ahead)
      var k = taps.first
      while k < taps.end {
        sums.add(RowVectors(rows[k] + from, isWide), taps.weights[k], isWide)
        k &+= 1
      }
      fetch(&ahead)
      sums.store(output + at, isWide)
      at &+= RowSums.size
    }
  }

  /// Four target rows, of which the last begins no later than the first ends: most source rows are read and
  /// made floats once for all.
  @inline(__always)
  private func weighFourRows(
    _ isWide: Bool, _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ size: Int,
    _ taps0: RowTaps, _ taps1: RowTaps, _ taps2: RowTaps, _ taps3: RowTaps,
    _ output: UnsafeMutableRawPointer, _ stride: Int, _ ahead: inout Ahead
  ) {
    var at = 0
    while at < size {
      let from = offset &+ at / 4 &* (isWide ? 2 : 1)
      var sums0 = RowSums(isWide)
      var sums1 = RowSums(isWide)
      var sums2 = RowSums(isWide)
      var sums3 = RowSums(isWide)
      fetch(&ahead)
      var k = taps0.first
      while k < taps1.first {
        sums0.add(RowVectors(rows[k] + from, isWide), taps0.weights[k], isWide)
        k &+= 1
      }
      fetchBetween(&ahead)
      while k < taps2.first {
        let row = RowVectors(rows[k] + from, isWide)
        sums0.add(row, taps0.weights[k], isWide)
        sums1.add(row, taps1.weights[k], isWide)
        k &+= 1
      }
      fetchBetween(&ahead)
      while k < taps3.first {
        let row = RowVectors(rows[k] + from, isWide)
        sums0.add(row, taps0.weights[k], isWide)
        sums1.add(row, taps1.weights[k], isWide)
        sums2.add(row, taps2.weights[k], isWide)
        k &+= 1
      }
      fetchBetween(&ahead)
      while k < taps0.end {
        let row = RowVectors(rows[k] + from, isWide)
        sums0.add(row, taps0.weights[k], isWide)
        sums1.add(row, taps1.weights[k], isWide)
        sums2.add(row, taps2.weights[k], isWide)
        sums3.add(row, taps3.weights[k], isWide)
        k &+= 1
      }
      sums0.store(output + at, isWide)
      fetch(&ahead)
      while k < taps1.end {
        let row = RowVectors(rows[k] + from, isWide)
        sums1.add(row, taps1.weights[k], isWide)
        sums2.add(row, taps2.weights[k], isWide)
        sums3.add(row, taps3.weights[k], isWide)
        k &+= 1
      }
      fetchBetween(&ahead)
      while k < taps2.end {
        let row = RowVectors(rows[k] + from, isWide)
        sums2.add(row, taps2.weights[k], isWide)
        sums3.add(row, taps3.weights[k], isWide)
        k &+= 1
      }
      fetchBetween(&ahead)
      while k < taps3.end {
        sums3.add(RowVectors(rows[k] + from, isWide), taps3.weights[k], isWide)
        k &+= 1
      }
      sums1.store(output + (stride &+ at), isWide)
      sums2.store(output + (2 &* stride &+ at), isWide)
      sums3.store(output + (3 &* stride &+ at), isWide)
      at &+= RowSums.size
    }
  }

  /// Weighs a block of columns of 16-bit rows into up to eight target rows of floats, less 32,768 and rounded
  /// to 64ths, and interleaves these: eight floats for each sample, one of each target row.
  ///
  /// Each sum begins at -32,768 and adds the products in the order of the rows, each by one fused step:
  /// `sum = fused(sum + weight × sample)`.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - count: samples, a multiple of 64; rows are readable for as many.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - weights: of each target row `taps` weights, whole multiples of 2^-24 up to 1.
  ///   - targets: 1 to 8; what is written for other target rows are any finite numbers.
  ///   - sums: room for `8 count` floats, which hold finite numbers.
  ///   - output: room for `8 count` floats.
  ///   - ahead: addresses of `aheadCount` rows, of which bytes `aheadFirst..<aheadEnd` are soon needed.
  public func weighWideRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ count: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ sums: UnsafeMutableRawPointer, _ output: UnsafeMutableRawPointer,
    _ ahead: UnsafePointer<UnsafeRawPointer>, _ aheadCount: Int, _ aheadFirst: Int, _ aheadEnd: Int
  ) {
    let size = count &* 4
    #if ISA_V3
      var ahead = fetching(
        ahead, aheadCount, aheadFirst, aheadEnd, times: size / 128 &* fetchesOfThrees)
      weighByThrees(rows, offset, size, ranges, weights, taps, targets, sums, size, &ahead)
    #else
      var ahead = fetching(
        ahead, aheadCount, aheadFirst, aheadEnd, times: size / RowSums.size &* 2 &* fetches)
      weighByFours(
        true, rows, offset, size, ranges, weights, taps, targets, sums, size, &ahead)
    #endif
    interleaveEight(sums, size, output)
  }

  /// Weighs a block of columns of 8-bit rows of four bands, the last of which is alpha, into up to four target
  /// rows of floats, colours weighted by alpha: `Σ weight × (colour × alpha)`, times 1 / 255, and
  /// `Σ weight × alpha`, products and sums rounded apart, in the order of the rows.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - count: samples, a multiple of 64; rows are readable for as many.
  ///   - ranges: of each target row the first of its rows and the end; neither ever goes back.
  ///   - weights: of each target row `taps` weights.
  ///   - targets: 1 to 4.
  ///   - output: room for `count` floats of each target row, `stride` bytes apart.
  ///   - ahead: bytes of the rows that are soon needed, from these addresses.
  public func weighPremultipliedRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ rowCount: Int, _ offset: Int, _ count: Int,
    _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ targets: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int, _ aheadFirst: Int, _ aheadEnd: Int
  ) {
    let size = count &* 4
    var ahead = fetching(
      rows, rowCount, aheadFirst, aheadEnd, times: size / RowSums.size &* fetches)
    weighByFours(
      false, rows, offset, size, ranges, weights, taps, targets, output, stride,
      &ahead)
  }
#endif
