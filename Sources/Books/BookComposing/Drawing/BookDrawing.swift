import ImageCore
import ImagePipeline
import PDFBook

/// Draws single pages of a planned book in the same way as `BookWriter`, with texts and page numbers, on paper of the
/// book's size. Properties of the whole file, such as a standard or a password, are ignored.
package final class BookDrawing: Sendable {
  private enum Sheet {
    case title
    case pictures(PlannedPage, heading: RunningText?)
  }

  private let assembler: BookAssembler
  /// The plan; nil if no picture can be in the book, so that it has no pages.
  private let plan: BookPlan?
  /// The outputs by the indices of their pictures in the plan.
  private let outputs: [Int: DocumentEntry]
  private let sheets: [Sheet]
  /// The pages in their order, as far as they are known before a picture is decoded.
  package let pages: [DrawnPage]

  /// The path of the book.
  package var path: String { assembler.path }
  package var position: ScriptPosition? { assembler.position }

  /// Returns whether a document is a book.
  package static func draws(_ document: any Document) -> Bool { document is BookAssembler }

  /// Creates the drawing of a document; nil if the document is not a book.
  package init?(_ document: any Document) {
    guard let assembler = document as? BookAssembler else { return nil }
    self.assembler = assembler
    plan = assembler.plan
    var outputs: [Int: DocumentEntry] = [:]
    for output in assembler.outputs { outputs[Int(assembler.page(output).place)] = output }
    self.outputs = outputs
    let sheets = assembler.plan.map { Self.sheets(of: $0, assembler, outputs) } ?? []
    self.sheets = sheets
    pages = assembler.plan.map { Self.pages(sheets, $0, assembler, outputs) } ?? []
  }

  private static func sheets(of plan: BookPlan, _ assembler: BookAssembler, _ outputs: [Int: DocumentEntry]) -> [Sheet]
  {
    var sheets: [Sheet] = plan.layout.options.pagesBefore > 0 ? [.title] : []
    var heading: RunningText?
    for page in plan.allPages {
      sheets.append(.pictures(page, heading: heading))
      if let first = page.cells.first, let output = outputs[first.picture] {
        heading = assembler.page(output).texts.running.heading
      }
    }
    return sheets
  }

  private static func pages(
    _ sheets: [Sheet], _ plan: BookPlan, _ assembler: BookAssembler, _ outputs: [Int: DocumentEntry]
  ) -> [DrawnPage] {
    let options = assembler.arguments.allValues()
    return sheets.enumerated().map { index, sheet in
      guard case .pictures(let page, _) = sheet else {
        let size = plan.firstPageSize
        return DrawnPage(
          width: size.width, height: size.height, side: side(of: index, plan), pictures: [],
          identity: "title\0" + options)
      }
      let cells = cells(of: page, outputs)
      let shown = cells.map { described($0.output, assembler) }.joined(separator: "\0")
      let margin = 2 * plan.layout.options.print.margin
      return DrawnPage(
        width: page.size.width + margin, height: page.size.height + margin, side: side(of: index, plan),
        pictures: cells.map { cell, output in
          DrawnPage.Cell(picture: output.picture, density: density(of: output, in: cell, plan))
        },
        // The identity contains the page number and the number of pages, because texts may show them.
        identity: "page\0\(index)\0\(sheets.count)\0\(page)\0\(shown)\0\(options)")
    }
  }

  private static func side(of index: Int, _ plan: BookPlan) -> DrawnPage.Side {
    let options = plan.layout.options
    if options.kind == .cover { return .single }
    return options.binding.isOnRight(index + 1) ? .right : .left
  }

  /// Returns the texts of a picture, as a part of a page's identity.
  private static func described(_ output: DocumentEntry, _ assembler: BookAssembler) -> String {
    let texts = assembler.page(output).texts
    return "\(texts.caption ?? "")\0\(texts.running)\0\(texts.references)"
  }

  /// Returns the cells of a page that have a picture.
  private static func cells(of page: PlannedPage, _ outputs: [Int: DocumentEntry])
    -> [(cell: PageCell, output: DocumentEntry)]
  {
    page.cells.compactMap { cell in outputs[cell.picture].map { (cell, $0) } }
  }

  /// Returns the number of stored pixels of a picture per point of the page.
  private static func density(of output: DocumentEntry, in cell: PageCell, _ plan: BookPlan) -> Double {
    let shown = isCut(output, cell.picture, plan) ? cell.visible : cell.rectangle
    guard let layout = try? output.picture.info().layout, shown.width > 0 else { return 1 }
    return Double(layout.width) / shown.width
  }

  /// Returns whether a picture is stored without the parts that its cell does not show.
  private static func isCut(_ output: DocumentEntry, _ place: Int, _ plan: BookPlan) -> Bool {
    output.copiesSource == nil && plan.cut(ofPicture: place)?.changesPixels(ofFile: false) ?? false
  }

  /// Returns the part of a picture that its cell shows; nil for the part that the layout determines.
  package func focus(ofPicture index: Int, on page: Int, _ environment: Environment, _ context: OperationContext)
    throws(PictureError) -> CropFocus?
  {
    guard case .pictures(let planned, _) = sheets[page] else { return nil }
    let output = Self.cells(of: planned, outputs)[index].output
    return try FocusFinder(output, of: assembler, environment)?.focus(context)
  }

  /// Writes a PDF of one page.
  ///
  /// - Parameters:
  ///   - index: the page's index in `pages`.
  ///   - pictures: the pictures of the page in the order of `DrawnPage.pictures`, encoded as JPEG; nil for each that
  ///     could not be made.
  ///   - focuses: for each picture, the part that its cell shows; nil for the part that the layout determines.
  package func draw(page index: Int, pictures: [EncodedBytes?], focuses: [CropFocus?], to descriptor: Int32)
    throws(PictureError)
  {
    guard let plan else { preconditionFailure("a book without a plan has no pages to draw") }
    do throws(PDFError) {
      try draw(index, of: plan, pictures, focuses, to: descriptor)
    } catch {
      throw error.pictureError
    }
  }

  private func draw(
    _ index: Int, of plan: BookPlan, _ pictures: [EncodedBytes?], _ focuses: [CropFocus?], to descriptor: Int32
  ) throws(PDFError) {
    let settings = DocumentSettings()
    let writer = try PDFWriter(descriptor: descriptor, path: assembler.path, settings: settings)
    let lettering = BookLettering(assembler.arguments, margins: plan.margins)
    lettering.begin(beforePage: index)
    switch sheets[index] {
    case .title:
      if let page = try lettering.titlePage(of: plan, size: plan.firstPageSize) {
        try writer.addPage(page.prepared(for: settings))
      }
    case .pictures(let planned, let heading):
      let laid = try laidPictures(of: planned, plan, pictures, focuses, writer)
      let running =
        Self.cells(of: planned, outputs).first.map { assembler.page($0.output).texts.running } ?? RunningTexts()
      let page = try lettering.page(
        planned, of: plan.layout,
        alone: planned.isOfOnePicture ? planned.cells.first.map { plan.pictures[$0.picture] } : nil,
        running: running.following(heading), writer
      ) { laid[$0] }
      try writer.addPage(page.prepared(for: settings))
    }
    try lettering.finish(writer, pageCount: sheets.count)
    _ = try writer.finish()
  }

  private func laidPictures(
    of page: PlannedPage, _ plan: BookPlan, _ pictures: [EncodedBytes?], _ focuses: [CropFocus?], _ writer: PDFWriter
  ) throws(PDFError) -> [Int: LaidPicture] {
    var laid: [Int: LaidPicture] = [:]
    for (index, (cell, output)) in Self.cells(of: page, outputs).enumerated() {
      guard let bytes = pictures[index] else { continue }
      let reference = try writer.add(try Self.stored(bytes))
      var picture = LaidPicture(
        reference, isCut: Self.isCut(output, cell.picture, plan),
        caption: assembler.page(output).texts.visibleCaption)
      picture.focus = focuses[index]
      laid[cell.picture] = picture
    }
    return laid
  }

  private static func stored(_ bytes: EncodedBytes) throws(PDFError) -> PDFPicture {
    do {
      return try PDFPicture(jpeg: bytes, iccProfile: [])
    } catch {
      preconditionFailure("a JPEG of our own cannot be stored: \(error)")
    }
  }
}
