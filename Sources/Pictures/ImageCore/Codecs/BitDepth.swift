/// The bits of a sample in a saved file, as the options `bitdepth` and `compression` ask for them.
public struct BitDepth: Sendable, Hashable {
  /// The option of formats that hold 8 and 16 bits.
  public static let parameter = ParameterDescriptor(
    name, .choice(["auto", "8", "16"]), default: .text("auto"),
    help: "bits of a sample; auto keeps those of the picture")

  public static let name = "bitdepth"

  /// Compressions of fax, whose pixels have one bit.
  private static let fax: Set<String> = ["g4", "ccittfax4"]

  /// Nil to keep those of the picture.
  public let bits: Int?
  /// The option that asks for one bit, as scripts write it.
  private let oneBitOption: String

  /// - Parameter arguments: checked against the parameters of a codec, which need not have these options.
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

  /// Returns the reason why options do not go together, as a clause; nil if they do.
  public static func conflict(_ arguments: Arguments) -> String? {
    guard let compression = compression(arguments), let asked = asked(arguments), asked != 1 else { return nil }
    return "compression '\(compression)' holds 1 bit, not \(asked); leave out '\(name)'"
  }

  /// Returns the reason why a picture cannot have these bits, as a clause; nil if it can. One bit takes gray pictures,
  /// whose samples from 128 of 255 on are white.
  public func problem(with format: PixelFormat) -> String? {
    guard bits == 1, format.model != .gray || format.hasAlpha else { return nil }
    let way = format.hasAlpha ? "flatten() and threshold()" : "threshold()"
    return "\(oneBitOption) holds black and white; use \(way) first"
  }

  /// Returns a format with samples that hold the bits.
  func applied(to format: PixelFormat) -> PixelFormat {
    switch bits {
    case 1, 8: format.with(sample: .u8)
    case 16: format.with(sample: .u16)
    default: format
    }
  }
}

extension PictureCodec {
  /// Returns the layout of a file's pixels as the format can hold it and the options ask for it.
  ///
  /// - Parameter arguments: checked against `saveParameters`.
  public func encodedLayout(for layout: PictureLayout, _ arguments: Arguments) -> PictureLayout {
    encodedLayout(for: layout.with(format: BitDepth(arguments).applied(to: layout.format)))
  }
}
