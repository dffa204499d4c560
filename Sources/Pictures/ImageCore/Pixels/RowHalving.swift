/// Halves a picture row by row: each pixel is the mean of two by two pixels, as in the levels of a pyramid.
///
/// Means are 16-bit samples, so that halving repeatedly adds no visible error. Means of 8-bit samples are in 256ths.
/// Colours are weighted by their alpha; the colour is 0 if all four pixels are transparent. At the end of an odd side,
/// only the pixels that exist are averaged.
public struct RowHalving: Sendable {
  /// The format of the picture's rows.
  public let format: PixelFormat

  public init(_ format: PixelFormat) { self.format = format }

  /// The format of rows of means.
  public var meanFormat: PixelFormat { format.with(sample: .u16) }

  /// Computes a row of means from two rows of the picture.
  ///
  /// - Parameters:
  ///   - width: the width of the two rows in pixels, at least 1. The result has half as many, rounded up.
  ///   - means: room for the result; overlaps neither row.
  public func halve(
    _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, width: Int, to means: UnsafeMutableRawPointer
  ) {
    let means = means.assumingMemoryBound(to: UInt16.self)
    if format.sample == .u8 {
      halve(upper.assumingMemoryBound(to: UInt8.self), lower.assumingMemoryBound(to: UInt8.self), width, true, means)
    } else {
      halveMeans(upper, lower, width: width, to: means)
    }
  }

  /// Computes a row of means from two rows of means.
  public func halveMeans(
    _ upper: UnsafeRawPointer, _ lower: UnsafeRawPointer, width: Int, to means: UnsafeMutableRawPointer
  ) {
    halve(
      upper.assumingMemoryBound(to: UInt16.self), lower.assumingMemoryBound(to: UInt16.self), width, false,
      means.assumingMemoryBound(to: UInt16.self))
  }

  /// Rounds a row of means to samples of the picture.
  public func round(_ means: UnsafeRawPointer, to row: UnsafeMutableRawPointer, width: Int) {
    let count = width * format.bands
    guard format.sample == .u8 else { return row.copyMemory(from: means, byteCount: 2 * count) }
    let means = means.assumingMemoryBound(to: UInt16.self)
    let row = row.assumingMemoryBound(to: UInt8.self)
    for index in 0..<count { row[index] = UInt8(truncatingIfNeeded: (UInt32(means[index]) + 128) >> 8) }
  }

  /// - Parameter isFresh: whether the rows are 8-bit samples of the picture itself, whose means are in 256ths.
  private func halve<Sample: FixedWidthInteger & UnsignedInteger>(
    _ upper: UnsafePointer<Sample>, _ lower: UnsafePointer<Sample>, _ width: Int, _ isFresh: Bool,
    _ means: UnsafeMutablePointer<UInt16>
  ) {
    switch (format.bands, format.hasAlpha) {
    case (1, _): average(upper, lower, width, bands: 1, isFresh, means)
    case (3, _): average(upper, lower, width, bands: 3, isFresh, means)
    case (4, false): average(upper, lower, width, bands: 4, isFresh, means)
    case (2, _): average(upper, lower, width, colours: 1, isFresh, means)
    default: average(upper, lower, width, colours: 3, isFresh, means)
    }
  }

  @inline(__always)
  private func average<Sample: FixedWidthInteger & UnsignedInteger>(
    _ upper: UnsafePointer<Sample>, _ lower: UnsafePointer<Sample>, _ width: Int, bands: Int, _ isFresh: Bool,
    _ means: UnsafeMutablePointer<UInt16>
  ) {
    func store(_ left: Int, _ right: Int, _ target: Int) {
      for band in 0..<bands {
        let sum =
          UInt32(upper[left + band]) &+ UInt32(upper[right + band]) &+ UInt32(lower[left + band])
          &+ UInt32(lower[right + band])
        means[target + band] = UInt16(truncatingIfNeeded: isFresh ? sum << UInt32(6) : (sum &+ 2) >> 2)
      }
    }
    for x in 0..<width / 2 { store(2 * x * bands, (2 * x + 1) * bands, x * bands) }
    if width % 2 == 1 { store((width - 1) * bands, (width - 1) * bands, width / 2 * bands) }
  }

  @inline(__always)
  private func average<Sample: FixedWidthInteger & UnsignedInteger>(
    _ upper: UnsafePointer<Sample>, _ lower: UnsafePointer<Sample>, _ width: Int, colours: Int, _ isFresh: Bool,
    _ means: UnsafeMutablePointer<UInt16>
  ) {
    let bands = colours + 1
    func store(_ left: Int, _ right: Int, _ target: Int) {
      let alphas = (
        UInt64(upper[left + colours]), UInt64(upper[right + colours]), UInt64(lower[left + colours]),
        UInt64(lower[right + colours])
      )
      let opacity = alphas.0 + alphas.1 + alphas.2 + alphas.3
      for band in 0..<colours {
        guard opacity > 0 else {
          means[target + band] = 0
          continue
        }
        let sum =
          UInt64(upper[left + band]) * alphas.0 + UInt64(upper[right + band]) * alphas.1
          + UInt64(lower[left + band]) * alphas.2 + UInt64(lower[right + band]) * alphas.3
        means[target + band] = UInt16(
          truncatingIfNeeded: ((isFresh ? sum << 8 : sum) + opacity / 2) / opacity)
      }
      means[target + colours] = UInt16(truncatingIfNeeded: isFresh ? opacity << 6 : (opacity + 2) >> 2)
    }
    for x in 0..<width / 2 { store(2 * x * bands, (2 * x + 1) * bands, x * bands) }
    if width % 2 == 1 { store((width - 1) * bands, (width - 1) * bands, width / 2 * bands) }
  }
}
