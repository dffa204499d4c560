/// A length on a picture: pixels, or a share of its shorter side, so that the result looks the same on pictures of all
/// sizes.
public enum PictureShare: Sendable, Hashable {
  case pixels(Double)
  /// A share from 0 to 1.
  case share(Double)

  /// Parses a percentage from 0 to 100, such as `"5%"`; nil for any other text.
  public init?(_ text: String) {
    guard text.last == "%", let number = Double(text.dropLast()), (0...100).contains(number) else { return nil }
    self = .share(number / 100)
  }

  /// Returns the number of pixels on a picture with this layout.
  public func pixels(on layout: PictureLayout) -> Double {
    switch self {
    case .pixels(let count): count
    case .share(let share): share * Double(min(layout.width, layout.height))
    }
  }
}

/// The width or height of a result: pixels, or a percentage of the same side of the picture.
public enum PictureSide: Sendable, Hashable {
  case pixels(Int)
  /// A factor for the side, above 0 and at most 100.
  case share(Double)

  /// Parses a percentage such as `"50%"`; nil for any other text.
  package init?(_ text: String) {
    guard text.hasSuffix("%"), text.first != " ", let percent = Double(text.dropLast()), percent > 0, percent <= 10_000
    else { return nil }
    self = .share(percent / 100)
  }

  /// Returns the pixels for a side of `side` pixels, rounded half up, at least 1.
  package func pixels(of side: Int) -> Int {
    switch self {
    case .pixels(let count): count
    case .share(let share): max(1, Int((Double(side) * share + 0.5).rounded(.down)))
    }
  }
}
