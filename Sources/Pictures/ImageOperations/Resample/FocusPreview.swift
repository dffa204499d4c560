import ImageCore

/// Finds what of a picture to keep where it is cut, by a small version of it.
public enum FocusPreview {
  /// The longest side of the small version: eight pixels for each of the cells that `Attention` looks at.
  public static let side = 256

  /// - Parameters:
  ///   - rows: of the small version.
  ///   - width: the share of the picture's width that stays; `height` is that of its height.
  ///   - keepsHeads: whether little is cut off the top, as in `BookFill`.
  public static func focus(
    of rows: any RowSource, width: Double, height: Double, _ strategy: SmartCropStrategy,
    keepsHeads: Bool, _ context: OperationContext
  ) throws(PictureError) -> CropFocus {
    let picture = try rows.readAll(context)
    let layout = picture.layout
    func kept(_ share: Double, _ side: Int) -> Int {
      min(side, max(1, Int((share * Double(side)).rounded())))
    }
    let (across, down) = (kept(width, layout.width), kept(height, layout.height))
    let window = try SmartCrop.window(
      strategy, of: picture, width: across, height: down, keepsHeads: keepsHeads, context)
    func share(_ offset: Int, _ spare: Int) -> Double {
      spare > 0 ? Double(offset) / Double(spare) : 0.5
    }
    return CropFocus(
      x: share(window.left, layout.width - across), y: share(window.top, layout.height - down))
  }
}
