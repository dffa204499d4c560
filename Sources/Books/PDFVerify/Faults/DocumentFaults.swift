import BookExpectations
import ImageCore

/// A difference between a document as a whole and what was written or required. A value is nil if it is missing in the
/// document (`found`) or was not written (`meant`).
enum DocumentFault: FaultKind {
  /// The XMP packet is malformed.
  case metadataMalformed(String)
  case metadata(isThere: Bool, isMeant: Bool, changes: [String] = [])
  case info(String, found: String?, meant: String?)
  case entry(String, found: String?, meant: String?)
  case notAsWritten(String)
  case outlineMissing
  case outlineCount(Int, actual: Int)
  case outlineEntry(Int, found: DocumentExpectation.OutlineEntry, meant: DocumentExpectation.OutlineEntry)
  case pageCount(Int, actual: Int)
  case textMissing(String)
  /// A text that is on this page, but before the texts that it should follow.
  case textEarlier(String, page: Int)

  var text: String {
    switch self {
    case .metadataMalformed(let reason):
      "the document's metadata (XMP) is not well-formed: \(reason)"
    case .metadata(isThere: false, _, _): "the XMP metadata is missing"
    case .metadata(_, isMeant: false, _): "XMP metadata was added after the book was written"
    case .metadata(_, _, let changes):
      "the XMP metadata was changed after the book was written"
        + (changes.isEmpty ? "" : ": " + changes.joined(separator: "; "))
    case .info(let key, let found, let meant):
      Self.changed(Self.infoNames[key] ?? "the entry '\(key)' of the Info dictionary", found, meant)
    case .entry("OutputIntents", let found, let meant): Self.intentText(found, meant)
    case .entry(let key, let found, let meant):
      Self.changed(Self.entryNames[key] ?? "the catalogue's entry '\(key)'", found, meant)
    case .notAsWritten(let what): "the document is not as it was written: \(what)"
    case .outlineMissing: "the outline is missing"
    case .outlineCount(let count, let actual):
      "the outline has \(actual) entr\(actual == 1 ? "y" : "ies") instead of \(count)"
    case .outlineEntry(let number, let found, let meant):
      "entry \(number) of the outline is \(Self.entry(found)); it was written as \(Self.entry(meant))"
    case .pageCount(let count, let actual):
      "the document has \(FaultText.count(actual, "page")) instead of \(count)"
    case .textMissing(let text): "the text \(FaultText.quoted(text)) is nowhere in the document"
    case .textEarlier(let text, let page):
      "the text \(FaultText.quoted(text)) is on page \(page), but not after the texts that it should follow"
    }
  }

  private static func intentText(_ found: String?, _ meant: String?) -> String {
    let what = "output intent, which says what colours mean"
    if found == nil { return "the \(what), is missing" }
    return meant == nil
      ? "there is an \(what); the book was written without one"
      : "the \(what), was changed after it was written"
  }

  private static func changed(_ what: String, _ found: String?, _ meant: String?) -> String {
    guard let found else { return "\(what) is missing; it was written as \(FaultText.quoted(meant ?? ""))" }
    return "\(what) is \(FaultText.quoted(found)); it was written "
      + (meant.map { "as " + FaultText.quoted($0) } ?? "without one")
  }

  private static func entry(_ entry: DocumentExpectation.OutlineEntry) -> String {
    let place = entry.page > 0 ? "page \(entry.page)" : "no page"
    return "\(FaultText.quoted(entry.title)) for \(place)" + (entry.depth > 0 ? " on level \(entry.depth + 1)" : "")
  }

  private static let infoNames = [
    "Title": "the title", "Author": "the author", "Subject": "the subject",
    "Keywords": "the list of keywords", "CreationDate": "the date of creation",
  ]
  private static let entryNames = [
    "OpenAction": "the view on opening", "PageLayout": "the layout on opening",
    "PageMode": "the panel shown on opening", "ViewerPreferences": "the list of viewer preferences",
    "Lang": "the document's language", "MarkInfo": "the description of its tags",
    "PageLabels": "the list of page labels", "AA": "the document's list of actions",
    "AcroForm": "the form", "Names": "the list of names",
  ]
}

/// A fault of the document catalogue or of the page tree (PDF 32000-1:2008, 7.7.2 and 7.7.3).
enum TreeFault: FaultKind {
  case noCatalogue
  case noPageTree
  case noPages
  case node(object: Int)
  case pageTwice(object: Int)
  case parent(object: Int, expected: Int)
  case count(object: Int, stated: Int?, actual: Int)

  var text: String {
    switch self {
    case .noCatalogue: "there is no document catalogue"
    case .noPageTree: "the document catalogue has no page tree"
    case .noPages: "the document has no pages"
    case .node(let object): "the page tree is broken at object \(object)"
    case .pageTwice(let object):
      "the page tree has object \(object) twice; each page must be an object of its own"
    case .parent(let object, let expected):
      "object \(object) of the page tree does not name its parent, object \(expected)"
    case .count(let object, let stated, let actual):
      "object \(object) of the page tree counts \(stated.map { "\($0)" } ?? "no") pages; "
        + "there \(actual == 1 ? "is" : "are") \(actual)"
    }
  }
}

/// A difference from the page order of the written book, such as an added or a moved page. Numbers count from 1.
enum OrderFault: FaultKind {
  case added
  case copied(Int)
  case swapped(Int)
  /// The page was written with this number.
  case moved(Int)
  /// The pages were written with these numbers.
  case lost(ClosedRange<Int>)
  case moreLost(Int)

  var text: String {
    switch self {
    case .added: "the page was added after the book was written"
    case .copied(let page): "the page is a second copy of page \(page)"
    case .swapped(let page): "the page changed places with page \(page)"
    case .moved(let page): "the page was moved; it was written as page \(page)"
    case .lost(let pages) where pages.count == 1: "page \(pages.lowerBound) is missing"
    case .lost(let pages): "pages \(pages.lowerBound) to \(pages.upperBound) are missing"
    case .moreLost(let count):
      "\(FaultText.count(count, "more page")) \(count == 1 ? "is" : "are") missing"
    }
  }
}

/// Expectations that should be in the document but are missing or unusable.
enum ExpectationsFault: FaultKind {
  case damaged
  case unknownVersion
  case changed
  case notFound(areRequired: Bool)
  /// The document names imghost as its producer but has no expectations.
  case lost

  /// The verdict on a document that has no faults and no expectations.
  static let unsealedText = "no expectations found; checked structure, fonts and rendering only"

  var severity: Severity {
    switch self {
    case .notFound(let areRequired): areRequired ? .error : .note
    default: .error
    }
  }

  var text: String {
    switch self {
    case .damaged: "the expectations that imghost wrote into the file are missing or damaged"
    case .unknownVersion: "the expectations in the file have a version that is unknown here"
    case .changed: "the expectations that imghost wrote into the file were changed"
    case .notFound(areRequired: false): Self.unsealedText
    case .notFound(areRequired: true):
      "no expectations found: nothing in the file says what its pages should show, which 'sealed' requires"
    case .lost:
      "the file names imghost as its producer, but its expectations are missing: another program rewrote it"
    }
  }
}
