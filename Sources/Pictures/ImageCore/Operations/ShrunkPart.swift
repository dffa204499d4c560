/// Where a picture lies among rows that a decoder has shrunk and cut.
///
/// The rows stand for whole squares of `factor` times `factor` nominal pixels; the picture may begin and
/// end inside one. Its size is the nominal layout's. Pixels beside it are its neighbours in the file.
public struct ShrunkPart: Sendable, Hashable {
  /// 1, 2, 4 or 8: how many nominal pixels one pixel of the rows stands for, across and down.
  public let factor: Int
  /// Nominal pixels from the left edge of the rows to that of the picture; negative where the rows
  /// begin inside the picture, as they do in front of a cut.
  public let left: Int
  /// Nominal pixels from the top edge of the rows to that of the picture.
  public let top: Int

  public init(factor: Int, left: Int = 0, top: Int = 0) {
    precondition(factor > 0)
    self.factor = factor
    self.left = left
    self.top = top
  }

  /// The rows are the picture.
  public static let whole = ShrunkPart(factor: 1)

  /// The picture of a nominal size, in nominal pixels of the rows.
  public func region(of nominal: PictureLayout) -> Region {
    Region(left: left, top: top, width: nominal.width, height: nominal.height)
  }

  /// Where the picture lies when its rows have been turned.
  ///
  /// - Parameters:
  ///   - nominal: the picture before turning.
  ///   - rows: what is turned.
  public func turned(_ turning: Orientation, nominal: PictureLayout, rows: PictureLayout)
    -> ShrunkPart
  {
    let seen = turning.upright(
      region(of: nominal), width: rows.width * factor, height: rows.height * factor)
    return ShrunkPart(factor: factor, left: seen.left, top: seen.top)
  }
}
