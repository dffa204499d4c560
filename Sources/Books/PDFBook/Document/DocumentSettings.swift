/// The settings of a whole document.
package struct DocumentSettings: Sendable, Hashable {
  package var info: DocumentInfo
  package var view = DocumentView()
  /// The page labels, by ascending first page.
  package var labels: [PageLabel] = []
  /// Whether objects go into compressed object streams, with a compressed cross-reference (PDF 1.5). This
  /// halves the bytes of a page without its picture.
  package var isCompact = false
  /// Whether pages that differ only in their pictures share a content stream. If not, each page can be edited
  /// on its own.
  package var sharesContents = false
  /// The version that the file states; nil for the lowest that supports its content.
  package var version: PDFVersion?
  /// The standard that the file promises to follow.
  package var conformance: Conformance?
  /// The printer that a file for print is meant for: `OutputIntent.standard`, or the path of a profile.
  package var printer = OutputIntent.standard
  /// Whether the book is tagged: has a structure for screen readers (14.8).
  package var isTagged = false
  /// The language of the texts as a BCP 47 tag; empty if unknown.
  package var language = ""

  package init(info: DocumentInfo = DocumentInfo()) { self.info = info }

  /// The statement of a file for print; nil for others.
  var printStatement: PrintStatement? {
    conformance?.printVersion.map { PrintStatement(version: $0, info: info) }
  }

  /// Returns the output intent; nil where the standard wants none. Reads a profile's file.
  package func outputIntent() throws(OutputIntentFault) -> OutputIntent? {
    guard let conformance else { return nil }
    return conformance.isForPrint ? try OutputIntent(named: printer, isInk: conformance.isInk) : .srgb
  }

  /// Returns settings that refer to a page beyond the last.
  package func problems(withPageCount count: Int) -> [String] {
    let pages = "the book has \(count) page\(count == 1 ? "" : "s")"
    var problems: [String] = []
    if view.firstPage > count { problems.append("'viewer_page' is \(view.firstPage), but \(pages)") }
    if let label = labels.last, label.firstPage > count {
      problems.append("'page_labels' begins a range on page \(label.firstPage), but \(pages)")
    }
    return problems
  }
}
