/// All that concerns a whole document and no single page.
public struct DocumentSettings: Sendable, Hashable {
  public var info: DocumentInfo
  public var view = DocumentView()
  /// First pages rising.
  public var labels: [PageLabel] = []
  /// Objects in compressed object streams and a compressed cross-reference (PDF 1.5): about half the bytes a
  /// page costs beside its picture.
  public var isCompact = false
  /// Pages that look alike but for their pictures share one content stream. Without it each page can be
  /// edited by itself.
  public var sharesContents = false
  /// The version the file states; nil for the least that has what is used.
  public var version: PDFVersion?
  /// A standard that the file promises to keep.
  public var conformance: Conformance?
  /// What each part of a page is, in a structure that readers read aloud (14.8).
  public var isTagged = false
  /// Of its texts, as BCP 47 has it; empty where nobody says.
  public var language = ""

  public init(info: DocumentInfo = DocumentInfo()) { self.info = info }

  /// What leads to a page that a book of so many has not.
  public func problems(withPageCount count: Int) -> [String] {
    let pages = "the book has \(count) page\(count == 1 ? "" : "s")"
    var problems: [String] = []
    if view.firstPage > count {
      problems.append("'viewer_page' is \(view.firstPage), but \(pages)")
    }
    if let label = labels.last, label.firstPage > count {
      problems.append("'page_labels' begins one on page \(label.firstPage), but \(pages)")
    }
    return problems
  }
}
