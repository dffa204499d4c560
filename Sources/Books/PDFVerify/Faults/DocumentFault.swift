import BookExpectations
import ImageCore

/// A difference between what a document declares about itself and what it declared when it was written. Missing values,
/// found or expected, are nil.
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
