import BookExpectations
import ImageCore

extension Fault {
  /// Of what a document says about itself, and of links.
  var ownText: String? {
    switch self {
    case .documentInfo(let key, let found, let meant):
      Self.changed(Self.infoNames[key] ?? "the entry '\(key)' of the Info dictionary", found, meant)
    case .documentNotAsWritten(let what): "the document is not as it was written: \(what)"
    case .documentEntry("OutputIntents", _?, _?):
      "the output intent, which says what colours mean, was changed after it was written"
    case .documentEntry("OutputIntents", nil, _):
      "the output intent, which says what colours mean, is missing"
    case .documentEntry("OutputIntents", _, nil):
      "there is an output intent, which says what colours mean; the book was written without one"
    case .documentEntry(let key, let found, let meant):
      Self.changed(Self.entryNames[key] ?? "the catalogue's entry '\(key)'", found, meant)
    case .documentMetadata(isThere: false, _, _): "the XMP metadata are missing"
    case .documentMetadata(_, isMeant: false, _):
      "the XMP metadata were added after the book was written"
    case .documentMetadata(_, _, let changes):
      "the XMP metadata were changed after they were written"
        + (changes.isEmpty ? "" : ": " + changes.joined(separator: "; "))
    case .outlineMissing: "the outline is missing"
    case .outlineCount(let count, let actual):
      "the outline has \(actual) entr\(actual == 1 ? "y" : "ies") instead of \(count)"
    case .outlineEntry(let number, let found, let meant):
      "entry \(number) of the outline is \(Self.entry(found)); it was written as \(Self.entry(meant))"
    case .linkAddress(let number, let target, let meant):
      "link \(number) leads to \(Self.quoted(target)); it was written to lead to \(Self.quoted(meant))"
    case .linkPlace(let number, let address, let actual, let expected):
      "link \(number) to \(Self.quoted(address)) lies at \(Self.place(actual)) instead of "
        + Self.place(expected)
    case .linkMissing(let address): "the link to \(Self.quoted(address)) is missing"
    case .linkAdded(let target):
      "there is a link to \(Self.quoted(target)) that the page was written without"
    case .annotationAdded(let kind):
      "there is an annotation (\(kind)) that the page was written without"
    default: nil
    }
  }

  private static func changed(_ what: String, _ found: String?, _ meant: String?) -> String {
    guard let found else { return "\(what) is missing; it was written as \(quoted(meant ?? ""))" }
    return "\(what) is \(quoted(found)); it was written "
      + (meant.map { "as " + quoted($0) } ?? "without one")
  }

  private static func entry(_ entry: DocumentExpectation.OutlineEntry) -> String {
    let place = entry.page > 0 ? "page \(entry.page)" : "no page"
    return "\(quoted(entry.title)) for \(place)"
      + (entry.depth > 0 ? " on level \(entry.depth + 1)" : "")
  }

  private static let infoNames = [
    "Title": "the title", "Author": "the author", "Subject": "the subject",
    "Keywords": "the list of keywords", "CreationDate": "the date of creation",
  ]
  private static let entryNames = [
    "OpenAction": "what is shown on opening", "PageLayout": "the layout on opening",
    "PageMode": "the pane on opening", "ViewerPreferences": "the list of viewer preferences",
    "Lang": "the document's language", "MarkInfo": "what is said of its tags",
    "PageLabels": "the list of page labels", "AA": "the document's list of actions",
    "AcroForm": "the form", "Names": "the list of names",
  ]
}
