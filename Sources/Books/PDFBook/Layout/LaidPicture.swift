import BookExpectations
import ImageCore

/// A stored picture, with its caption, its link and everything else that a page needs to show it.
package struct LaidPicture: Sendable {
  package let reference: PictureReference
  /// The name in notes; if empty, notes use the number of the page.
  package var name = ""
  /// The orientation that turns the stored picture upright.
  package let orientation: Orientation
  /// Whether the stored picture has been cropped to the part that the cell shows.
  package let isCut: Bool
  package var caption: String
  /// The address that a click opens; empty for none.
  package var link = ""
  /// The alternative text in a tagged book; may be empty.
  package var alternative = ""
  package var sources = PictureSources()
  /// The part to keep if the cell crops the picture; nil for the layout's choice.
  package var focus: CropFocus?

  package init(
    _ reference: PictureReference, orientation: Orientation = .upright, isCut: Bool = false, caption: String = ""
  ) {
    self.reference = reference
    self.orientation = orientation
    self.isCut = isCut
    self.caption = caption
  }

  /// The picture without its caption.
  var withoutCaption: LaidPicture {
    var picture = self
    picture.caption = ""
    return picture
  }

  /// Returns a placeholder for a picture that is not stored yet. It is used on trial pages, which are not written.
  package static func standIn(isCut: Bool = false, caption: String = "") -> LaidPicture {
    let digest = SHA256.digest(of: [UInt8]())
    return LaidPicture(
      PictureReference(object: 0, width: 1, height: 1, digest: digest, combinedDigest: digest, version: .v14),
      isCut: isCut, caption: caption)
  }
}
