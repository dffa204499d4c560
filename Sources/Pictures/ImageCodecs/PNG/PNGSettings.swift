import ImageCore
import RowCompression

/// How a PNG is to be encoded, out of the checked options of `save`.
struct PNGSettings {
  /// zlib's level; nil where nothing was said.
  private let level: Int?
  let palette: Bool
  let interlaced: Bool
  private let filter: String

  init(_ arguments: Arguments) {
    palette = arguments.boolean("palette")
    interlaced = arguments.boolean("interlaced")
    level = arguments.optionalInteger("compression")
    filter = arguments.text("filter")
  }

  var effort: RowCompressor.Effort { level.map { .level($0) } ?? .chosen }

  /// The effort for pictures that are interlaced or have a palette, which are few and small.
  var frameEffort: RowCompressor.Effort { .level(level ?? 6) }

  /// Nil to choose row by row; stored data gain nothing by filters that nobody asked for.
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

  /// Indices into a palette gain nothing by filters that nobody asked for.
  var paletteFilter: RowFilter.Kind? {
    switch filter {
    case "adaptive": RowFilter.Kind.none
    default: rowFilter
    }
  }

  static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor(
      "compression", .integer(0...9),
      help: "zlib's effort: 0 stores, 1 is fast, 9 smallest; left out, chosen piece by piece: a "
        + "fifth of the time that 6 takes for photographs, which get a tenth larger; 6 for what is "
        + "interlaced or has a palette"),
    ParameterDescriptor(
      "filter", .choice(["adaptive", "none", "sub", "up", "average", "paeth"]),
      default: .text("adaptive"),
      help: "how rows are predicted; adaptive tries all on each row"),
    ParameterDescriptor(
      "palette", .boolean, default: .boolean(false),
      help: "store at most 256 colours by number, without loss; an error if there are more"),
    ParameterDescriptor(
      "interlaced", .boolean, default: .boolean(false),
      help: "Adam7, coarse to fine; larger, and holds the whole picture while encoding"),
  ]
}
