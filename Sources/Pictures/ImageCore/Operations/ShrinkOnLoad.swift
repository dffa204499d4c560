/// The position of a picture in the rows of a decoder that shrinks and crops on load.
///
/// Each row pixel covers a square of `factor` by `factor` nominal pixels, which are the pixels of the picture at full
/// size. The picture may begin and end inside a square; its size is that of the nominal layout. Pixels around the
/// picture are its neighbours in the file.
public struct ShrinkOnLoad: Sendable, Hashable {
  /// The number of nominal pixels that one row pixel covers in each direction: 1, or a factor that the codec supports.
  public let factor: Int
  /// The number of nominal pixels from the left edge of the rows to that of the picture; negative if the rows begin
  /// inside the picture, because a later crop removes what is to their left.
  public let left: Int
  /// The number of nominal pixels from the top edge of the rows to that of the picture.
  public let top: Int
  /// The distances from the centre of each row pixel to that of its square, to the right and down, in nominal pixels; 0
  /// if the two centres are the same.
  public let lead: Lead

  public struct Lead: Sendable, Hashable {
    public var across: Double
    public var down: Double

    public init(across: Double = 0, down: Double = 0) {
      self.across = across
      self.down = down
    }

    /// Returns the lead for a decoder whose row pixels are centred on the first pixel of their squares, as with
    /// wavelets.
    public static func cosited(factor: Int) -> Lead {
      Lead(across: Double(factor - 1) / 2, down: Double(factor - 1) / 2)
    }

    /// Returns the lead in rotated or mirrored rows.
    func turned(_ turning: Orientation) -> Lead {
      func seen(_ left: Int, _ top: Int) -> (x: Double, y: Double) {
        let place = turning.upright(Region(left: left, top: top, width: 1, height: 1), width: 2, height: 2)
        return (Double(place.left), Double(place.top))
      }
      let (origin, right, below) = (seen(0, 0), seen(1, 0), seen(0, 1))
      return Lead(
        across: across * (right.x - origin.x) + down * (below.x - origin.x),
        down: across * (right.y - origin.y) + down * (below.y - origin.y))
    }
  }

  public init(factor: Int, left: Int = 0, top: Int = 0, lead: Lead = Lead()) {
    precondition(factor > 0)
    self.factor = factor
    self.left = left
    self.top = top
    self.lead = lead
  }

  /// The position in rows that are the whole picture at full size.
  public static let off = ShrinkOnLoad(factor: 1)

  /// Returns the region that a picture with a nominal size occupies in the rows, in nominal pixels.
  public func region(of nominal: PictureLayout) -> Region {
    Region(left: left, top: top, width: nominal.width, height: nominal.height)
  }

  /// Returns the position of the picture in the rotated or mirrored rows.
  ///
  /// - Parameters:
  ///   - nominal: the picture before rotation.
  ///   - rows: the rows before rotation.
  public func turned(_ turning: Orientation, nominal: PictureLayout, rows: PictureLayout) -> ShrinkOnLoad {
    let seen = turning.upright(region(of: nominal), width: rows.width * factor, height: rows.height * factor)
    return ShrinkOnLoad(factor: factor, left: seen.left, top: seen.top, lead: lead.turned(turning))
  }
}
