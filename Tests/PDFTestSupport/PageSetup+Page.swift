import ImageCore
import PDFBook

extension PageSetup {
  /// Plans a page for one stored picture.
  package func plan(
    width: Int, height: Int, orientation: Orientation = .upright, resolution: Resolution? = nil,
    hasCaption: Bool = false
  ) throws(PDFError) -> PlannedPage {
    let swaps = orientation.swapsSides
    let upright = resolution.flatMap {
      swaps ? Resolution(horizontal: $0.vertical, vertical: $0.horizontal) : $0
    }
    return try BookLayout(setup: self).singlePage(
      LayoutPicture(
        width: swaps ? height : width, height: swaps ? width : height, resolution: upright,
        hasCaption: hasCaption), 0)
  }

  /// Returns a page with a picture and, if it is not empty, a caption below it.
  package func page(
    _ picture: PictureReference, orientation: Orientation = .upright,
    resolution: Resolution? = nil, caption: String = ""
  ) throws(PDFError) -> PDFPage {
    let plan = try plan(
      width: picture.width, height: picture.height, orientation: orientation,
      resolution: resolution, hasCaption: !caption.isEmpty)
    return try BookLayout(setup: self).page(plan) { _ in
      LaidPicture(picture, orientation: orientation, caption: caption)
    }
  }
}
