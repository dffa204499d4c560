import ImageCore

/// What cells want of their pictures' pixels.
extension BookLayout {
  /// How many pixels across and down what is wanted of a picture gets; nil where it has no more than it may
  /// have.
  ///
  /// - Parameter cell: any of the picture's.
  public func pixelSize(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int)?
  {
    guard let dpi = options.maximumDPI else { return nil }
    // A picture that is larger by less than a thousandth is not worth another encoding.
    guard resolution(of: picture, in: cell) > dpi * 1.001 else { return nil }
    func pixels(_ points: Double) -> Int { max(1, Int((points * dpi / 72).rounded())) }
    return (pixels(cell.visible.width), pixels(cell.visible.height))
  }

  /// Pixels per inch of a picture as it is shown, before it is resized: across or down, whichever is less.
  ///
  /// - Parameter cell: any of the picture's.
  public func resolution(of picture: LayoutPicture, in cell: PageCell) -> Double {
    72
      * min(
        Double(picture.width) / cell.rectangle.width, Double(picture.height) / cell.rectangle.height
      )
  }

  /// Of a picture that is cut by more than this share, the part worth looking at is looked for where nothing else is
  /// said.
  private static let noticed = 0.1

  /// Whether a cell may have other proportions than its picture.
  public var mayCut: Bool {
    setup.fit == .cover || !setup.reduce || options.print.bleed > 0
  }

  /// What stays of a picture that its cell cuts.
  public func position(in cell: PageCell) -> CropPosition {
    let kept =
      cell.visible.width * cell.visible.height / (cell.rectangle.width * cell.rectangle.height)
    guard kept < 1 - 1e-6 else { return .gravity(.centre) }
    return options.position ?? (kept < 1 - Self.noticed ? .smart(.attention) : .gravity(.centre))
  }

  /// How many of its own pixels across and down a cell shows.
  public func ownPixels(of picture: LayoutPicture, in cell: PageCell) -> (width: Int, height: Int) {
    func kept(_ side: Int, _ visible: Double, _ whole: Double) -> Int {
      min(side, max(1, Int((Double(side) * visible / whole).rounded())))
    }
    return (
      kept(picture.width, cell.visible.width, cell.rectangle.width),
      kept(picture.height, cell.visible.height, cell.rectangle.height)
    )
  }
}

extension PageCell {
  /// The whole picture, moved so that another part of it is seen.
  func rectangle(_ focus: CropFocus?) -> PageRectangle {
    guard let focus else { return rectangle }
    let (across, down) = (rectangle.width - visible.width, rectangle.height - visible.height)
    return PageRectangle(
      left: visible.left - across * focus.x, bottom: visible.bottom - down * (1 - focus.y),
      width: rectangle.width, height: rectangle.height)
  }
}
