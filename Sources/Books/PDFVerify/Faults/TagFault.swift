/// A fault in the structure of a tagged document, or in one page's tags (PDF 32000-1:2008, 14.7 and 14.8).
enum TagFault: FaultKind {
  case broken(String)
  case pageBroken(String)
  /// The number of figures without alternative text, and the page of the first one; 0 if unknown.
  case noAlternative(Int, page: Int)
  /// A difference from the tags that the book should have, in elements outside pages.
  case structure(String)
  /// A difference from the tags that the page should have.
  case changed
  /// The page's tags follow those of the given page, or come first if it is nil, but were written in another place.
  case order(after: Int?)
  /// Marked content that belongs to no element.
  case unowned(Int)
  case untagged
  /// A wrong alternative text of a picture, given by its number on the page.
  case alternative(Int, expected: String, found: String?)

  var severity: Severity {
    switch self {
    case .noAlternative, .unowned, .untagged: .warning
    default: .error
    }
  }

  var text: String {
    switch self {
    case .broken(let reason): "the structure of the tagged document is broken: \(reason)"
    case .pageBroken(let reason): "the page's part of the structure is broken: \(reason)"
    case .noAlternative(1, let page):
      "a figure\(page > 0 ? " on page \(page)" : "") has no alternative text"
    case .noAlternative(let count, let page):
      "\(count) figures have no alternative text" + (page > 0 ? ", the first on page \(page)" : "")
    case .structure(let reason): "the structure of tags is not as it was written: \(reason)"
    case .changed:
      "the page's tags are not as they were written: types, order, texts or places of their elements"
    case .order(let page?):
      "the page's tags come after those of page \(page); they were written elsewhere"
    case .order(nil): "the page's tags come first; they were written elsewhere"
    case .unowned(let mark): "no element of the structure has the page's MCID \(mark)"
    case .untagged: "the page has content that is neither tagged nor an artifact"
    case .alternative(let number, let expected, nil):
      "the alternative text \(FaultText.quoted(expected)) of picture \(number) is missing"
    case .alternative(let number, let expected, let found?):
      "the alternative text of picture \(number) is \(FaultText.quoted(found)) instead of " + FaultText.quoted(expected)
    }
  }
}
