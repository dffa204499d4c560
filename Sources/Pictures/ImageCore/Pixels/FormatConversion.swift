/// Converts rows from one pixel format to another for encoders and overlays.
///
/// 16 to 8 bits is `(v + 128) / 257` rounded down, which is v / 257 rounded to nearest; 8 to 16 is `v * 257`. Alpha is
/// removed over a background: `c*a + b*(1-a)`, rounded to nearest. RGB becomes gray with the luma weights of ITU-R
/// BT.709. Gray becomes RGB by repetition. A missing alpha becomes opaque. Only CMYK can become CMYK.
///
/// CMYK becomes RGB without profiles: `R = (1 - C) * (1 - K)` and so on (PostScript Language Reference, 7.2.4, with the
/// product instead of the clipped sum). This is only for comparisons; `ColourConverter` converts colours.
public struct FormatConversion: Sendable {
  public let source: PixelFormat
  public let target: PixelFormat
  private let background: [Int]

  /// - Parameter background: the colour behind removed alpha, in the colour space of the picture. A conversion from
  ///   CMYK to CMYK uses the colour of the paper instead.
  public init(from source: PixelFormat, to target: PixelFormat, background: Colour = .white) {
    precondition(target.model != .cmyk || source.model == .cmyk, "only profiles give CMYK")
    self.source = source
    self.target = target
    // Alpha is removed before samples and colours are converted. Only CMYK becomes RGB first.
    let plain = source.with(alpha: false)
    self.background = background.samples(in: source.model == .cmyk ? plain.with(model: .rgb) : plain)
  }

  /// Whether pixels are unchanged.
  public var isIdentity: Bool { source == target }

  /// Converts `width` pixels. The two rows do not overlap.
  public func convert(_ row: UnsafeRawPointer, to destination: UnsafeMutableRawPointer, width: Int) {
    if isIdentity {
      destination.copyMemory(from: row, byteCount: width * source.bytesPerPixel)
    } else if source.sample == .u8 {
      convert(row.assumingMemoryBound(to: UInt8.self), destination, width)
    } else {
      convert(row.assumingMemoryBound(to: UInt16.self), destination, width)
    }
  }

  private func convert<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafePointer<Sample>, _ destination: UnsafeMutableRawPointer, _ width: Int
  ) {
    let top = source.sample.maximum
    let colours = source.model.bandCount
    let bands = source.bands
    let dropsAlpha = source.hasAlpha && !target.hasAlpha
    if target.model == .cmyk { return copyInk(row, destination, width) }
    for x in 0..<width {
      let pixel = row + x * bands
      var red = Int(pixel[0])
      var green = colours >= 3 ? Int(pixel[1]) : red
      var blue = colours >= 3 ? Int(pixel[2]) : red
      if colours == 4 {
        let white = top - Int(pixel[3])
        red = ((top - red) * white + top / 2) / top
        green = ((top - green) * white + top / 2) / top
        blue = ((top - blue) * white + top / 2) / top
      }
      let alpha = source.hasAlpha ? Int(pixel[bands - 1]) : top
      if dropsAlpha {
        red = (red * alpha + background[0] * (top - alpha) + top / 2) / top
        green = (green * alpha + background[colours > 1 ? 1 : 0] * (top - alpha) + top / 2) / top
        blue = (blue * alpha + background[colours > 1 ? 2 : 0] * (top - alpha) + top / 2) / top
      }
      store(red, green, blue, alpha, at: x, destination)
    }
  }

  /// Converts between CMYK formats, which differ only in sample type and alpha. Alpha is removed over paper.
  private func copyInk<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafePointer<Sample>, _ destination: UnsafeMutableRawPointer, _ width: Int
  ) {
    let top = source.sample.maximum
    for x in 0..<width {
      let pixel = row + x * source.bands
      let alpha = source.hasAlpha ? Int(pixel[4]) : top
      for band in 0..<4 {
        let ink = Int(pixel[band])
        put(target.hasAlpha ? ink : (ink * alpha + top / 2) / top, x * target.bands + band, destination)
      }
      if target.hasAlpha { put(alpha, x * target.bands + 4, destination) }
    }
  }

  private func store(
    _ red: Int, _ green: Int, _ blue: Int, _ alpha: Int, at x: Int, _ destination: UnsafeMutableRawPointer
  ) {
    var first = red
    if target.model == .gray && source.model != .gray {
      // This is BT.709 luma with 16 fraction bits; the weights add up to 65,536.
      first = (13_933 * red + 46_871 * green + 4_732 * blue + 32_768) >> 16
    }
    let base = x * target.bands
    put(first, base, destination)
    if target.model == .rgb {
      put(green, base + 1, destination)
      put(blue, base + 2, destination)
    }
    if target.hasAlpha { put(alpha, base + target.bands - 1, destination) }
  }

  @inline(__always)
  private func put(_ value: Int, _ index: Int, _ destination: UnsafeMutableRawPointer) {
    switch (source.sample, target.sample) {
    case (.u8, .u8):
      destination.assumingMemoryBound(to: UInt8.self)[index] = UInt8(truncatingIfNeeded: value)
    case (.u8, .u16):
      destination.assumingMemoryBound(to: UInt16.self)[index] = UInt16(truncatingIfNeeded: value * 257)
    case (.u16, .u16):
      destination.assumingMemoryBound(to: UInt16.self)[index] = UInt16(truncatingIfNeeded: value)
    case (.u16, .u8):
      destination.assumingMemoryBound(to: UInt8.self)[index] = UInt8(truncatingIfNeeded: (value + 128) / 257)
    }
  }
}
