import ImageCore
import PDFBook

/// Counts pictures whose transparency was put on a background because JPEG has none.
struct FlattenedPictures {
  private let background: String
  /// A clause about what keeps transparency.
  private let advice: String
  private var count = 0
  private var first = ""

  init(_ arguments: Arguments, _ conformance: Conformance?) {
    background =
      arguments.optionalColour("cell_background").map { $0.alpha > 0 } ?? false
      ? "their cell's background"
      : arguments.has("background") ? "the page's background" : "white"
    advice =
      conformance.flatMap { $0.isOpaque ? "\($0.name) has none either" : nil } ?? "'lossless = true' keeps it"
  }

  /// Counts a picture by its name in messages.
  mutating func add(_ name: String) {
    if count == 0 { first = name }
    count += 1
  }

  /// One note for the whole book; nil if there are none.
  var note: String? {
    guard count > 0 else { return nil }
    let (who, what) =
      count == 1
      ? ("\(first) has transparency", "it was")
      : ("\(count) pictures have transparency, \(first) first", "they were")
    return "\(who), and JPEG has none: \(what) put on \(background); \(advice), "
      + "and flatten() in the script hides this note"
  }
}
