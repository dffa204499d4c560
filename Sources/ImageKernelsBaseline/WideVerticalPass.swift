#if arch(x86_64)
  import CProcessor
  import _Builtin_intrinsics.intel

  /// Some vectors of a source row as floats.
  private struct RowVectors {
    let part0: Floats
    let part1: Floats
    #if ISA_V4
      let part2: Floats
      let part3: Floats
    #endif

    @inline(__always)
    init(_ address: UnsafeRawPointer) {
      let size = MemoryLayout<Floats>.size / 2
      part0 = floats16(address)
      part1 = floats16(address + size)
      #if ISA_V4
        part2 = floats16(address + 2 &* size)
        part3 = floats16(address + 3 &* size)
      #endif
    }
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

    /// Sums begin at -32,768, so that they are small for what samples are around their middle.
    @inline(__always)
    init() {
      sum0 = spread(-32_768)
      sum1 = spread(-32_768)
      #if ISA_V4
        sum2 = spread(-32_768)
        sum3 = spread(-32_768)
      #endif
    }

    @inline(__always)
    mutating func add(_ row: RowVectors, _ weight: Float) {
      let weight = spread(weight)
      sum0 = fused(sum0, row.part0, weight)
      sum1 = fused(sum1, row.part1, weight)
      #if ISA_V4
        sum2 = fused(sum2, row.part2, weight)
        sum3 = fused(sum3, row.part3, weight)
      #endif
    }

    /// Stores the sums, rounded to 64ths.
    @inline(__always)
    func store(_ output: UnsafeMutableRawPointer) {
      let size = MemoryLayout<Floats>.size
      output.storeBytes(of: roundedTo64ths(sum0), as: Floats.self)
      output.storeBytes(of: roundedTo64ths(sum1), toByteOffset: size, as: Floats.self)
      #if ISA_V4
        output.storeBytes(of: roundedTo64ths(sum2), toByteOffset: 2 &* size, as: Floats.self)
        output.storeBytes(of: roundedTo64ths(sum3), toByteOffset: 3 &* size, as: Floats.self)
      #endif
    }
  }

  /// Numbers below 65,536 in magnitude; the last bit of one from 131,072 to 262,143 is a 64th.
  @inline(__always)
  private func roundedTo64ths(_ a: Floats) -> Floats {
    add(add(a, spread(196_608)), spread(-196_608))
  }

  /// Pieces of 256 bytes of some rows, row after row, fetched into the second-level cache few at a time:
  /// processors drop what is asked for at once beyond a dozen lines.
  private struct Ahead {
    let rows: UnsafePointer<UnsafeRawPointer>
    var row = 0
    let end: Int
    /// Bytes from a row's address.
    var at: Int
    let first: Int
    let last: Int
    let pieces: Int

    @inline(__always)
    mutating func fetch() {
      var left = pieces
      while left > 0, row < end {
        imghost_prefetch_four_lines(rows[row] + at)
        at &+= 256
        if at >= last {
          at = first
          row &+= 1
        }
        left &-= 1
      }
    }
  }

  /// A target row's source rows and weights, the weight of row `k` at `weights[k]`.
  private struct RowTaps {
    let first: Int
    let end: Int
    let weights: UnsafePointer<Float>

    @inline(__always)
    init(
      _ ranges: UnsafePointer<Int32>, _ weights: UnsafePointer<Float>, _ taps: Int, _ target: Int
    ) {
      first = Int(truncatingIfNeeded: ranges[2 &* target])
      end = Int(truncatingIfNeeded: ranges[2 &* target &+ 1])
      self.weights = weights + (target &* taps &- first)
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
    let pieces = aheadCount &* ((aheadEnd &- aheadFirst &+ 255) &>> 8)
    // Two for each four target rows and piece of a row.
    let steps = size / RowSums.size &* 4
    var fetching = Ahead(
      rows: ahead, end: aheadCount, at: aheadFirst, first: aheadFirst, last: aheadEnd,
      pieces: (pieces &+ steps &- 1) / steps)
    var target = 0
    while target < targets {
      let first = RowTaps(ranges, weights, taps, target)
      let to = sums + target &* size
      if target &+ 4 <= targets, ranges[2 &* target &+ 6] <= ranges[2 &* target &+ 1] {
        weighFourRows(
          rows, offset, size, first, RowTaps(ranges, weights, taps, target &+ 1),
          RowTaps(ranges, weights, taps, target &+ 2), RowTaps(ranges, weights, taps, target &+ 3),
          to, &fetching)
        target &+= 4
      } else {
        weighRow(rows, offset, size, first, to, &fetching)
        target &+= 1
      }
    }
    interleaveEight(sums, size, output)
  }

  @inline(__always)
  private func weighRow(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ size: Int, _ taps: RowTaps,
    _ output: UnsafeMutableRawPointer, _ ahead: inout Ahead
  ) {
    var at = 0
    while at < size {
      let from = offset &+ at / 2
      var sums = RowSums()
      ahead.fetch()
      var k = taps.first
      while k < taps.end {
        sums.add(RowVectors(rows[k] + from), taps.weights[k])
        k &+= 1
      }
      sums.store(output + at)
      at &+= RowSums.size
    }
  }

  /// Four target rows, of which the last begins no later than the first ends: most source rows are read and
  /// made floats once for all.
  @inline(__always)
  private func weighFourRows(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ size: Int, _ taps0: RowTaps,
    _ taps1: RowTaps, _ taps2: RowTaps, _ taps3: RowTaps, _ output: UnsafeMutableRawPointer,
    _ ahead: inout Ahead
  ) {
    var at = 0
    while at < size {
      let from = offset &+ at / 2
      var sums0 = RowSums()
      var sums1 = RowSums()
      var sums2 = RowSums()
      var sums3 = RowSums()
      ahead.fetch()
      var k = taps0.first
      while k < taps1.first {
        sums0.add(RowVectors(rows[k] + from), taps0.weights[k])
        k &+= 1
      }
      while k < taps2.first {
        let row = RowVectors(rows[k] + from)
        sums0.add(row, taps0.weights[k])
        sums1.add(row, taps1.weights[k])
        k &+= 1
      }
      while k < taps3.first {
        let row = RowVectors(rows[k] + from)
        sums0.add(row, taps0.weights[k])
        sums1.add(row, taps1.weights[k])
        sums2.add(row, taps2.weights[k])
        k &+= 1
      }
      while k < taps0.end {
        let row = RowVectors(rows[k] + from)
        sums0.add(row, taps0.weights[k])
        sums1.add(row, taps1.weights[k])
        sums2.add(row, taps2.weights[k])
        sums3.add(row, taps3.weights[k])
        k &+= 1
      }
      sums0.store(output + at)
      ahead.fetch()
      while k < taps1.end {
        let row = RowVectors(rows[k] + from)
        sums1.add(row, taps1.weights[k])
        sums2.add(row, taps2.weights[k])
        sums3.add(row, taps3.weights[k])
        k &+= 1
      }
      while k < taps2.end {
        let row = RowVectors(rows[k] + from)
        sums2.add(row, taps2.weights[k])
        sums3.add(row, taps3.weights[k])
        k &+= 1
      }
      while k < taps3.end {
        sums3.add(RowVectors(rows[k] + from), taps3.weights[k])
        k &+= 1
      }
      sums1.store(output + (size &+ at))
      sums2.store(output + (2 &* size &+ at))
      sums3.store(output + (3 &* size &+ at))
      at &+= RowSums.size
    }
  }
#endif
