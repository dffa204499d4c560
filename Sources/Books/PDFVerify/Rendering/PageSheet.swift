import ImageCore

/// A whole page rendered once, for pages of so many pictures that rendering each at its own scale would take
/// too long: poppler decodes all of a page's pictures every time.
struct PageSheet {
  let pixels: RenderedPixels
  private let visible: PageBox
  private let scale: Double

  /// 24 MB.
  static let pixelCount = 6_000_000

  /// Nil where there is no memory for it.
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

  /// Whether enough of a box can be seen for comparing it.
  func shows(_ box: PageBox) -> Bool {
    let area = area(of: box)
    return min(area.columns.count, area.rows.count) >= Self.fewestPixels
  }
  /// A pixel for each of the 32 cells.
  private static let fewestPixels = PixelFingerprint.side

  /// The pixels of a box of the page, whole ones only.
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
