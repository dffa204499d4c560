/// The type of one sample of one band in memory.
public enum SampleType: UInt8, Sendable, Hashable, CaseIterable {
  /// Unsigned 8-bit, 0 to 255.
  case u8
  /// Unsigned 16-bit in native byte order, 0 to 65,535.
  case u16

  /// The number of bytes of one sample.
  public var byteCount: Int { self == .u8 ? 1 : 2 }

  /// The sample value of full intensity or full opacity.
  public var maximum: Int { self == .u8 ? 255 : 65_535 }
}

/// The meaning of a picture's colour bands.
public enum ColourModel: UInt8, Sendable, Hashable, CaseIterable {
  /// One band of luminance.
  case gray
  /// Three bands: red, green, blue.
  case rgb
  /// Four bands with amounts of ink, from 0 for no ink: cyan, magenta, yellow, black.
  case cmyk

  /// The number of bands without alpha.
  public var bandCount: Int {
    switch self {
    case .gray: 1
    case .rgb: 3
    case .cmyk: 4
    }
  }

  /// The colour space in the header of an ICC profile for these bands (ICC.1:2022, 7.2.6).
  public var signature: String {
    switch self {
    case .gray: "GRAY"
    case .rgb: "RGB "
    case .cmyk: "CMYK"
    }
  }
}

/// The layout of one pixel: interleaved samples, colour first, straight (not premultiplied) alpha last.
///
/// Samples are in the colour space of the picture's ICC profile, or of `StandardProfile.usual(for:)` if it has none.
public struct PixelFormat: Sendable, Hashable {
  public let sample: SampleType
  public let model: ColourModel
  public let hasAlpha: Bool

  public init(_ sample: SampleType, _ model: ColourModel, alpha: Bool = false) {
    self.sample = sample
    self.model = model
    self.hasAlpha = alpha
  }

  /// The number of bands of a pixel, including alpha: 1 to 5.
  public var bands: Int { model.bandCount + (hasAlpha ? 1 : 0) }

  /// The number of bytes of a pixel: 1 to 10.
  public var bytesPerPixel: Int { bands * sample.byteCount }

  public static let gray8 = PixelFormat(.u8, .gray)
  public static let cmyk8 = PixelFormat(.u8, .cmyk)
  public static let rgb8 = PixelFormat(.u8, .rgb)
  public static let rgba8 = PixelFormat(.u8, .rgb, alpha: true)

  /// Returns the same format with or without an alpha band.
  public func with(alpha: Bool) -> PixelFormat { PixelFormat(sample, model, alpha: alpha) }
  /// Returns the same format with other colour bands.
  public func with(model: ColourModel) -> PixelFormat { PixelFormat(sample, model, alpha: hasAlpha) }
  /// Returns the same format with other samples.
  public func with(sample: SampleType) -> PixelFormat { PixelFormat(sample, model, alpha: hasAlpha) }
}

extension PixelFormat: CustomStringConvertible {
  /// The name for plans and messages, such as `rgb8`, `rgba16`, `gray8`, `graya8` or `cmyk8`.
  public var description: String { "\(model)\(hasAlpha ? "a" : "")\(sample == .u8 ? 8 : 16)" }
}

// MARK: - Opacity

extension PixelFormat {
  /// Returns whether all alpha samples of a row are full; true without alpha.
  ///
  /// - Parameter row: pixels of this format, at any address.
  public func isOpaque(_ row: UnsafeRawPointer, width: Int) -> Bool {
    guard hasAlpha else { return true }
    let first = row + (bytesPerPixel - sample.byteCount)
    switch sample {
    case .u8:
      for x in 0..<width where first.load(fromByteOffset: x * bytesPerPixel, as: UInt8.self) != .max { return false }
    case .u16:
      for x in 0..<width
      where first.loadUnaligned(fromByteOffset: x * bytesPerPixel, as: UInt16.self) != .max {
        return false
      }
    }
    return true
  }
}
