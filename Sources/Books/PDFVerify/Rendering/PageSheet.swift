import ImageCore

/// A page rendered once as a whole. It is for pages with so many pictures that rendering each at its own scale would
/// take too long, because poppler decodes all pictures of a page every time, and for pages that need too much memory.
struct PageSheet {
  let pixels: RenderedPixels
  private let visible: PageBox
  private let scale: Double

  /// The number of pixels, which take 24 MB.
  static let pixelCount = 6_000_000

  /// Renders the page; nil if memory is short.
  init?(_ page: RenderingPage, visible: PageBox) {
    let wanted = (Double(Self.pixelCount) / (visible.width * visible.height)).squareRoot()
    let scale = min(wanted, Double(RenderedPixels.maximumSide) / max(visible.width, visible.height))
    guard
      let pixels = page.render(
        left: 0, top: 0, scaleX: scale, scaleY: scale,
        width: max(1, Int((visible.width * scale).rounded())),
        height: max(1, Int((visible.height * scale).rounded())))
    else { return nil }
    self.pixels = pixels
    self.visible = visible
    self.scale = scale
  }

  /// Returns whether enough of a box is visible for a comparison.
  func shows(_ box: PageBox) -> Bool {
    let area = area(of: box)
    return min(area.columns.count, area.rows.count) >= Self.fewestPixels
  }
  /// The smallest width and height in pixels: one for each of the fingerprint's 32 cells.
  private static let fewestPixels = PixelFingerprint.side

  /// Returns the pixels that are completely inside a box of the page.
  func area(of box: PageBox) -> PixelArea {
    func range(_ first: Double, _ last: Double, _ limit: Int) -> Range<Int> {
      let start = max(0, min(limit, Int((first * scale).rounded(.up))))
      return start..<max(start, min(limit, Int((last * scale).rounded(.down))))
    }
    return PixelArea(
      columns: range(box.left - visible.left, box.right - visible.left, pixels.width),
      rows: range(visible.top - box.top, visible.top - box.bottom, pixels.height))
  }
}
