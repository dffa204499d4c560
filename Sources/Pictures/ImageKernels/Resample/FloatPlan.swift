import CKernels

/// The weights of both axes in the form that the `Float` kernels require.
struct FloatPlan: Sendable {
  /// The first source column of each target column, counted from `origin`.
  private let starts: [Int32]
  /// The number of weights of a target column, a multiple of 4, including zeros at the end.
  let taps: Int
  private let horizontal: [Float]
  private let verticalTaps: Int
  private let vertical: [Float]

  /// - Parameter origin: the source column at which a row of lanes begins.
  init(_ axis: ResampleAxis, _ vertical: ResampleAxis, origin: Int) {
    starts = axis.starts.map { Int32($0 - origin) }
    taps = Self.paddedTaps(axis)
    let taps = taps
    horizontal = [Float](unsafeUninitializedCapacity: axis.count * taps) { padded, known in
      known = axis.count * taps
      padded.initialize(repeating: 0)
      axis.weights.withUnsafeBufferPointer { weights in
        for index in 0..<axis.count {
          for k in 0..<axis.taps { padded[index * taps + k] = Float(weights[index * axis.taps + k]) }
        }
      }
    }
    verticalTaps = vertical.taps
    self.vertical = vertical.weights.map(Float.init)
  }

  /// Returns the number of taps of the horizontal pass, a multiple of 4.
  static func paddedTaps(_ axis: ResampleAxis) -> Int { (axis.taps + 3) & ~3 }

  /// Runs the horizontal pass for target columns `columns` of `count` rows, at most `FloatScratch.rows`.
  ///
  /// - Parameter outputs: for each row, the address of its target column 0.
  func filterPixels(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ rows: RowAddresses, count: Int, into outputs: OutputAddresses
  ) {
    let at = columns.lowerBound * 16
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: FloatScratch.rows) {
      first in
      for row in 0..<count { first.initializeElement(at: row, to: outputs[row] + at) }
      starts.withUnsafeBufferPointer { starts in
        horizontal.withUnsafeBufferPointer { weights in
          guard let starts = starts.baseAddress, let weights = weights.baseAddress, let first = first.baseAddress
          else { return }
          var pass = HorizontalPassFloat(
            rows: rows, outputs: first, rowCount: count, starts: starts + columns.lowerBound,
            weights: weights + columns.lowerBound * taps, taps: taps, count: columns.count)
          kernels.filterPixelsFloat(&pass)
        }
      }
    }
  }

  /// Runs the vertical pass for target row `target`, from its `taps` source rows.
  func filterRows(
    _ kernels: ResampleKernels, _ target: Int, _ taps: Int,
    _ rows: RowAddresses, floats: Int, into output: UnsafeMutableRawPointer
  ) {
    vertical.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      var pass = VerticalPassFloat(
        rows: rows, weights: weights + target * verticalTaps, taps: taps, count: floats,
        output: output)
      kernels.filterRowsFloat(&pass)
    }
  }

  /// Runs the vertical pass over a block of columns of 8-bit pixels with four bands, including alpha.
  ///
  /// - Parameters:
  ///   - targets: at most four target rows. Their source rows and ranges are in `memory.sources` and `memory.ranges`.
  ///   - rows: the number of source rows to prefetch from.
  ///   - offset: the byte offset of the first sample of the block.
  ///   - count: the number of samples of the block.
  ///   - ahead: the byte range of the source rows to prefetch.
  func filterPremultipliedRows(
    _ kernels: ResampleKernels, _ targets: Range<Int>, rows: Int, offset: Int, count: Int, _ memory: FloatScratch,
    ahead: Range<Int>
  ) {
    vertical.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      var pass = VerticalPassIntoFloats(
        rows: memory.sources, offset: offset, count: count, ranges: memory.ranges,
        weights: weights + targets.lowerBound * verticalTaps, taps: verticalTaps,
        targets: targets.count,
        output: UnsafeMutableRawPointer(mutating: memory.flat[0]) + offset * 4,
        stride: memory.rowSize, interleaved: nil, ahead: memory.sources, aheadCount: rows,
        aheadFirst: ahead.lowerBound, aheadEnd: ahead.upperBound)
      kernels.filterPremultipliedRows8(&pass)
    }
  }
}

/// The memory of one worker for resampling in floating point, vertical pass first.
final class FloatScratch {
  /// The number of samples of a block of columns, whose source rows are converted to floats together: about 30 rows of
  /// a block fit into the first-level cache.
  static let block = 256
  /// The number of target rows that are computed together.
  static let rows = 4

  /// The number of samples of a row after the vertical pass, a multiple of 128.
  let flatCount: Int
  /// Room for `block` floats of each source row that `rows` target rows need, unless rows are converted in registers.
  let converted: UnsafeMutableRawPointer
  /// Addresses of rows of `flatCount` floats; with four bands, `lanes` has the same addresses.
  let flat: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of rows of lanes: four floats for each needed column, followed by finite floats, which are multiplied by
  /// the zero weights of padded taps.
  let lanes: UnsafeMutablePointer<UnsafeRawPointer>
  /// Addresses of target rows in lanes, with room for a multiple of 4 pixels.
  let sums: UnsafeMutablePointer<UnsafeMutableRawPointer>
  /// One row of four samples per target pixel, with room for a multiple of 4 pixels.
  let quads: UnsafeMutableRawPointer
  /// Addresses of source rows: `taps` converted rows for each of `rows` target rows; or, if rows are converted in
  /// registers, all rows that the target rows need.
  let sources: UnsafeMutablePointer<UnsafeRawPointer>
  let taps: Int
  /// For each target row, the index in `sources` of its first source row, and the index after its last one.
  let ranges: UnsafeMutablePointer<Int32>
  /// The number of bytes from one row's memory to the next row's.
  let rowSize: Int

  private let memory: UnsafeMutableRawPointer

  init(_ plan: ResamplePlan) {
    let columns = plan.columns.count
    let padding = FloatPlan.paddedTaps(plan.horizontal)
    let isFour = plan.pixels.bands == 4
    flatCount = (columns * plan.pixels.bands + 127) & ~127
    taps = plan.vertical.taps
    let sourceRows = plan.mostSourceRows(of: Self.rows)
    let convertedSize = plan.convertsInRegisters ? 0 : sourceRows * Self.block * 4
    let sourceCount = max(sourceRows, Self.rows * taps)
    let flatSize = (flatCount * 4 + (isFour ? padding * 16 : 64) + 63) & ~63
    let laneSize = isFour ? 0 : (columns + padding + 4) * 16 + 63 & ~63
    let sumSize = ((plan.geometry.targetWidth + 3) & ~3) * 16 + 63 & ~63
    let quadSize = sumSize / 4 * plan.pixels.bytesPerSample
    let size = convertedSize + Self.rows * (flatSize + laneSize + sumSize) + quadSize + 64
    memory = .allocate(byteCount: size, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)

    flat = .allocate(capacity: Self.rows)
    lanes = .allocate(capacity: Self.rows)
    sums = .allocate(capacity: Self.rows)
    sources = .allocate(capacity: sourceCount)
    sources.initialize(repeating: UnsafeRawPointer(memory), count: sourceCount)
    ranges = .allocate(capacity: 2 * Self.rows)
    ranges.initialize(repeating: 0, count: 2 * Self.rows)
    rowSize = flatSize + laneSize + sumSize
    converted = memory
    var next = memory + convertedSize
    for row in 0..<Self.rows {
      flat.advanced(by: row).initialize(to: UnsafeRawPointer(next))
      lanes.advanced(by: row).initialize(to: UnsafeRawPointer(isFour ? next : next + flatSize))
      sums.advanced(by: row).initialize(to: next + flatSize + laneSize)
      next += rowSize
    }
    quads = next
  }

  deinit {
    flat.deallocate()
    lanes.deallocate()
    sums.deallocate()
    sources.deallocate()
    ranges.deallocate()
    memory.deallocate()
  }
}
