import ImageCore

/// A shape on a page. Lengths are in points.
public enum PageShape: Sendable, Hashable {
  case fill(PageRectangle, Colour)
  /// The area between two rectangles, one inside the other: a border around a picture.
  case frame(PageRectangle, around: PageRectangle, Colour)
  case line(Double, Double, Double, Double, width: Double, Colour)

  /// Returns its operators (PDF 32000-1:2008, 8.4.4 and 8.5).
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
  /// The graphics state of a partly transparent fill; nil for an opaque shape.
  var graphicsState: GraphicsState? {
    if case .fill(_, let colour) = self, colour.alpha < 1 { GraphicsState(colour) } else { nil }
  }
}
