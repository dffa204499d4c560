/// Source rows after the horizontal pass in floating point: target columns, four lanes each.
///
/// Rows are folded and rendered by several threads at once under `StreamingResampler`'s rules.
final class FoldedRows {
  private let plan: ResamplePlan
  private let capacity: Int
  /// Bytes of a row, a multiple of 128.
  private let rowSize: Int
  private let ring: UnsafeMutableRawPointer
  /// Which source row each slot holds.
  private var rows: [Int]
  private let weights: FloatWeights?

  init(_ plan: ResamplePlan, stripRows: Int) {
    self.plan = plan
    // 16-bit samples with alpha need Double.
    let isDouble = plan.premultiplies && plan.pixels.bytesPerSample == 2
    let lane = isDouble ? MemoryLayout<SIMD4<Double>>.size : MemoryLayout<SIMD4<Float>>.size
    rowSize = (plan.geometry.targetWidth * lane + 127) & ~127
    capacity = plan.mostSourceRows(of: stripRows)
    ring = .allocate(byteCount: rowSize * capacity, alignment: 64)
    rows = [Int](repeating: -1, count: capacity)
    weights = isDouble ? nil : FloatWeights(plan)
  }

  deinit { ring.deallocate() }

  /// Reserves a slot for a source row; false when it has one.
  func claim(_ row: Int) -> Bool {
    guard rows[row % capacity] != row else { return false }
    rows[row % capacity] = row
    return true
  }

  private func slot(_ row: Int) -> UnsafeMutableRawPointer { ring + row % capacity * rowSize }

  /// Weighs the pixels of source row `row`, which begins at `source`, into its slot.
  func fold(_ row: Int, from source: UnsafeRawPointer, scratch: ResampleScratch) {
    let (bands, count) = (plan.pixels.bands, plan.columns.count)
    let input = source + plan.columns.lowerBound * plan.pixels.bytesPerPixel
    guard let weights else {
      let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.decode16(bands, plan.premultiplies, count, input, lanes)
      FloatPasses.weighPixels(
        plan.horizontal, plan.columns.lowerBound, lanes,
        slot(row).assumingMemoryBound(to: SIMD4<Double>.self))
      return
    }
    let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Float>.self)
    if plan.pixels.bytesPerSample == 2 {
      FloatPasses.decode16(bands, plan.premultiplies, count, input, lanes)
    } else if bands == 4, plan.premultiplies {
      plan.kernels.premultiply(input, count, lanes)
    } else {
      FloatPasses.decode8(bands, plan.premultiplies, count, input, lanes)
    }
    weights.weighPixels(plan.kernels, lanes, into: slot(row))
  }

  /// Makes one target row at `output` from folded rows.
  func render(_ target: Int, into output: UnsafeMutableRawPointer, scratch: ResampleScratch) {
    let axis = plan.vertical
    let taps = axis.tapCounts[target]
    for k in 0..<taps { scratch.sources[k] = UnsafeRawPointer(slot(axis.starts[target] + k)) }
    let (bands, count) = (plan.pixels.bands, plan.geometry.targetWidth)
    guard let weights else {
      let sums = scratch.sums.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.weighRows(axis, target, scratch.sources, count, sums)
      FloatPasses.encode16(sums, bands, plan.premultiplies, count, output)
      return
    }
    let sums = scratch.sums.assumingMemoryBound(to: SIMD4<Float>.self)
    weights.weighRows(
      plan.kernels, target, taps, scratch.sources, floats: rowSize / 4, into: sums)
    if plan.pixels.bytesPerSample == 2 {
      FloatPasses.encode16(sums, bands, plan.premultiplies, count, output)
    } else if bands == 4, plan.premultiplies {
      plan.kernels.unpremultiply(sums, count, output)
    } else {
      FloatPasses.encode8(sums, bands, plan.premultiplies, count, output)
    }
  }
}

/// Weights of both axes as the `Float` kernels take them.
private struct FloatWeights {
  private let starts: [Int32]
  /// A multiple of 4, zeros at the end.
  private let taps: Int
  private let horizontal: [Float]
  private let verticalTaps: Int
  private let vertical: [Float]

  init(_ plan: ResamplePlan) {
    let axis = plan.horizontal
    starts = axis.starts.map { Int32($0 - plan.columns.lowerBound) }
    taps = ResampleScratch.floatTaps(plan)
    var padded = [Float](repeating: 0, count: axis.count * taps)
    for index in 0..<axis.count {
      for k in 0..<axis.tapCounts[index] {
        padded[index * taps + k] = Float(axis.weights[index * axis.taps + k])
      }
    }
    horizontal = padded
    verticalTaps = plan.vertical.taps
    vertical = plan.vertical.weights.map(Float.init)
  }

  func weighPixels(
    _ kernels: ResampleKernels, _ lanes: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) {
    starts.withUnsafeBufferPointer { starts in
      horizontal.withUnsafeBufferPointer { weights in
        guard let first = starts.baseAddress, let weights = weights.baseAddress else { return }
        kernels.weighPixelsFloat(lanes, first, weights, taps, starts.count, output)
      }
    }
  }

  func weighRows(
    _ kernels: ResampleKernels, _ target: Int, _ taps: Int,
    _ rows: UnsafePointer<UnsafeRawPointer>, floats: Int, into output: UnsafeMutableRawPointer
  ) {
    vertical.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      kernels.weighRowsFloat(rows, weights + target * verticalTaps, taps, floats, output)
    }
  }
}
