/// EXIF orientation (Exif 2.32, tag 0x0112): the rotation or reflection that turns stored pixels upright.
public enum Orientation: Int, Sendable, Hashable, CaseIterable {
  case upright = 1
  case mirrored = 2
  case rotated180 = 3
  case flipped = 4
  case transposed = 5
  /// The stored picture must be rotated 90 degrees clockwise.
  case rotated90 = 6
  case transversed = 7
  /// The stored picture must be rotated 270 degrees clockwise.
  case rotated270 = 8

  /// Whether making the picture upright exchanges its width and height.
  public var swapsSides: Bool { rawValue >= 5 }

  /// The orientation that undoes the rotation or reflection of this one.
  public var inverse: Orientation {
    switch self {
    case .rotated90: .rotated270
    case .rotated270: .rotated90
    default: self
    }
  }

  /// Returns the layout of the upright picture.
  public func upright(_ stored: PictureLayout) -> PictureLayout {
    swapsSides ? stored.with(width: stored.height, height: stored.width) : stored
  }

  /// Returns the region of the upright picture that corresponds to a region of the stored picture, which has the given
  /// width and height.
  public func upright(_ region: Region, width: Int, height: Int) -> Region {
    let (wide, high) = swapsSides ? (height, width) : (width, height)
    return inverse.stored(region, width: wide, height: high)
  }

  /// Returns the region of the stored picture, which has the given width and height, that corresponds to a region of
  /// the upright picture.
  public func stored(_ region: Region, width: Int, height: Int) -> Region {
    let (right, bottom) = (region.right, region.bottom)
    let corner =
      switch self {
      case .upright: (region.left, region.top)
      case .mirrored: (width - right, region.top)
      case .rotated180: (width - right, height - bottom)
      case .flipped: (region.left, height - bottom)
      case .transposed: (region.top, region.left)
      case .rotated90: (region.top, height - right)
      case .transversed: (width - bottom, height - right)
      case .rotated270: (width - bottom, region.left)
      }
    return Region(
      left: corner.0, top: corner.1, width: swapsSides ? region.height : region.width,
      height: swapsSides ? region.width : region.height)
  }
}
