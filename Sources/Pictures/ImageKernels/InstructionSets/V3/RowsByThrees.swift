#if arch(x86_64)
  import CKernels
  import _Builtin_intrinsics.intel

  // The vertical pass over rows of 16-bit samples into three target rows at once. The sums of three rows, four vectors
  // each, and the summands fill the sixteen registers. If four rows had two vectors of sums each, as in
  // `filterFourRows`, most additions would wait for the previous one.

  /// Four vectors of a target row. Sums start at -32,768, so that they are centred on 0.
  private struct WideSums {
    var sum0 = spread(-32_768)
    var sum1 = spread(-32_768)
    var sum2 = spread(-32_768)
    var sum3 = spread(-32_768)

    /// The number of bytes of all vectors.
    @inline(__always)
    static var size: Int { MemoryLayout<WideSums>.size }

    @inline(__always)
    fileprivate func store(_ output: UnsafeMutableRawPointer) {
      output.storeBytes(of: roundedTo64ths(sum0), as: Floats.self)
      output.storeBytes(of: roundedTo64ths(sum1), toByteOffset: 32, as: Floats.self)
      output.storeBytes(of: roundedTo64ths(sum2), toByteOffset: 64, as: Floats.self)
      output.storeBytes(of: roundedTo64ths(sum3), toByteOffset: 96, as: Floats.self)
    }
  }

  @inline(__always)
  private func addToOne(_ sums: inout WideSums, _ row: UnsafeRawPointer, _ weight: Float) {
    let weight = spread(weight)
    sums.sum0 = fused(sums.sum0, floats16(row), weight)
    sums.sum1 = fused(sums.sum1, floats16(row + 16), weight)
    sums.sum2 = fused(sums.sum2, floats16(row + 32), weight)
    sums.sum3 = fused(sums.sum3, floats16(row + 48), weight)
  }

  @inline(__always)
  private func addToTwo(
    _ sums0: inout WideSums, _ sums1: inout WideSums, _ row: UnsafeRawPointer, _ weight0: Float, _ weight1: Float
  ) {
    let (weight0, weight1) = (spread(weight0), spread(weight1))
    let (part0, part1) = (floats16(row), floats16(row + 16))
    sums0.sum0 = fused(sums0.sum0, part0, weight0)
    sums1.sum0 = fused(sums1.sum0, part0, weight1)
    sums0.sum1 = fused(sums0.sum1, part1, weight0)
    sums1.sum1 = fused(sums1.sum1, part1, weight1)
    let (part2, part3) = (floats16(row + 32), floats16(row + 48))
    sums0.sum2 = fused(sums0.sum2, part2, weight0)
    sums1.sum2 = fused(sums1.sum2, part2, weight1)
    sums0.sum3 = fused(sums0.sum3, part3, weight0)
    sums1.sum3 = fused(sums1.sum3, part3, weight1)
  }

  @inline(__always)
  private func addToThree(
    _ sums0: inout WideSums, _ sums1: inout WideSums, _ sums2: inout WideSums,
    _ row: UnsafeRawPointer, _ weight0: Float, _ weight1: Float, _ weight2: Float
  ) {
    let (weight0, weight1, weight2) = (spread(weight0), spread(weight1), spread(weight2))
    let part0 = floats16(row)
    sums0.sum0 = fused(sums0.sum0, part0, weight0)
    sums1.sum0 = fused(sums1.sum0, part0, weight1)
    sums2.sum0 = fused(sums2.sum0, part0, weight2)
    let part1 = floats16(row + 16)
    sums0.sum1 = fused(sums0.sum1, part1, weight0)
    sums1.sum1 = fused(sums1.sum1, part1, weight1)
    sums2.sum1 = fused(sums2.sum1, part1, weight2)
    let part2 = floats16(row + 32)
    sums0.sum2 = fused(sums0.sum2, part2, weight0)
    sums1.sum2 = fused(sums1.sum2, part2, weight1)
    sums2.sum2 = fused(sums2.sum2, part2, weight2)
    let part3 = floats16(row + 48)
    sums0.sum3 = fused(sums0.sum3, part3, weight0)
    sums1.sum3 = fused(sums1.sum3, part3, weight1)
    sums2.sum3 = fused(sums2.sum3, part3, weight2)
  }

  /// The number of calls of `fetch` in `filterByThrees` for each 128 bytes of eight target rows.
  let fetchesOfThrees = 5

  /// Filters up to eight target rows: three or two at once if their source rows overlap or adjoin, otherwise one.
  @inline(__always)
  func filterByThrees(_ pass: VerticalPassIntoFloats, _ ahead: inout Ahead) {
    let (ranges, targets) = (pass.ranges, pass.targets)
    var target = 0
    while target < targets {
      if target &+ 3 <= targets, ranges[2 &* target &+ 4] <= ranges[2 &* target &+ 1] {
        filterThreeRows(pass, target, &ahead)
        target &+= 3
      } else if target &+ 2 <= targets, ranges[2 &* target &+ 2] <= ranges[2 &* target &+ 1] {
        filterTwoRows(pass, target, &ahead)
        target &+= 2
      } else {
        filterOneRow(pass, target, &ahead)
        target &+= 1
      }
    }
  }

  @inline(__always)
  private func filterOneRow(
    _ pass: VerticalPassIntoFloats, _ target: Int, _ ahead: inout Ahead
  ) {
    let (rows, offset, size) = (pass.rows, pass.offset, pass.count &* 4)
    let (taps, output) = (rowTaps(pass, target), pass.output + target &* pass.stride)
    var at = 0
    while at < size {
      let from = offset &+ at / 2
      var sums = WideSums()
      fetch(&ahead)
      var k = taps.first
      while k < taps.end {
        addToOne(&sums, rows[k] + from, taps.weights[k])
        k &+= 1
      }
      sums.store(output + at)
      at &+= WideSums.size
    }
  }

  @inline(__always)
  private func filterTwoRows(
    _ pass: VerticalPassIntoFloats, _ target: Int, _ ahead: inout Ahead
  ) {
    let (rows, offset, size) = (pass.rows, pass.offset, pass.count &* 4)
    let (stride, output) = (pass.stride, pass.output + target &* pass.stride)
    let (taps0, taps1) = (rowTaps(pass, target), rowTaps(pass, target &+ 1))
    var at = 0
    while at < size {
      let from = offset &+ at / 2
      var (sums0, sums1) = (WideSums(), WideSums())
      fetch(&ahead)
      var k = taps0.first
      while k < taps1.first {
        addToOne(&sums0, rows[k] + from, taps0.weights[k])
        k &+= 1
      }
      while k < taps0.end {
        addToTwo(&sums0, &sums1, rows[k] + from, taps0.weights[k], taps1.weights[k])
        k &+= 1
      }
      sums0.store(output + at)
      while k < taps1.end {
        addToOne(&sums1, rows[k] + from, taps1.weights[k])
        k &+= 1
      }
      sums1.store(output + (stride &+ at))
      at &+= WideSums.size
    }
  }

  /// Filters three target rows. The source rows of the first and the last target row overlap or adjoin, so most source
  /// rows are read and converted to floats only once for all three.
  @inline(__always)
  private func filterThreeRows(_ pass: VerticalPassIntoFloats, _ target: Int, _ ahead: inout Ahead) {
    let (rows, offset, size) = (pass.rows, pass.offset, pass.count &* 4)
    let (stride, output) = (pass.stride, pass.output + target &* pass.stride)
    let (taps0, taps1) = (rowTaps(pass, target), rowTaps(pass, target &+ 1))
    let taps2 = rowTaps(pass, target &+ 2)
    var at = 0
    while at < size {
      let from = offset &+ at / 2
      var (sums0, sums1, sums2) = (WideSums(), WideSums(), WideSums())
      fetch(&ahead)
      var k = taps0.first
      while k < taps1.first {
        addToOne(&sums0, rows[k] + from, taps0.weights[k])
        k &+= 1
      }
      while k < taps2.first {
        addToTwo(&sums0, &sums1, rows[k] + from, taps0.weights[k], taps1.weights[k])
        k &+= 1
      }
      while k < taps0.end {
        addToThree(&sums0, &sums1, &sums2, rows[k] + from, taps0.weights[k], taps1.weights[k], taps2.weights[k])
        k &+= 1
      }
      sums0.store(output + at)
      fetch(&ahead)
      while k < taps1.end {
        addToTwo(&sums1, &sums2, rows[k] + from, taps1.weights[k], taps2.weights[k])
        k &+= 1
      }
      sums1.store(output + (stride &+ at))
      while k < taps2.end {
        addToOne(&sums2, rows[k] + from, taps2.weights[k])
        k &+= 1
      }
      sums2.store(output + (2 &* stride &+ at))
      at &+= WideSums.size
    }
  }
#endif
