import ImageCore
import ImagePipeline
import PDFBook
import PictureTraits

/// Checks of covers and the books inside them.
extension SinkChecker {
  /// Returns a call's options, for a cover with those that it takes from its book; nil if they name no book.
  mutating func withBook(_ request: OutputRequest, _ sink: BookSink) -> RawArguments? {
    var raw = request.options
    guard let named = raw.named.first(where: { $0.name == "cover_of" }) else { return raw }
    guard let book = request.coverOf, book.kind == .book else {
      mistake(request, "'cover_of' is \(named.value.typeName); expected one book, as img.book returns it")
      return nil
    }
    let known = sink.boundBooks.first { $0.request.job === book }?.binding
    guard let binding = known, !binding.isCover else {
      let isCover = known?.isCover ?? false
      mistake(
        request,
        isCover
          ? "'cover_of' is a cover itself; it takes the book inside"
          : "'cover_of' is a book with mistakes, so its pages are not known; correct the book first"
      )
      return nil
    }
    if binding.sizes.count > 1, !raw.named.contains(where: { $0.name == "paper" }) {
      let sizes = binding.sizes.prefix(2).map(BookBinding.text).joined(separator: " and ")
      mistake(
        request,
        "'cover_of' is a book whose pages have several sizes, such as \(sizes); give the cover its paper, or the "
          + "book one paper and orientation")
      return nil
    }
    // In another layout, each inherited option would be a mistake.
    guard raw.named.contains(where: { $0.name == "layout" && $0.value == .text("cover") }) else { return raw }
    for option in binding.options where !raw.named.contains(where: { $0.name == option.name }) {
      raw.named.append(option)
    }
    raw.named.sort { $0.name < $1.name }
    if !raw.named.contains(where: { $0.name == "paper_thickness" }),
      case .text(let binding)? = raw.named.first(where: { $0.name == "binding" })?.value,
      let thickness = Binding.paperThickness(of: binding)
    {
      note(
        "the spine is for paper of \(thickness) a sheet, as in the printer's rules of binding '\(binding)'; "
          + "paper_thickness = \"…\" sets that of yours", request)
    }
    return raw
  }

  /// Rejects covers that do not fit the book they name. A cover that names none must fit the number of pages of
  /// a book of its size, if the script has one.
  mutating func checkCovers(_ sink: BookSink) {
    for cover in sink.boundBooks where cover.binding.isCover {
      guard let inside = cover.request.coverOf else {
        compare(cover, with: sink.boundBooks)
        continue
      }
      guard let book = sink.boundBooks.first(where: { $0.request.job === inside }) else { continue }
      for text in book.binding.contradictions(of: cover.binding, path: printable(book.path)) {
        mistake(cover.request, text + "; leave it out")
      }
    }
  }

  /// Compares a cover that names no book with the books whose pages are as large as its front. If there are none, it
  /// may belong to a book of another script.
  private mutating func compare(_ cover: BookSink.BoundBook, with known: [BookSink.BoundBook]) {
    guard let pages = cover.binding.pages else { return }
    let books = known.filter {
      !$0.binding.isCover && !$0.request.isContactSheet && $0.binding.fits(cover.binding)
    }
    func distance(_ book: BookSink.BoundBook) -> Int { abs((book.binding.pages ?? 0) - pages) }
    // The cover is probably not for a small book on the same paper, such as a preview.
    let nearest = books.filter { $0.binding.hasPages(asLargeAs: cover.binding) }.min { distance($0) < distance($1) }
    guard let nearest, !books.contains(where: { distance($0) == 0 }) else { return }
    mistake(
      cover.request,
      "'cover_pages' is \(pages), but '\(printable(nearest.path))' of this script has "
        + "\(BookBinding.count(nearest.binding.pages ?? 0)); write cover_of = book, with what img.book "
        + "returns, instead")
  }
}

/// The spine of a cover.
extension SinkChecker {
  /// Returns a cover's options without the text on its spine, where that is too thin for one, which is noted.
  mutating func droppingSpineText(_ arguments: Arguments, _ request: OutputRequest) -> Arguments {
    guard SpineText(arguments) != nil, let text = SpineText.shortage(on: BookFormat.layout(arguments)) else {
      return arguments
    }
    note(text, request)
    return arguments.with("spine_text", .text(""))
  }

  /// Returns a colour from the front for a spine on which nothing else is visible; nil if the script states the spine's
  /// content.
  func spineColour(_ arguments: Arguments, _ plan: BookPlan, _ candidates: BookCandidates) -> Colour? {
    guard !options.isDryRun || options.keepsPlan, !arguments.has("spine_text_background"),
      let page = plan.pages?.first, plan.layout.hasBareSpine(page), let front = page.cells.first,
      let picture = candidates.found.first(where: { $0.place == front.picture })?.picture,
      let colours = traits([picture])[0]?.colours, let first = colours.first
    else { return nil }
    guard let text = SpineText(arguments), text.hasOwnColour else { return first }
    return colours.first { $0.contrast(to: text.style.colour) >= Colour.readableContrast }
      ?? (text.style.colour.isLight ? .black : .white)
  }
}
