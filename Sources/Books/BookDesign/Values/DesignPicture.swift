import PictureTraits

/// A picture as a design sees it.
package struct DesignPicture: Sendable, Hashable {
  /// The size of the upright picture in pixels.
  package var width: Int
  package var height: Int
  /// The time when it was taken, in seconds of any clock that all pictures share; nil if unknown.
  package var time: Double?
  /// The traits of its content; nil if they are unknown, as for a damaged picture.
  package var traits: PictureTraits?
  /// Whether it has a caption.
  package var hasCaption: Bool

  package init(width: Int, height: Int, time: Double? = nil, traits: PictureTraits? = nil, hasCaption: Bool = false) {
    self.width = width
    self.height = height
    self.time = time
    self.traits = traits
    self.hasCaption = hasCaption
  }
}
