import BookExpectations
import ImageCore

/// A picture on a page.
package struct Placement: Sendable, Hashable {
  package var picture: PictureReference
  /// The rectangle of the whole upright picture before clipping, in points.
  package var rectangle: PageRectangle
  /// The orientation that turns the stored picture upright.
  package var orientation: Orientation
  /// The visible part; nil for the whole picture.
  package var clip: PageRectangle?
  /// The visible part with rounded corners; nil if no corner is rounded.
  var outline: RoundedRectangle?
  /// The digests of the picture's source files, for verifying the book against these files.
  package var sources = PictureSources()
  /// The alternative text in a tagged book; may be empty.
  package var alternative = ""
  package var part = PicturePart.whole

  package init(
    _ picture: PictureReference, in rectangle: PageRectangle,
    orientation: Orientation = .upright, clip: PageRectangle? = nil
  ) {
    self.picture = picture
    self.rectangle = rectangle
    self.orientation = orientation
    self.clip = clip
  }
}

/// The part of a picture that a page shows.
package enum PicturePart: Sendable, Hashable {
  case whole
  /// The first half of a picture on two facing pages.
  case first
  /// The second half of a picture on two facing pages.
  case second
}

extension Placement {
  /// The matrix that draws the whole picture, before clipping.
  var matrix: AffineMatrix {
    AffineMatrix(
      orientation, left: rectangle.left, bottom: rectangle.bottom, width: rectangle.width, height: rectangle.height)
  }

  /// Appends the operators that draw the picture, which has the resource name `name`.
  func draw(_ name: String, unit: Double, in text: inout UTF8Text) {
    if let outline {
      text += "\(outline.path(unit: unit))W n "
    } else if let clip {
      PDFNumber.append(clip.left, clip.bottom, clip.width, clip.height, unit: unit, to: &text)
      text.append(" re W n ")
    }
    let m = matrix
    PDFNumber.append(m.a, m.b, m.c, m.d, m.e, m.f, unit: unit, to: &text)
    text.append(" cm/")
    text.append(string: name)
    text.append(" Do")
  }
}

/// A picture that is stored in the book, returned by `PDFWriter.add(_:digest:)`.
package struct PictureReference: Sendable, Hashable {
  /// The number of its object in the file.
  let object: Int
  /// The width and height in stored pixels.
  package let width: Int
  package let height: Int
  /// The digest of the stored stream.
  package let digest: SHA256Digest
  /// The digest that `imghost-verify` compares. It covers the stream and, if present, the soft mask, profile and
  /// palette.
  let combinedDigest: SHA256Digest
  /// The version of PDF that the picture needs.
  let version: PDFVersion
}
