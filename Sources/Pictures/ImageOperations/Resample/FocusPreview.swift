import ImageCore

/// Finds the part of a picture that a crop should keep, using a small version of the picture.
package enum FocusPreview {
  /// The longest side of the small version in pixels: eight pixels for each cell of `Attention`.
  package static let side = 256

  /// - Parameters:
  ///   - rows: the rows of the small version.
  ///   - width: the share of the picture's width to keep.
  ///   - height: the share of the picture's height to keep.
  ///   - keepsHeads: whether to crop only a little off the top, as in `BookFill`.
  /// - Throws: errors of the rows, and `PictureError.cancelled`.
  package static func focus(
    of rows: any RowSource, width: Double, height: Double, _ strategy: SmartCropStrategy, keepsHeads: Bool,
    _ context: OperationContext
  ) throws(PictureError) -> CropFocus {
    let picture = try rows.readAll(context)
    let layout = picture.layout
    func kept(_ share: Double, _ side: Int) -> Int { min(side, max(1, Int((share * Double(side)).rounded()))) }
    let (across, down) = (kept(width, layout.width), kept(height, layout.height))
    let window = try SmartCrop.window(
      strategy, of: picture, width: across, height: down, keepsHeads: keepsHeads, context)
    func share(_ offset: Int, _ spare: Int) -> Double { spare > 0 ? Double(offset) / Double(spare) : 0.5 }
    return CropFocus(x: share(window.left, layout.width - across), y: share(window.top, layout.height - down))
  }
}
