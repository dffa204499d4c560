import TextShaping

/// A note about a text that is not shown as the script gives it.
package enum TextNote: Sendable, Hashable {
  /// A complete line that is printed unchanged.
  case line(String)
  /// A note about a text that is on every page, with the first page where the note applies.
  case onPages(String, first: Int)
  /// A text that was too long.
  case shortened(ShortenedText)
}

/// A text that was shortened with an ellipsis.
package struct ShortenedText: Sendable, Hashable {
  /// The option of the text.
  package let option: String
  /// The text's owner in messages: a picture's name, or a page such as `page 3`.
  package let owner: String
  /// Whether the ellipsis is in the middle instead of at the end.
  package let isInMiddle: Bool

  package init(option: String, owner: String, isInMiddle: Bool) {
    self.option = option
    self.owner = owner
    self.isInMiddle = isInMiddle
  }
}

extension TextBlock {
  /// Returns notes about everything in the block that is not shown in full.
  ///
  /// - Parameters:
  ///   - option: the option of the text.
  ///   - owner: the text's owner in messages; empty for the page.
  ///   - overflow: the overflow of the text's style.
  ///   - isOnEveryPage: whether the option's text is on every page.
  package func notes(
    page: Int, option: String, of owner: String = "", overflow: TextOverflow = .ellipsis, isOnEveryPage: Bool = false
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
