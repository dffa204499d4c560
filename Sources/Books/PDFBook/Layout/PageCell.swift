import ImageCore

/// A place for a picture on a page, in points from the page's lower left corner.
package struct PageCell: Sendable, Hashable {
  /// The picture's index in the list of pictures that are laid out.
  package var picture: Int
  /// The area for the picture and its background, without the strip for the caption.
  package var frame: PageRectangle
  /// The rectangle of the whole upright picture before it is cut. It has the picture's proportions unless the picture
  /// is stretched.
  package var rectangle: PageRectangle
  /// The visible part of `rectangle`; equal to it if nothing is cut off.
  package var visible: PageRectangle
  /// Whether `visible` is final, so that no search for the most interesting part may move it.
  package var isSettled = false
  /// The part of the picture that lies on this page, if the picture spans two facing pages; nil for the whole picture.
  package var clip: PageRectangle?
  package var part = PicturePart.whole
  /// The outer edge of the border around `visible`; nil for none.
  package var border: PageRectangle?
  /// The place of the caption; nil without one.
  package var caption: CaptionSlot?
}

/// The place of a caption, in points.
package struct CaptionSlot: Sendable, Hashable {
  package var centre: Double
  /// The baseline of the first line if the caption is below the picture, and of the last line if it is above or on the
  /// picture.
  package var baseline: Double
  package var width: Double
  /// The maximum number of lines.
  package var lines = 1
  /// Whether the caption has an area of its own next to the picture; `baseline` is then that of the first line.
  package var isBeside = false
}

extension PageCell {
  /// Moves the cell and everything in it.
  mutating func move(_ x: Double, _ y: Double) {
    frame = frame.offset(x, y)
    movePicture(x, y)
    clip = clip?.offset(x, y)
    caption?.centre += x
    caption?.baseline += y
  }

  func moved(_ x: Double, _ y: Double) -> PageCell {
    var other = self
    other.move(x, y)
    return other
  }

  /// Moves the picture with its border, but nothing else in the cell.
  mutating func movePicture(_ x: Double, _ y: Double) {
    rectangle = rectangle.offset(x, y)
    visible = visible.offset(x, y)
    border = border?.offset(x, y)
  }

  /// Returns the rectangle of the whole picture, moved so that the part at the focus is visible; unchanged without a
  /// focus.
  func rectangle(_ focus: CropFocus?) -> PageRectangle {
    guard let focus else { return rectangle }
    let (across, down) = (rectangle.width - visible.width, rectangle.height - visible.height)
    return PageRectangle(
      left: visible.left - across * focus.x, bottom: visible.bottom - down * (1 - focus.y), width: rectangle.width,
      height: rectangle.height)
  }
}
