import ImageCore
import Testing

/// Every conversion between formats, compared with the same conversion in 64-bit floating point.
@Suite struct FormatConversionTests {
  private static let formats: [PixelFormat] = SampleType.allCases.flatMap { sample in
    ColourModel.allCases.flatMap { model in
      [PixelFormat(sample, model), PixelFormat(sample, model, alpha: true)]
    }
  }

  @Test func allAgainstFloat64() {
    let background = Colour(red: 0.2, green: 0.9, blue: 0.4)
    for source in Self.formats {
      for target in Self.formats where target.model != .cmyk || source.model == .cmyk {
        check(source, target, background)
      }
    }
  }

  private func check(_ source: PixelFormat, _ target: PixelFormat, _ background: Colour) {
    let width = 301
    let top = source.sample.maximum
    // Every extreme, then values that step through the range.
    let samples = (0..<width * source.bands).map { index in
      [0, top, 1, top - 1, top / 2][safe: index % 13] ?? (index * 7919) % (top + 1)
    }
    let converted = convert(samples, FormatConversion(from: source, to: target, background: background), width)
    for x in 0..<width {
      let pixel = samples[x * source.bands..<(x + 1) * source.bands].map {
        Double($0) / Double(top)
      }
      let meant = reference(pixel, source, target, background)
      for (band, value) in meant.enumerated() {
        let found = Double(converted[x * target.bands + band])
        let wanted = value * Double(target.sample.maximum)
        // Up to three roundings of half a step: the background's, alpha's removal, luma.
        let scale = Double(max(1, target.sample.maximum / top))
        #expect(
          (found - wanted).magnitude <= 1.5 * scale,
          "\(source) to \(target), pixel \(x), band \(band): \(found), not \(wanted)")
      }
    }
  }

  private func reference(_ pixel: [Double], _ source: PixelFormat, _ target: PixelFormat, _ background: Colour)
    -> [Double]
  {
    let alpha = source.hasAlpha ? pixel.last! : 1
    if target.model == .cmyk {
      return pixel.prefix(4).map { target.hasAlpha ? $0 : $0 * alpha } + (target.hasAlpha ? [alpha] : [])
    }
    var colour =
      switch source.model {
      case .gray: [pixel[0], pixel[0], pixel[0]]
      case .rgb: Array(pixel.prefix(3))
      case .cmyk: pixel.prefix(3).map { (1 - $0) * (1 - pixel[3]) }
      }
    if source.hasAlpha && !target.hasAlpha {
      let behind =
        source.model != .gray
        ? [background.red, background.green, background.blue]
        : [background.luma, background.luma, background.luma]
      colour = zip(colour, behind).map { $0 * alpha + $1 * (1 - alpha) }
    }
    var result = colour
    if target.model == .gray {
      result = source.model == .gray ? [colour[0]] : [0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]]
    }
    return target.hasAlpha ? result + [alpha] : result
  }

  private func convert(_ samples: [Int], _ conversion: FormatConversion, _ width: Int) -> [Int] {
    let source = conversion.source
    let target = conversion.target
    var row = [UInt8]()
    for sample in samples {
      if source.sample == .u8 {
        row.append(UInt8(sample))
      } else {
        withUnsafeBytes(of: UInt16(sample)) { row += $0 }
      }
    }
    var result = [UInt8](repeating: 0, count: width * target.bytesPerPixel)
    row.withUnsafeBytes { from in
      result.withUnsafeMutableBytes { to in
        conversion.convert(from.baseAddress!, to: to.baseAddress!, width: width)
      }
    }
    if target.sample == .u8 { return result.map(Int.init) }
    return result.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Int.init) }
  }

  /// There and back, nothing is lost.
  @Test func wideningIsExact() {
    let samples = Array(0...255)
    let wide = convert(
      samples, FormatConversion(from: .gray8, to: PixelFormat(.u16, .gray)), 256)
    #expect(wide == samples.map { $0 * 257 })
    let back = convert(
      wide, FormatConversion(from: PixelFormat(.u16, .gray), to: .gray8), 256)
    #expect(back == samples)
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? {
    indices.contains(index) ? self[index] : nil
  }
}
