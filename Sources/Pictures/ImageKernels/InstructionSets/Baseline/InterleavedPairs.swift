#if arch(x86_64)
  import CKernels
  import CProcessor
  import _Builtin_intrinsics.intel

  // The vertical pass over pairs of interleaved source rows. It filters one or two target rows at once, or four with
  // AVX-512, which has twice as many registers. There are two kinds of rows; the kind is known at compile time, because
  // everything is inlined:
  // - products: 16-bit halved products of colour and alpha, with four bands. Sums start below 0, so that they are
  //   centred on 0.
  // - bytes: 8-bit samples, which are interleaved when they are read. With AVX-512 they are filtered in groups of four
  //   rows instead.
  // All types are private, because types that are not private would have metadata, whose symbols are weak.

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

  /// The sums of a target row: one vector for each vector of `PairVectors`.
  private struct PairSums {
    var sum0: Vector
    var sum1: Vector
    var sum2: Vector
    var sum3: Vector

    /// The number of samples in these vectors.
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

  /// A target row's pairs of source rows, and their weights: those of pair `k` are at `weights + 4 k`.
  private struct PairTaps {
    let first: Int
    let end: Int
    let weights: UnsafeRawPointer

    @inline(__always)
    init(_ pass: VerticalPass8, _ target: Int) {
      first = Int(truncatingIfNeeded: pass.ranges[2 &* target])
      end = Int(truncatingIfNeeded: pass.ranges[2 &* target &+ 1])
      weights = pass.coefficients + (target &* pass.stride &- first &* 4)
    }
  }

  /// The data that all target rows of the pass share.
  private struct PairBlock {
    let pass: VerticalPass8
    let isProducts: Bool
    /// The initial value of sums.
    let first: Vector

    @inline(__always)
    func pair(_ k: Int, _ sample: Int) -> PairVectors {
      if isProducts { return PairVectors(products: pass.rows[k] + sample &* 4) }
      let at = pass.offset &+ sample
      return PairVectors(bytes: pass.rows[2 &* k] + at, pass.rows[2 &* k &+ 1] + at)
    }

    @inline(__always)
    func store(_ sums: PairSums, _ sample: Int, _ output: UnsafeMutableRawPointer) {
      storeWords(
        sums.sum0, sums.sum1, sums.sum2, sums.sum3, pass.shift, isProducts ? 4 : pass.bands,
        output + 2 &* sample)
    }

    /// Prefetches data at `sample` in some of the rows that are needed next. Each pair of target rows prefetches
    /// different rows, because processors drop prefetches beyond a dozen cache lines at once.
    @inline(__always)
    func fetch(_ sample: Int, _ target: Int) {
      if isProducts { return }
      var row = (sample & 63) / PairSums.count &* 2 &+ target / 2
      while row < pass.aheadCount {
        imghost_prefetch_line(pass.ahead[row] + (pass.aheadOffset &+ sample))
        row &+= 128 / PairSums.count
      }
    }
  }

  @inline(__always)
  private func filterPairs(_ block: PairBlock) {
    let (ranges, targets, outputs) = (block.pass.ranges, block.pass.targets, block.pass.outputs)
    var target = 0
    while target < targets {
      let taps = PairTaps(block.pass, target)
      #if ISA_V4
        if target &+ 4 <= targets, ranges[2 &* target &+ 6] <= ranges[2 &* target &+ 1] {
          filterFourTargets(
            block, taps, PairTaps(block.pass, target &+ 1), PairTaps(block.pass, target &+ 2),
            PairTaps(block.pass, target &+ 3), outputs + target)
          target &+= 4
          continue
        }
      #endif
      if target &+ 2 <= targets, ranges[2 &* target &+ 2] <= ranges[2 &* target &+ 1] {
        filterTwoTargets(block, target, taps, PairTaps(block.pass, target &+ 1), outputs[target], outputs[target &+ 1])
        target &+= 2
      } else {
        filterOneTarget(block, target, taps, outputs[target])
        target &+= 1
      }
    }
  }

  @inline(__always)
  private func filterOneTarget(_ block: PairBlock, _ target: Int, _ taps: PairTaps, _ output: UnsafeMutableRawPointer) {
    var sample = 0
    while sample < block.pass.count {
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

  /// Filters two target rows whose source rows overlap or adjoin. Pairs that both need are read once.
  @inline(__always)
  private func filterTwoTargets(
    _ block: PairBlock, _ target: Int, _ taps0: PairTaps, _ taps1: PairTaps,
    _ output0: UnsafeMutableRawPointer, _ output1: UnsafeMutableRawPointer
  ) {
    var sample = 0
    while sample < block.pass.count {
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
    /// Filters four target rows. The source rows of the first and the last target row overlap or adjoin, so most pairs
    /// are read once for several target rows.
    @inline(__always)
    private func filterFourTargets(
      _ block: PairBlock, _ taps0: PairTaps, _ taps1: PairTaps, _ taps2: PairTaps,
      _ taps3: PairTaps, _ outputs: UnsafePointer<UnsafeMutableRawPointer>
    ) {
      let (output0, output1, output2, output3) = (outputs[0], outputs[1], outputs[2], outputs[3])
      var sample = 0
      while sample < block.pass.count {
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

  func filterPremultipliedPairs8(_ pass: UnsafePointer<VerticalPass8>) {
    let pass = pass.pointee
    let first = Int32(truncatingIfNeeded: 1 &<< (pass.shift &- 1) &- 16_256 &<< pass.shift)
    filterPairs(PairBlock(pass: pass, isProducts: true, first: broadcast(first)))
  }

  #if !ISA_V4
    func filterRows8(_ pass: UnsafePointer<VerticalPass8>) {
      let pass = pass.pointee
      let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (pass.shift &- 1)))
      filterPairs(PairBlock(pass: pass, isProducts: false, first: half))
    }
  #endif
#endif
