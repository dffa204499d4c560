/// The position of a picture among the rows of a decoder that shrinks and crops while it loads.
///
/// Each row pixel covers a square of `factor` by `factor` nominal pixels. The picture may begin and end inside a
/// square; its size is the nominal layout's. Pixels beside it are its neighbours in the file.
public struct ShrinkOnLoad: Sendable, Hashable {
  /// The number of nominal pixels that one row pixel covers, across and down: 1, 2, 4 or 8.
  public let factor: Int
  /// Nominal pixels from the left edge of the rows to that of the picture; negative where the rows
  /// begin inside the picture, as they do in front of a crop.
  public let left: Int
  /// Nominal pixels from the top edge of the rows to that of the picture.
  public let top: Int

  public init(factor: Int, left: Int = 0, top: Int = 0) {
    precondition(factor > 0)
    self.factor = factor
    self.left = left
    self.top = top
  }

  /// The rows are the picture, at full size.
  public static let off = ShrinkOnLoad(factor: 1)

  /// Returns the picture of a nominal size, in nominal pixels of the rows.
  public func region(of nominal: PictureLayout) -> Region {
    Region(left: left, top: top, width: nominal.width, height: nominal.height)
  }

  /// Returns the position of the picture in the rotated or mirrored rows.
  ///
  /// - Parameters:
  ///   - nominal: the picture before turning.
  ///   - rows: the rows before turning.
  public func turned(_ turning: Orientation, nominal: PictureLayout, rows: PictureLayout) -> ShrinkOnLoad {
    let seen = turning.upright(region(of: nominal), width: rows.width * factor, height: rows.height * factor)
    return ShrinkOnLoad(factor: factor, left: seen.left, top: seen.top)
  }
}
