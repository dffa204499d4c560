import ImageCore

/// A place for a picture on a page, in points from the page's lower left corner.
package struct PageCell: Sendable, Hashable {
  /// The picture's index in the list.
  package var picture: Int
  /// The area of the picture and its background, without the caption.
  package var frame: PageRectangle
  /// The rectangle of the whole upright picture before it is cut, in its proportions unless it is stretched.
  package var rectangle: PageRectangle
  /// The part that remains visible; equal to `rectangle` if nothing is cut off.
  package var visible: PageRectangle
  /// Whether `visible` is final, so that no search for the most interesting part moves it.
  package var isSettled = false
  /// The part on this page of a picture that spans two facing pages; nil for the whole picture.
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
  /// The baseline of the line nearest to the picture: of the first line below it, or of the last line above or on it.
  package var baseline: Double
  package var width: Double
  /// The maximum number of lines.
  package var lines = 1
  /// Whether it is to the side of its picture; `baseline` is then that of its first line.
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

  /// Returns the cell with everything in it moved.
  func moved(_ x: Double, _ y: Double) -> PageCell {
    var other = self
    other.move(x, y)
    return other
  }

  /// Moves the picture with its border inside its frame.
  mutating func movePicture(_ x: Double, _ y: Double) {
    rectangle = rectangle.offset(x, y)
    visible = visible.offset(x, y)
    border = border?.offset(x, y)
  }

  /// Returns the rectangle of the whole picture, moved so that the focus is visible.
  func rectangle(_ focus: CropFocus?) -> PageRectangle {
    guard let focus else { return rectangle }
    let (across, down) = (rectangle.width - visible.width, rectangle.height - visible.height)
    return PageRectangle(
      left: visible.left - across * focus.x, bottom: visible.bottom - down * (1 - focus.y), width: rectangle.width,
      height: rectangle.height)
  }
}
