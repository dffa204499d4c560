import CKernels

/// The plan of resampling 8-bit pixels of four bands with alpha. Halved products of colour and alpha are 15-bit
/// integers. The vertical pass runs first. The sums of the second pass are converted to floats, and colours are then
/// divided by alpha.
struct PremultipliedPlan: Sendable {
  /// The number of target rows that are computed together.
  static let rows = 8
  /// The number subtracted from the products after the first pass, about the middle of 0...32,512, so that an overshoot
  /// by a factor of 2 fits into 16 bits.
  static let middle = 16_256
  /// The alpha below which alpha rounds to 0, however it is computed.
  static let unseen: Float = 0.25

  let horizontal: IntegerWeights
  /// The weights of pairs of rows.
  let vertical: InterleavedWeights
  let verticalShift: Int
  /// The factor and offset from sums to products of colours and alpha by 255: `scale × sum + offset`. Halving lost a
  /// quarter on average.
  let scale: Float
  let offset: Float
  /// The alpha, up to 255, below which pixels are computed in floating point, because colours might be wrong by 0.9 of
  /// a level or more.
  let leastAlpha: Float

  /// Makes a plan; nil for enlarging, where floating point has less work, and if sums might overflow or too many pixels
  /// would have to be computed twice.
  init?(_ horizontal: ResampleAxis, _ vertical: ResampleAxis, columns: Range<Int>, pixelsTogether: Int) {
    let (gainX, gainY) = (horizontal.gain, vertical.gain)
    let largest = Double(Self.middle) * gainX * gainY
    let sources = vertical.sources(of: 0..<vertical.count).count * columns.count
    guard horizontal.count * vertical.count <= sources, gainY < 1.99, largest < 65_000 else { return nil }
    var shift = 16
    while largest * Double(1 << shift) > 2_140_000_000 { shift -= 1 }
    let down = IntegerWeights(vertical, origin: 0, alignment: 1, multiple: 2, largestShift: 16)
    let across = IntegerWeights(
      horizontal, origin: columns.lowerBound, alignment: 2, multiple: 4,
      together: pixelsTogether, largestShift: shift)
    self.horizontal = across
    self.vertical = InterleavedWeights(vertical, down, rows: 2)
    verticalShift = down.shift
    let unit = 1 / 127.5
    scale = Float(unit / Double(1 << across.shift))
    offset = Float((Double(Self.middle) + 0.25) * unit)
    // The largest error of a sum consists of those from halving, from the first pass's weights and rounding, and from
    // the second pass's weights. Because the errors of one target sample's weights add up to 0, only the distance
    // of a product from the middle matters.
    let halving = 0.25 * gainX * gainY
    let first = Double(Self.middle) * down.absoluteError + 0.5
    let second = Double(Self.middle) * across.absoluteError
    let error = (halving + first * gainX + second * gainY) * unit
    // A colour is 255 times the quotient of two such sums.
    let least = 2 * 255 * error / 0.9
    guard least < 64 else { return nil }
    leastAlpha = Float(least)
  }

  /// Runs the horizontal pass for target columns `columns`; `outputs` then points after them.
  func filterPixels(
    _ kernels: ResampleKernels, _ columns: Range<Int>, _ rows: RowAddresses,
    count: Int, into outputs: UnsafeMutablePointer<UnsafeMutableRawPointer>
  ) {
    horizontal.starts.withUnsafeBufferPointer { starts in
      horizontal.coefficients.withUnsafeBufferPointer { coefficients in
        guard let starts = starts.baseAddress, let base = coefficients.baseAddress else { return }
        var pass = HorizontalPass(
          rows: rows, outputs: outputs, rowCount: count, starts: starts + columns.lowerBound,
          coefficients: base + columns.lowerBound * horizontal.taps, taps: horizontal.taps,
          count: columns.count, shift: 0, step: 16, scale: scale, middle: offset)
        kernels.filterPixelsIntoLanes(&pass)
      }
    }
    for row in 0..<count { outputs[row] += columns.count * 16 }
  }
}
