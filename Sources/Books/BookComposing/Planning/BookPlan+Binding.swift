import ImagePipeline
import PDFBook

/// The facts that a book and its cover must agree on.
extension BookPlan {
  /// Options, beside pages and paper, that a cover takes from its book if it does not say otherwise.
  static let takenOptions = ["paper_thickness", "reading_direction", "title"]

  var binding: BookBinding {
    let isCover = layout.options.kind == .cover
    let pages = isCover ? layout.options.binding.pages : pageCount
    return BookBinding(
      pages: isCover && pages == 0 ? nil : pages,
      sizes: isCover ? [layout.frontSize] : sizes,
      turns: !isCover && layout.options.kind == .single && layout.setup.orientation == .auto,
      sheetThickness: taken.contains { $0.name == "paper_thickness" }
        ? layout.options.binding.sheetThickness : nil,
      readingDirection: taken.lazy.compactMap { name, value in
        if case .text(let text) = value, name == "reading_direction" { text } else { nil }
      }.first,
      isCover: isCover,
      options: isCover
        ? []
        : taken + [
          ("cover_pages", .integer(pageCount)), ("paper", .text(firstPageSize.asPaper)),
        ])
  }

  /// The most sizes among which a cover's is searched.
  private static let mostSizes = 16

  /// The different sizes of pages, the first page's first.
  private var sizes: [PageSize] {
    var sizes = [firstPageSize]
    // Pages on one paper that lies one way are alike, and so are pages of several pictures.
    guard layout.options.kind == .single, layout.setup.paper == nil || layout.setup.orientation == .auto else {
      return sizes
    }
    for (index, picture) in pictures.enumerated() {
      guard let page = try? layout.singlePage(picture, index) else { continue }
      let size = page.size
      if !sizes.contains(where: size.isNear) { sizes.append(size) }
      guard sizes.count < Self.mostSizes else { break }
    }
    return sizes
  }
}
