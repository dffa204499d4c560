/// The width or height of a result: pixels, or a percentage of the same side of the picture.
public enum PictureSide: Sendable, Hashable {
  case pixels(Int)
  /// Above 0, at most 100 times the side.
  case share(Double)

  /// Reads `"50%"`; nil for anything else.
  package init?(_ text: String) {
    guard text.hasSuffix("%"), text.first != " ", let percent = Double(text.dropLast()), percent > 0, percent <= 10_000
    else { return nil }
    self = .share(percent / 100)
  }

  /// The pixels of a side of `side` pixels, rounded half up, at least 1.
  package func pixels(of side: Int) -> Int {
    switch self {
    case .pixels(let count): count
    case .share(let share): max(1, Int((Double(side) * share + 0.5).rounded(.down)))
    }
  }
}
