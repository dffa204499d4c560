import ImageCore

/// The opacity of painted shapes (PDF 32000-1:2008, 8.4.5 and 11.6.4.4). The name contains the opacity, so
/// that content streams state it.
struct GraphicsState: Hashable, Comparable {
  private let thousandths: Int

  init(_ colour: Colour) { thousandths = Int((colour.alpha * 1_000).rounded()) }

  var name: String { "G\(thousandths)" }

  /// The entry in a page's resource dictionary.
  var resource: String { "/\(name)<</ca \(PDFNumber.text(Double(thousandths) / 1_000))>>" }

  static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }
}
