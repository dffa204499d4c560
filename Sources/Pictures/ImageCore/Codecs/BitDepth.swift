/// The number of bits of a sample in a saved file, as requested by the options `bitdepth` and `compression`.
public struct BitDepth: Sendable, Hashable {
  /// The option for the number of bits, for formats that support 8 and 16.
  public static let parameter = ParameterDescriptor(
    name, .choice(["auto", "8", "16"]), default: .text("auto"),
    help: "bits of a sample; auto keeps those of the picture")

  public static let name = "bitdepth"

  /// The names of the fax compressions, whose pixels have one bit.
  private static let fax: Set<String> = ["g4", "ccittfax4"]

  /// The requested number of bits; nil to keep the picture's.
  public let bits: Int?
  /// The option that requests one bit, as written in a script.
  private let oneBitOption: String

  /// - Parameter arguments: arguments that were checked against a codec's parameters. The codec need not have the
  ///   options `bitdepth` and `compression`.
  public init(_ arguments: Arguments) {
    let asked = Self.asked(arguments)
    let compression = Self.compression(arguments)
    bits = compression == nil ? asked : 1
    oneBitOption = compression.map { "compression = \"\($0)\"" } ?? "\(Self.name) = 1"
  }

  private static func asked(_ arguments: Arguments) -> Int? {
    guard case .text(let text)? = arguments[name] else { return nil }
    return Int(text)
  }

  private static func compression(_ arguments: Arguments) -> String? {
    guard case .text(let text)? = arguments["compression"], fax.contains(text) else { return nil }
    return text
  }

  /// Returns the reason why `bitdepth` and `compression` contradict each other, as a clause; nil if they do not.
  public static func conflict(_ arguments: Arguments) -> String? {
    guard let compression = compression(arguments), let asked = asked(arguments), asked != 1 else { return nil }
    return "compression '\(compression)' holds 1 bit, not \(asked); leave out '\(name)'"
  }

  /// Returns the reason why a picture of this format cannot be saved with the requested bits, as a clause; nil if it
  /// can. One bit requires a gray picture without alpha. Samples of at least 128 of 255 become white.
  public func problem(with format: PixelFormat) -> String? {
    guard bits == 1, format.model != .gray || format.hasAlpha else { return nil }
    let way = format.hasAlpha ? "flatten() and threshold()" : "threshold()"
    return "\(oneBitOption) holds black and white; use \(way) first"
  }

  /// Returns the format with 8-bit samples for 1 or 8 requested bits, with 16-bit samples for 16, and unchanged if no
  /// bits are requested.
  func applied(to format: PixelFormat) -> PixelFormat {
    switch bits {
    case 1, 8: format.with(sample: .u8)
    case 16: format.with(sample: .u16)
    default: format
    }
  }
}

extension PictureCodec {
  /// Returns the layout of a saved picture. It follows the options as far as the format supports them.
  ///
  /// - Parameter arguments: arguments that were checked against `saveParameters`.
  public func encodedLayout(for layout: PictureLayout, _ arguments: Arguments) -> PictureLayout {
    encodedLayout(for: layout.with(format: BitDepth(arguments).applied(to: layout.format)))
  }
}
