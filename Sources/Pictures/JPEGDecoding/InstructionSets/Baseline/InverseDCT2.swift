#if arch(x86_64)
  import _Builtin_intrinsics.intel

  /// Computes the inverse DCT of neighbouring blocks, to 2x2 samples each, as `jpeg_idct_2x2` in libjpeg's `jidctred.c`
  /// does.
  ///
  /// The parameters are those of `inverseDCT8`, and the result equals libjpeg's, too.
  public func inverseDCT2(
    _ blocks: UnsafeRawPointer, _ lasts: UnsafePointer<UInt8>, _ count: Int,
    _ output: UnsafeMutableRawPointer, _ stride: Int
  ) {
    var index = 0
    while index < count {
      let other = min(index &+ blocksAtOnce, count) &- 1
      let bytes = transform2(blocks + index &* 128, blocks + other &* 128)
      store2(firstBlock(bytes), output + index &* 2, stride)
      #if ISA_V3
        store2(secondBlock(bytes), output + other &* 2, stride)
      #endif
      index &+= blocksAtOnce
    }
  }

  /// Computes four samples of each block, in row-major order. Only the coefficients whose row and column are each 0 or
  /// odd are used.
  @inline(__always)
  private func transform2(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer) -> Lanes {
    let x0 = loadRow(a, b, 0)
    let x1 = loadRow(a, b, 1)
    let x3 = loadRow(a, b, 3)
    let x5 = loadRow(a, b, 5)
    let x7 = loadRow(a, b, 7)
    // The weights are these factors times 2¹³: 3.624509785, -1.272758580, 0.850430095 and -0.720959822.
    let w13 = weights(29692, -10426)
    let w57 = weights(6967, -5906)
    let odds = all32(Int32(bitPattern: 0xffff_0000))
    // The first column is in the first lane of `first`; the four odd columns are in `others`.
    let first = fold2(
      shiftLeft32(x0, 16), dot(zipLow16(x1, x3), w13), dot(zipLow16(x5, x7), w57))
    let others = fold2(
      both(x0, odds), dot(either(dropLow32(x1, 16), both(x3, odds)), w13),
      dot(either(dropLow32(x5, 16), both(x7, odds)), w57))
    // The sum for the upper row is in lane 0, and that for the lower row in lane 2; lanes 1 and 3 are not used.
    let products = dot(
      pack32(others.0, others.1), oddWeights())
    let odd = add32(products, dropLow64(products, 32))
    let even = add32(shiftLeft32(zipLow64(first.0, first.1), 15), all32(1 &<< 19))
    let left = shiftRight32(add32(even, odd), 20)
    let right = shiftRight32(subtract32(even, odd), 20)
    // These are the left and right sample of the upper row, then those of the lower row.
    let words = zipLow64(zipLow32(left, right), zipHigh32(left, right))
    return add8(pack16(pack32(words, words), zero()), all8(-128))
  }

  /// Returns the two rows that the first pass computes: coefficient 0, which is in the upper half of each lane, plus
  /// and minus the weighted sum of the odd coefficients.
  @inline(__always)
  private func fold2(_ x0: Lanes, _ x13: Lanes, _ x57: Lanes) -> (Lanes, Lanes) {
    let even = add32(shiftRight32(x0, 1), all32(1 &<< 12))
    let odd = add32(x13, x57)
    return (shiftRight32(add32(even, odd), 13), shiftRight32(subtract32(even, odd), 13))
  }

  /// Returns the weights of columns 1, 3, 5 and 7, repeated once.
  @inline(__always)
  private func oddWeights() -> Lanes { zipLow32(weights(29692, -10426), weights(6967, -5906)) }

  @inline(__always)
  private func store2(_ rows: __m128i, _ output: UnsafeMutableRawPointer, _ stride: Int) {
    output.storeBytes(of: Int16(truncatingIfNeeded: rows[0]), as: Int16.self)
    output.storeBytes(of: Int16(truncatingIfNeeded: rows[0] &>> 16), toByteOffset: stride, as: Int16.self)
  }
#endif
