import ImageCore
import RowCompression

/// The settings for encoding a PNG, from the checked options of `save`.
struct PNGSettings {
  /// The compression level, as in zlib; nil if none is given.
  private let level: Int?
  let palette: Palette
  let interlaced: Bool
  private let filter: String

  /// The conversion of a picture to palette indices.
  enum Palette {
    case none
    /// Keeps all colours; a picture with more than 256 is an error.
    case lossless
    /// Reduces the picture to a number of colours if it has more.
    case reduced(Int)

    init(_ arguments: Arguments) {
      self =
        switch arguments["palette"] {
        case .integer(let count): .reduced(count)
        case .boolean(true): .lossless
        default: .none
        }
    }
  }

  init(_ arguments: Arguments) {
    palette = Palette(arguments)
    interlaced = arguments.boolean("interlaced")
    level = arguments.optionalInteger("compression")
    filter = arguments.text("filter")
  }

  var effort: RowCompressor.Effort { level.map { .level($0) } ?? .chosen }

  /// The effort for interlaced pictures and for pictures with a palette. Both are rare, so the data does not decide.
  var frameEffort: RowCompressor.Effort { .level(level ?? 6) }

  /// The filter; nil to choose one for each row. By default, uncompressed data is not filtered, because filters would
  /// not change its size.
  var rowFilter: RowFilter.Kind? {
    switch filter {
    case "none": RowFilter.Kind.none
    case "sub": .sub
    case "up": .up
    case "average": .average
    case "paeth": .paeth
    default: level == 0 ? RowFilter.Kind.none : nil
    }
  }

  /// The filter for palette indices. By default there is none, because filters do not make rows of indices smaller.
  var paletteFilter: RowFilter.Kind? {
    switch filter {
    case "adaptive": RowFilter.Kind.none
    default: rowFilter
    }
  }

  static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor(
      "compression", .integer(0...9),
      help: "zlib's effort: 0 stores, 1 is fast, 9 is smallest; by default chosen for each piece, "
        + "for photographs a fifth of level 6's time and a tenth more bytes; 6 if interlaced or "
        + "with a palette"),
    ParameterDescriptor(
      "filter", .choice(["adaptive", "none", "sub", "up", "average", "paeth"]),
      default: .text("adaptive"),
      help: "filter for all rows; adaptive chooses for each row"),
    ParameterDescriptor(
      "palette", .booleanOrInteger(2...256), default: .boolean(false),
      help: "whether to store at most 256 colours by index, without loss; an error if there are more; a number "
        + "reduces the picture to that many colours, with dithering, and holds the whole picture"),
    ParameterDescriptor(
      "interlaced", .boolean, default: .boolean(false),
      help: "whether to store coarse to fine (Adam7); larger, and holds the whole picture"),
  ]
}
