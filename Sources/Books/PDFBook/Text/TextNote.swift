/// What of a text could not be shown as it was given.
public enum TextNote: Sendable, Hashable {
  /// A line for people.
  case line(String)
  /// The same of a line that stands on every page.
  case onPages(String, first: Int)
  /// There was no room for all of it.
  case shortened(ShortenedText)
}

/// A text in which an ellipsis stands for what had no room.
public struct ShortenedText: Sendable, Hashable {
  /// The option that asked for it.
  public let option: String
  /// What it belongs to, as messages call that: a picture's name, or `page 3`.
  public let owner: String
  /// Whether its middle gave way, and not its end.
  public let isInMiddle: Bool

  public init(option: String, owner: String, isInMiddle: Bool) {
    self.option = option
    self.owner = owner
    self.isInMiddle = isInMiddle
  }
}

extension TextBlock {
  /// What of a text is not shown.
  ///
  /// - Parameters:
  ///   - option: that asked for the text.
  ///   - owner: what it belongs to; the page where it is empty.
  ///   - overflow: the style's.
  ///   - isOnEveryPage: whether the option's text stands on every page.
  public func notes(
    page: Int, option: String, of owner: String = "", overflow: TextOverflow = .ellipsis,
    isOnEveryPage: Bool = false
  ) -> [TextNote] {
    let lines = missing.map {
      isOnEveryPage
        ? TextNote.onPages("\(option): \($0)", first: page)
        : TextNote.line("page \(page): \(option): \($0)")
    }
    guard isShortened else { return lines }
    let text = ShortenedText(
      option: option, owner: owner.isEmpty ? "page \(page)" : owner,
      isInMiddle: overflow == .middle)
    return lines + [.shortened(text)]
  }
}
