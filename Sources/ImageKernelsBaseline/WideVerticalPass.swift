#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Samples of two rows, less 32,768, interleaved.
  private struct RowPair {
    let low: Vector
    let high: Vector

    @inline(__always)
    init(_ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer) {
      // Turning the highest bit takes 32,768 away.
      let middle = broadcast(Int32(bitPattern: 0x8000_8000))
      let p = flip(load(upper), middle)
      let q = flip(load(lower), middle)
      low = unpackLow16(p, q)
      high = unpackHigh16(p, q)
    }
  }

  /// Sums of a vector of samples of one target row, with the high and with the low parts of its coefficients.
  private struct PartSums {
    var high0: Vector
    var high1: Vector
    var low0: Vector
    var low1: Vector

    @inline(__always)
    init() {
      let zero = broadcast(0)
      (high0, high1, low0, low1) = (zero, zero, zero, zero)
    }

    @inline(__always)
    mutating func weigh(_ pair: RowPair, _ high: Vector, _ low: Vector) {
      high0 = dot(high0, pair.low, high)
      high1 = dot(high1, pair.high, high)
      low0 = dot(low0, pair.low, low)
      low1 = dot(low1, pair.high, low)
    }

    @inline(__always)
    func store(_ highScale: Floats, _ lowScale: Floats, _ output: UnsafeMutableRawPointer) {
      storeLanes(
        joined(high0, low0, highScale, lowScale), joined(high1, low1, highScale, lowScale), output)
    }
  }

  @inline(__always)
  private func joined(
    _ high: Vector, _ low: Vector, _ highScale: Floats, _ lowScale: Floats
  ) -> Vector {
    let sum = add(multiply(floats(high), highScale), multiply(floats(low), lowScale))
    return bits(add(sum, spread(32_768)))
  }

  @inline(__always)
  private func broadcast(_ weights: UnsafeRawPointer, _ at: Int) -> Vector {
    broadcast(weights.loadUnaligned(fromByteOffset: at, as: Int32.self))
  }

  /// Weighs rows of 16-bit samples into two rows of floats. Coefficients come in two parts of 16 bits, and
  /// 32,768 is taken from each sample to make it signed:
  /// `output[i] = highUnit Σ high[k] (rows[k][i] - 32768) + lowUnit Σ low[k] (rows[k][i] - 32768) + 32768`.
  ///
  /// Rows are interleaved two by two in registers, with AVX-512 once for both target rows.
  ///
  /// - Parameters:
  ///   - rows: addresses of source rows, two for each pair.
  ///   - offset: bytes from these addresses to the first sample.
  ///   - first: the first target row's coefficients: two high parts, two low ones for each pair.
  ///   - firstEnd: how many pairs of rows make it.
  ///   - second: the same for the second one, which is made of the pairs of `secondStart..<secondEnd`, all
  ///     counted from the first one's first; it begins and ends no earlier than that one.
  ///   - count: samples, a multiple of 64; `output0` and `output1` have room for as many floats.
  public func weighWideRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ first: UnsafePointer<Int16>,
    _ firstEnd: Int, _ second: UnsafePointer<Int16>, _ secondStart: Int, _ secondEnd: Int,
    _ highUnit: Float, _ lowUnit: Float, _ count: Int, _ output0: UnsafeMutableRawPointer,
    _ output1: UnsafeMutableRawPointer
  ) {
    #if ISA_V4
      let size = MemoryLayout<Vector>.size
      let (highScale, lowScale) = (spread(highUnit), spread(lowUnit))
      let weights0 = UnsafeRawPointer(first)
      let weights1 = UnsafeRawPointer(second) - secondStart &* 8
      let alone = secondStart < firstEnd ? secondStart : firstEnd
      var at = 0
      while at < count &* 2 {
        let from = offset &+ at
        var sums0 = PartSums()
        var sums1 = PartSums()
        var next0 = PartSums()
        var next1 = PartSums()
        var k = 0
        while k < alone {
          let (upper, lower) = (rows[2 &* k] + from, rows[2 &* k &+ 1] + from)
          let (high, low) = (broadcast(weights0, k &* 8), broadcast(weights0, k &* 8 &+ 4))
          sums0.weigh(RowPair(upper, lower), high, low)
          next0.weigh(RowPair(upper + size, lower + size), high, low)
          k &+= 1
        }
        while k < firstEnd {
          let (upper, lower) = (rows[2 &* k] + from, rows[2 &* k &+ 1] + from)
          let (high0, low0) = (broadcast(weights0, k &* 8), broadcast(weights0, k &* 8 &+ 4))
          let (high1, low1) = (broadcast(weights1, k &* 8), broadcast(weights1, k &* 8 &+ 4))
          let pair = RowPair(upper, lower)
          sums0.weigh(pair, high0, low0)
          sums1.weigh(pair, high1, low1)
          let next = RowPair(upper + size, lower + size)
          next0.weigh(next, high0, low0)
          next1.weigh(next, high1, low1)
          k &+= 1
        }
        if k < secondStart { k = secondStart }
        while k < secondEnd {
          let (upper, lower) = (rows[2 &* k] + from, rows[2 &* k &+ 1] + from)
          let (high, low) = (broadcast(weights1, k &* 8), broadcast(weights1, k &* 8 &+ 4))
          sums1.weigh(RowPair(upper, lower), high, low)
          next1.weigh(RowPair(upper + size, lower + size), high, low)
          k &+= 1
        }
        sums0.store(highScale, lowScale, output0 + at &* 2)
        sums1.store(highScale, lowScale, output1 + at &* 2)
        at &+= size
        next0.store(highScale, lowScale, output0 + at &* 2)
        next1.store(highScale, lowScale, output1 + at &* 2)
        at &+= size
      }
    #else
      // Too few registers for both at once.
      weigh(rows, offset, first, firstEnd, highUnit, lowUnit, count, output0)
      weigh(
        rows + 2 &* secondStart, offset, second, secondEnd &- secondStart, highUnit, lowUnit,
        count, output1)
    #endif
  }

  #if !ISA_V4
    @inline(__always)
    private func weigh(
      _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int,
      _ coefficients: UnsafePointer<Int16>, _ pairCount: Int, _ highUnit: Float,
      _ lowUnit: Float, _ count: Int, _ output: UnsafeMutableRawPointer
    ) {
      let size = MemoryLayout<Vector>.size
      let (highScale, lowScale) = (spread(highUnit), spread(lowUnit))
      let weights = UnsafeRawPointer(coefficients)
      var at = 0
      while at < count &* 2 {
        let from = offset &+ at
        var sums = PartSums()
        var next = PartSums()
        var k = 0
        while k < pairCount {
          let (upper, lower) = (rows[2 &* k] + from, rows[2 &* k &+ 1] + from)
          let (high, low) = (broadcast(weights, k &* 8), broadcast(weights, k &* 8 &+ 4))
          sums.weigh(RowPair(upper, lower), high, low)
          next.weigh(RowPair(upper + size, lower + size), high, low)
          k &+= 1
        }
        sums.store(highScale, lowScale, output + at &* 2)
        next.store(highScale, lowScale, output + at &* 2 + 2 &* size)
        at &+= 2 &* size
      }
    }
  #endif
#endif
