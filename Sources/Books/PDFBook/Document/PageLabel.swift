import BookExpectations
import ImageCore

/// A range of pages and their labels, which are the page numbers that viewers show (PDF 32000-1:2008, 12.4.2).
package struct PageLabel: Sendable, Hashable {
  package enum Style: String, Sendable, Hashable, CaseIterable {
    case decimal = "D"
    case upperRoman = "R"
    case lowerRoman = "r"
    case upperLetters = "A"
    case lowerLetters = "a"
  }

  /// The first page of the range, from 1.
  package let firstPage: Int
  /// The numbering style; nil for labels that consist only of the prefix.
  package let style: Style?
  /// The number in the label of the first page.
  package let start: Int
  package let prefix: String

  package init(firstPage: Int, style: Style?, start: Int = 1, prefix: String = "") {
    self.firstPage = firstPage
    self.style = style
    self.start = start
    self.prefix = prefix
  }

  /// Parses ranges in the syntax of qpdf's `--set-page-labels`: `"1:r 5:D 20:D/1/A-"`, where each range is
  /// `FIRST:[STYLE][/START[/PREFIX]]`. The first pages must ascend, beginning with 1. The text may be empty.
  package static func parse(_ text: String) throws(PageSetupError) -> [PageLabel] {
    var labels: [PageLabel] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
      guard let label = label(word), label.firstPage > labels.last?.firstPage ?? 0 else {
        throw .pageLabel(String(word))
      }
      labels.append(label)
    }
    guard labels.first?.firstPage ?? 1 == 1 else { throw .pageLabel(text) }
    return labels
  }

  private static func label(_ word: Substring) -> PageLabel? {
    let halves = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, let page = Int(halves[0]), page >= 1, page < 10_000_000 else { return nil }
    let parts = halves[1].split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    let style = Style(rawValue: String(parts[0]))
    guard style != nil || parts[0].isEmpty else { return nil }
    let start = parts.count > 1 && !parts[1].isEmpty ? Int(parts[1]) : 1
    guard let start, start >= 1, start < 10_000_000 else { return nil }
    return PageLabel(firstPage: page, style: style, start: start, prefix: parts.count > 2 ? String(parts[2]) : "")
  }

  /// The range of labels as it stands in the book's expectations.
  var expectation: String {
    DocumentExpectation.label(page: firstPage, style: style?.rawValue ?? "", start: start, prefix: prefix)
  }

  /// Returns the number tree of all labels (7.9.7).
  static func tree(_ labels: [PageLabel]) -> String {
    let entries = labels.map { label in
      "\(label.firstPage - 1)<<" + (label.style.map { "/S/\($0.rawValue)" } ?? "")
        + (label.start > 1 ? "/St \(label.start)" : "")
        + (label.prefix.isEmpty ? "" : "/P\(PDFString.text(label.prefix))") + ">>"
    }
    return "<</Nums[\(entries.joined())]>>"
  }
}
