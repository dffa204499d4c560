#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Weighs rows of 8-bit samples into one row of 16-bit ones:
  /// `output[i] = (Σ coefficients[k] rows[k][offset + i] + half) >> shift`, saturated.
  ///
  /// - Parameters:
  ///   - rows: `taps` rows, each readable to `offset + count` rounded up to 128.
  ///   - coefficients: `taps` of them.
  ///   - taps: even.
  ///   - count: samples, a multiple of 128; `output` has room for as many 16-bit samples.
  ///   - shift: at least 1.
  public func weighRows8(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ coefficients: UnsafePointer<Int16>, _ taps: Int,
    _ offset: Int, _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Vector>.size
    let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (shift &- 1)))
    let shiftCount = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))
    let zero = broadcast(0)
    let pairs = UnsafeRawPointer(coefficients)
    var i = 0
    while i < count {
      var a0 = half
      var a1 = half
      var a2 = half
      var a3 = half
      var b0 = half
      var b1 = half
      var b2 = half
      var b3 = half
      var k = 0
      while k < taps {
        let pair = broadcast(pairs.loadUnaligned(fromByteOffset: k &* 2, as: Int32.self))
        let upper = rows[k] + (offset &+ i)
        let lower = rows[k &+ 1] + (offset &+ i)
        let p = load(upper)
        let q = load(lower)
        let low = unpackLow8(p, q)
        let high = unpackHigh8(p, q)
        a0 = dot(a0, unpackLow8(low, zero), pair)
        a1 = dot(a1, unpackHigh8(low, zero), pair)
        a2 = dot(a2, unpackLow8(high, zero), pair)
        a3 = dot(a3, unpackHigh8(high, zero), pair)
        let r = load(upper + size)
        let s = load(lower + size)
        let low2 = unpackLow8(r, s)
        let high2 = unpackHigh8(r, s)
        b0 = dot(b0, unpackLow8(low2, zero), pair)
        b1 = dot(b1, unpackHigh8(low2, zero), pair)
        b2 = dot(b2, unpackLow8(high2, zero), pair)
        b3 = dot(b3, unpackHigh8(high2, zero), pair)
        k &+= 2
      }
      let out = output + i &* 2
      storeLanes(
        pack16(shiftRight(a0, shiftCount), shiftRight(a1, shiftCount)),
        pack16(shiftRight(a2, shiftCount), shiftRight(a3, shiftCount)), out)
      storeLanes(
        pack16(shiftRight(b0, shiftCount), shiftRight(b1, shiftCount)),
        pack16(shiftRight(b2, shiftCount), shiftRight(b3, shiftCount)), out + 2 &* size)
      i &+= 2 &* size
    }
  }

  /// Weighs rows of 16-bit samples into one row of 8-bit ones:
  /// `output[i] = clamp((Σ coefficients[k] rows[k][i] + half) >> shift)`.
  ///
  /// - Parameters:
  ///   - rows: `taps` rows of at least `count` samples.
  ///   - coefficients: `taps` of them.
  ///   - taps: even.
  ///   - count: samples, a multiple of 64.
  ///   - shift: at least 1.
  public func weighRows16(
    _ rows: UnsafePointer<UnsafeRawPointer>, _ coefficients: UnsafePointer<Int16>, _ taps: Int,
    _ count: Int, _ shift: Int, _ output: UnsafeMutableRawPointer
  ) {
    let size = MemoryLayout<Vector>.size
    let half = broadcast(Int32(truncatingIfNeeded: 1 &<< (shift &- 1)))
    let shiftCount = _mm_cvtsi32_si128(Int32(truncatingIfNeeded: shift))
    let pairs = UnsafeRawPointer(coefficients)
    let end = count &* 2
    var at = 0
    while at < end {
      var a0 = half
      var a1 = half
      var b0 = half
      var b1 = half
      var k = 0
      while k < taps {
        let pair = broadcast(pairs.loadUnaligned(fromByteOffset: k &* 2, as: Int32.self))
        let upper = rows[k] + at
        let lower = rows[k &+ 1] + at
        let p = load(upper)
        let q = load(lower)
        a0 = dot(a0, unpackLow16(p, q), pair)
        a1 = dot(a1, unpackHigh16(p, q), pair)
        let r = load(upper + size)
        let s = load(lower + size)
        b0 = dot(b0, unpackLow16(r, s), pair)
        b1 = dot(b1, unpackHigh16(r, s), pair)
        k &+= 2
      }
      let first = pack16(shiftRight(a0, shiftCount), shiftRight(a1, shiftCount))
      let second = pack16(shiftRight(b0, shiftCount), shiftRight(b1, shiftCount))
      output.storeBytes(of: packBytes(first, second), toByteOffset: at &>> 1, as: Vector.self)
      at &+= 2 &* size
    }
  }
#endif
