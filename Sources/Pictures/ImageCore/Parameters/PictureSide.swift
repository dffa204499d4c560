/// The width or height of a result: pixels, or a percentage of the same side of the picture.
public enum PictureSide: Sendable, Hashable {
  case pixels(Int)
  /// A share of the side, above 0 and at most 100.
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
