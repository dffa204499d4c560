import ImageCore

/// What is drawn on a page beside pictures and text; points.
public enum PageShape: Sendable, Hashable {
  case fill(PageRectangle, Colour)
  /// What lies between two rectangles, one inside the other: a line around a picture.
  case frame(PageRectangle, around: PageRectangle, Colour)
  case line(Double, Double, Double, Double, width: Double, Colour)

  /// Its operators (PDF 32000-1:2008, 8.4.4 and 8.5).
  func content(unit: Double) -> String {
    func numbers(_ values: Double...) -> String { PDFNumber.text(values.map { $0 / unit }) }
    switch self {
    case .fill(let box, let colour) where colour.alpha < 1:
      let state = GraphicsState(colour)
      return
        "q /\(state.name) gs \(PDFPage.fill(colour))\(numbers(box.left, box.bottom, box.width, box.height)) re f Q\n"
    case .fill(let box, let colour):
      return "\(PDFPage.fill(colour))\(numbers(box.left, box.bottom, box.width, box.height)) re f\n"
    case .frame(let outer, let inner, let colour):
      let path = [outer, inner].map { "\(numbers($0.left, $0.bottom, $0.width, $0.height)) re " }
      return "\(PDFPage.fill(colour))\(path.joined())f*\n"
    case .line(let x, let y, let toX, let toY, let width, let colour):
      return
        "\(PDFPage.stroke(colour))\(numbers(width)) w \(numbers(x, y)) m \(numbers(toX, toY)) l S\n"
    }
  }
}

extension PageShape {
  /// What it is painted with where that is partly transparent.
  var graphicsState: GraphicsState? {
    if case .fill(_, let colour) = self, colour.alpha < 1 { GraphicsState(colour) } else { nil }
  }
}

/// The opacity of what is painted (PDF 32000-1:2008, 8.4.5 and 11.6.4.4); its name says it, so that whoever knows the
/// content knows the opacity.
struct GraphicsState: Hashable, Comparable {
  private let thousandths: Int

  init(_ colour: Colour) { thousandths = Int((colour.alpha * 1_000).rounded()) }

  var name: String { "G\(thousandths)" }

  /// Its entry among a page's resources.
  var resource: String { "/\(name)<</ca \(PDFNumber.text(Double(thousandths) / 1_000))>>" }

  static func < (left: Self, right: Self) -> Bool { left.thousandths < right.thousandths }
}

/// The boxes of a page for print (PDF 32000-1:2008, 14.11.2); points.
public struct PrintBoxes: Sendable, Hashable {
  /// The finished page.
  public var trim: PageRectangle
  /// What may be printed beyond it.
  public var bleed: PageRectangle

  /// What `imghost-verify` must find.
  var expectation: [Double] {
    [trim, bleed].flatMap { [$0.left, $0.bottom, $0.width, $0.height] }
  }

  /// Entries of the page's dictionary.
  func entries(unit: Double) -> String {
    func text(_ box: PageRectangle) -> String {
      PDFNumber.text([box.left, box.bottom, box.right, box.top].map { $0 / unit })
    }
    return "/TrimBox[\(text(trim))]/BleedBox[\(text(bleed))]"
  }
}

extension Colour {
  /// As it looks on white paper, for what is drawn without opacity; nil for one that cannot be seen.
  package var onPaper: Colour? { over(.white) }

  /// As it looks on a colour that hides what is behind it; nil for one that cannot be seen.
  package func over(_ ground: Colour) -> Colour? {
    guard alpha > 0 else { return nil }
    func mixed(_ part: Double, _ under: Double) -> Double { part * alpha + under * (1 - alpha) }
    return Colour(
      red: mixed(red, ground.red), green: mixed(green, ground.green), blue: mixed(blue, ground.blue)
    )
  }

  /// As it is, for what is drawn with opacity; nil for one that cannot be seen.
  var visible: Colour? { alpha > 0 ? self : nil }
}
