#if arch(x86_64)
  import CKernels
  import CProcessor
  import _Builtin_intrinsics.intel

  #if ISA_V4
    func interleaveFourRows(
      _ rows: RowAddresses, _ count: Int, _ output: UnsafeMutableRawPointer
    ) {
      let (row0, row1, row2, row3) = (rows[0], rows[1], rows[2], rows[3])
      var out = output
      var i = 0
      while i < count {
        let (p, q) = (load(row0 + i), load(row1 + i))
        let (r, s) = (load(row2 + i), load(row3 + i))
        imghost_prefetch_line(row0 + i + ahead)
        imghost_prefetch_line(row1 + i + ahead)
        imghost_prefetch_line(row2 + i + ahead)
        imghost_prefetch_line(row3 + i + ahead)
        let (upperLow, lowerLow) = (unpackLow8(p, q), unpackLow8(r, s))
        let (upperHigh, lowerHigh) = (unpackHigh8(p, q), unpackHigh8(r, s))
        out.storeBytes(of: unpackLow16(upperLow, lowerLow), as: Vector.self)
        out.storeBytes(of: unpackHigh16(upperLow, lowerLow), toByteOffset: 64, as: Vector.self)
        out.storeBytes(of: unpackLow16(upperHigh, lowerHigh), toByteOffset: 128, as: Vector.self)
        out.storeBytes(of: unpackHigh16(upperHigh, lowerHigh), toByteOffset: 192, as: Vector.self)
        out += 256
        i &+= 64
      }
    }

    /// Filters 8-bit rows: two `vpdpbusd` instructions multiply four samples by the high and low parts of their
    /// coefficients, without widening the samples.
    func filterRows8(_ pass: UnsafePointer<VerticalPass8>) {
      let pass = pass.pointee
      var target = 0
      while target < pass.targets {
        filterQuads(pass, target)
        target &+= 1
      }
    }

    /// Prefetches two cache lines at `sample`. Each target row does so in only a few of the rows, because processors
    /// drop prefetches beyond a dozen cache lines at once.
    @inline(__always)
    private func fetch(_ pass: VerticalPass8, _ target: Int, _ sample: Int) {
      var row = target
      while row < pass.aheadCount {
        let address = pass.ahead[row] + (pass.aheadOffset &+ sample)
        imghost_prefetch_line(address)
        imghost_prefetch_line(address + 64)
        row &+= pass.targets
      }
    }

    @inline(__always)
    private func filterQuads(_ pass: VerticalPass8, _ target: Int) {
      let first = Int(truncatingIfNeeded: pass.ranges[2 &* target])
      let rowCount = Int(truncatingIfNeeded: pass.ranges[2 &* target &+ 1]) &- first
      let (rows, coefficients) = (pass.rows + first, pass.coefficients + target &* pass.stride)
      let (output, shift, bands) = (pass.outputs[target], pass.shift, pass.bands)
      let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (shift &- 1)))
      let none = broadcast(0)
      var i = 0
      while i < pass.count {
        var high0 = none
        var high1 = none
        var high2 = none
        var high3 = none
        var high4 = none
        var high5 = none
        var high6 = none
        var high7 = none
        var low0 = half
        var low1 = half
        var low2 = half
        var low3 = half
        var low4 = half
        var low5 = half
        var low6 = half
        var low7 = half
        let at = pass.offset &+ i &* 4
        fetch(pass, target, i)
        var k = 0
        while k < rowCount {
          let pair = coefficients + k &* 8
          let high = broadcast(pair.loadUnaligned(as: Int32.self))
          let low = broadcast(pair.loadUnaligned(fromByteOffset: 4, as: Int32.self))
          let quad = rows[k] + at
          let d0 = load(quad)
          high0 = _mm512_dpbusd_epi32(high0, d0, high)
          low0 = _mm512_dpbusd_epi32(low0, d0, low)
          let d1 = load(quad + 64)
          high1 = _mm512_dpbusd_epi32(high1, d1, high)
          low1 = _mm512_dpbusd_epi32(low1, d1, low)
          let d2 = load(quad + 128)
          high2 = _mm512_dpbusd_epi32(high2, d2, high)
          low2 = _mm512_dpbusd_epi32(low2, d2, low)
          let d3 = load(quad + 192)
          high3 = _mm512_dpbusd_epi32(high3, d3, high)
          low3 = _mm512_dpbusd_epi32(low3, d3, low)
          let d4 = load(quad + 256)
          high4 = _mm512_dpbusd_epi32(high4, d4, high)
          low4 = _mm512_dpbusd_epi32(low4, d4, low)
          let d5 = load(quad + 320)
          high5 = _mm512_dpbusd_epi32(high5, d5, high)
          low5 = _mm512_dpbusd_epi32(low5, d5, low)
          let d6 = load(quad + 384)
          high6 = _mm512_dpbusd_epi32(high6, d6, high)
          low6 = _mm512_dpbusd_epi32(low6, d6, low)
          let d7 = load(quad + 448)
          high7 = _mm512_dpbusd_epi32(high7, d7, high)
          low7 = _mm512_dpbusd_epi32(low7, d7, low)
          k &+= 1
        }
        let out = output + i &* 2
        let (a0, a1) = (joined(high0, low0), joined(high1, low1))
        let (a2, a3) = (joined(high2, low2), joined(high3, low3))
        storeWords(a0, a1, a2, a3, shift, bands, out)
        let (b0, b1) = (joined(high4, low4), joined(high5, low5))
        let (b2, b3) = (joined(high6, low6), joined(high7, low7))
        storeWords(b0, b1, b2, b3, shift, bands, out + 128)
        i &+= 128
      }
    }

    @inline(__always)
    private func joined(_ high: Vector, _ low: Vector) -> Vector {
      _mm512_add_epi32(_mm512_slli_epi32(high, 8), low)
    }
  #endif

  /// Stores four vectors of sums as 16-bit samples; pixels of four bands in pairs. Samples in the same 128-bit lane of
  /// the four vectors are adjacent in the output.
  @inline(__always)
  func storeWords(
    _ sum0: Vector, _ sum1: Vector, _ sum2: Vector, _ sum3: Vector, _ shift: Int, _ bands: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    if bands == 4 {
      storePixelPairs(sum0, sum1, sum2, sum3, shift, output)
    } else {
      let count = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))
      storeLanes(
        pack16(shiftRight(sum0, count), shiftRight(sum1, count)),
        pack16(shiftRight(sum2, count), shiftRight(sum3, count)), output)
    }
  }

  /// Stores the sums of pixels with four bands, one in each 128-bit lane, in pairs as in `pairPixels`. Shifted sums
  /// must fit into 16 bits.
  @inline(__always)
  func storePixelPairs(
    _ sum0: Vector, _ sum1: Vector, _ sum2: Vector, _ sum3: Vector, _ shift: Int, _ output: UnsafeMutableRawPointer
  ) {
    let count = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))
    let left = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: 16 &- shift))
    storeLanes(
      wordPairs(shiftRight(sum0, count), shiftLeft(sum1, left)),
      wordPairs(shiftRight(sum2, count), shiftLeft(sum3, left)), output)
  }

  /// The number of bytes by which prefetches in source rows are ahead of the current samples. Processors do not
  /// prefetch beyond the end of a memory page by themselves.
  private let ahead = 1024
#endif
