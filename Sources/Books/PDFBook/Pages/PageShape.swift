import BookExpectations
import ImageCore

/// A shape on a page. Lengths are in points.
package enum PageShape: Sendable, Hashable {
  case fill(PageRectangle, Colour)
  /// The area between two nested rectangles; used for borders around pictures.
  case frame(RoundedRectangle, around: RoundedRectangle, Colour)
  case line(Double, Double, Double, Double, width: Double, Colour)
  /// Overlapping areas of one colour, each painted with the colour's alpha, clipped to another area.
  case layers([RoundedRectangle], Colour, within: RoundedRectangle)
  /// An area of one colour that fades out below and above, clipped to another area. The mask contains the opacity.
  case veil(PageRectangle, Colour, VeilMask, within: RoundedRectangle)

  /// Returns the operators that paint the shape (PDF 32000-1:2008, 8.4.4 and 8.5).
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
      return "\(PDFPage.fill(colour))\(outer.path(unit: unit))\(inner.path(unit: unit))f*\n"
    case .line(let x, let y, let toX, let toY, let width, let colour):
      return
        "\(PDFPage.stroke(colour))\(numbers(width)) w \(numbers(x, y)) m \(numbers(toX, toY)) l S\n"
    case .layers(let areas, let colour, let limit):
      let state = colour.alpha < 1 ? "/\(GraphicsState(colour).name) gs " : ""
      return "q \(limit.path(unit: unit))W n \(state)\(PDFPage.fill(colour))\n"
        + areas.map { $0.path(unit: unit) + "f\n" }.joined() + "Q\n"
    case .veil(let box, let colour, let mask, let limit):
      let side = Double(VeilMask.side)
      return "q \(limit.path(unit: unit))W n \(PDFPage.fill(colour))\n"
        + "\(numbers(box.width / side)) 0 0 \(numbers(box.height / side, box.left, box.bottom)) cm /\(mask.name) gs "
        + "0 0 \(VeilMask.side) \(VeilMask.side) re f Q\n"
    }
  }
}

extension PageShape {
  /// The graphics state of a shape with an opacity below 1; nil for other shapes. A veil has a soft mask instead.
  var graphicsState: GraphicsState? {
    switch self {
    case .fill(_, let colour), .layers(_, let colour, _): colour.alpha < 1 ? GraphicsState(colour) : nil
    case .frame, .line, .veil: nil
    }
  }

  /// The soft mask through which the shape is painted; nil for none.
  var mask: VeilMask? { if case .veil(_, _, let mask, _) = self { mask } else { nil } }

  /// Whether the shape takes so many operators that compressing the page's content pays off.
  var isLong: Bool { if case .layers = self { true } else { false } }
}

/// The page boxes for print (PDF 32000-1:2008, 14.11.2), in points.
package struct PrintBoxes: Sendable, Hashable {
  /// The finished page.
  package var trim: PageRectangle
  /// The finished page with the bleed around it.
  package var bleed: PageRectangle

  /// The boxes as numbers that `imghost-verify` checks.
  var expectation: [Double] { [trim, bleed].flatMap { [$0.left, $0.bottom, $0.width, $0.height] } }

  package init(trim: PageRectangle, bleed: PageRectangle) { (self.trim, self.bleed) = (trim, bleed) }

  /// Makes boxes for a page without a trimmed edge: both are the whole page.
  init(whole size: PageSize) {
    trim = PageRectangle(left: 0, bottom: 0, width: size.width, height: size.height)
    bleed = trim
  }

  /// Returns the entries of the page dictionary.
  func entries(unit: Double) -> String {
    func text(_ box: PageRectangle) -> String {
      PDFNumber.text([box.left, box.bottom, box.right, box.top].map { $0 / unit })
    }
    return "/TrimBox[\(text(trim))]/BleedBox[\(text(bleed))]"
  }
}
