import ImageCore
import ImagePipeline
import PDFBook

/// Where each picture of a book goes.
struct PDFBookPlan: BookPlan {
  /// With margins that leave room for running lines.
  let layout: BookLayout
  /// The margins that were asked for.
  let margins: PageMargins
  let pictures: [LayoutPicture]
  /// Nil where each picture has a page of its own, which is laid out when it is written.
  let pages: [PlannedPage]?
  /// By picture; empty where all stay as they are.
  private let pixelSizes: [PixelSize?]
  /// Nil where nobody asks.
  private let coarse: CoarsePictures?

  private struct PixelSize: Sendable {
    let width, height: Int
  }

  /// - Parameters:
  ///   - running: what the pictures leave room for at the edges of pages.
  ///   - captions: measures those of several lines; nil where they have one.
  init(
    _ layout: BookLayout, running: RunningLines, pictures: [LayoutPicture],
    captions: CaptionRuler? = nil
  ) throws(PDFError) {
    var layout = layout
    margins = layout.setup.margins
    layout.setup.margins = running.innerMargins
    self.layout = layout
    self.pictures = pictures
    var planned = layout
    planned.ruler = captions
    pages = layout.options.kind == .single ? nil : try planned.pages(of: pictures)
    // Pages that cannot be are told before a pixel is decoded.
    for page in pages ?? [] { try layout.check(page) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() {
        try layout.check(picture, index)
      }
    }
    (pixelSizes, coarse) = try Self.resolutions(of: pictures, layout, pages)
  }

  /// What the pictures' resolutions lead to, looked at once.
  private static func resolutions(
    of pictures: [LayoutPicture], _ layout: BookLayout, _ pages: [PlannedPage]?
  ) throws(PDFError) -> ([PixelSize?], CoarsePictures?) {
    let options = layout.options
    guard options.maximumDPI != nil || options.minimumDPI != nil else { return ([], nil) }
    var sizes = [PixelSize?](
      repeating: nil, count: options.maximumDPI == nil ? 0 : pictures.count)
    var coarse = options.minimumDPI.map { CoarsePictures(least: $0) }
    func look(_ cell: PageCell) {
      let picture = pictures[cell.picture]
      if options.maximumDPI != nil {
        let size = layout.pixelSize(of: picture, in: cell)
        sizes[cell.picture] = size.map { PixelSize(width: $0.width, height: $0.height) }
      }
      // Of a picture over two pages, once.
      if cell.share != .second {
        coarse?.add(cell.picture, layout.resolution(of: picture, in: cell))
      }
    }
    for page in pages ?? [] { page.cells.forEach(look) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() {
        try layout.singlePage(picture, index).cells.forEach(look)
      }
    }
    return (sizes, coarse)
  }

  func notes(naming name: (Int) -> String) -> [String] {
    [coarse?.note(of: pictures.count, naming: name)].compactMap { $0 }
  }

  /// Of a title page, too. There is a picture.
  var firstPageSize: PageSize {
    if let pages { return pages.first?.size ?? LayoutOptions.defaultPaper }
    return (try? layout.singlePage(pictures[0], 0).size) ?? LayoutOptions.defaultPaper
  }

  /// Refuses pages that a document cannot have by what it promises, as writing them would.
  func check(_ settings: DocumentSettings) throws(PDFError) {
    guard settings.promises else { return }
    func check(_ page: PlannedPage, _ index: Int) throws(PDFError) {
      let tried = try layout.page(page) { picture in
        // Captions that Pango sets are no part of what is tried.
        let caption = pictures[picture].hasCaption && !BookLettering.isPangoThere ? "a" : ""
        return .standIn(isCut: pixelSize(ofPicture: picture) != nil, caption: caption)
      }
      try settings.check(tried, number: layout.options.pagesBefore + index + 1)
    }
    for (index, page) in (pages ?? []).enumerated() { try check(page, index) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() {
        try check(layout.singlePage(picture, index), index)
      }
    }
  }

  /// With the title page and blank ones.
  var pageCount: Int {
    let before = layout.options.pagesBefore
    guard let pages else {
      let multiple = layout.options.print.pageMultiple
      return (before + pictures.count + multiple - 1) / multiple * multiple
    }
    return before + pages.count
  }

  var isOnePicturePerPage: Bool { pages == nil }

  func pixelSize(ofPicture index: Int) -> (width: Int, height: Int)? {
    guard !pixelSizes.isEmpty else { return nil }
    return pixelSizes[index].map { ($0.width, $0.height) }
  }
}
