/// A fault of a text on a page with expectations.
enum CaptionFault: FaultKind {
  case lost(String)
  case place(String)
  /// The text is as written, but extends beyond the page.
  case cut(String)
  case outside(String)
  case reads(String, found: String)
  /// Another text of the book is in the expected place. `page` is the page to which that text belongs; nil for another
  /// place on this page.
  case ofOther(String, found: String, page: Int?)

  var text: String {
    switch self {
    case .lost(let text): "the text \(FaultText.quoted(text)) is missing"
    case .place(let text): "the text \(FaultText.quoted(text)) is not where it was put"
    case .cut(let text): "the page's edge cuts the text \(FaultText.quoted(text))"
    case .outside(let text): "the text \(FaultText.quoted(text)) lies outside what the page shows"
    case .reads(let text, let found):
      "the text \(FaultText.quoted(text)) reads \(FaultText.quoted(found))"
    case .ofOther(let text, let found, let page):
      "where the text \(FaultText.quoted(text)) should be is \(FaultText.quoted(found)), which belongs "
        + (page.map { "on page \($0)" } ?? "elsewhere on this page")
    }
  }
}
