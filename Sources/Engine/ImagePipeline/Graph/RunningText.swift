/// A text at the edge of a page, known but for the page's number and how many there are.
public struct RunningText: Sendable, Hashable {
  public enum Part: Sendable, Hashable {
    case text(String)
    /// The page's number from 1, with zeros in front.
    case page(digits: Int)
    /// How many pages the finished book has.
    case pageCount(digits: Int)
  }

  public let parts: [Part]

  public init(parts: [Part]) { self.parts = parts }

  /// Whether it can only be written when the book is complete.
  public var needsPageCount: Bool {
    parts.contains { if case .pageCount = $0 { true } else { false } }
  }

  /// The text of one page.
  ///
  /// - Parameter pageCount: may be nil where `needsPageCount` is false.
  public func text(page: Int, pageCount: Int?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): return text
      case .page(let digits): return Self.padded(page, digits: digits)
      case .pageCount(let digits):
        guard let pageCount else { preconditionFailure("the book is not complete") }
        return Self.padded(pageCount, digits: digits)
      }
    }.joined()
  }

  static func padded(_ number: Int, digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
