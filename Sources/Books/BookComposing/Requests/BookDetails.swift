import BookDesign
import ImageCore
import ImagePipeline
import PDFBook

extension Job.Kind {
  package static let book = Job.Kind("book")
}

/// The facts about a book in addition to its pictures and options.
final class BookDetails: RequestDetails {
  /// The book inside a cover.
  let coverOf: Job?
  /// Whether the book is a contact sheet, which is not bound.
  let isContactSheet: Bool
  /// The groups of the pictures; empty for none.
  let groups: [PictureGroup]
  /// The pages that the script declares, in order.
  let pages: [PlacedPage]
  let hints: PictureHints

  init(coverOf: Job?, isContactSheet: Bool, groups: [PictureGroup], pages: [PlacedPage], hints: PictureHints) {
    (self.coverOf, self.isContactSheet) = (coverOf, isContactSheet)
    (self.groups, self.pages, self.hints) = (groups, pages, hints)
  }

  func facts(for request: OutputRequest) -> RequestFacts {
    var facts = RequestFacts()
    facts.drawsText = true
    facts.jobs = coverOf.map { [$0] } ?? []
    if isContactSheet { facts.lines.append("book\tcontact sheet\ttrue") }
    facts.lines += groups.map { "book\tgroup '\(printable($0.name))'\t\($0.count) pictures" }
    for (index, placed) in pages.enumerated() {
      var placed = placed
      placed.page.position = nil
      facts.lines.append("book\tdeclared page \(index + 1)\t\(printable("\(placed)"))")
    }
    for (index, picture) in request.pictures.enumerated() {
      guard let hint = hints.hint(for: picture) else { continue }
      facts.lines.append("book\thint for picture \(index + 1)\t\(printable("\(hint)"))")
    }
    let conformance = request.options.named.first { $0.name == "conformance" }?.value
    if case .text(let name)? = conformance, Conformance(rawValue: name)?.isForPrint == true, CreationTime.value == nil {
      facts.reasonToMake = "PDF/X has the date on which it is made; set SOURCE_DATE_EPOCH for a fixed one"
    }
    return facts
  }
}

extension OutputRequest {
  private var book: BookDetails {
    guard let details = details as? BookDetails else { preconditionFailure("a book was requested as something else") }
    return details
  }
  var coverOf: Job? { book.coverOf }
  var isContactSheet: Bool { book.isContactSheet }
  var groups: [PictureGroup] { book.groups }
  var pages: [PlacedPage] { book.pages }

  /// Returns the script's hint for a picture; nil for none.
  func hint(for picture: Picture) -> DesignHint? { book.hints.hint(for: picture) }

  /// Returns the name of the group that a picture is in; nil without groups.
  func group(ofPicture index: Int) -> String? { groupPlace(ofPicture: index).map { groups[$0].name } }

  /// Returns the index of the group that a picture is in; nil without groups.
  func groupPlace(ofPicture index: Int) -> Int? {
    var end = 0
    return groups.firstIndex { group in
      end += group.count
      return index < end
    }
  }

  /// Returns the caption that a declared page gives to a picture; nil for none.
  func caption(ofPicture index: Int) -> String? {
    guard let placed = pages.first(where: { $0.pictures.contains(index) }), !placed.page.slots.isEmpty else {
      return nil
    }
    return placed.page.slots[index - placed.pictures.lowerBound].caption
  }
}

/// Consecutive pictures of a call that belong together.
package struct PictureGroup: Sendable, Hashable {
  package let name: String
  package let count: Int

  package init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}
