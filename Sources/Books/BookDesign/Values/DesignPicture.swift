import PictureTraits

/// A picture as a design sees it.
public struct DesignPicture: Sendable, Hashable {
  /// The size of the upright picture in pixels.
  public var width: Int
  public var height: Int
  /// The moment when it was taken, in seconds of any clock that all pictures share; nil if it is not known.
  public var time: Double?
  /// Nil if nothing is known of its content, as of a damaged picture.
  public var traits: PictureTraits?
  /// Whether it has a caption.
  public var hasCaption: Bool

  public init(width: Int, height: Int, time: Double? = nil, traits: PictureTraits? = nil, hasCaption: Bool = false) {
    self.width = width
    self.height = height
    self.time = time
    self.traits = traits
    self.hasCaption = hasCaption
  }
}
