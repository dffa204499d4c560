/// The part of a picture that a result shows, rotated, cropped and scaled, but with the same colours.
///
/// Lengths are shares of the rotated picture's sides, so that they are valid for the picture at any size, and for its
/// gain map.
public struct ShownPart: Sendable, Hashable {
  /// The rotations and reflections of the picture, one after another, before it is cropped.
  public private(set) var turns: [Orientation] = []
  /// The edges of the part in the rotated picture, from 0 to 1.
  public private(set) var left = 0.0
  public private(set) var top = 0.0
  public private(set) var right = 1.0
  public private(set) var bottom = 1.0

  /// The whole picture, unchanged.
  public static let whole = ShownPart()

  private init() {}

  /// The whole picture, rotated or reflected.
  public init(turning: Orientation) {
    if turning != .upright { turns = [turning] }
  }

  /// Makes a part from its position and size, which may be fractional, in a picture of the given size; all in pixels.
  public init(left: Double, top: Double, width: Double, height: Double, of size: (width: Int, height: Int)) {
    self.left = left / Double(size.width)
    self.top = top / Double(size.height)
    right = (left + width) / Double(size.width)
    bottom = (top + height) / Double(size.height)
  }

  /// Returns the part of the picture that is shown if a following step shows only `next` of this part.
  public func showing(_ next: ShownPart) -> ShownPart {
    var part = self
    for turn in next.turns { part.turn(turn) }
    let (width, height) = (part.right - part.left, part.bottom - part.top)
    (part.left, part.right) = (part.left + next.left * width, part.left + next.right * width)
    (part.top, part.bottom) = (part.top + next.top * height, part.top + next.bottom * height)
    return part
  }

  private mutating func turn(_ turning: Orientation) {
    turns.append(turning)
    let (l, t, r, b) = (left, top, right, bottom)
    (left, top, right, bottom) =
      switch turning {
      case .upright: (l, t, r, b)
      case .mirrored: (1 - r, t, 1 - l, b)
      case .rotated180: (1 - r, 1 - b, 1 - l, 1 - t)
      case .flipped: (l, 1 - b, r, 1 - t)
      case .transposed: (t, l, b, r)
      case .rotated90: (1 - b, l, 1 - t, r)
      case .transversed: (1 - b, 1 - r, 1 - t, 1 - l)
      case .rotated270: (t, 1 - r, b, 1 - l)
      }
  }
}
