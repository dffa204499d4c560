import ImageCore
import PictureTraits

/// The properties of a picture that a layout needs.
package struct LayoutPicture: Sendable, Hashable {
  /// The width and height of the upright picture in pixels.
  package let width: Int
  package let height: Int
  /// The resolution that the file states, for the upright picture; nil for none.
  package let resolution: Resolution?
  /// Whether the picture has a caption.
  package let hasCaption: Bool
  /// The part of the upright picture that must not be cut off; nil for none.
  package let keep: UnitRectangle?

  package init(
    width: Int, height: Int, resolution: Resolution? = nil, hasCaption: Bool = false, keep: UnitRectangle? = nil
  ) {
    self.width = width
    self.height = height
    self.resolution = resolution
    self.hasCaption = hasCaption
    self.keep = keep
  }

  var aspect: Double { Double(width) / Double(height) }
}

/// A page of cells. Lengths are in points.
package struct PlannedPage: Sendable, Hashable {
  /// The size of the finished page, after trimming.
  package var size: PageSize
  package var cells: [PageCell]
  /// The colour of the page; nil for the colour of the book.
  package var background: Colour?
  /// Whether pictures cover the areas of the header, footer and page number, which are then omitted.
  package var hidesRunningLines = false
  /// The text of the page; nil for none.
  package var text: PageText?
  /// Whether the page has the layout `single`, so that its caption can take as much room as it needs when the page is
  /// written.
  package var isOfOnePicture = false

  package init(size: PageSize, cells: [PageCell] = []) {
    self.size = size
    self.cells = cells
  }
}
