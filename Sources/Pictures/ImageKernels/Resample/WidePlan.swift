import CKernels

/// The plan of resampling 16-bit samples without alpha in floats: the vertical pass, eight target rows at a time, then
/// the horizontal one.
struct WidePlan: Sendable {
  /// The number of target rows that are computed together.
  static let rows = 8
  private static let step = 4

  private let horizontal: WideWeights
  private let vertical: WideWeights
  /// The first source column of each target column, counted from the first needed one.
  private let starts: [Int32]
  private let bands: Int

  /// Makes a plan; nil if sums might need more bits than they have.
  ///
  /// - Parameter origin: the source column at which a row begins.
  init?(_ horizontal: ResampleAxis, _ vertical: ResampleAxis, bands: Int, origin: Int) {
    guard let across = WideWeights(horizontal, multiple: Self.step), let down = WideWeights(vertical, multiple: 1)
    else { return nil }
    self.horizontal = across
    self.vertical = down
    self.bands = bands
    starts = horizontal.starts.map { Int32($0 - origin) }
  }

  /// The bytes of a sample of `rows` interleaved rows of floats.
  static let laneSize = rows * 4

  /// The number of taps of the horizontal pass.
  var paddedTaps: Int { horizontal.taps }

  /// Returns the blocks of a row of `rowCount` samples, with `size` samples each.
  ///
  /// - Parameter most: the number of blocks after which the samples that are still needed move to the beginning.
  func blocks(of rowCount: Int, _ size: Int, held most: Int) -> [WideBlock] {
    var blocks: [WideBlock] = []
    // These are the first pixel that is held, the number of held samples, and the number of finished columns.
    var (origin, held, finished) = (0, 0, 0)
    for offset in stride(from: 0, to: rowCount, by: size) {
      let count = min(size, rowCount - offset)
      let place = held
      held += count
      let end = origin + held / bands
      if offset + count == rowCount { finished = starts.count }
      while finished < starts.count, Int(starts[finished]) + horizontal.taps <= end { finished += 1 }
      let next = finished < starts.count ? min(Int(starts[finished]), end) : end
      let isFull = held >= most * size
      blocks.append(
        WideBlock(
          offset: offset, count: count, place: place, origin: origin, finished: finished,
          moved: isFull ? (next - origin) * bands..<held : 0..<0))
      if isFull { (origin, held) = (next, held - (next - origin) * bands) }
    }
    return blocks
  }

  /// Runs the vertical pass over a block of columns.
  ///
  /// - Parameters:
  ///   - targets: at most `rows` target rows; `memory` holds their source rows and `ranges`.
  ///   - offset: the bytes from the rows' addresses to the first sample.
  ///   - count: the number of samples, a multiple of 64.
  ///   - ahead: the bytes to prefetch.
  func filterRows(
    _ kernels: ResampleKernels, _ targets: Range<Int>, offset: Int, count: Int,
    _ memory: WideScratch, into output: UnsafeMutableRawPointer, ahead: SourceBytes
  ) {
    vertical.weights.withUnsafeBufferPointer { weights in
      guard let base = weights.baseAddress else { return }
      var pass = VerticalPassIntoFloats(
        rows: memory.sources, offset: offset, count: count, ranges: memory.ranges,
        weights: base + targets.lowerBound * vertical.taps, taps: vertical.taps,
        targets: targets.count, output: memory.sums, stride: count * 4, interleaved: output,
        ahead: ahead.rows, aheadCount: ahead.count, aheadFirst: ahead.bytes.lowerBound,
        aheadEnd: ahead.bytes.upperBound)
      kernels.filterWideRows(&pass)
    }
  }

  /// Runs the horizontal pass for some target columns.
  ///
  /// - Parameters:
  ///   - lanes: eight interleaved rows, starting at source column `origin`.
  ///   - samples: eight interleaved target rows.
  func filterPixels(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ lanes: UnsafeRawPointer, origin: Int,
    into samples: UnsafeMutableRawPointer
  ) {
    starts.withUnsafeBufferPointer { starts in
      horizontal.weights.withUnsafeBufferPointer { weights in
        guard let first = starts.baseAddress, let base = weights.baseAddress else { return }
        var pass = HorizontalPassOfEight(
          lanes: lanes, bands: bands, origin: origin, starts: first, weights: base,
          taps: horizontal.taps, first: columns.lowerBound, count: columns.count,
          output: samples)
        kernels.filterEightRows16(&pass)
      }
    }
  }
}

/// The weights of one axis for 16-bit samples without alpha: floats that are multiples of 2^-24, so that products and
/// sums fit into a `Double` and every processor can compute them with one rounding.
struct WideWeights: Sendable {
  /// The number of weights of a target sample, including zeros at the end.
  let taps: Int
  let weights: [Float]

  /// Makes weights; nil if a weight would need more bits than `Float` has, or sums might be too large.
  ///
  /// - Parameter multiple: a divisor of `taps`.
  init?(_ axis: ResampleAxis, multiple: Int) {
    guard axis.gain < 1.95, axis.largestWeight <= 1 else { return nil }
    let taps = (axis.taps + multiple - 1) / multiple * multiple
    self.taps = taps
    weights = [Float](unsafeUninitializedCapacity: axis.count * taps) { weights, known in
      known = axis.count * taps
      weights.initialize(repeating: 0)
      guard let first = weights.baseAddress else { return }
      axis.weights.withUnsafeBufferPointer { exact in
        for index in 0..<axis.count {
          let own = first + index * taps
          if let twin = axis.twin(of: index) {
            own.update(from: first + twin * taps, count: taps)
            continue
          }
          var (sum, rounded) = (0.0, 0.0)
          for k in 0..<axis.tapCounts[index] {
            // The total is rounded, so that each weight absorbs the error of the previous one.
            sum += exact[index * axis.taps + k]
            let isLast = k == axis.tapCounts[index] - 1
            let total = isLast ? 1 : (sum + Self.rounding) - Self.rounding
            own[k] = Float(total - rounded)
            rounded = total
          }
        }
      }
    }
  }

  /// The number whose addition and subtraction rounds to multiples of 2^-24, the last bit of a `Double` from 2^28 to
  /// 2^29.
  private static let rounding = 402_653_184.0
}
