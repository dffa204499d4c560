import ImageCore

/// The part of a picture that a page shows.
package struct BookCut: Sendable, Hashable {
  package enum Way: Sendable, Hashable {
    /// The picture is scaled to cover its cell, and the parts outside are cut off.
    case scaled
    /// The picture is not scaled. If it is encoded, and not copied from its file, the pixels outside the cell are cut
    /// off.
    case cropped
    /// The whole picture is stored, because its cell may still change until its page is written.
    case clipped
  }

  /// The width and height in pixels.
  package let width: Int
  package let height: Int
  package let position: CropPosition
  package let way: Way
  /// Whether a search for the part to keep should cut only a little off the top. Set if the script chooses no position.
  package let keepsHeads: Bool

  package init(width: Int, height: Int, position: CropPosition, way: Way, keepsHeads: Bool = false) {
    self.width = width
    self.height = height
    self.position = position
    self.way = way
    self.keepsHeads = keepsHeads
  }

  /// Returns whether the picture is scaled, or pixels are cut off. A file that can be stored unchanged is not cropped,
  /// but clipped when its page is drawn.
  func changesPixels(ofFile isEmbedded: Bool) -> Bool {
    switch way {
    case .scaled: true
    case .cropped: !isEmbedded
    case .clipped: false
    }
  }
}
