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
  var function: String? { isContactSheet ? "contact_sheet" : nil }
  /// The groups of the pictures; empty for none.
  let groups: [PictureGroup]
  /// The pages that the script declares, in order.
  let pages: [DeclaredPage]
  /// The positions of `pages` in the script.
  let pagePositions: [ScriptPosition?]
  let hints: PictureHints

  init(
    coverOf: Job?, isContactSheet: Bool, groups: [PictureGroup], pages: [BookRequests.Page], hints: PictureHints
  ) {
    (self.coverOf, self.isContactSheet, self.groups, self.hints) = (coverOf, isContactSheet, groups, hints)
    (self.pages, pagePositions) = (pages.map(\.page), pages.map(\.position))
  }

  func facts(for request: OutputRequest) -> RequestFacts {
    var facts = RequestFacts()
    facts.jobs = coverOf.map { [$0] } ?? []
    if isContactSheet { facts.lines.append("book\tcontact sheet\ttrue") }
    facts.lines += groups.map { "book\tgroup '\(RecipeText.escaped($0.name))'\t\($0.count) pictures" }
    for (index, page) in pages.enumerated() {
      facts.lines.append("book\tdeclared page \(index + 1)\t\(RecipeText.escaped("\(page)"))")
    }
    for (index, picture) in request.pictures.enumerated() {
      guard let hint = hints.hint(for: picture) else { continue }
      facts.lines.append("book\thint for picture \(index + 1)\t\(RecipeText.escaped("\(hint)"))")
    }
    if request.options.named.contains(where: { $0.name == "linearize" && $0.value == .boolean(true) }) {
      facts.programs = [QPDFPass.program].compactMap(\.self)
    }
    let conformance = request.options.named.first { $0.name == "conformance" }?.value
    if case .text(let name)? = conformance, Conformance(rawValue: name)?.isForPrint == true {
      // Texts and areas are converted to the printer's inks.
      facts.convertsColours = true
      if CreationTime.value == nil {
        facts.reasonToMake = "PDF/X has the date on which it is made; set SOURCE_DATE_EPOCH for a fixed one"
      }
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
  var pages: [DeclaredPage] { book.pages }

  func position(ofPage index: Int) -> ScriptPosition? { book.pagePositions[index] }

  /// Returns the script's hint for a picture; nil for none.
  func hint(for picture: Picture) -> DesignHint? { book.hints.hint(for: picture) }

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
    guard let page = pages.first(where: { $0.pictures.contains(index) }), !page.slots.isEmpty else { return nil }
    return page.slots[index - page.pictures.lowerBound].caption
  }
}

/// Consecutive pictures of a book that belong together.
package struct PictureGroup: Sendable, Hashable {
  package let name: String
  package let count: Int

  package init(name: String, count: Int) {
    self.name = name
    self.count = count
  }
}
