/// Source rows after the horizontal pass in floating point: target columns, four lanes each.
///
/// Rows are folded and rendered by several threads at once under `StreamingResampler`'s rules.
final class FoldedRows {
  private let plan: ResamplePlan
  private let capacity: Int
  private let rowSize: Int
  private let ring: UnsafeMutableRawPointer
  /// Which source row each slot holds.
  private var rows: [Int]
  /// Whether lanes are `Double`: 16-bit samples with alpha.
  private let isDouble: Bool
  private let horizontalWeights: [Float]
  private let verticalWeights: [Float]

  init(_ plan: ResamplePlan, stripRows: Int) {
    self.plan = plan
    isDouble = plan.premultiplies && plan.pixels.bytesPerSample == 2
    let lane = isDouble ? MemoryLayout<SIMD4<Double>>.size : MemoryLayout<SIMD4<Float>>.size
    rowSize = plan.geometry.targetWidth * lane
    capacity = plan.mostSourceRows(of: stripRows)
    ring = .allocate(byteCount: rowSize * capacity, alignment: 64)
    rows = [Int](repeating: -1, count: capacity)
    horizontalWeights = isDouble ? [] : plan.horizontal.weights.map(Float.init)
    verticalWeights = isDouble ? [] : plan.vertical.weights.map(Float.init)
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
    let origin = plan.columns.lowerBound
    let count = plan.columns.count
    let pixels = plan.pixels
    let input = source + origin * pixels.bytesPerPixel
    if isDouble {
      let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Double>.self)
      FloatPasses.decode16(pixels, plan.premultiplies, count, input, lanes)
      plan.horizontal.weights.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        FloatPasses.weighPixels(
          plan.horizontal, weights, origin, lanes,
          slot(row).assumingMemoryBound(to: SIMD4<Double>.self))
      }
    } else {
      let lanes = scratch.lanes.assumingMemoryBound(to: SIMD4<Float>.self)
      if pixels.bytesPerSample == 1 {
        FloatPasses.decode8(pixels, plan.premultiplies, count, input, lanes)
      } else {
        FloatPasses.decode16(pixels, plan.premultiplies, count, input, lanes)
      }
      horizontalWeights.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        FloatPasses.weighPixels(
          plan.horizontal, weights, origin, lanes,
          slot(row).assumingMemoryBound(to: SIMD4<Float>.self))
      }
    }
  }

  /// Makes one target row at `output` from folded rows.
  func render(_ target: Int, into output: UnsafeMutableRawPointer, scratch: ResampleScratch) {
    let axis = plan.vertical
    let taps = axis.tapCounts[target]
    for k in 0..<taps { scratch.sources[k] = UnsafeRawPointer(slot(axis.starts[target] + k)) }
    let rows = UnsafePointer(scratch.sources)
    let first = target * axis.taps
    let (pixels, count) = (plan.pixels, plan.geometry.targetWidth)
    let premultiplied = plan.premultiplies
    if isDouble {
      axis.weights.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        FloatPasses.weighRows16(
          rows, weights + first, taps, pixels, premultiplied, count, output)
      }
    } else {
      verticalWeights.withUnsafeBufferPointer { weights in
        guard let weights = weights.baseAddress else { return }
        if pixels.bytesPerSample == 1 {
          FloatPasses.weighRows8(
            rows, weights + first, taps, pixels, premultiplied, count, output)
        } else {
          FloatPasses.weighRows16(
            rows, weights + first, taps, pixels, premultiplied, count, output)
        }
      }
    }
  }
}
