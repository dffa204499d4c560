import ImageCore

/// The page boxes for print (PDF 32000-1:2008, 14.11.2), in points.
package struct PrintBoxes: Sendable, Hashable {
  /// The finished page.
  package var trim: PageRectangle
  /// The finished page with the bleed around it.
  package var bleed: PageRectangle

  /// The boxes that `imghost-verify` checks.
  var expectation: [Double] { [trim, bleed].flatMap { [$0.left, $0.bottom, $0.width, $0.height] } }

  package init(trim: PageRectangle, bleed: PageRectangle) { (self.trim, self.bleed) = (trim, bleed) }

  /// The boxes of a page that is printed to its edges and not trimmed.
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
