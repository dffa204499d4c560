#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Computes the inverse DCT of neighbouring blocks, to 8x8 samples each.
  ///
  /// The algorithm is that of Loeffler, Ligtenberg and Moschytz, "Practical fast 1-D DCT algorithms with 11
  /// multiplications" (ICASSP 1989), in integers as in libjpeg's `jidctint.c` ("islow"). Constants have 13 fraction
  /// bits, and samples have 2 between the passes over columns and rows. The result equals libjpeg's.
  ///
  /// - Parameters:
  ///   - blocks: `count` times 64 dequantised coefficients in row-major order, none larger than
  ///     `EntropyLimits.largestCoefficient`.
  ///   - lasts: for each of `count` blocks, the zigzag index of the last coefficient that may differ from 0.
  ///   - output: the address of the first sample of the first block; rows are `stride` bytes apart.
  public func inverseDCT8(
    _ blocks: UnsafeRawPointer, _ lasts: UnsafePointer<UInt8>, _ count: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int
  ) {
    var index = 0
    while index < count {
      let other = min(index &+ blocksAtOnce, count) &- 1
      let first = blocks + index &* 128
      let second = blocks + other &* 128
      let target = output + index &* 8
      let otherTarget = output + other &* 8
      if lasts[index] | lasts[other] == 0 {
        fill8(first.load(as: Int16.self), target, stride)
        if other != index { fill8(second.load(as: Int16.self), otherTarget, stride) }
      } else {
        let x = loadBlocks(first, second)
        let columns = transposed(pass8(x, 11))
        storeTransposed(pass8(columns, 18), target, otherTarget, stride)
      }
      index &+= blocksAtOnce
    }
  }

  /// Writes a block that has only a DC coefficient: all samples are equal.
  @inline(__always)
  private func fill8(_ dc: Int16, _ output: UnsafeMutableRawPointer, _ stride: Int) {
    let sample = min(max((Int32(dc) &+ 4) &>> 3, -128), 127) &+ 128
    let bytes = UInt64(truncatingIfNeeded: sample) &* 0x0101_0101_0101_0101
    for row in 0..<8 { output.storeBytes(of: bytes, toByteOffset: row &* stride, as: UInt64.self) }
  }

  private typealias Eight = (Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes, Lanes)

  @inline(__always)
  private func loadBlocks(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Eight {
    (
      loadRow(a, b, 0), loadRow(a, b, 1), loadRow(a, b, 2), loadRow(a, b, 3),
      loadRow(a, b, 4), loadRow(a, b, 5), loadRow(a, b, 6), loadRow(a, b, 7)
    )
  }

  /// Transforms one dimension, and shifts the results right with rounding.
  @inline(__always)
  private func pass8(_ x: Eight, _ shift: Int32) -> Eight {
    let sum = add16(x.0, x.4)
    let difference = subtract16(x.0, x.4)
    let z3 = add16(x.7, x.3)
    let z4 = add16(x.5, x.1)
    let low = half8(
      zipLow16(zero(), sum), zipLow16(zero(), difference), zipLow16(x.2, x.6),
      zipLow16(z3, z4), zipLow16(x.7, x.1), zipLow16(x.5, x.3), shift)
    let high = half8(
      zipHigh16(zero(), sum), zipHigh16(zero(), difference), zipHigh16(x.2, x.6),
      zipHigh16(z3, z4), zipHigh16(x.7, x.1), zipHigh16(x.5, x.3), shift)
    return (
      pack32(low.0, high.0), pack32(low.1, high.1), pack32(low.2, high.2), pack32(low.3, high.3), pack32(low.4, high.4),
      pack32(low.5, high.5), pack32(low.6, high.6), pack32(low.7, high.7)
    )
  }

  /// Transforms half of the lanes of `pass8`.
  @inline(__always)
  private func half8(
    _ sum: Lanes, _ difference: Lanes, _ x26: Lanes, _ z34: Lanes, _ x71: Lanes, _ x53: Lanes, _ shift: Int32
  ) -> Eight {
    // This is the even part. The weights are 2¹³ times 0.541196100 and its sums with 0.765366865 and -1.847759065.
    let e2 = dot(x26, weights(4433, 4433 - 15137))
    let e3 = dot(x26, weights(4433 + 6270, 4433))
    let half = all32(1 &<< (shift - 1))
    let e0 = add32(shiftRight32(sum, 3), half)
    let e1 = add32(shiftRight32(difference, 3), half)
    let t0 = add32(e0, e3)
    let t3 = subtract32(e0, e3)
    let t1 = add32(e1, e2)
    let t2 = subtract32(e1, e2)
    // This is the odd part. The weights are 2¹³ times 1.175875602 and its sums with -1.961570560 and -0.390180644.
    let z3 = dot(z34, weights(9633 - 16069, 9633))
    let z4 = dot(z34, weights(9633, 9633 - 3196))
    // These weights are 2¹³ times -0.899976223 and its sums with 0.298631336 and 1.501321110.
    let o0 = add32(dot(x71, weights(2446 - 7373, -7373)), z3)
    let o3 = add32(dot(x71, weights(-7373, 12299 - 7373)), z4)
    // These weights are 2¹³ times -2.562915447 and its sums with 2.053119869 and 3.072711026.
    let o1 = add32(dot(x53, weights(16819 - 20995, -20995)), z4)
    let o2 = add32(dot(x53, weights(-20995, 25172 - 20995)), z3)
    return (
      shiftRight32(add32(t0, o3), shift), shiftRight32(add32(t1, o2), shift), shiftRight32(add32(t2, o1), shift),
      shiftRight32(add32(t3, o0), shift), shiftRight32(subtract32(t3, o0), shift),
      shiftRight32(subtract32(t2, o1), shift), shiftRight32(subtract32(t1, o2), shift),
      shiftRight32(subtract32(t0, o3), shift)
    )
  }

  @inline(__always)
  private func transposed(_ x: Eight) -> Eight {
    let a0 = zipLow16(x.0, x.1)
    let a1 = zipHigh16(x.0, x.1)
    let a2 = zipLow16(x.2, x.3)
    let a3 = zipHigh16(x.2, x.3)
    let a4 = zipLow16(x.4, x.5)
    let a5 = zipHigh16(x.4, x.5)
    let a6 = zipLow16(x.6, x.7)
    let a7 = zipHigh16(x.6, x.7)
    let b0 = zipLow32(a0, a2)
    let b1 = zipHigh32(a0, a2)
    let b2 = zipLow32(a1, a3)
    let b3 = zipHigh32(a1, a3)
    let b4 = zipLow32(a4, a6)
    let b5 = zipHigh32(a4, a6)
    let b6 = zipLow32(a5, a7)
    let b7 = zipHigh32(a5, a7)
    return (
      zipLow64(b0, b4), zipHigh64(b0, b4), zipLow64(b1, b5), zipHigh64(b1, b5),
      zipLow64(b2, b6), zipHigh64(b2, b6), zipLow64(b3, b7), zipHigh64(b3, b7)
    )
  }

  /// Transposes columns of samples centred on 0, and stores them as rows of bytes centred on 128.
  @inline(__always)
  private func storeTransposed(
    _ x: Eight, _ output: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer,
    _ stride: Int
  ) {
    let centre = all8(-128)
    let c01 = add8(pack16(x.0, x.1), centre)
    let c23 = add8(pack16(x.2, x.3), centre)
    let c45 = add8(pack16(x.4, x.5), centre)
    let c67 = add8(pack16(x.6, x.7), centre)
    let a02 = zipLow8(c01, c23)
    let a13 = zipHigh8(c01, c23)
    let a46 = zipLow8(c45, c67)
    let a57 = zipHigh8(c45, c67)
    let b0 = zipLow8(a02, a13)
    let b1 = zipHigh8(a02, a13)
    let b2 = zipLow8(a46, a57)
    let b3 = zipHigh8(a46, a57)
    let rows = (zipLow32(b0, b2), zipHigh32(b0, b2), zipLow32(b1, b3), zipHigh32(b1, b3))
    storeRows(firstBlock(rows.0), firstBlock(rows.1), output, stride)
    storeRows(firstBlock(rows.2), firstBlock(rows.3), output + 4 &* stride, stride)
    #if ISA_V3
      storeRows(secondBlock(rows.0), secondBlock(rows.1), other, stride)
      storeRows(secondBlock(rows.2), secondBlock(rows.3), other + 4 &* stride, stride)
    #endif
  }

  /// Stores four rows, two in a vector.
  @inline(__always)
  private func storeRows(_ a: __m128i, _ b: __m128i, _ output: UnsafeMutableRawPointer, _ stride: Int) {
    output.storeBytes(of: a[0], as: Int64.self)
    output.storeBytes(of: a[1], toByteOffset: stride, as: Int64.self)
    output.storeBytes(of: b[0], toByteOffset: 2 &* stride, as: Int64.self)
    output.storeBytes(of: b[1], toByteOffset: 3 &* stride, as: Int64.self)
  }
#endif
