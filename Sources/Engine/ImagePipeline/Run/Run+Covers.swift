import PictureTraits

extension Run {
  /// The most pictures that a cover takes from its book: one for the front, one for the back.
  private static let mostOnCover = 2

  /// Returns the pictures of a book that its cover shows, and the book's title; nil for a job that is no book.
  ///
  /// The front has the best picture of the whole book, and the back the next: first those with the hint `hero`, then
  /// those with the highest score, then those that come first.
  package func insideOfCover(_ job: Job) -> (pictures: [Picture], title: String?)? {
    guard let call = books[ObjectIdentifier(job)] else { return nil }
    let candidates = call.pictures.filter { !(hint(for: $0)?.skip ?? false) }
    let scores = zip(candidates, traits(of: candidates)).map { picture, traits in
      let hint = hint(for: picture)
      return (hint?.hero == true ? 1 : 0) + (hint?.score ?? traits?.score ?? 0)
    }
    let best = candidates.indices.sorted { (scores[$0], $1) > (scores[$1], $0) }.prefix(Self.mostOnCover)
    let title = call.options.named.first { $0.name == "title" }?.value
    if case .text(let text)? = title { return (best.map { candidates[$0] }, text) }
    return (best.map { candidates[$0] }, nil)
  }
}
