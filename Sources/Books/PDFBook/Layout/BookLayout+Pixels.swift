import ImageCore

/// The pixels that cells need of their pictures.
extension BookLayout {
  /// Returns the size in pixels to which a picture is reduced for a cell; nil if it stays below the maximum
  /// resolution.
  ///
  /// - Parameter cell: any cell of the picture.
  package func pixelSize(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int)? {
    guard let dpi = options.maximumDPI else { return nil }
    // A difference below a thousandth is not worth another encoding.
    guard resolution(of: picture, in: cell) > dpi * 1.001 else { return nil }
    func pixels(_ points: Double) -> Int { max(1, Int((points * dpi / 72).rounded())) }
    return (pixels(cell.visible.width), pixels(cell.visible.height))
  }

  /// Returns the resolution of a picture in a cell before it is reduced, in pixels per inch: horizontal or
  /// vertical, whichever is lower.
  ///
  /// - Parameter cell: any cell of the picture.
  package func resolution(of picture: LayoutPicture, in cell: PageCell) -> Double {
    72 * min(Double(picture.width) / cell.rectangle.width, Double(picture.height) / cell.rectangle.height)
  }

  /// The fraction of a picture that may be cut off before the crop looks for the interesting part.
  private static let noticed = 0.1

  /// Whether cells may cut off parts of their pictures.
  package var mayCut: Bool { setup.fit == .cover || !setup.reduce || options.print.bleed > 0 }

  /// Returns the position of the part that stays of a picture in a cell.
  package func position(in cell: PageCell) -> CropPosition {
    let kept = cell.visible.width * cell.visible.height / (cell.rectangle.width * cell.rectangle.height)
    guard kept < 1 - 1e-6 else { return .gravity(.centre) }
    if options.kind == .auto || cell.isSettled { return .focus(focus(of: cell)) }
    return options.position ?? (kept < 1 - Self.noticed ? .smart(.attention) : .gravity(.centre))
  }

  /// Returns where the visible part of a settled cell lies in its picture.
  private func focus(of cell: PageCell) -> CropFocus {
    let (across, down) = (cell.rectangle.width - cell.visible.width, cell.rectangle.height - cell.visible.height)
    func share(_ distance: Double, _ spare: Double) -> Double { spare > 1e-6 ? min(1, max(0, distance / spare)) : 0.5 }
    return CropFocus(
      x: share(cell.visible.left - cell.rectangle.left, across), y: share(cell.rectangle.top - cell.visible.top, down))
  }

  /// Returns how many of the picture's own pixels a cell shows, in width and height.
  package func ownPixels(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int) {
    func kept(_ side: Int, _ visible: Double, _ whole: Double) -> Int {
      min(side, max(1, Int((Double(side) * visible / whole).rounded())))
    }
    return (
      kept(picture.width, cell.visible.width, cell.rectangle.width),
      kept(picture.height, cell.visible.height, cell.rectangle.height)
    )
  }
}
