/// A text at the edge of a page, complete but for the page's number and the number of pages.
package struct RunningText: Sendable, Hashable {
  package enum Part: Sendable, Hashable {
    case text(String)
    /// The page's number from 1, with leading zeros.
    case page(digits: Int)
    /// The number of pages of the finished document.
    case pageCount(digits: Int)
  }

  package let parts: [Part]

  package init(parts: [Part]) { self.parts = parts }

  /// Whether it can only be written when the document is complete.
  package var needsPageCount: Bool { parts.contains { if case .pageCount = $0 { true } else { false } } }

  /// Returns the text of one page.
  ///
  /// - Parameter pageCount: may be nil if `needsPageCount` is false.
  package func text(page: Int, pageCount: Int?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .page(let digits): return Self.padded(page, digits: digits)
      case .pageCount(let digits):
        guard let pageCount else { preconditionFailure("the document is not complete") }
        return Self.padded(pageCount, digits: digits)
      }
    }.joined()
  }

  static func padded(_ number: Int, digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
