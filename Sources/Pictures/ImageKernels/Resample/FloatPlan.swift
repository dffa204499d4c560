/// Weights of both axes as the `Float` kernels take them.
struct FloatPlan: Sendable {
  /// The first source column of each target column, from the first needed one.
  private let starts: [Int32]
  /// A multiple of 4, zeros at the end.
  let taps: Int
  private let horizontal: [Float]
  private let verticalTaps: Int
  private let vertical: [Float]

  /// - Parameter origin: the source column that is the first of a row of lanes.
  init(_ axis: ResampleAxis, _ vertical: ResampleAxis, origin: Int) {
    starts = axis.starts.map { Int32($0 - origin) }
    taps = Self.paddedTaps(axis)
    let taps = taps
    horizontal = [Float](unsafeUninitializedCapacity: axis.count * taps) { padded, known in
      known = axis.count * taps
      padded.initialize(repeating: 0)
      axis.weights.withUnsafeBufferPointer { weights in
        for index in 0..<axis.count {
          for k in 0..<axis.taps {
            padded[index * taps + k] = Float(weights[index * axis.taps + k])
          }
        }
      }
    }
    verticalTaps = vertical.taps
    self.vertical = vertical.weights.map(Float.init)
  }

  /// Taps of the horizontal pass: a multiple of 4.
  static func paddedTaps(_ axis: ResampleAxis) -> Int { (axis.taps + 3) & ~3 }

  /// The horizontal pass of target columns `columns`: `output` is where the first of all goes.
  func weighPixels(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ lanes: UnsafeRawPointer,
    into output: UnsafeMutableRawPointer
  ) {
    withWeights(of: columns) { starts, weights in
      kernels.weighPixelsFloat(
        lanes, starts, weights, taps, columns.count, output + columns.lowerBound * 16)
    }
  }

  /// `weighPixels` of four rows; `rows` and `outputs` hold four addresses each.
  func weighPixelsOfFourRows(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ rows: UnsafePointer<UnsafeRawPointer>,
    into outputs: UnsafePointer<UnsafeMutableRawPointer>
  ) {
    let at = columns.lowerBound * 16
    withUnsafeTemporaryAllocation(of: UnsafeMutableRawPointer.self, capacity: 4) { first in
      for row in 0..<4 { first.initializeElement(at: row, to: outputs[row] + at) }
      withWeights(of: columns) { starts, weights in
        guard let first = first.baseAddress else { return }
        kernels.weighPixelsOfFourRowsFloat(rows, starts, weights, taps, columns.count, first)
      }
    }
  }

  private func withWeights(
    of columns: Range<Int>, _ body: (UnsafePointer<Int32>, UnsafePointer<Float>) -> Void
  ) {
    starts.withUnsafeBufferPointer { starts in
      horizontal.withUnsafeBufferPointer { weights in
        guard let starts = starts.baseAddress, let weights = weights.baseAddress else { return }
        body(starts + columns.lowerBound, weights + columns.lowerBound * taps)
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

  /// The vertical pass of a block of columns of 8-bit pixels of four bands with alpha.
  ///
  /// - Parameters:
  ///   - targets: up to four; `memory` holds their source rows and `ranges`.
  ///   - ahead: bytes of these rows that are fetched meanwhile.
  func weighPremultipliedRows(
    _ kernels: ResampleKernels, _ targets: Range<Int>, rows: Int, offset: Int, count: Int,
    _ memory: FloatScratch, ahead: Range<Int>
  ) {
    vertical.withUnsafeBufferPointer { weights in
      guard let weights = weights.baseAddress else { return }
      kernels.weighPremultipliedRows(
        memory.sources, rows, offset, count, memory.ranges,
        weights + targets.lowerBound * verticalTaps, verticalTaps, targets.count,
        UnsafeMutableRawPointer(mutating: memory.flat[0]) + offset * 4, memory.rowSize,
        ahead.lowerBound, ahead.upperBound)
    }
  }
}
