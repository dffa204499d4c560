import CKernels

/// The plan of 8-bit resampling in integers: the first pass converts 8-bit samples to 16-bit samples with 6 fraction
/// bits, and the second pass, along the other axis, converts them back.
struct IntegerPlan: Sendable {
  /// The order of the passes, chosen for the least total work.
  enum Order: Sendable {
    /// The vertical pass runs first, and source rows are kept in memory; used for shrinking.
    case verticalFirst
    /// The horizontal pass runs first, and rows of the target's width are kept in memory; used for enlarging.
    case horizontalFirst
  }

  /// The number of fraction bits of samples between the passes. With 8 + 6 bits, an overshoot by a factor of 2 still
  /// fits into a signed 16-bit number.
  static let fractionBits = 6

  let order: Order
  let horizontal: IntegerWeights
  let vertical: IntegerWeights
  /// `vertical` for interleaved rows; nil if the horizontal pass runs first.
  let interleaved: InterleavedWeights?

  /// Makes a plan; nil if a target row needs too many source rows, if sums might overflow, or if the rounding of
  /// weights might be visible. The noise that rounding adds must stay below 1/50 of a level for random pixels, whose
  /// standard deviation is 74 levels.
  ///
  /// - Parameters:
  ///   - rowsTogether: as in `ResampleKernels`, 2 or 4.
  ///   - pixelsTogether: as in `ResampleKernels`, 1 or 2.
  init?(
    horizontal: ResampleAxis, vertical: ResampleAxis, columns: Range<Int>,
    allowsHorizontalFirst: Bool,
    rowsTogether: Int, pixelsTogether: Int
  ) {
    let (gainX, gainY) = (horizontal.gain, vertical.gain)
    guard vertical.taps <= ResamplePlan.mostTaps, gainX < 1.99, gainY < 1.99 else { return nil }
    let order = allowsHorizontalFirst ? Self.order(horizontal, vertical, columns: columns.count) : .verticalFirst
    // Only the second pass limits the number of fraction bits of its weights, because its samples have 14 bits. In the
    // first pass, sums of 8-bit samples never overflow.
    let largest = 255 * Double(1 << Self.fractionBits) * gainX * gainY
    var shift = 16
    while shift > 1, largest * Double(1 << shift) > 2_140_000_000 { shift -= 1 }
    let isVerticalFirst = order == .verticalFirst
    self.order = order
    self.vertical = IntegerWeights(
      vertical, origin: 0, alignment: 1, multiple: 2,
      largestShift: isVerticalFirst ? 22 : shift)
    self.horizontal = IntegerWeights(
      horizontal, origin: columns.lowerBound, alignment: 2, multiple: 4,
      together: pixelsTogether, largestShift: isVerticalFirst ? shift : 22)
    interleaved = isVerticalFirst ? InterleavedWeights(vertical, self.vertical, rows: rowsTogether) : nil
    guard max(self.horizontal.error, self.vertical.error) * 74 < 0.02,
      self.horizontal.shift > Self.fractionBits, self.vertical.shift > Self.fractionBits
    else { return nil }
  }

  private static func order(_ horizontal: ResampleAxis, _ vertical: ResampleAxis, columns: Int) -> Order {
    let rows = vertical.sources(of: 0..<vertical.count).count
    // A product of the horizontal pass costs about three times as much as one of the vertical pass.
    let across = 3 * horizontal.taps * horizontal.count
    let verticalFirst = vertical.taps * columns * vertical.count + across * vertical.count
    let horizontalFirst = across * rows + vertical.taps * horizontal.count * vertical.count
    return horizontalFirst < verticalFirst ? .horizontalFirst : .verticalFirst
  }

  /// The number of fraction bits that each pass drops.
  var horizontalShift: Int {
    order == .verticalFirst ? horizontal.shift + Self.fractionBits : horizontal.shift - Self.fractionBits
  }
  var verticalShift: Int {
    order == .verticalFirst ? vertical.shift - Self.fractionBits : vertical.shift + Self.fractionBits
  }

  /// Runs the horizontal pass for target columns `columns` of the first `rows` rows of `scratch.paired`, and writes to
  /// the addresses in `scratch.outputs`, with `step` bytes from one pixel to the next.
  ///
  /// - Parameter kernel: `filterPixels8` or `filterPixels16`.
  func filterPixels(
    _ columns: Range<Int>, _ rows: Int, _ scratch: ResampleScratch, step: Int,
    _ kernel: (UnsafePointer<HorizontalPass>) -> Void
  ) {
    horizontal.starts.withUnsafeBufferPointer { starts in
      horizontal.coefficients.withUnsafeBufferPointer { coefficients in
        guard let starts = starts.baseAddress, let base = coefficients.baseAddress else { return }
        var pass = HorizontalPass(
          rows: scratch.paired, outputs: scratch.outputs, rowCount: rows,
          starts: starts + columns.lowerBound,
          coefficients: base + columns.lowerBound * horizontal.taps, taps: horizontal.taps,
          count: columns.count, shift: horizontalShift, step: step, scale: 1, middle: 0)
        kernel(&pass)
      }
    }
  }
}

/// The weights of one axis as 16-bit numbers with `shift` fraction bits.
struct IntegerWeights: Sendable {
  let shift: Int
  /// The number of coefficients of a target sample, including zeros at the end.
  let taps: Int
  /// `taps` coefficients for each target sample, with a sum of exactly `1 << shift`.
  let coefficients: [Int16]
  /// The first source sample of each target sample, a multiple of `alignment`, counted from the axis's origin.
  let starts: [Int32]
  /// The greatest root of the sum of squared rounding errors of any target sample's weights.
  let error: Double
  /// The greatest sum of absolute rounding errors of any target sample's weights.
  let absoluteError: Double

  /// - Parameters:
  ///   - origin: the source sample from which `starts` are counted.
  ///   - alignment: a divisor of all `starts`.
  ///   - multiple: a divisor of `taps`.
  ///   - together: the number of consecutive target samples whose `starts` are made equal.
  ///   - largestShift: the greatest number of fraction bits with which sums cannot overflow.
  init(_ axis: ResampleAxis, origin: Int, alignment: Int, multiple: Int, together: Int = 1, largestShift: Int) {
    let shift = Self.shift(largestWeight: axis.largestWeight, atMost: largestShift)

    var starts = [Int32](repeating: 0, count: axis.count)
    var taps = 0
    for index in 0..<axis.count {
      let first = axis.starts[index] - origin
      let shared = axis.starts[index / together * together] - origin
      let aligned = shared / alignment * alignment
      starts[index] = Int32(aligned)
      taps = max(taps, first - aligned + axis.tapCounts[index])
    }
    taps = (taps + multiple - 1) / multiple * multiple

    let scale = Double(1 << shift)
    var (worst, worstSum) = (0.0, 0.0)
    coefficients = [Int16](unsafeUninitializedCapacity: axis.count * taps) { coefficients, known in
      known = axis.count * taps
      coefficients.initialize(repeating: 0)
      guard let first = coefficients.baseAddress else { return }
      axis.weights.withUnsafeBufferPointer { weights in
        for index in 0..<axis.count {
          let lead = axis.starts[index] - origin - Int(starts[index])
          let own = first + index * taps
          let twin = axis.twin(of: index) { axis.starts[$0] - origin - Int(starts[$0]) == lead }
          if let twin {
            own.update(from: first + twin * taps, count: taps)
            continue
          }
          let exact = UnsafeBufferPointer(rebasing: weights[index * axis.taps..<(index + 1) * axis.taps])
          let errors = Self.round(exact.prefix(axis.tapCounts[index]), scale, into: own + lead)
          worst = max(worst, errors.squares)
          worstSum = max(worstSum, errors.sum)
        }
      }
    }
    self.shift = shift
    self.taps = taps
    self.starts = starts
    self.error = worst.squareRoot() / scale
    absoluteError = worstSum / scale
  }

  /// Rounds weights times `scale` to integers with a sum of exactly `scale`.
  ///
  /// The running sum is rounded, which carries each rounding error into the next coefficient. The total is exact, and
  /// the errors have high spatial frequencies, of which pictures contain least.
  private static func round(
    _ weights: Slice<UnsafeBufferPointer<Double>>, _ scale: Double, into coefficients: UnsafeMutablePointer<Int16>
  ) -> (squares: Double, sum: Double) {
    var (exact, rounded) = (0.0, rounding)
    var (squares, sum) = (0.0, 0.0)
    for k in 0..<weights.count {
      let weight = weights[weights.startIndex + k] * scale
      exact += weight
      let total = k == weights.count - 1 ? scale + rounding : exact + rounding
      let difference = (total - rounded) - weight
      // Doubles of this size are 1 apart, so the difference of their bit patterns is the difference of the numbers.
      coefficients[k] = Int16(truncatingIfNeeded: Int64(bitPattern: total.bitPattern &- rounded.bitPattern))
      rounded = total
      squares += difference * difference
      sum += difference.magnitude
    }
    return (squares, sum)
  }

  /// Adding and then subtracting this number rounds numbers below 2^51 in magnitude to integers, ties to even.
  private static let rounding = 6_755_399_441_055_744.0

  /// Returns the greatest number of fraction bits, up to `largest`, with which all weights fit into 16 bits. The limit
  /// 32,000 leaves room for the carried rounding error.
  static func shift(largestWeight: Double, atMost largest: Int) -> Int {
    var shift = largest
    while shift > 1, largestWeight * Double(1 << shift) > 32_000 { shift -= 1 }
    return shift
  }
}

/// A block of the needed source columns, and the target columns that can be completed with it.
struct IntegerBlock {
  /// The first sample, and the number of samples, which is a multiple of 128. The last block may extend beyond the end
  /// of the row.
  let offset: Int
  let count: Int
  /// The block's pairs of pixels, counted from the first needed column.
  let pairs: Range<Int>
  /// The target columns whose last source column is in this block. With three bands, the last column of the row is
  /// computed separately.
  let columns: Range<Int>

  /// - Parameters:
  ///   - size: the number of samples of a block, a multiple of 128 and of two pixels.
  ///   - pairs: the number of pixel pairs of a row, an even number.
  ///   - flatCount: the number of samples of these pairs, rounded up to a multiple of 128.
  static func blocks(_ plan: ResamplePlan, size: Int, pairs: Int, flatCount: Int) -> [IntegerBlock] {
    let axis = plan.horizontal
    let width = plan.geometry.targetWidth - (plan.pixels.bands == 3 ? 1 : 0)
    let pairsOfBlock = size / (2 * plan.pixels.bands)
    var blocks: [IntegerBlock] = []
    var column = 0
    for offset in stride(from: 0, to: flatCount, by: size) {
      let first = blocks.count * pairsOfBlock
      let isLast = offset + size >= flatCount
      let end = isLast ? pairs : min(pairs, first + pairsOfBlock)
      let known = plan.columns.lowerBound + 2 * end
      let firstColumn = column
      while column < width, isLast || axis.starts[column] + axis.tapCounts[column] <= known { column += 1 }
      blocks.append(
        IntegerBlock(
          offset: offset, count: min(size, flatCount - offset), pairs: min(first, end)..<end,
          columns: firstColumn..<column))
    }
    return blocks
  }
}
