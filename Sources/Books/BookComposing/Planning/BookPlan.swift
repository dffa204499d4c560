import ImageCore
import ImagePipeline
import PDFBook

/// The place of each picture of a book, known before any of them is decoded.
struct BookPlan: Sendable {
  /// The layout, with margins that leave room for running lines.
  private(set) var layout: BookLayout
  /// The requested margins.
  let margins: PageMargins
  let pictures: [LayoutPicture]
  /// The colour of pages without pictures; nil for the colour of the book.
  let tint: Colour?
  /// Options, other than pages and paper, that a cover inherits from the book.
  let taken: [(name: String, value: ParameterValue)]
  /// The pages; nil if each picture has a page of its own and there are no pages of text. Each page is then laid out
  /// when it is written.
  let pages: [PlannedPage]?
  /// The cuts by picture; empty if all pictures are unchanged.
  private let cuts: [BookCut?]
  /// The page colours that differ from the book's, by the indices of the pages' pictures.
  private let backgrounds: [Int: Colour]
  /// The pictures with too low a resolution; nil if the script does not request this check.
  private let coarse: CoarsePictures?

  /// - Parameters:
  ///   - running: the lines at the edges of pages. Pictures leave room for them.
  ///   - segments: groups of pictures that each begin a page, and pages of text; empty if all pictures form one group.
  ///   - designed: the pages of the layout `auto`.
  ///   - colophon: the text of the last page; nil for none.
  ///   - captions: the measurer of captions; nil if all captions have one line.
  init(
    _ layout: BookLayout, running: RunningLines, pictures: [LayoutPicture], segments: [BookSegment] = [],
    designed: [PlannedPage]? = nil, tint: Colour? = nil, colophon: PageText? = nil, captions: CaptionMeasurer? = nil,
    taken: [(name: String, value: ParameterValue)] = []
  ) throws(PDFError) {
    (self.taken, self.tint) = (taken, tint)
    var layout = layout
    margins = layout.setup.margins
    layout.setup.margins = running.contentMargins
    layout.options.print.runningLineHeight = running.heightOnPictures
    self.layout = layout
    self.pictures = pictures
    var planned = layout
    planned.measurer = captions
    var pages: [PlannedPage]? =
      if let designed {
        designed
      } else if layout.options.kind == .single, colophon == nil, !segments.contains(where: \.isText) {
        nil
      } else {
        try planned.pages(of: pictures, segments: segments)
      }
    if let colophon, let size = pages?.last?.size {
      var last = PlannedPage(size: size)
      (last.text, last.background) = (colophon, tint)
      last.hidesRunningLines = true
      pages?.append(last)
    }
    self.pages = pages
    var backgrounds: [Int: Colour] = [:]
    for page in pages ?? [] {
      guard let colour = page.background else { continue }
      for cell in page.cells { backgrounds[cell.picture] = colour }
    }
    self.backgrounds = backgrounds
    // Impossible pages are reported before a pixel is decoded.
    for page in pages ?? [] { try layout.check(page) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() { try layout.check(picture, index) }
    }
    (cuts, coarse) = try Self.resolutions(of: pictures, layout, pages)
  }

  /// Returns the plan of a cover whose spine has this colour, or the colour of the page if `colour` is nil.
  func withSpine(_ colour: Colour?) -> BookPlan {
    var plan = self
    plan.layout.options.spineColour = colour
    return plan
  }

  /// Returns the cuts of pictures, and the pictures with too low a resolution.
  private static func resolutions(
    of pictures: [LayoutPicture], _ layout: BookLayout, _ pages: [PlannedPage]?
  ) throws(PDFError) -> ([BookCut?], CoarsePictures?) {
    let options = layout.options
    let mayChange = options.maximumDPI != nil || layout.mayCut
    guard mayChange || options.minimumDPI != nil else { return ([], nil) }
    var cuts = [BookCut?](repeating: nil, count: mayChange ? pictures.count : 0)
    var coarse = options.minimumDPI.map { CoarsePictures(least: $0) }
    func look(_ cell: PageCell) {
      let picture = pictures[cell.picture]
      if mayChange { cuts[cell.picture] = cut(of: picture, in: cell, layout) }
      // A picture over two pages is counted once.
      if cell.part != .second { coarse?.add(cell.picture, layout.resolution(of: picture, in: cell)) }
    }
    for page in pages ?? [] { page.cells.forEach(look) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() {
        try layout.singlePage(picture, index).cells.forEach(look)
      }
    }
    return (cuts, coarse)
  }

  private static func cut(of picture: LayoutPicture, in cell: PageCell, _ layout: BookLayout) -> BookCut? {
    let position = layout.position(in: cell)
    let keepsHeads = layout.options.position == nil && position == .smart(.attention)
    if let size = layout.pixelSize(of: picture, in: cell) {
      return BookCut(width: size.width, height: size.height, position: position, way: .scaled, keepsHeads: keepsHeads)
    }
    guard case .smart = position else { return nil }
    let size = layout.ownPixels(of: picture, in: cell)
    // On a page with a single picture, a caption of several lines reduces the picture's cell.
    let isSettled = layout.options.kind != .single || !picture.hasCaption || layout.setup.captions.position == .over
    return BookCut(
      width: size.width, height: size.height, position: position,
      way: isSettled ? .cropped : .clipped, keepsHeads: keepsHeads)
  }

  func notes(naming name: (Int) -> String) -> [String] {
    [coarse?.note(of: pictures.count, naming: name), targetNote].compactMap { $0 }
  }

  /// A note if the number of pages differs from the requested number, rounded up to a multiple of `page_multiple`;
  /// otherwise nil. There is no such note for the layout `auto`.
  private var targetNote: String? {
    guard layout.options.kind != .auto, let target = layout.options.pageTarget else { return nil }
    let multiple = layout.options.print.pageMultiple
    guard pageCount != (target + multiple - 1) / multiple * multiple else { return nil }
    return "'pages' is \(target), but these pictures take \(pageCount < target ? "at most" : "at least") \(pageCount)"
  }

  /// The size of the first page, and of a title page. The plan must have a picture.
  var firstPageSize: PageSize {
    if let pages { return pages.first?.size ?? LayoutOptions.defaultPaper }
    return (try? layout.singlePage(pictures[0], 0).size) ?? LayoutOptions.defaultPaper
  }

  /// Throws if a page violates the document's standard or version, as writing the page would.
  func check(_ settings: DocumentSettings) throws(PDFError) {
    guard settings.promises else { return }
    func check(_ page: PlannedPage, _ index: Int) throws(PDFError) {
      let tried = try layout.page(page) { picture in
        // Captions laid out by Pango are not checked here.
        let caption = pictures[picture].hasCaption && !BookLettering.isPangoThere ? "a" : ""
        return .standIn(isCut: cut(ofPicture: picture) != nil, caption: caption)
      }
      try settings.check(tried, number: layout.options.pagesBefore + index + 1)
    }
    for (index, page) in (pages ?? []).enumerated() { try check(page, index) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() { try check(layout.singlePage(picture, index), index) }
    }
  }

  /// All pages after the title page, including blank ones. If `pages` is nil, they are laid out at each access, and
  /// those that fail are omitted.
  var allPages: [PlannedPage] {
    if let pages { return pages }
    var made = pictures.indices.compactMap { try? layout.singlePage(pictures[$0], $0) }
    if let last = made.last {
      while layout.options.pagesBefore + made.count < pageCount { made.append(PlannedPage(size: last.size)) }
    }
    return made
  }

  /// The number of pages, including the title page and blank ones.
  var pageCount: Int {
    let before = layout.options.pagesBefore
    guard let pages else {
      let multiple = layout.options.print.pageMultiple
      return (before + pictures.count + multiple - 1) / multiple * multiple
    }
    return before + pages.count
  }

  var isOnePicturePerPage: Bool { pages == nil }

  /// Returns the colour of a picture's page; nil for the colour of the book.
  func background(ofPicture index: Int) -> Colour? { backgrounds[index] }

  func cut(ofPicture index: Int) -> BookCut? { cuts.isEmpty ? nil : cuts[index] }
}

// MARK: - Binding

/// The facts about which a book and its cover must agree.
extension BookPlan {
  /// Options, other than pages and paper, that a cover inherits from its book by default.
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

  /// The maximum number of page sizes that are compared with the size of a cover.
  private static let mostSizes = 16

  /// The different sizes of pages, beginning with that of the first page.
  private var sizes: [PageSize] {
    var sizes = [firstPageSize]
    // Pages on one paper with a fixed orientation have one size, and so do pages of several pictures.
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

/// Pictures whose resolution on the page is below a book's 'min_dpi'.
struct CoarsePictures: Sendable {
  let least: Double
  private var count = 0
  private var worst: (index: Int, dpi: Double)?

  init(least: Double) { self.least = least }

  /// Counts the picture with this index if its resolution is too low. A difference of a thousandth is tolerated,
  /// because sizes on pages are rounded.
  mutating func add(_ index: Int, _ dpi: Double) {
    guard dpi * 1.001 < least else { return }
    count += 1
    if worst.map({ dpi < $0.dpi }) ?? true { worst = (index, dpi) }
  }

  /// Returns one note for the whole book; nil if all pictures have a sufficient resolution.
  ///
  /// - Parameter pictures: the number of pictures in the book.
  func note(of pictures: Int, naming name: (Int) -> String) -> String? {
    guard let worst else { return nil }
    let dpi = ParameterValue.text((worst.dpi * 10).rounded(.down) / 10)
    let wanted = "\(ParameterValue.text(least)) pixels per inch of 'min_dpi'"
    let what =
      count == 1
      ? "\(name(worst.index)) is shown at \(dpi), fewer than the \(wanted)"
      : "\(count) of \(pictures) pictures are shown at fewer than the \(wanted), "
        + "\(name(worst.index)) at the fewest, \(dpi)"
    return what
      + (count == 1 ? "; show it smaller, or take a larger file" : "; show them smaller, or take larger files")
  }
}
