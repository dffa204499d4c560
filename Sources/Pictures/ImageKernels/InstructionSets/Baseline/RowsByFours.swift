#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // The vertical pass over source rows as floats, into one target row or four at once. There are two kinds of rows; the
  // kind is known at compile time, because everything is inlined:
  // - wide: 16-bit samples. Products are added with one rounding.
  // - premultiplied: 8-bit pixels with four bands, whose colours are multiplied by the last band, alpha. Products and
  //   sums are rounded separately.
  // All types are private, because types that are not private would have metadata, whose symbols are weak.

  /// Several vectors of a source row as floats; wide samples are in the order of `wideFloats`.
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

  /// Returns two vectors of 16-bit samples as floats.
  @inline(__always)
  private func wideFloats(_ address: UnsafeRawPointer) -> (Floats, Floats) {
    #if ISA_V4
      // Each sample becomes the lower half of the float 2^23, from which 2^23 is then subtracted. Widening and
      // converting would also take two steps per vector, but one of them would cross lanes. The first vector has the
      // first four of every eight samples.
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

  /// The sums of a target row: one vector for each vector of `RowVectors`.
  private struct RowSums {
    var sum0: Floats
    var sum1: Floats
    #if ISA_V4
      var sum2: Floats
      var sum3: Floats
    #endif

    /// The number of bytes of all vectors.
    @inline(__always)
    static var size: Int { MemoryLayout<RowSums>.size }

    /// Makes initial sums: -32,768 for wide samples, so that sums are centred on 0.
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

  /// Returns a sum in the form in which it is stored: wide samples rounded to 64ths, premultiplied colours divided by
  /// 255.
  @inline(__always)
  private func finished(_ sum: Floats, _ isWide: Bool) -> Floats {
    if isWide { return roundedTo64ths(sum) }
    let unit: Float = 1 / 255
    return multiply(sum, spreadPixel(_mm_set_ps(1, unit, unit, unit)))
  }

  /// The number of calls of `fetch` while `RowSums.size` bytes of four target rows are filtered. AVX-512 filters more
  /// bytes at once, and divides its prefetches among more calls, because processors stall when many come at once.
  @inline(__always)
  private var fetches: Int {
    #if ISA_V4
      7
    #else
      2
    #endif
  }

  @inline(__always)
  private func fetchBetween(_ ahead: inout Ahead) { if fetches > 2 { fetch(&ahead) } }

  /// Filters up to eight target rows: four at once if their source rows overlap or adjoin, otherwise one.
  @inline(__always)
  private func filterByFours(
    _ isWide: Bool, _ pass: VerticalPassIntoFloats, _ ahead: inout Ahead
  ) {
    let (ranges, targets) = (pass.ranges, pass.targets)
    var target = 0
    while target < targets {
      if target &+ 4 <= targets, ranges[2 &* target &+ 6] <= ranges[2 &* target &+ 1] {
        filterFourRows(isWide, pass, target, &ahead)
        target &+= 4
      } else {
        filterRow(isWide, pass, target, &ahead)
        target &+= 1
      }
    }
  }

  @inline(__always)
  private func filterRow(_ isWide: Bool, _ pass: VerticalPassIntoFloats, _ target: Int, _ ahead: inout Ahead) {
    let (rows, offset, size) = (pass.rows, pass.offset, pass.count &* 4)
    let (taps, output) = (rowTaps(pass, target), pass.output + target &* pass.stride)
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

  /// Filters four target rows. The source rows of the first and the last target row overlap or adjoin, so most source
  /// rows are read and converted to floats only once for all four.
  @inline(__always)
  private func filterFourRows(_ isWide: Bool, _ pass: VerticalPassIntoFloats, _ target: Int, _ ahead: inout Ahead) {
    let (rows, offset, size) = (pass.rows, pass.offset, pass.count &* 4)
    let (stride, output) = (pass.stride, pass.output + target &* pass.stride)
    let (taps0, taps1) = (rowTaps(pass, target), rowTaps(pass, target &+ 1))
    let (taps2, taps3) = (rowTaps(pass, target &+ 2), rowTaps(pass, target &+ 3))
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

  func filterWideRows(_ pass: UnsafePointer<VerticalPassIntoFloats>) {
    let pass = pass.pointee
    let size = pass.count &* 4
    #if ISA_V3
      var ahead = fetching(pass, times: size / 128 &* fetchesOfThrees)
      filterByThrees(pass, &ahead)
    #else
      var ahead = fetching(pass, times: size / RowSums.size &* 2 &* fetches)
      filterByFours(true, pass, &ahead)
    #endif
    if let interleaved = pass.interleaved { interleaveEight(pass.output, size, interleaved) }
  }

  func filterPremultipliedRows8(_ pass: UnsafePointer<VerticalPassIntoFloats>) {
    let pass = pass.pointee
    var ahead = fetching(pass, times: pass.count &* 4 / RowSums.size &* fetches)
    filterByFours(false, pass, &ahead)
  }
#endif
