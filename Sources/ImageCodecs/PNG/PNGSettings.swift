import CPNG
import ImageCore

/// How a PNG is to be encoded, out of the checked options of `save`.
struct PNGSettings {
  /// 1 to 3 are for ISA-L where it can be used, others zlib's level.
  let compression: Int
  let palette: Bool
  let interlaced: Bool
  let filter: String

  init(_ arguments: Arguments) {
    compression = arguments.integer("compression")
    palette = arguments.boolean("palette")
    interlaced = arguments.boolean("interlaced")
    filter = arguments.text("filter")
  }

  /// Whether ISA-L compresses what is neither interlaced nor a palette's.
  var isFast: Bool { (1...3).contains(compression) }

  /// nil for libspng's own: all, chosen row by row by the least sum of absolute differences, but none for
  /// palettes and stored data, which do not gain.
  var filterChoice: spng_filter_choice? {
    switch filter {
    case "none": SPNG_DISABLE_FILTERING
    case "sub": SPNG_FILTER_CHOICE_SUB
    case "up": SPNG_FILTER_CHOICE_UP
    case "average": SPNG_FILTER_CHOICE_AVG
    case "paeth": SPNG_FILTER_CHOICE_PAETH
    default: nil
    }
  }

  static let parameters: [ParameterDescriptor] = [
    ParameterDescriptor(
      "compression", .integer(0...9), default: .integer(3),
      help:
        "effort: 0 stores, 1 to 3 are fast, 6 takes ten times as long for a tenth less, 9 is smallest"
    ),
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
