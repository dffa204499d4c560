import ImageCore
import ImagePipeline
import PDFBook
import Platform

/// Stores pictures as they arrive, and writes each page as soon as it has all its pictures. Records the expectations
/// for the verifier.
final class BookWriter: PageWriter {
  private let file: OutputFile
  private let qpdfPass: QPDFPass
  private let plan: BookPlan
  private let lettering: BookLettering
  private let settings: DocumentSettings
  private let writer: PDFWriter
  /// The expectations; nil if the book is not verified.
  private let expectations: ExpectationFile?
  /// The index of the pages for later runs; nil for none.
  private var index: PageIndexWriter?
  private var worstPSNR = Double.infinity
  private var worstPlace = "a picture"
  private var worstPage: Int?
  /// The index of the next page of the plan.
  private var nextPage = 0
  private var lastNeeded: Int?
  /// The heading of the last page's group.
  private var lastHeading: RunningText?
  private var writtenPages = 0
  private var lastSize: PageSize?
  /// Pictures that are stored but not yet drawn on a page.
  private var waiting: [Int: WaitingPicture] = [:]
  /// The last page with one picture and no texts. It is reused, because scans have many pages of one size.
  private var lastPlain: PlainPage?
  private var alternatives: AlternativeTexts
  private var flattened: FlattenedPictures

  /// The properties that determine the page of a picture without texts.
  private struct PlainKind: Equatable {
    let layout: LayoutPicture
    let orientation: Orientation
    let isCut: Bool
  }

  /// A page with one picture and no texts, which can be reused for other pictures.
  private final class PlainPage {
    let kind: PlainKind
    var page: PDFPage

    init(_ kind: PlainKind, _ page: PDFPage) { (self.kind, self.page) = (kind, page) }
  }

  /// A stored picture, with the facts that its page needs.
  private final class WaitingPicture {
    let laid: LaidPicture
    let texts: PageTexts
    /// The path of the file that the picture is based on; nil if there is none.
    let origin: String?
    let intended: IntendedPixels?

    init(_ laid: LaidPicture, _ page: EncodedPicture) {
      self.laid = laid
      (texts, origin, intended) = (page.texts, page.origin, page.intended)
    }
  }

  /// - Parameters:
  ///   - index: the index that the writer adds the book's pages to; nil for none.
  ///   - colours: converts the colours of texts and areas for print.
  init(
    _ file: OutputFile, _ plan: BookPlan, _ arguments: Arguments, index: PageIndexWriter?,
    _ colours: any ColourConverter
  ) throws(PDFError) {
    (self.file, self.index) = (file, index)
    qpdfPass = QPDFPass(arguments)
    self.plan = plan
    lettering = BookLettering(arguments, margins: plan.margins)
    expectations = arguments.boolean("verify") ? ExpectationFile() : nil
    var settings = DocumentSettings(arguments, creationTime: CreationTime.value)
    // PDF/X requires dates.
    if settings.conformance?.isForPrint == true, settings.info.creationTime == nil {
      settings.info.creationTime = CreationTime.now
    }
    self.settings = settings
    alternatives = AlternativeTexts(isTagged: settings.isTagged)
    flattened = FlattenedPictures(arguments, settings.conformance)
    writer = try PDFWriter(descriptor: file.descriptor, path: file.path, settings: settings)
    writer.inks = try Self.inks(settings, colours)
    writer.keepsStreams = index != nil
  }

  /// Returns the conversion of colours to CMYK for print; nil if the book is not for print, or the conversion is
  /// unknown.
  private static func inks(_ settings: DocumentSettings, _ colours: any ColourConverter) throws(PDFError)
    -> InkOperators?
  {
    guard settings.conformance?.isForPrint == true else { return nil }
    do {
      guard let intent = try settings.outputIntent(),
        let transform = try colours.transform(
          from: StandardProfile.srgb.bytes, to: intent.profile, .relative, blackPoint: true),
        transform.sourceBands == 3, transform.targetBands == intent.componentCount,
        transform.value(at: [0, 0, 0]) != nil
      else { return nil }
      return InkOperators { transform.value(at: [$0.red, $0.green, $0.blue]) ?? [] }
    } catch {
      throw .outputIntent("'output_intent': \(error)")
    }
  }

  func add(_ page: EncodedPicture) throws(BookFailure) {
    let stored: (PictureReference, Orientation)
    do {
      stored = try store(page)
    } catch {
      // Errors other than `PDFError` concern the picture's file.
      let isOfPicture = (error as? PDFError)?.concernsSource ?? true
      let known = PictureError(known: error)
      throw isOfPicture ? .picture(known) : .document(file.told(known))
    }
    do throws(PictureError) {
      try lay(page, stored)
    } catch {
      throw .document(file.told(error))
    }
  }

  private func lay(_ page: EncodedPicture, _ stored: (PictureReference, Orientation)) throws(PictureError) {
    let (reference, orientation) = stored
    try PictureError.known { () throws in
      if page.isFlattened { flattened.add(page.name) }
      let caption = page.texts.visibleCaption
      var picture = LaidPicture(reference, orientation: orientation, isCut: page.isCut, caption: caption)
      // The name is needed only for notes about captions.
      picture.name = caption.isEmpty ? "" : page.name
      picture.link = page.texts.references.link
      picture.alternative = alternatives.add(own: page.texts.references.alternative, caption: page.texts.caption ?? "")
      picture.sources = page.sources
      picture.focus = page.focus
      let shown = WaitingPicture(picture, page)
      guard plan.pages == nil else {
        waiting[page.place] = shown
        return try writePages(upTo: page.place)
      }
      // In a merge without the script, the plan has no pictures, so each picture carries its layout properties.
      try write(shown, alone: page.layout ?? plan.pictures[page.place], page.place)
    }
  }

  /// Writes the next pages of the plan, and stops before the first that needs a picture after the one at `place`.
  private func writePages(upTo place: Int) throws(PDFError) {
    guard let pages = plan.pages else { return }
    let first = nextPage
    while nextPage < pages.count, lastPicture(of: pages[nextPage]) <= place {
      try write(pages[nextPage])
      nextPage += 1
      lastNeeded = nil
    }
    guard nextPage > first else { return }
    let needed = nextPage < pages.count ? pages[nextPage].cells.map(\.picture).min() ?? 0 : .max
    waiting = waiting.filter { $0.key >= needed }
  }

  /// Writes the page of a single picture, in a book without planned pages.
  private func write(_ shown: WaitingPicture, alone picture: LayoutPicture, _ place: Int) throws(PDFError) {
    let laid = shown.laid
    let isPlain = shown.texts === PageTexts.none && laid.alternative.isEmpty && laid.focus == nil
    let kind = PlainKind(layout: picture, orientation: laid.orientation, isCut: laid.isCut)
    if isPlain, let lastPlain, lastPlain.kind == kind {
      lettering.skipPage()
      lastPlain.page.show(laid.reference, laid.sources)
      return try add(lastPlain.page, [shown])
    }
    waiting = [place: shown]
    let page = try write(plan.layout.singlePage(picture, place), alone: picture)
    waiting = [:]
    lastPlain = isPlain ? page.map { PlainPage(kind, $0) } : nil
  }

  /// Returns the last picture that the next page needs. It is looked up once, because pages may have thousands of
  /// pictures.
  private func lastPicture(of page: PlannedPage) -> Int {
    if let lastNeeded { return lastNeeded }
    let last = page.cells.map(\.picture).max() ?? -1
    lastNeeded = last
    return last
  }

  /// Writes a page and returns it. A page whose pictures have all failed is left out, and nil is returned.
  ///
  /// - Parameter alone: the properties of the only picture, in a book without planned pages.
  @discardableResult
  private func write(_ planned: PlannedPage, alone: LayoutPicture? = nil) throws(PDFError) -> PDFPage? {
    let shown = planned.cells.compactMap { waiting[$0.picture] }
    guard !shown.isEmpty || planned.cells.isEmpty else { return nil }
    if writtenPages == 0, let title = try lettering.titlePage(of: plan, size: planned.size) {
      try add(title, [])
    }
    let running = shown.first?.texts.running ?? RunningTexts()
    var page = try lettering.page(
      planned, of: plan.layout,
      alone: alone ?? (planned.isOfOnePicture ? planned.cells.first.map { plan.pictures[$0.picture] } : nil),
      running: running.following(lastHeading), writer
    ) { waiting[$0]?.laid }
    if !shown.isEmpty { lastHeading = running.heading }
    page.outlines =
      [planned.text?.outline ?? []] + shown.map { PDFPage.outlinePath($0.texts.references.outline) }
    try add(page, shown)
    lastSize = planned.size
    return page
  }

  private func noteLoss(of shown: [WaitingPicture]) {
    for (index, one) in shown.enumerated() {
      guard let decibels = one.intended?.encodedPSNR, decibels < worstPSNR else { continue }
      let name = one.origin.map { " (\($0))" } ?? ""
      (worstPSNR, worstPlace) = (decibels, "picture \(index + 1) of page \(writtenPages)\(name)")
      worstPage = writtenPages
    }
  }

  private func add(_ given: PDFPage, _ shown: [WaitingPicture]) throws(PDFError) {
    try writer.addPage(given)
    writtenPages += 1
    noteLoss(of: shown)
    expectations?.add(
      given.prepared(for: settings).expectation(
        fingerprints: shown.map { $0.intended?.fingerprint }, names: shown.map { $0.origin ?? "" }))
  }

  private func store(_ page: EncodedPicture) throws -> (PictureReference, Orientation) {
    let (picture, digest, orientation) = try page.stored()
    let reference = try writer.add(picture, digest: digest)
    if let index, let stream = writer.stream(of: reference) {
      try index.add(page, picture, reference.digest, orientation, at: stream)
    }
    return (reference, orientation)
  }

  func writeOut() throws(PictureError) {
    guard index != nil else { return }
    do throws(PDFError) { try writer.writeOut() } catch { throw file.told(error.pictureError) }
  }

  func discardPages() {
    index?.discard()
    index = nil
  }

  func finish() throws(PictureError) -> BookSummary {
    do throws(PictureError) { return try summary() } catch { throw file.told(error) }
  }

  private func summary() throws(PictureError) -> BookSummary {
    try PictureError.known { () throws in
      try writePages(upTo: .max)
      if let lastSize, plan.layout.options.kind != .cover {
        while writtenPages % plan.layout.options.print.pageMultiple != 0 {
          try write(PlannedPage(size: lastSize))
        }
      }
      try lettering.finish(writer)
      let summary = try writer.finish()
      expectations?.finish()
      index?.finish(for: file)
      try qpdfPass.run(on: file)
      // The page count may be lower than planned.
      let lost = settings.problems(withPageCount: summary.pages).map { $0.text + "; it is left out" }
      return BookSummary(
        pageCount: summary.pages, expectations: expectations, worstPSNR: worstPSNR,
        worstPlace: worstPlace, worstPage: worstPage, verifierBytes: verifierBytes, password: qpdfPass.password,
        notes: lettering.notes + alternatives.notes
          + [flattened.note, CreationTime.note].compactMap { $0 } + lost)
    }
  }

  /// The memory of the verifier in bytes: 64 MiB for the program and its libraries, and five bytes for each pixel of
  /// the largest picture, four of them in poppler. 0 if the book is not verified.
  private var verifierBytes: Int {
    guard let expectations else { return 0 }
    return 64 << 20 + expectations.mostPixels * 5
  }
}

/// The only date in a book. Except for PDF/X, it never comes from the clock, so that equal inputs give equal bytes.
enum CreationTime {
  /// The seconds since 1970 in `SOURCE_DATE_EPOCH`; nil if the variable is invalid or not set.
  static var value: Int? {
    getenv("SOURCE_DATE_EPOCH").flatMap { Int(String(cString: $0)) }.flatMap {
      (0...lastTime).contains($0) ? $0 : nil
    }
  }

  static var now: Int { min(max(Int(time(nil)), 0), lastTime) }

  /// The end of the year 9999, because dates in PDF have years of four digits.
  private static let lastTime = 253_402_300_799

  /// A note about an invalid `SOURCE_DATE_EPOCH`; nil if the variable is valid, empty or not set.
  static var note: String? {
    guard let text = getenv("SOURCE_DATE_EPOCH").map({ String(cString: $0) }), !text.isEmpty, value == nil
    else { return nil }
    return "SOURCE_DATE_EPOCH is '\(text.prefix(40))', which is not a number of seconds "
      + "from 1970 to the year 9999; the book has no date"
  }
}

/// The texts of a tagged book that screen readers read instead of pictures, and notes about them.
struct AlternativeTexts {
  private let isTagged: Bool
  private var all = 0
  private var missing = 0
  /// The number of texts that exceeded the maximum length.
  private var cut = 0

  init(isTagged: Bool) { self.isTagged = isTagged }

  /// Returns the alternative text of a picture: its own, or else its caption. Empty in a book without tags.
  mutating func add(own: String, caption: String) -> String {
    guard isTagged else { return "" }
    let cleaned = AlternativeText.cleaned(own)
    let text = cleaned.isEmpty ? AlternativeText.cleaned(caption) : cleaned
    all += 1
    if text.isEmpty { missing += 1 }
    let whole = cleaned.isEmpty ? caption : own
    if whole.unicodeScalars.count > AlternativeText.maximumLength { cut += 1 }
    return text
  }

  var notes: [String] {
    var notes: [String] = []
    if missing > 0 {
      let count = all == 1 ? "the picture has" : "\(missing) of \(all) pictures \(missing == 1 ? "has" : "have")"
      notes.append("\(count) no alternative text; add one with 'alt'")
    }
    if cut > 0 {
      let (texts, are) = cut == 1 ? ("the text of a picture is", "is") : ("the texts of \(cut) pictures are", "are")
      notes.append("\(texts) longer than \(AlternativeText.maximumLength) characters and \(are) cut there")
    }
    return notes
  }
}

/// Counts pictures whose transparency was flattened because JPEG does not support it.
struct FlattenedPictures {
  private let background: String
  /// A clause that says how to keep transparency, or that the book's standard has none.
  private let advice: String
  private var count = 0
  private var first = ""

  init(_ arguments: Arguments, _ conformance: Conformance?) {
    background =
      arguments.optionalColour("cell_background").map { $0.alpha > 0 } ?? false
      ? "their cell's background"
      : arguments.has("background") ? "the page's background" : "white"
    advice =
      conformance.flatMap { $0.isOpaque ? "\($0.name) has none either" : nil } ?? "'lossless = true' keeps it"
  }

  mutating func add(_ name: String) {
    if count == 0 { first = name }
    count += 1
  }

  /// The one note for the whole book; nil if no picture was flattened.
  var note: String? {
    guard count > 0 else { return nil }
    let (who, what) =
      count == 1
      ? ("\(first) has transparency", "it was")
      : ("\(count) pictures have transparency, \(first) first", "they were")
    return "\(who), and JPEG has none: \(what) put on \(background); \(advice), "
      + "and flatten() in the script hides this note"
  }
}
