import ImageCore

/// Covers and the books inside them.
extension SinkChecker {
  /// A book of the script whose pages are arranged.
  struct BoundBook {
    let path: String
    let binding: BookBinding
    let sink: Sink
    /// Whether it is the cover of a book that it names.
    let knowsBook: Bool
  }

  /// The options of a cover with those that it takes from its book; nil where there is none.
  mutating func withBook(_ raw: RawArguments, _ sink: Sink) -> RawArguments? {
    guard let named = raw.named.first(where: { $0.name == "cover_of" }) else { return raw }
    guard let book = sink.coverOf, book.kind == .book else {
      mistake(
        sink, "book",
        "'cover_of' is \(named.value.typeName); it takes one book, which img.book has returned")
      return nil
    }
    guard let binding = book.state.withLock({ $0.binding }), !binding.isCover else {
      let isCover = book.state.withLock { $0.binding?.isCover ?? false }
      mistake(
        sink, "book",
        isCover
          ? "'cover_of' is a cover itself; it takes the book inside"
          : "'cover_of' is a book that cannot be made, so that nobody knows its pages; mend it first"
      )
      return nil
    }
    var raw = raw
    // Without the layout each of them would be a mistake of its own.
    guard raw.named.contains(where: { $0.name == "layout" && $0.value == .text("cover") }) else {
      return raw
    }
    for option in binding.options where !raw.named.contains(where: { $0.name == option.name }) {
      raw.named.append(option)
    }
    raw.named.sort { $0.name < $1.name }
    return raw
  }

  /// Remembers a book whose pages are arranged, for its cover.
  mutating func bind(_ plan: (any BookPlan)?, _ path: String, _ sink: Sink) {
    guard let binding = plan?.binding else { return }
    sink.job.state.withLock { $0.binding = binding }
    boundBooks.append(
      BoundBook(path: path, binding: binding, sink: sink, knowsBook: sink.coverOf != nil))
  }

  /// Refuses covers that are made for another number of pages than the books of the script have.
  mutating func checkCovers() {
    for cover in boundBooks where cover.binding.isCover {
      guard let pages = cover.binding.pages else { continue }
      let inner =
        cover.knowsBook
        ? boundBooks.filter { $0.sink.job === cover.sink.coverOf }
        : boundBooks.filter { !$0.binding.isCover && $0.binding.hasPages(of: cover.binding) }
      guard let book = inner.first, !inner.contains(where: { $0.binding.pages == pages }) else {
        continue
      }
      let way =
        cover.knowsBook
        ? "leave it out" : "write cover_of = book, with what img.book returns, instead"
      mistake(
        cover.sink, "book",
        "'cover_pages' is \(pages), but '\(printable(book.path))' of this script has "
          + "\(book.binding.pages ?? 0) pages; \(way)")
    }
  }
}
