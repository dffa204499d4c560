import CKernels

/// The weights of both axes in the form that the `Float` kernels require.
struct FloatPlan: Sendable {
  /// The first source column of each target column, counted from the first needed one.
  private let starts: [Int32]
  /// The number of taps, a multiple of 4, with zeros at the end.
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

  /// Runs the horizontal pass over `count` rows, at most `FloatScratch.rows`, for target columns `columns`.
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
  ///   - targets: at most four target rows; `memory` holds their source rows and `ranges`.
  ///   - rows: the number of these source rows.
  ///   - offset: the byte offset of the first sample; `count` is the number of samples.
  ///   - ahead: the bytes of the source rows to prefetch.
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
