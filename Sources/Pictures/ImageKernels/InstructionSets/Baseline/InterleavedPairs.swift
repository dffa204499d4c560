#if arch(x86_64)
  import CProcessor
  import _Builtin_intrinsics.intel

  // Pairs of interleaved source rows, weighed into one target row, into two at once or, with twice as many
  // registers, into four. They are of one of two kinds, which is known when this is compiled, as all of it is inlined:
  // - products: 16-bit halved products of colour and alpha, of four bands. Sums begin in the middle between them.
  // - bytes: 8-bit samples, interleaved when they are read. With AVX-512 they are weighed by fours instead.
  // All types are private, as others would have metadata, whose symbols are weak.

  /// Four vectors of two interleaved rows as 16-bit numbers.
  private struct PairVectors {
    let part0: Vector
    let part1: Vector
    let part2: Vector
    let part3: Vector

    @inline(__always)
    init(products address: UnsafeRawPointer) {
      let size = MemoryLayout<Vector>.size
      part0 = load(address)
      part1 = load(address + size)
      part2 = load(address + 2 &* size)
      part3 = load(address + 3 &* size)
    }

    @inline(__always)
    init(bytes upper: UnsafeRawPointer, _ lower: UnsafeRawPointer) {
      let (p, q, zero) = (load(upper), load(lower), broadcast(0))
      let (low, high) = (unpackLow8(p, q), unpackHigh8(p, q))
      part0 = unpackLow8(low, zero)
      part1 = unpackHigh8(low, zero)
      part2 = unpackLow8(high, zero)
      part3 = unpackHigh8(high, zero)
    }
  }

  /// The same vectors of a target row.
  private struct PairSums {
    var sum0: Vector
    var sum1: Vector
    var sum2: Vector
    var sum3: Vector

    /// Samples that are weighed at once.
    @inline(__always)
    static var count: Int { MemoryLayout<PairSums>.size / 4 }

    @inline(__always)
    init(_ first: Vector) {
      sum0 = first
      sum1 = first
      sum2 = first
      sum3 = first
    }

    @inline(__always)
    mutating func add(_ pair: PairVectors, _ taps: PairTaps, _ k: Int) {
      let weight = broadcast(
        taps.weights.loadUnaligned(fromByteOffset: k &* 4, as: Int32.self))
      sum0 = dot(sum0, pair.part0, weight)
      sum1 = dot(sum1, pair.part1, weight)
      sum2 = dot(sum2, pair.part2, weight)
      sum3 = dot(sum3, pair.part3, weight)
    }
  }

  /// A target row's pairs of source rows and their weights, those of pair `k` at `weights + 4 k`.
  private struct PairTaps {
    let first: Int
    let end: Int
    let weights: UnsafeRawPointer

    @inline(__always)
    init(
      _ ranges: UnsafePointer<Int32>, _ weights: UnsafeRawPointer, _ stride: Int, _ target: Int
    ) {
      first = Int(truncatingIfNeeded: ranges[2 &* target])
      end = Int(truncatingIfNeeded: ranges[2 &* target &+ 1])
      self.weights = weights + (target &* stride &- first &* 4)
    }
  }

  /// What all target rows have in common.
  private struct PairBlock {
    /// Addresses of pairs of rows of products, or of rows of bytes.
    let rows: UnsafePointer<UnsafeRawPointer>
    /// The first byte.
    let offset: Int
    let count: Int
    let isProducts: Bool
    let first: Vector
    let shift: Int
    let bands: Int
    let ahead: UnsafePointer<UnsafeRawPointer>
    let aheadCount: Int
    let aheadOffset: Int

    @inline(__always)
    func pair(_ k: Int, _ sample: Int) -> PairVectors {
      if isProducts { return PairVectors(products: rows[k] + sample &* 4) }
      let at = offset &+ sample
      return PairVectors(bytes: rows[2 &* k] + at, rows[2 &* k &+ 1] + at)
    }

    @inline(__always)
    func store(_ sums: PairSums, _ sample: Int, _ output: UnsafeMutableRawPointer) {
      storeWords(
        sums.sum0, sums.sum1, sums.sum2, sums.sum3, shift, bands, output + 2 &* sample)
    }

    /// Fetches what lies at `sample` in some of the rows that are needed next, others for each two target rows:
    /// processors drop what is asked for at once beyond a dozen lines.
    @inline(__always)
    func fetch(_ sample: Int, _ target: Int) {
      var row = (sample & 63) / PairSums.count &* 2 &+ target / 2
      while row < aheadCount {
        imghost_prefetch_line(ahead[row] + (aheadOffset &+ sample))
        row &+= 128 / PairSums.count
      }
    }
  }

  @inline(__always)
  private func weighPairs(
    _ block: PairBlock, _ ranges: UnsafePointer<Int32>, _ coefficients: UnsafeRawPointer,
    _ stride: Int, _ targets: Int, _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    var target = 0
    while target < targets {
      let taps = PairTaps(ranges, coefficients, stride, target)
      #if ISA_V4
        if target &+ 4 <= targets, ranges[2 &* target &+ 6] <= ranges[2 &* target &+ 1] {
          weighFourTargets(
            block, taps, PairTaps(ranges, coefficients, stride, target &+ 1),
            PairTaps(ranges, coefficients, stride, target &+ 2),
            PairTaps(ranges, coefficients, stride, target &+ 3), outputs + target)
          target &+= 4
          continue
        }
      #endif
      if target &+ 2 <= targets, ranges[2 &* target &+ 2] <= ranges[2 &* target &+ 1] {
        weighTwoTargets(
          block, target, taps, PairTaps(ranges, coefficients, stride, target &+ 1),
          outputs[target], outputs[target &+ 1])
        target &+= 2
      } else {
        weighOneTarget(block, target, taps, outputs[target])
        target &+= 1
      }
    }
  }

  @inline(__always)
  private func weighOneTarget(
    _ block: PairBlock, _ target: Int, _ taps: PairTaps, _ output: UnsafeMutableRawPointer
  ) {
    var sample = 0
    while sample < block.count {
      var sums = PairSums(block.first)
      block.fetch(sample, target)
      var k = taps.first
      while k < taps.end {
        sums.add(block.pair(k, sample), taps, k)
        k &+= 1
      }
      block.store(sums, sample, output)
      sample &+= PairSums.count
    }
  }

  /// Two target rows, of which the second begins no later than the first ends: most pairs are read once for both.
  @inline(__always)
  private func weighTwoTargets(
    _ block: PairBlock, _ target: Int, _ taps0: PairTaps, _ taps1: PairTaps,
    _ output0: UnsafeMutableRawPointer, _ output1: UnsafeMutableRawPointer
  ) {
    var sample = 0
    while sample < block.count {
      var sums0 = PairSums(block.first)
      var sums1 = PairSums(block.first)
      block.fetch(sample, target)
      var k = taps0.first
      while k < taps1.first {
        sums0.add(block.pair(k, sample), taps0, k)
        k &+= 1
      }
      while k < taps0.end {
        let pair = block.pair(k, sample)
        sums0.add(pair, taps0, k)
        sums1.add(pair, taps1, k)
        k &+= 1
      }
      block.store(sums0, sample, output0)
      while k < taps1.end {
        sums1.add(block.pair(k, sample), taps1, k)
        k &+= 1
      }
      block.store(sums1, sample, output1)
      sample &+= PairSums.count
    }
  }

  #if ISA_V4
    /// Four target rows, of which the last begins no later than the first ends: most pairs are read once for all.
    @inline(__always)
    private func weighFourTargets(
      _ block: PairBlock, _ taps0: PairTaps, _ taps1: PairTaps, _ taps2: PairTaps,
      _ taps3: PairTaps, _ outputs: UnsafePointer<UnsafeMutableRawPointer>
    ) {
      let (output0, output1, output2, output3) = (outputs[0], outputs[1], outputs[2], outputs[3])
      var sample = 0
      while sample < block.count {
        var sums0 = PairSums(block.first)
        var sums1 = PairSums(block.first)
        var sums2 = PairSums(block.first)
        var sums3 = PairSums(block.first)
        var k = taps0.first
        while k < taps1.first {
          sums0.add(block.pair(k, sample), taps0, k)
          k &+= 1
        }
        while k < taps2.first {
          let pair = block.pair(k, sample)
          sums0.add(pair, taps0, k)
          sums1.add(pair, taps1, k)
          k &+= 1
        }
        while k < taps3.first {
          let pair = block.pair(k, sample)
          sums0.add(pair, taps0, k)
          sums1.add(pair, taps1, k)
          sums2.add(pair, taps2, k)
          k &+= 1
        }
        while k < taps0.end {
          let pair = block.pair(k, sample)
          sums0.add(pair, taps0, k)
          sums1.add(pair, taps1, k)
          sums2.add(pair, taps2, k)
          sums3.add(pair, taps3, k)
          k &+= 1
        }
        block.store(sums0, sample, output0)
        while k < taps1.end {
          let pair = block.pair(k, sample)
          sums1.add(pair, taps1, k)
          sums2.add(pair, taps2, k)
          sums3.add(pair, taps3, k)
          k &+= 1
        }
        block.store(sums1, sample, output1)
        while k < taps2.end {
          let pair = block.pair(k, sample)
          sums2.add(pair, taps2, k)
          sums3.add(pair, taps3, k)
          k &+= 1
        }
        block.store(sums2, sample, output2)
        while k < taps3.end {
          sums3.add(block.pair(k, sample), taps3, k)
          k &+= 1
        }
        block.store(sums3, sample, output3)
        sample &+= PairSums.count
      }
    }

  #endif

  /// Weighs pairs of rows, as `premultiplyPairs8` makes them, into target rows of 16-bit samples, pixels two by
  /// two as `pairPixels` stores them:
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half - (16256 << shift)) >> shift`.
  ///
  /// - Parameters:
  ///   - pairs: their addresses.
  ///   - count: samples, a multiple of 64.
  ///   - ranges: of each target row the first of its pairs and the end; neither ever goes back.
  ///   - coefficients: of each target row two 16-bit numbers for each of its pairs, `stride` bytes from one row
  ///     to the next.
  ///   - shift: 1 to 16; results fit 16 bits.
  ///   - outputs: of each target row.
  public func weighPremultipliedPairs8(
    _ pairs: UnsafePointer<UnsafeRawPointer>, _ count: Int, _ ranges: UnsafePointer<Int32>,
    _ coefficients: UnsafeRawPointer, _ stride: Int, _ targets: Int, _ shift: Int,
    _ outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let first = Int32(truncatingIfNeeded: 1 &<< (shift &- 1) &- 16_256 &<< shift)
    weighPairs(
      PairBlock(
        rows: pairs, offset: 0, count: count, isProducts: true, first: broadcast(first),
        shift: shift, bands: 4, ahead: pairs, aheadCount: 0, aheadOffset: 0),
      ranges, coefficients, stride, targets, outputs)
  }

  #if !ISA_V4
    /// Source rows that `weighRowsTogether8` takes at once.
    public let rowsTogether8 = 2

    /// Weighs rows of 8-bit samples into target rows of 16-bit ones:
    /// `output[i] = (Σ coefficients[k] rows[k][i] + half) >> shift`, saturated.
    ///
    /// - Parameters:
    ///   - rows: source rows, readable for `count` samples from `offset` on; an even number.
    ///   - offset: bytes from their addresses to the first sample's.
    ///   - ranges: of each target row the first pair of `rows` and the end; neither ever goes back.
    ///   - coefficients: of each target row two 16-bit numbers for each pair, `stride` bytes from one target row
    ///     to the next.
    ///   - targets: 1 to 4.
    ///   - count: samples, a multiple of 128; outputs have room for as many 16-bit samples.
    ///   - shift: 1 to 16.
    ///   - bands: of four, pixels are stored two by two, as `pairPixels` does it.
    ///   - outputs: of each target row.
    ///   - ahead: addresses of `aheadCount` rows, of which `count` bytes from `aheadOffset` on are soon needed.
    public func weighRowsTogether8(
      _ rows: UnsafePointer<UnsafeRawPointer>, _ offset: Int, _ ranges: UnsafePointer<Int32>,
      _ coefficients: UnsafeRawPointer, _ stride: Int, _ targets: Int, _ count: Int, _ shift: Int,
      _ bands: Int, _ outputs: UnsafePointer<UnsafeMutableRawPointer>,
      _ ahead: UnsafePointer<UnsafeRawPointer>, _ aheadCount: Int, _ aheadOffset: Int
    ) {
      weighPairs(
        PairBlock(
          rows: rows, offset: offset, count: count, isProducts: false,
          first: broadcast(Int32(truncatingIfNeeded: 1 &<< (shift &- 1))), shift: shift,
          bands: bands, ahead: ahead, aheadCount: aheadCount, aheadOffset: aheadOffset),
        ranges, coefficients, stride, targets, outputs)
    }
  #endif
#endif
