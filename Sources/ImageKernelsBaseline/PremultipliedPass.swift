#if arch(x86_64)
  import CProcessor
  import _Builtin_intrinsics.intel

  // The vertical pass of 8-bit pixels of four bands, whose colours are weighted by their alpha, the last band,
  // in 16-bit integers: two source rows are made products of colour and alpha once, then weighed into up to
  // eight target rows. All types are private, as others would have metadata, whose symbols are weak.

  /// Multiplies the colours of two rows by their alpha, and alpha by 255, halves the products, and interleaves
  /// both rows for `weighPremultipliedPairs8`, four bytes a column, in an order of its own.
  ///
  /// - Parameters:
  ///   - count: samples, a multiple of 64; `output` has room for 4 bytes each.
  ///   - ahead: how many bytes after what is read now will be needed next, of both rows; these are fetched.
  public func premultiplyPairs8(
    _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, _ count: Int, _ ahead: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Vector>.size
    let zero = broadcast(0)
    var out = output
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
  }

  /// Stores the halved products of pixels of two rows, `r0 r1 g0 g1 b0 b1 a0 a1`.
  @inline(__always)
  private func storeProducts(_ pixels: Vector, _ output: UnsafeMutableRawPointer) {
    output.storeBytes(of: halvedProducts(pixels, factors(pixels)), as: Vector.self)
  }

  #if ISA_V4
    /// Alpha for colours, 255 for alpha.
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
      return _mm256_or_si256(
        _mm256_castps_si256(alpha), _mm256_set_epi32(full, 0, 0, 0, full, 0, 0, 0))
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

  /// Some vectors of two interleaved rows.
  private struct PairVectors {
    let part0: Vector
    let part1: Vector
    #if ISA_V4
      let part2: Vector
      let part3: Vector
    #endif

    @inline(__always)
    init(_ address: UnsafeRawPointer) {
      let size = MemoryLayout<Vector>.size
      part0 = load(address)
      part1 = load(address + size)
      #if ISA_V4
        part2 = load(address + 2 &* size)
        part3 = load(address + 3 &* size)
      #endif
    }
  }

  /// The same vectors of a target row.
  private struct PairSums {
    var sum0: Vector
    var sum1: Vector
    #if ISA_V4
      var sum2: Vector
      var sum3: Vector
    #endif

    /// Bytes of interleaved rows that are weighed at once.
    @inline(__always)
    static var size: Int { MemoryLayout<PairSums>.size }

    @inline(__always)
    init(_ first: Vector) {
      sum0 = first
      sum1 = first
      #if ISA_V4
        sum2 = first
        sum3 = first
      #endif
    }

    @inline(__always)
    mutating func add(_ pair: PairVectors, _ taps: PairTaps, _ k: Int) {
      let weight = broadcast(
        taps.weights.loadUnaligned(fromByteOffset: k &* 4, as: Int32.self))
      sum0 = dot(sum0, pair.part0, weight)
      sum1 = dot(sum1, pair.part1, weight)
      #if ISA_V4
        sum2 = dot(sum2, pair.part2, weight)
        sum3 = dot(sum3, pair.part3, weight)
      #endif
    }

    /// Stores pixels two by two, as `pairPixels` does it.
    ///
    /// - Parameters:
    ///   - at: bytes of interleaved rows before these.
    ///   - output: of the row's block.
    @inline(__always)
    func store(_ shift: Int, _ at: Int, _ output: UnsafeMutableRawPointer) {
      #if ISA_V4
        storePixelPairs(sum0, sum1, sum2, sum3, shift, output + at / 2)
      #else
        let pairs = wordPairs(
          shiftRight(sum0, _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))),
          shiftLeft(sum1, _mm_cvtsi32_si128(Int32(truncatingIfNeeded: 16 &- shift))))
        // Four vectors hold as many pixels as one of samples: the first two of every four, then the others.
        let half = 2 &* MemoryLayout<Vector>.size
        let isSecond = at & half != 0
        let out = output + (at &- (isSecond ? half : 0)) / 2 + (isSecond ? 16 : 0)
        #if ISA_V3
          out.storeBytes(of: pairs.lowHalf, as: Vector128.self)
          out.storeBytes(of: pairs.highHalf, toByteOffset: 32, as: Vector128.self)
        #else
          out.storeBytes(of: pairs, as: Vector.self)
        #endif
      #endif
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

  /// Weighs pairs of rows, as `premultiplyPairs8` makes them, into target rows of 16-bit samples, pixels two by
  /// two as `pairPixels` stores them:
  /// `output[i] = (Σ coefficients[k] rows[k][i] + half - (16256 << shift)) >> shift`.
  ///
  /// - Parameters:
  ///   - pairs: the first pair; the others are `pairStride` bytes apart.
  ///   - count: samples, a multiple of 64.
  ///   - ranges: of each target row the first of its pairs and the end; neither ever goes back.
  ///   - coefficients: of each target row two 16-bit numbers for each of its pairs, `stride` bytes from one row
  ///     to the next.
  ///   - shift: 1 to 16; results fit 16 bits.
  ///   - output: of the first target row; the others are `outputStride` bytes apart.
  public func weighPremultipliedPairs8(
    _ pairs: UnsafeRawPointer, _ pairStride: Int, _ count: Int, _ ranges: UnsafePointer<Int32>,
    _ coefficients: UnsafeRawPointer, _ stride: Int, _ targets: Int, _ shift: Int,
    _ output: UnsafeMutableRawPointer, _ outputStride: Int
  ) {
    let first = broadcast(
      Int32(truncatingIfNeeded: 1 &<< (shift &- 1) &- 16_256 &<< shift))
    let size = count &* 4
    var target = 0
    while target < targets {
      let taps = PairTaps(ranges, coefficients, stride, target)
      let to = output + target &* outputStride
      if target &+ 4 <= targets, ranges[2 &* target &+ 6] <= ranges[2 &* target &+ 1] {
        weighFourTargets(
          pairs, pairStride, size, first, taps,
          PairTaps(ranges, coefficients, stride, target &+ 1),
          PairTaps(ranges, coefficients, stride, target &+ 2),
          PairTaps(ranges, coefficients, stride, target &+ 3), shift, to, outputStride)
        target &+= 4
      } else {
        weighOneTarget(pairs, pairStride, size, first, taps, shift, to)
        target &+= 1
      }
    }
  }

  @inline(__always)
  private func weighOneTarget(
    _ pairs: UnsafeRawPointer, _ pairStride: Int, _ size: Int, _ first: Vector, _ taps: PairTaps,
    _ shift: Int, _ output: UnsafeMutableRawPointer
  ) {
    var at = 0
    while at < size {
      var sums = PairSums(first)
      var k = taps.first
      while k < taps.end {
        sums.add(PairVectors(pairs + (k &* pairStride &+ at)), taps, k)
        k &+= 1
      }
      sums.store(shift, at, output)
      at &+= PairSums.size
    }
  }

  /// Four target rows, of which the last begins no later than the first ends: most pairs are read once for all.
  @inline(__always)
  private func weighFourTargets(
    _ pairs: UnsafeRawPointer, _ pairStride: Int, _ size: Int, _ first: Vector,
    _ taps0: PairTaps, _ taps1: PairTaps, _ taps2: PairTaps, _ taps3: PairTaps,
    _ shift: Int, _ output: UnsafeMutableRawPointer, _ outputStride: Int
  ) {
    var at = 0
    while at < size {
      var sums0 = PairSums(first)
      var sums1 = PairSums(first)
      var sums2 = PairSums(first)
      var sums3 = PairSums(first)
      var row = pairs + (taps0.first &* pairStride &+ at)
      var k = taps0.first
      while k < taps1.first {
        sums0.add(PairVectors(row), taps0, k)
        row += pairStride
        k &+= 1
      }
      while k < taps2.first {
        let pair = PairVectors(row)
        sums0.add(pair, taps0, k)
        sums1.add(pair, taps1, k)
        row += pairStride
        k &+= 1
      }
      while k < taps3.first {
        let pair = PairVectors(row)
        sums0.add(pair, taps0, k)
        sums1.add(pair, taps1, k)
        sums2.add(pair, taps2, k)
        row += pairStride
        k &+= 1
      }
      while k < taps0.end {
        let pair = PairVectors(row)
        sums0.add(pair, taps0, k)
        sums1.add(pair, taps1, k)
        sums2.add(pair, taps2, k)
        sums3.add(pair, taps3, k)
        row += pairStride
        k &+= 1
      }
      sums0.store(shift, at, output)
      while k < taps1.end {
        let pair = PairVectors(row)
        sums1.add(pair, taps1, k)
        sums2.add(pair, taps2, k)
        sums3.add(pair, taps3, k)
        row += pairStride
        k &+= 1
      }
      sums1.store(shift, at, output + outputStride)
      while k < taps2.end {
        let pair = PairVectors(row)
        sums2.add(pair, taps2, k)
        sums3.add(pair, taps3, k)
        row += pairStride
        k &+= 1
      }
      sums2.store(shift, at, output + 2 &* outputStride)
      while k < taps3.end {
        sums3.add(PairVectors(row), taps3, k)
        row += pairStride
        k &+= 1
      }
      sums3.store(shift, at, output + 3 &* outputStride)
      at &+= PairSums.size
    }
  }
#endif
