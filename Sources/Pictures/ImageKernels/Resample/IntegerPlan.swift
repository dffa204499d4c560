import CKernels

/// The plan of 8-bit resampling in integers: one pass from 8-bit samples to 16-bit ones with 6 fraction bits, then one
/// back in the other direction.
struct IntegerPlan: Sendable {
  /// The pass that runs first: the one that leaves less work in total.
  enum Order: Sendable {
    /// The vertical pass first, which keeps source rows. For shrinking.
    case verticalFirst
    /// The horizontal pass first, which keeps rows of the target's width. For enlarging.
    case horizontalFirst
  }

  /// The number of fraction bits of samples between the passes. 8 + 6 bits and an overshoot by a factor of 2 fit into
  /// 16 bits.
  static let fractionBits = 6

  let order: Order
  let horizontal: IntegerWeights
  let vertical: IntegerWeights
  /// `vertical` for interleaved rows; nil if the horizontal pass runs first.
  let interleaved: InterleavedWeights?

  /// Makes a plan; nil if sums might overflow or rounding of the weights might be visible: the noise that it adds to
  /// random pixels, which are on average 74 levels from their mean, must stay below 1/50 of a level.
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
    // The first pass has 8-bit samples, for which any shift works. Those of the second pass are larger.
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
    // A product of the horizontal pass costs about three times one of the vertical pass.
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

  /// Runs the horizontal pass for target columns `columns` over the first `rows` of `scratch.paired`. It writes to the
  /// addresses in `scratch.outputs`, with `step` bytes from one pixel to the next.
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
