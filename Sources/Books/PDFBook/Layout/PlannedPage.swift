import ImageCore

/// The properties of a picture that a layout needs.
package struct LayoutPicture: Sendable, Hashable {
  /// The width and height of the upright picture in pixels.
  package let width: Int
  package let height: Int
  /// The resolution from the file, for the upright picture.
  package let resolution: Resolution?
  /// Whether it has a caption.
  package let hasCaption: Bool
  /// The part that no crop may cut, in shares of the upright picture from its lower left corner; nil for none.
  package let keep: PageRectangle?

  package init(
    width: Int, height: Int, resolution: Resolution? = nil, hasCaption: Bool = false, keep: PageRectangle? = nil
  ) {
    self.width = width
    self.height = height
    self.resolution = resolution
    self.hasCaption = hasCaption
    self.keep = keep
  }

  /// The width divided by the height.
  var aspect: Double { Double(width) / Double(height) }
}

/// A page of cells; points.
package struct PlannedPage: Sendable, Hashable {
  /// The finished page, after trimming.
  package var size: PageSize
  package var cells: [PageCell]
  /// The colour of the page; nil for that of the book.
  package var background: Colour?
  /// Whether pictures cover the places of header, footer and page number, which are then left out.
  package var hidesRunningLines = false
  /// The text of the page itself; nil for none.
  package var text: PageText?
  /// Whether its one picture has the page to itself: its caption takes as much room as it needs when it is written.
  package var isOfOnePicture = false

  package init(size: PageSize, cells: [PageCell] = []) {
    self.size = size
    self.cells = cells
  }
}
