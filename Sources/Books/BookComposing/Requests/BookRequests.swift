import ImageCore
import ImagePipeline

/// Records what a script says about books: the books, their pages, and hints for their pictures.
///
/// Only the script's thread uses it.
package final class BookRequests {
  /// A book that a cover may refer to.
  private struct Inside {
    /// The book's job, which is kept alive so that no other job has the same `ObjectIdentifier`.
    let job: Job
    let pictures: [Picture]
    let title: String?
  }

  /// The memory in bytes that a run keeps for each book, page, slot and hint, see `RecordedMemory`.
  private static let bookByteCount = 160
  static let (pageByteCount, slotByteCount, hintByteCount) = (176, 128, 200)

  private let run: Run
  var graph: GraphBuilder { run.graph }
  let hints = PictureHints()
  private var books: [ObjectIdentifier: Inside] = [:]

  package init(_ run: Run) { self.run = run }

  /// Records a book.
  ///
  /// - Parameters:
  ///   - groups: the groups of all pictures in their order; empty for none.
  ///   - pages: the declared pages in order.
  ///   - coverOf: the book inside a cover.
  ///   - isContactSheet: whether the book is a contact sheet, which is not bound.
  package func book(
    _ path: String, of pictures: [Picture], in groups: [PictureGroup] = [], pages: [Page] = [],
    after jobs: [Job] = [], coverOf: Job? = nil, isContactSheet: Bool = false, _ raw: RawArguments,
    at position: ScriptPosition?
  ) -> Job {
    let details = BookDetails(
      coverOf: coverOf, isContactSheet: isContactSheet, groups: groups, pages: pages, hints: hints)
    let job = graph.request(.book, path, of: pictures, after: jobs, raw, details, at: position)
    var title: String?
    if case .text(let text)? = raw.named.first(where: { $0.name == "title" })?.value { title = text }
    books[ObjectIdentifier(job)] = Inside(job: job, pictures: pictures, title: title)
    graph.recordedByteCount += Self.bookByteCount
    return job
  }

  /// The maximum number of pictures that a cover takes from its book: one for the front, one for the back.
  private static let mostOnCover = 2

  /// Returns the pictures of a book that its cover shows, and the book's title; nil for a job that is no book.
  ///
  /// The front shows the best picture of the whole book, and the back the second best. Pictures with the hint `hero`
  /// come first, then those with the highest score, then those that come first in the book.
  package func insideOfCover(_ job: Job) -> (pictures: [Picture], title: String?)? {
    guard let book = books[ObjectIdentifier(job)] else { return nil }
    let candidates = book.pictures.filter { !(hints.hint(for: $0)?.skip ?? false) }
    let scores = zip(candidates, run.traits(of: candidates)).map { picture, traits in
      let hint = hints.hint(for: picture)
      return (isHero: hint?.hero == true ? 1 : 0, score: hint?.score ?? traits?.score ?? 0)
    }
    let best = candidates.indices.sorted {
      (scores[$0].isHero, scores[$0].score, $1) > (scores[$1].isHero, scores[$1].score, $0)
    }.prefix(Self.mostOnCover)
    return (best.map { candidates[$0] }, book.title)
  }
}
