import BookExpectations
import ImageCore

/// Checks one page after another on one thread.
struct PageChecker {
  let file: PDFFile
  let renderer: PopplerRenderer
  let decoders: EmbeddedDecoders
  let fonts: FontCatalog
  let identities: PictureIdentities
  let expectations: ExpectationCheck?
  /// Which page was meant to be which; nil where nobody says.
  let alignment: PageAlignment?
  let document: DocumentReader
  let tags: TagTree
  /// What is read elsewhere than it was written, by page from 0.
  let tagOrder: [Int: Fault]
  let requirements: RequirementCheck
  let sources: SourceFolder?
  /// Pixels of the longer side of a small drawing of each page; 0 for none.
  let thumbnailSide: Int
  /// Pixels that poppler may decode for one page to render each picture at its own scale.
  let nativePixels: Int
  /// The part of PDF/A that the document claims; nil for none.
  let archivalPart: Int?
  let limits: MemoryLimits

  /// A page's report and what is wrong with it.
  struct Result: Sendable {
    var report: PageReport
    var faults: [Fault] = []
    /// Where each picture lies, for comparing with what was expected.
    var places: [AffineMatrix] = []
    /// Points to a unit of the page.
    var unit = 1.0
    /// The TrimBox and the BleedBox: left, bottom, width and height of each, in points from the corner of the
    /// MediaBox; empty where there is neither.
    var printBoxes: [Double] = []
    /// Fonts the page uses.
    var fonts: [FontFacts] = []
    /// Its text, where somebody looks for some.
    var letters = ""
    var thumbnail: RenderedPixels?
    /// Points of the MediaBox, which the report has as readers turn it.
    var boxSize = (width: 0.0, height: 0.0)
    /// Points; nil where the page has no boxes that could be read.
    var finishedSize: Requirements.Size?
  }

  /// Gives back the memory of what was read for the last page.
  func release() {
    file.mapping.release()
    renderer.release()
  }

  /// - Parameter index: of the page, from 0.
  func check(_ record: PageRecord, index: Int, _ cost: PageCost) -> Result {
    let entries = record.entries(file)
    var result = Result(
      report: PageReport(number: index + 1, width: 0, height: 0, pictures: []))
    if let fault = alignment?.pageFaults[index] { result.faults.append(fault) }
    guard var geometry = geometry(entries, &result.faults) else { return result }
    let size = geometry.size
    result.report = PageReport(
      number: index + 1, width: geometry.isOnItsSide ? size.height : size.width,
      height: geometry.isOnItsSide ? size.width : size.height, pictures: [])
    let meant = alignment?.counterparts[index]
    let expected = meant.flatMap { expectations?.page($0 + 1) }
    let unitCheck = UnitCheck(
      geometry: geometry, expected: expected, wanted: requirements.requirements.size)
    if let (fault, unit) = unitCheck.run() {
      // What it makes of all that lies on the page is no fault of its own.
      result.faults.insert(fault, at: 0)
      geometry.unit = unit
    }
    result.boxSize = (geometry.size.width, geometry.size.height)
    result.finishedSize = Requirements.Size(
      width: geometry.trim.width * geometry.unit, height: geometry.trim.height * geometry.unit)
    result.unit = geometry.unit
    result.printBoxes = geometry.printBoxes
    let content = PageContent(entries, visible: geometry.visible, file) {
      expectations?.knows(content: $0) == true
    }
    result.faults += content.faults
    let mustBeSmall = cost.bytes > limits.bytes
    let fits = cost.share(of: limits) != nil
    if !fits { result.faults.append(.pageMemory(cost.bytes, limit: limits.bytes)) }
    // Poppler would go through all of it.
    guard content.isRenderable, fits else { return result }
    guard
      let page = renderer.page(
        index, quarters: geometry.quarters, shrinksLargePictures: mustBeSmall)
    else {
      result.faults.append(.popplerRefuses("it has no page \(index + 1)"))
      result.faults += LogCapture.take()
      return result
    }
    checkSize(page, geometry, &result.faults)
    checkNames(content.reader, entries, &result)
    let tagCheck = PageTagCheck(
      file: file, tags: tags, page: record.object, entries: entries, content: content.reader)
    // A second copy is no part of the structure, as that was written for the first.
    let isCopy = alignment?.copies.contains(index) == true
    if !isCopy { tagCheck.check(&result.faults) }
    if let fault = tagOrder[index] { result.faults.append(fault) }
    let isAsWritten = expected?.content != nil && expected?.content == content.digest
    var isOther = false
    if let written = expected?.content, written != content.digest {
      let other = expectations?.page(withContent: content.digest)
      isOther = other != nil
      result.faults.append(other.map { .contentOfPage($0) } ?? .contentChanged)
    }
    // What is on top of pictures is meant to be there only where the page is as it was written.
    // Of a page that nothing is said about, all is taken to be meant.
    var texts = isAsWritten ? expected?.captions.map { textBox($0, geometry) } ?? [] : []
    let isTrusted = isAsWritten || expected == nil
    // Page numbers that are written at the book's end are in no list.
    let hasLaterTexts = expected != nil && expected?.content == nil
    if expected == nil || hasLaterTexts, content.reader.hasTextOverPictures {
      texts = page.text().glyphs.map {
        $0.box.moved(by: geometry.visible).expanded(by: $0.box.height * 0.3)
      }
    }
    let draws = content.reader.draws
    if !content.reader.paints, expected?.pictures.isEmpty != true { result.faults.append(.blank) }
    if geometry.isTurned, expected != nil { result.faults.append(.notAsWritten("it is turned")) }
    let pixels = pixelCount(draws, entries)
    let isTooMuch = mustBeSmall || draws.count > 1 && pixels > nativePixels / draws.count
    let sheet = isTooMuch ? PageSheet(page, visible: geometry.visible) : nil
    let boxes = draws.map { ($0.box, whole: $0.whole) }
    if mustBeSmall {
      guard sheet != nil else {
        result.faults.append(.pageMemory(cost.bytes, limit: limits.bytes))
        return result
      }
      result.faults.append(.pageScaled(cost.bytes, limit: limits.bytes))
    }
    var rendersLeft =
      mustBeSmall ? 0 : max(Self.fewestRenders, nativePixels / max(1, pixels))
    for (index, draw) in draws.enumerated() {
      let covers = covers(over: index, boxes, isTrusted ? content.reader.overlays : [])
      let checker = PictureChecker(
        file: file, renderer: renderer, page: page, decoders: decoders, geometry: geometry,
        identities: identities, background: { content.reader.background(ofPicture: index) },
        covers: covers,
        texts: texts, limits: limits, sheet: sheet,
        mayRenderAgain: {
          rendersLeft -= 1
          return rendersLeft >= 0
        }, number: index + 1)
      let (report, place) = checker.check(draw, entries, &result.faults)
      guard let report, let place else { continue }
      result.report.pictures.append(report)
      result.places.append(place)
    }
    // A whole page in another's place is told once; captions in others' places one by one.
    let hasOwnPictures =
      expected.map { $0.pictures.map(\.digest) == result.report.pictures.map(\.identity) } ?? false
    if let expectations, let expected, let meant, !isOther || hasOwnPictures {
      CaptionCheck(
        geometry: geometry, expectations: expectations, page: meant + 1,
        ownText: { ContentText(entries, file) }
      ).check(expected.captions, on: page, isAsWritten: isAsWritten, &result.faults)
    }
    if let expected, !isOther, !isCopy {
      tagCheck.check(expected.tags, &result.faults)
      tagCheck.check(expected.pictures, &result.faults)
    }
    if let links = expected?.links {
      LinkCheck(file: file, geometry: geometry, document: document)
        .check(links, entries, &result.faults)
    }
    if let meant { expectations?.check(&result, as: meant + 1) }
    if expected != nil {
      result.faults += WrittenEntries(file: file).faults(entries, draws)
      if !geometry.visible.contains(geometry.media, tolerance: 0.01) {
        result.faults.append(.notAsWritten("its CropBox hides a part of it"))
      }
    }
    result.report.otherChecks = [
      expected?.captions.isEmpty == false && !geometry.isTurned ? "text" : nil,
      result.fonts.isEmpty ? nil : "fonts",
      tags.isThere ? "tags" : nil,
      expected?.links?.isEmpty == false ? "links" : nil,
    ].compactMap(\.self)
    requirements.check(&result)
    if !requirements.requirements.texts.isEmpty { result.letters = page.text().letters }
    if let sources {
      SourceCheck(sources: sources, notesSources: expectations?.notesSources == true)
        .check(&result, expected)
    }
    if thumbnailSide > 0 { result.thumbnail = draw(page) }
    for index in result.report.pictures.indices { result.report.pictures[index].fingerprint = nil }
    if let archivalPart {
      result.faults += ArchiveCheck(file: file, part: archivalPart).faults(page: entries)
    }
    result.faults += LogCapture.take()
    if expected != nil { result.faults = result.faults.map { $0.asWritten() } }
    return result
  }

  /// What is painted over a picture: later pictures, and overlays that are meant to be there.
  private func covers(
    over index: Int, _ boxes: [(PageBox?, whole: PageBox?)],
    _ overlays: [(draws: Int, box: PageBox)]
  ) -> [PageBox] {
    guard let whole = boxes[index].whole else { return [] }
    var covers: [PageBox] = []
    for (box, _) in boxes[(index + 1)...] {
      if let box, box.intersection(whole) != nil { covers.append(box) }
    }
    for overlay in overlays where overlay.draws > index {
      if overlay.box.intersection(whole) != nil { covers.append(overlay.box) }
    }
    return covers
  }

  /// What checking a page takes.
  func cost(_ record: PageRecord) -> PageCost { PageCost(record.entries(file), file, limits) }

  /// How often a page of many pixels is rendered again for what is too thin to be seen on all of it.
  private static let fewestRenders = 2

  /// Of all pictures, which poppler decodes every time it renders the page.
  private func pixelCount(_ draws: [PictureDraw], _ entries: [String: PDFValue]) -> Int {
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    let names = file.resolve(resources["XObject"]).dictionary ?? [:]
    return draws.reduce(0) { sum, draw in
      guard let number = names[draw.name]?.reference, let object = file.object(number),
        let facts = PictureFacts(number, object.dictionary, file)
      else { return sum }
      return sum + facts.width * facts.height
    }
  }

  private func draw(_ page: RenderingPage) -> RenderedPixels? {
    let (width, height) = page.size
    guard width > 0, height > 0, width.isFinite, height.isFinite else { return nil }
    let side = Double(thumbnailSide)
    let scale = side / max(width, height)
    let (across, down) = (max(1, (width * scale).rounded()), max(1, (height * scale).rounded()))
    return page.render(
      left: 0, top: 0, scaleX: across / width, scaleY: down / height, width: Int(across),
      height: Int(down), isAsShown: true)
  }

  private func textBox(_ caption: CaptionExpectation, _ geometry: PageGeometry) -> PageBox {
    let unit = geometry.unit
    return PageBox(
      left: geometry.media.left + caption.left / unit,
      bottom: geometry.media.bottom + caption.bottom / unit,
      right: geometry.media.left + (caption.left + caption.width) / unit,
      top: geometry.media.bottom + (caption.bottom + caption.height) / unit
    ).expanded(by: caption.height * 0.3 / unit)
  }

  private func geometry(_ entries: [String: PDFValue], _ faults: inout [Fault]) -> PageGeometry? {
    do {
      return try PageGeometry(entries, file)
    } catch {
      faults.append(error)
      return nil
    }
  }

  private func checkSize(
    _ page: RenderingPage, _ geometry: PageGeometry, _ faults: inout [Fault]
  ) {
    let size = page.size
    let (width, height) =
      geometry.isOnItsSide
      ? (geometry.visible.height, geometry.visible.width)
      : (geometry.visible.width, geometry.visible.height)
    if abs(size.width - width) > 0.01 || abs(size.height - height) > 0.01 {
      faults.append(
        .popplerSize(
          width: size.width, height: size.height, ownWidth: width, ownHeight: height))
    }
  }

  /// Whatever the content names must be among the page's resources.
  private func checkNames(
    _ content: ContentReader, _ entries: [String: PDFValue], _ result: inout Result
  ) {
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    for (category, names) in content.names.sorted(by: { $0.key < $1.key })
    where category != "XObject" {
      let known = file.resolve(resources[category]).dictionary ?? [:]
      for name in names.sorted() where known[name] == nil {
        result.faults.append(category == "Font" ? .missingFont(name) : .missingResource(name))
      }
    }
    let used = content.names["Font"] ?? []
    for (name, facts) in fonts.fonts(of: resources).sorted(by: { $0.key < $1.key }) {
      guard let facts else {
        if used.contains(name) { result.faults.append(.notAFont(name)) }
        continue
      }
      // What the page does not use harms nobody; the fonts of forms are taken to be used.
      let isUsed = used.contains(name) || name.contains(" ")
      if isUsed, !result.fonts.contains(facts) { result.fonts.append(facts) }
    }
  }
}
