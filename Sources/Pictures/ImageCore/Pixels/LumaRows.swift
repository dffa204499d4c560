/// Turns rows of any format into luma from -128 to 127, the range in which `StructuralSimilarity` loses least.
///
/// The luma weights are those of ITU-R BT.709, as in `FormatConversion`, which also makes RGB of CMYK. Alpha is removed
/// over a background. 16-bit samples keep their precision.
struct LumaRows {
  private let format: PixelFormat
  private let conversion: FormatConversion
  private let width: Int
  /// A row without alpha, gray or RGB; nil where the rows are that.
  private let opaque: PixelBuffer?

  init(_ layout: PictureLayout, background: Colour) {
    let plain = layout.format.with(alpha: false)
    format = plain.model == .cmyk ? plain.with(model: .rgb) : plain
    conversion = FormatConversion(from: layout.format, to: format, background: background)
    width = layout.width
    opaque = conversion.isIdentity ? nil : PixelBuffer(PictureLayout(width: width, height: 1, format: format))
  }

  func convert(_ row: UnsafeRawPointer, to luma: UnsafeMutablePointer<Float>) {
    if let opaque { conversion.convert(row, to: opaque.base, width: width) }
    let row = opaque.map { UnsafeRawPointer($0.base) } ?? row
    if format.sample == .u8 {
      mix(row.assumingMemoryBound(to: UInt8.self), luma, 1)
    } else {
      mix(row.assumingMemoryBound(to: UInt16.self), luma, 1 / 257)
    }
  }

  @inline(__always)
  private func mix<Sample: BinaryInteger>(
    _ row: UnsafePointer<Sample>, _ luma: UnsafeMutablePointer<Float>, _ scale: Float
  ) {
    guard format.model == .rgb else {
      for x in 0..<width { luma[x] = Float(row[x]) * scale - 128 }
      return
    }
    let (red, green, blue) = (0.2126 * scale, 0.7152 * scale, 0.0722 * scale)
    for x in 0..<width {
      luma[x] = red * Float(row[3 * x]) + green * Float(row[3 * x + 1]) + blue * Float(row[3 * x + 2]) - 128
    }
  }
}
