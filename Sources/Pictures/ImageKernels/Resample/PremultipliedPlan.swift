import CKernels

/// The arithmetic of 8-bit pixels of four bands with alpha. Products of colour and alpha, halved, are 15-bit integers.
/// The vertical pass goes first. The sums of the second pass become floats, in which colours are divided by alpha.
struct PremultipliedPlan: Sendable {
  /// Target rows that are made together.
  static let rows = 8
  /// The number subtracted from the products after the first pass, about the middle of 0...32,512, so that an overshoot
  /// of 2 fits 16 bits.
  static let middle = 16_256
  /// Alpha below this rounds to 0, whichever way it is computed.
  static let unseen: Float = 0.25

  let horizontal: IntegerWeights
  /// The weights of pairs of rows.
  let vertical: InterleavedWeights
  let verticalShift: Int
  /// Products by 255 of colours and alpha are `scale × sum + offset`. Halving lost a quarter on the average.
  let scale: Float
  let offset: Float
  /// Pixels whose alpha is below this, up to 255, are made in floating point: colours might be off by 0.9
  /// of a level or more.
  let leastAlpha: Float

  /// nil for enlarging, where floating point has less to do, and where sums might overflow or too many pixels
  /// would have to be made twice.
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
    // The largest error of a sum from halving, from the first pass' weights and rounding, and from the second one's
    // weights. Errors of one target sample's weights add up to 0: products count by how far they are from the middle.
    let halving = 0.25 * gainX * gainY
    let first = Double(Self.middle) * down.absoluteError + 0.5
    let second = Double(Self.middle) * across.absoluteError
    let error = (halving + first * gainX + second * gainY) * unit
    // A colour is 255 times a quotient of two such sums.
    let least = 2 * 255 * error / 0.9
    guard least < 64 else { return nil }
    leastAlpha = Float(least)
  }

  /// The horizontal pass of target columns `columns`: `outputs` are after them then.
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
