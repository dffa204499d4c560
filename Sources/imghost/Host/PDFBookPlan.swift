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

  private struct PixelSize: Sendable {
    let width, height: Int
  }

  /// - Parameter running: what the pictures leave room for at the edges of pages.
  init(_ layout: BookLayout, running: RunningLines, pictures: [LayoutPicture]) throws(PDFError) {
    var layout = layout
    margins = layout.setup.margins
    layout.setup.margins = running.innerMargins
    self.layout = layout
    self.pictures = pictures
    pages = layout.options.kind == .single ? nil : try layout.pages(of: pictures)
    // Pages that cannot be are told before a pixel is decoded.
    for page in pages ?? [] { try layout.check(page) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() {
        try layout.check(picture, index)
      }
    }
    guard layout.options.maximumDPI != nil else {
      pixelSizes = []
      return
    }
    var sizes = [PixelSize?](repeating: nil, count: pictures.count)
    func add(_ cell: PageCell) {
      let size = layout.pixelSize(of: pictures[cell.picture], in: cell)
      sizes[cell.picture] = size.map { PixelSize(width: $0.width, height: $0.height) }
    }
    for page in pages ?? [] { page.cells.forEach(add) }
    if pages == nil {
      for (index, picture) in pictures.enumerated() {
        try layout.singlePage(picture, index).cells.forEach(add)
      }
    }
    pixelSizes = sizes
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
