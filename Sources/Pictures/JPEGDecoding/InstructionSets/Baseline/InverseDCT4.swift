#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Computes the inverse DCT of neighbouring blocks, to 4x4 samples each, as `jpeg_idct_4x4` in libjpeg's `jidctred.c`
  /// does: the 8-point transform of `inverseDCT8` with the outputs averaged in pairs.
  ///
  /// The parameters are those of `inverseDCT8`, and the result equals libjpeg's, too.
  public func inverseDCT4(
    _ blocks: UnsafeRawPointer, _ lasts: UnsafePointer<UInt8>, _ count: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int
  ) {
    var index = 0
    while index < count {
      let other = min(index &+ blocksAtOnce, count) &- 1
      let bytes = rows4(columns4(blocks + index &* 128, blocks + other &* 128))
      store4(firstBlock(bytes), output + index &* 4, stride)
      #if ISA_V3
        store4(secondBlock(bytes), output + other &* 4, stride)
      #endif
      index &+= blocksAtOnce
    }
  }

  /// Runs the first pass, which computes four rows.
  @inline(__always)
  private func columns4(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> (Lanes, Lanes, Lanes, Lanes) {
    let x0 = loadRow(a, b, 0)
    let x1 = loadRow(a, b, 1)
    let x2 = loadRow(a, b, 2)
    let x3 = loadRow(a, b, 3)
    let x5 = loadRow(a, b, 5)
    let x6 = loadRow(a, b, 6)
    let x7 = loadRow(a, b, 7)
    let low = half4(
      zipLow16(zero(), x0), zipLow16(x2, x6), zipLow16(x3, x7), zipLow16(x1, x5), 12)
    let high = half4(zipHigh16(zero(), x0), zipHigh16(x2, x6), zipHigh16(x3, x7), zipHigh16(x1, x5), 12)
    return (pack32(low.0, high.0), pack32(low.1, high.1), pack32(low.2, high.2), pack32(low.3, high.3))
  }

  /// Runs the second pass, which computes 16 samples in row-major order.
  @inline(__always)
  private func rows4(_ x: (Lanes, Lanes, Lanes, Lanes)) -> Lanes {
    // The four rows are transposed to columns, two in a vector. `half4` then takes pairs of columns.
    let a01 = zipLow16(x.0, x.1)
    let a23 = zipLow16(x.2, x.3)
    let b01 = zipHigh16(x.0, x.1)
    let b23 = zipHigh16(x.2, x.3)
    let c01 = zipLow32(a01, a23)
    let c23 = zipHigh32(a01, a23)
    let c45 = zipLow32(b01, b23)
    let c67 = zipHigh32(b01, b23)
    let y = half4(zipLow16(zero(), c01), zipLow16(c23, c67), zipHigh16(c23, c67), zipHigh16(c01, c45), 19)
    let columns = add8(pack16(pack32(y.0, y.1), pack32(y.2, y.3)), all8(-128))
    let twos = zipLow8(columns, zipHigh64(columns, columns))
    return zipLow8(twos, zipHigh64(twos, twos))
  }

  /// Transforms one dimension in four lanes, and shifts the results right with rounding. Coefficient 0 is in the upper
  /// halves of the lanes of `x0`; the other vectors have pairs of coefficients, 2 and 6 in `x26`.
  @inline(__always)
  private func half4(
    _ x0: Lanes, _ x26: Lanes, _ x37: Lanes, _ x15: Lanes, _ shift: Int32
  ) -> (Lanes, Lanes, Lanes, Lanes) {
    let e0 = add32(shiftRight32(x0, 2), all32(1 &<< (shift - 1)))
    // The weights are these factors times 2¹³: 1.847759065 and -0.765366865.
    let e2 = dot(x26, weights(15137, -6270))
    // The weights are these factors times 2¹³: -2.172734803, -0.211164243, 1.061594337 and 1.451774981.
    let o0 = add32(dot(x37, weights(-17799, -1730)), dot(x15, weights(8697, 11893)))
    // The weights are these factors times 2¹³: 0.899976223, -0.509795579, 2.562915447 and -0.601344887.
    let o2 = add32(dot(x37, weights(7373, -4176)), dot(x15, weights(20995, -4926)))
    let t0 = add32(e0, e2)
    let t2 = subtract32(e0, e2)
    return (
      shiftRight32(add32(t0, o2), shift), shiftRight32(add32(t2, o0), shift), shiftRight32(subtract32(t2, o0), shift),
      shiftRight32(subtract32(t0, o2), shift)
    )
  }

  @inline(__always)
  private func store4(_ rows: __m128i, _ output: UnsafeMutableRawPointer, _ stride: Int) {
    output.storeBytes(of: Int32(truncatingIfNeeded: rows[0]), as: Int32.self)
    output.storeBytes(of: Int32(truncatingIfNeeded: rows[0] &>> 32), toByteOffset: stride, as: Int32.self)
    output.storeBytes(of: Int32(truncatingIfNeeded: rows[1]), toByteOffset: 2 &* stride, as: Int32.self)
    output.storeBytes(of: Int32(truncatingIfNeeded: rows[1] &>> 32), toByteOffset: 3 &* stride, as: Int32.self)
  }
#endif
