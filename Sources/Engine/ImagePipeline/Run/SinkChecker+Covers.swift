import ImageCore

/// Covers and the books inside them.
extension SinkChecker {
  /// A book of the script whose pages are arranged.
  struct BoundBook {
    let path: String
    let binding: BookBinding
    let sink: Sink
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
    if binding.sizes.count > 1, !raw.named.contains(where: { $0.name == "paper" }) {
      let sizes = binding.sizes.prefix(2).map(BookBinding.text).joined(separator: " and ")
      mistake(
        sink, "book",
        "'cover_of' is a book whose pages have several sizes, such as \(sizes); give the cover its paper, or the "
          + "book one paper and orientation")
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
    boundBooks.append(BoundBook(path: path, binding: binding, sink: sink))
  }

  /// Refuses covers that are made for another book than they name, or for another number of pages than all books of
  /// the script have that they may be for.
  mutating func checkCovers() {
    for cover in boundBooks where cover.binding.isCover {
      guard let inside = cover.sink.coverOf else {
        compareWithBooks(cover)
        continue
      }
      guard let book = boundBooks.first(where: { $0.sink.job === inside }) else { continue }
      for text in book.binding.contradictions(of: cover.binding, path: printable(book.path)) {
        mistake(cover.sink, "book", text + "; leave it out")
      }
    }
  }

  /// A cover that names no book may be for any whose pages are as large as its front, or for one of another script
  /// where there is none.
  private mutating func compareWithBooks(_ cover: BoundBook) {
    guard let pages = cover.binding.pages else { return }
    let books = boundBooks.filter {
      !$0.binding.isCover && !$0.sink.isContactSheet && $0.binding.fits(cover.binding)
    }
    func distance(_ book: BoundBook) -> Int { abs((book.binding.pages ?? 0) - pages) }
    // A small book on the same paper, such as a preview, is not what the cover is for.
    let nearest = books.filter { $0.binding.hasPages(asLargeAs: cover.binding) }
      .min { distance($0) < distance($1) }
    guard let nearest, !books.contains(where: { distance($0) == 0 }) else { return }
    mistake(
      cover.sink, "book",
      "'cover_pages' is \(pages), but '\(printable(nearest.path))' of this script has "
        + "\(BookBinding.count(nearest.binding.pages ?? 0)); write cover_of = book, with what img.book "
        + "returns, instead")
  }
}
