import ImageCore

/// The part of a picture that a page shows.
package struct BookCut: Sendable, Hashable {
  package enum Way: Sendable, Hashable {
    /// The picture is scaled to cover its cell, and what sticks out is cut off.
    case scaled
    /// It keeps its pixels. If they are encoded anyway, those that stick out are cut off.
    case cropped
    /// All of it is stored, because the cell is not settled before its page is written.
    case clipped
  }

  /// Pixels across and down.
  package let width: Int
  package let height: Int
  package let position: CropPosition
  package let way: Way
  /// Whether a search for what to keep cuts little off the top, because the script does not choose a position.
  package let keepsHeads: Bool

  package init(width: Int, height: Int, position: CropPosition, way: Way, keepsHeads: Bool = false) {
    self.width = width
    self.height = height
    self.position = position
    self.way = way
    self.keepsHeads = keepsHeads
  }

  /// Whether pixels are cut off. A file's own bytes are clipped instead.
  func changesPixels(ofFile isEmbedded: Bool) -> Bool {
    switch way {
    case .scaled: true
    case .cropped: !isEmbedded
    case .clipped: false
    }
  }
}
