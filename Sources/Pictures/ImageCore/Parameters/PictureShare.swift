/// A length on a picture: pixels, or a share of its shorter side, so that the result looks alike on pictures of all
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
