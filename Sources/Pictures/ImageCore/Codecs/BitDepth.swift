/// The number of bits of a sample in a saved file, as requested by the options `bitdepth` and `compression`.
public struct BitDepth: Sendable, Hashable {
  /// The option of formats that support 8 and 16 bits.
  public static let parameter = ParameterDescriptor(
    name, .choice(["auto", "8", "16"]), default: .text("auto"),
    help: "bits of a sample; auto keeps those of the picture")

  public static let name = "bitdepth"

  /// Fax compressions, whose pixels have one bit.
  private static let fax: Set<String> = ["g4", "ccittfax4"]

  /// The number of bits; nil to keep that of the picture.
  public let bits: Int?
  /// The option that requests one bit, as written in a script.
  private let oneBitOption: String

  /// - Parameter arguments: arguments that were checked against the parameters of a codec, which need not have these
  ///   options.
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

  /// Returns the reason why options contradict each other, as a clause; nil if they do not.
  public static func conflict(_ arguments: Arguments) -> String? {
    guard let compression = compression(arguments), let asked = asked(arguments), asked != 1 else { return nil }
    return "compression '\(compression)' holds 1 bit, not \(asked); leave out '\(name)'"
  }

  /// Returns the reason why a picture cannot have these bits, as a clause; nil if it can. One bit requires gray
  /// pictures; samples of at least 128 of 255 become white.
  public func problem(with format: PixelFormat) -> String? {
    guard bits == 1, format.model != .gray || format.hasAlpha else { return nil }
    let way = format.hasAlpha ? "flatten() and threshold()" : "threshold()"
    return "\(oneBitOption) holds black and white; use \(way) first"
  }

  /// Returns the format with samples of at least the requested bits.
  func applied(to format: PixelFormat) -> PixelFormat {
    switch bits {
    case 1, 8: format.with(sample: .u8)
    case 16: format.with(sample: .u16)
    default: format
    }
  }
}

extension PictureCodec {
  /// Returns the layout of a file's pixels that the format supports and the options request.
  ///
  /// - Parameter arguments: arguments that were checked against `saveParameters`.
  public func encodedLayout(for layout: PictureLayout, _ arguments: Arguments) -> PictureLayout {
    encodedLayout(for: layout.with(format: BitDepth(arguments).applied(to: layout.format)))
  }
}
