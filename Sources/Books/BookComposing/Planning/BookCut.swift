import ImageCore

/// The part of a picture that a page shows.
package struct BookCut: Sendable, Hashable {
  package enum Way: Sendable, Hashable {
    /// The picture is scaled to cover its cell, and what sticks out is cut off.
    case scaled
    /// It keeps its pixels, and where they are encoded anyway those that stick out are cut off.
    case cropped
    /// All of it is stored, because the cell is not settled before its page is written.
    case clipped
  }

  /// Pixels across and down.
  package let width: Int
  package let height: Int
  package let position: CropPosition
  package let way: Way
  /// Whether little is cut off the top where a strategy looks for what to keep: the script says nothing of that.
  package let keepsHeads: Bool

  package init(
    width: Int, height: Int, position: CropPosition, way: Way, keepsHeads: Bool = false
  ) {
    self.width = width
    self.height = height
    self.position = position
    self.way = way
    self.keepsHeads = keepsHeads
  }

  /// Whether pixels are cut off; the file's own bytes, where they may be stored, are clipped.
  func changesPixels(ofFile isEmbedded: Bool) -> Bool {
    switch way {
    case .scaled: true
    case .cropped: !isEmbedded
    case .clipped: false
    }
  }
}
