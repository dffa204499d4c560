import BookExpectations
import ImageCore

/// The size of a finished book.
package struct PDFSummary: Sendable, Hashable {
  package let pages: Int
  package let byteCount: Int
  /// The number of stored pictures.
  package let pictures: Int
  /// The number of added pictures that were equal to a stored one, so that nothing was written for them.
  package let reused: Int
}

/// Writes a PDF from front to back, each object once. For each page with its picture, the writer keeps about 35 bytes
/// in memory: the offsets of their objects, and the identity that detects equal pictures.
///
/// Call `add` for each picture, `addPage` for the pages that show it, and `finish` at the end. The same calls produce
/// the same bytes.
///
/// The descriptor must refer to an empty file that is open for writing. The caller owns it and must close, rename or
/// remove the file. After an error the file is unusable, unless the error concerns only a picture's source file
/// (`PDFError.concernsSource`).
///
/// `@unchecked Sendable`: a writer may move from one queue to another, but only its current owner calls it.
package final class PDFWriter: @unchecked Sendable {
  /// The objects that several pages refer to.
  struct SharedObjects {
    var profiles: [SHA256Digest: Int] = [:]
    /// The object of the colour space that uses a profile, by the profile's object.
    var spaces: [Int: Int] = [:]
    var masks: [VeilMask: Int] = [:]
    /// The objects of recent content streams, by digest. There are at most `sharedContents` of them.
    var contents: [SHA256Digest: Int] = [:]
  }

  let settings: DocumentSettings
  /// The file size from which offsets do not fit into the ten digits of a cross-reference table's entry (7.5.4).
  private let tableLimit: Int
  private let headerVersion: PDFVersion
  var output: PDFOutput
  var objects = ObjectTable()
  private var tree = PageTree()
  var expectations = ExpectationStream()
  private var outline = Outline()
  /// The structure of a tagged book, and the object of the structure's root; nil for an untagged book.
  private var structure: (tree: StructureTree, root: Int)?
  /// The object of the page that a viewer opens first; nil until that page is added.
  private var openedPage: Int?
  let infoObject: Int
  let catalogue: Int
  var fonts = Fonts()
  /// The object of each stored picture.
  private var stored = PictureTable()
  var shared = SharedObjects()
  private var version = PDFVersion.v14
  private var pageCount = 0
  private var reused = 0
  /// The object stream that is being filled, in a compact file.
  private var packed = ObjectStream()
  private static let sharedContents = 64
  /// The place of the last page's picture, and the digest and object of the page's content stream; nil unless the page
  /// shows one whole picture and nothing else, and may share the stream. Books of scans have many such pages of one
  /// size.
  private var lastPlain: (place: PlainPlace, content: SHA256Digest, object: Int)?
  /// A buffer for the text of an object, reused for all objects.
  private var space = UTF8Text(capacity: 1_024)
  private var isFinished = false
  /// The output intent; nil without a standard.
  private let intent: OutputIntent?
  /// The ranges of stored pictures' streams in the file, by object; empty unless `keepsStreams` is set.
  private var streams: [Int: Range<Int>] = [:]
  /// Whether the ranges of streams are kept, for `stream(of:)`. Must be set before the first picture.
  package var keepsStreams = false
  /// The conversion of RGB colours in content streams; nil to leave them unchanged. Must be set before the first page.
  package var inks: InkOperators?

  /// Starts a book. The path is used only in messages.
  package convenience init(
    descriptor: Int32, path: String, settings: DocumentSettings = DocumentSettings()
  ) throws(PDFError) {
    try self.init(descriptor: descriptor, path: path, settings: settings, tableLimit: 10_000_000_000)
  }

  init(descriptor: Int32, path: String, settings: DocumentSettings, tableLimit: Int) throws(PDFError) {
    self.settings = settings
    do throws(OutputIntentFault) { intent = try settings.outputIntent() } catch {
      throw .outputIntent(error.problem.text)
    }
    self.tableLimit = tableLimit
    output = try PDFOutput(descriptor: descriptor, path: path)
    headerVersion = settings.version ?? (settings.isCompact ? .v15 : .v14)
    infoObject = objects.reserve()
    catalogue = objects.reserve()
    if settings.isTagged {
      let root = objects.reserve()
      structure = (StructureTree(root: root), root)
    }
    // The bytes above 127 make transfer programs treat the file as binary (7.5.2). If a later page needs a higher
    // version, the catalogue declares it.
    try output.write("%PDF-\(headerVersion.text)\n%\u{e9}\u{ef}\n")
    try write(infoObject, settings.info.dictionary(settings.printStatement))
  }

  /// Stores a picture and returns its reference, or the reference of an equal picture that is already stored.
  ///
  /// If the picture's source file cannot be read (`PDFError.concernsSource`), its unfinished object is removed again,
  /// and more pictures can be added.
  ///
  /// - Parameter known: the SHA-256 of the stream's bytes if the caller has computed it already. It is not checked.
  package func add(_ given: PDFPicture, digest known: SHA256Digest? = nil) throws(PDFError) -> PictureReference {
    precondition(!isFinished, "the book is finished")
    let picture = given.prepared(for: settings.conformance, intent: intent)
    try checkConformance { $0.problem(with: picture) }
    let digest = if let known { known } else { try picture.data.digest() }
    let identity = picture.identity(digest)
    func reference(_ object: Int) -> PictureReference {
      PictureReference(
        object: object, width: picture.format.width, height: picture.format.height, digest: digest,
        combinedDigest: picture.combinedDigest(digest), version: picture.version)
    }
    if let object = stored.object(of: identity) {
      reused += 1
      return reference(object)
    }
    let mask = try picture.mask.map { (bytes) throws(PDFError) in
      try writeStream(objects.reserve(), picture.maskDictionary(bytes.count), bytes)
    }
    let space = try colourSpace(picture)
    let object = objects.reserve()
    let mark = output.mark
    objects.place(object, at: output.offset)
    try writeText { text in
      text.append(object)
      text.append(" 0 obj\n")
      picture.appendDictionary(mask: mask, profileSpace: space, to: &text)
      text.append("stream\n")
    }
    let start = output.offset
    do throws(PDFError) {
      try output.write(picture.data, digest)
    } catch {
      if error.concernsSource {
        try output.rewind(to: mark)
        objects.release(object)
      }
      throw error
    }
    if keepsStreams { streams[object] = start..<output.offset }
    try writeText { $0.append("\nendstream\nendobj\n") }
    stored.add(identity, object: object)
    return reference(object)
  }

  /// Writes the buffered bytes to the file.
  package func writeOut() throws(PDFError) { try output.flush() }

  /// Returns the range of a stored picture's stream in the file; nil unless `keepsStreams` is set.
  package func stream(of picture: PictureReference) -> Range<Int>? { streams[picture.object] }

  /// Adds a page. Its pictures must have been added before.
  package func addPage(_ given: PDFPage) throws(PDFError) {
    precondition(!isFinished, "the book is finished")
    // Copying a page takes as long as writing its dictionary, so pages are copied only in books for print.
    if settings.conformance?.isForPrint == true {
      try addPrepared(given.prepared(for: settings))
    } else {
      try addPrepared(given)
    }
  }

  private func addPrepared(_ page: PDFPage) throws(PDFError) {
    guard page.size.isPossible else { throw .pageSize(width: page.size.width, height: page.size.height) }
    try checkConformance { $0.problem(with: page) ?? $0.limitProblem(withObjects: objects.count) }
    var marks = MarkedContent(isOn: settings.isTagged)
    let plain = settings.sharesContents && !settings.isTagged ? page.plainPlace : nil
    var bytes: [UInt8] = []
    let (digest, contentObject): (SHA256Digest, Int)
    let fonts = try fontResources(of: page)
    let masks = try maskObjects(page.masks)
    if let lastPlain, lastPlain.place == plain {
      (digest, contentObject) = (lastPlain.content, lastPlain.object)
    } else {
      var content = try page.content(isTerse: settings.sharesContents, marks: &marks)
      content += draw(page.texts, unit: page.size.userUnit, marks: &marks)
      bytes = printed(content).bytes
      digest = SHA256.digest(of: bytes)
      contentObject = try self.contentObject(bytes, digest, packs: page.isLong)
      lastPlain = plain.map { ($0, digest, contentObject) }
    }
    let object = objects.reserve()
    let (parent, full) = tree.add(page: object) { objects.reserve() }
    for node in full { try write(node.object) { node.appendDictionary(to: &$0) } }
    let tags = structure?.tree.add(page, object: object, marks: marks) { objects.reserve() }
    for element in tags?.objects ?? [] { try write(element.object, element.dictionary) }
    try write(object) {
      page.appendDictionary(parent: parent, content: contentObject, fonts: fonts, masks: masks, tags: tags, to: &$0)
    }
    pageCount += 1
    if pageCount == settings.view.firstPage { openedPage = object }
    for path in page.outlines { outline.add(path, page: object, number: pageCount) }
    version = max(version, page.version)
    var expectation = page.expectation(hasAlternatives: settings.isTagged)
    expectation.tags = tags?.digest
    if let later = page.deferredTexts {
      expectations.add(expectation, content: bytes, then: later.object)
    } else {
      expectations.add(expectation, content: digest)
    }
  }

  /// Writes the rest of the file. Called once, after the last page.
  package func finish() throws(PDFError) -> PDFSummary {
    precondition(!isFinished, "the book is finished")
    guard pageCount > 0 else { throw .noPages }
    isFinished = true
    try writeFonts()
    let nodes = tree.finish { objects.reserve() }
    for node in nodes { try write(node.object) { node.appendDictionary(to: &$0) } }
    let isLarge = output.offset >= tableLimit
    if isLarge || settings.isCompact { version = max(version, .v15) }
    if let wanted = settings.version {
      guard wanted >= version else { throw .version(wanted: wanted.text, needed: version.text) }
      version = wanted
    }
    try writeCatalogue(pages: nodes.last!.object)
    if settings.isCompact {
      try flushPacked()
      try writeCompactReferences()
    } else if isLarge {
      try writeReferenceStream()
    } else {
      try writeReferenceTable()
    }
    try output.finish()
    return PDFSummary(pages: pageCount, byteCount: output.offset, pictures: stored.count, reused: reused)
  }

  /// Writes the catalogue (7.7.2) and the objects that only it refers to.
  private func writeCatalogue(pages: Int) throws(PDFError) {
    var metadata: ShortDigest?
    var text = "<</Type/Catalog" + (version > headerVersion ? "/Version/\(version.text)" : "")
    text += "/Pages \(pages) 0 R"
    if !settings.info.isEmpty || settings.conformance != nil {
      // The packet is not compressed, so that programs that do not support PDF can find it (14.3.2).
      let packet = Array(
        XMPPacket.text(
          settings.info, conformance: settings.conformance, print: settings.printStatement
        ).utf8)
      metadata = XMPForm(packet)?.digest ?? ShortDigest(SHA256.digest(of: packet))
      let object = try writeStream(objects.reserve(), "<</Type/Metadata/Subtype/XML/Length \(packet.count)>>", packet)
      text += "/Metadata \(object) 0 R"
    }
    if let intent {
      let profile = try profile(intent.profile, components: intent.componentCount)
      text += "/OutputIntents[<<\(intent.entries)/DestOutputProfile \(profile) 0 R>>]"
    }
    if !outline.isEmpty {
      let entries = outline.objects { objects.reserve() }
      for entry in entries { try write(entry.object, entry.dictionary) }
      text += "/Outlines \(entries[0].object) 0 R"
    }
    // Labels beyond the last page are omitted: pages may have been left out since the labels were set.
    var written = settings
    written.labels.removeAll { $0.firstPage > pageCount }
    if !written.labels.isEmpty { text += "/PageLabels" + PageLabel.tree(written.labels) }
    text += settings.view.entries(firstPageObject: openedPage)
    if !settings.language.isEmpty { text += "/Lang\(PDFString.text(settings.language))" }
    text += try writeStructure()
    var expectation = written.expectation(
      outline, metadata: metadata, fonts: fonts.expectations, hasFirstPage: openedPage != nil, intent: intent)
    expectation.version = max(version, headerVersion).text
    text += try writeExpectations(expectation)
    try write(catalogue, text + ">>")
  }

  /// Writes the rest of a tagged book's structure, and returns the catalogue's entries for it (14.7.1).
  private func writeStructure() throws(PDFError) -> String {
    guard let root = structure?.root else { return "" }
    for element in structure?.tree.finish(reserve: { objects.reserve() }) ?? [] {
      try write(element.object, element.dictionary)
    }
    return "/MarkInfo<</Marked true>>/StructTreeRoot \(root) 0 R"
  }

  /// Writes a content stream, and returns its object. If `sharesContents` is set, an equal recent stream is used
  /// instead, so that pages that differ only in their pictures share a stream.
  ///
  /// - Parameter packs: whether to compress the content, which is worthwhile if it is long.
  private func contentObject(_ content: [UInt8], _ digest: SHA256Digest, packs: Bool) throws(PDFError) -> Int {
    func write() throws(PDFError) -> Int {
      if packs { return try writePacked(content) }
      return try writeStream(objects.reserve(), "<</Length \(content.count)>>", content)
    }
    guard settings.sharesContents else { return try write() }
    if let known = shared.contents[digest] { return known }
    let object = try write()
    if shared.contents.count == Self.sharedContents { shared.contents = [:] }
    shared.contents[digest] = object
    return object
  }

  func write(_ object: Int, _ body: String) throws(PDFError) { try write(object) { $0.append(string: body) } }

  /// Writes an object, whose value `body` appends.
  private func write(_ object: Int, _ body: (inout UTF8Text) -> Void) throws(PDFError) {
    if settings.isCompact {
      var text = UTF8Text()
      body(&text)
      packed.add(object, text)
      if packed.isFull { try flushPacked() }
      return
    }
    objects.place(object, at: output.offset)
    try writeText { text in
      text.append(object)
      text.append(" 0 obj\n")
      body(&text)
      text.append("\nendobj\n")
    }
  }

  private func writeText(_ body: (inout UTF8Text) -> Void) throws(PDFError) {
    // The buffer is moved to a local variable, because Swift checks exclusive access to a property at run time.
    var text = space
    space = UTF8Text()
    body(&text)
    try output.write(text)
    text.bytes.removeAll(keepingCapacity: true)
    space = text
  }

  private func flushPacked() throws(PDFError) {
    guard !packed.isEmpty else { return }
    let stream = objects.reserve()
    for (index, object) in packed.objects.enumerated() { objects.place(object, in: stream, at: index) }
    let (dictionary, bytes) = packed.finish()
    packed = ObjectStream()
    try writeStream(stream, dictionary, bytes)
  }

  @discardableResult
  func writeStream(_ object: Int, _ dictionary: String, _ bytes: [UInt8])
    throws(PDFError) -> Int
  {
    objects.place(object, at: output.offset)
    try output.write("\(object) 0 obj\n\(dictionary)stream\n")
    try output.write(bytes, digest: SHA256.digest(of: bytes))
    try output.write("\nendstream\nendobj\n")
    return object
  }

  /// Writes the expectations for `imghost-verify` as page-piece data of the catalogue (14.5), which all parts of PDF/A
  /// allow. Returns the catalogue's entry.
  private func writeExpectations(_ document: DocumentExpectation) throws(PDFError) -> String {
    let bytes = try expectations.finish(document)
    let object = objects.reserve()
    objects.place(object, at: output.offset)
    try output.write("\(object) 0 obj\n<</Filter/FlateDecode/Length \(bytes.count)>>stream\n")
    try output.write(bytes)
    try output.write("\nendstream\nendobj\n")
    let date = PDFString.date(settings.info.creationTime ?? 0)
    return "/PieceInfo<</imghost<</LastModified\(date)/Private \(object) 0 R>>>>"
  }

  /// Returns the ICC-based colour space of a picture, as text for its dictionary; nil without a profile. Pictures with
  /// equal profiles share one colour space object, except for indexed ones.
  private func colourSpace(_ picture: PDFPicture) throws(PDFError) -> String? {
    guard !picture.iccProfile.isEmpty else { return nil }
    let profile = try profile(picture.iccProfile, components: picture.format.colourSpace.model.bandCount)
    let space = "[/ICCBased \(profile) 0 R]"
    // The base of an indexed space is a direct array, written next to the palette.
    if case .indexed = picture.format.colourSpace { return space }
    let object = shared.spaces[profile] ?? objects.reserve()
    if shared.spaces.updateValue(object, forKey: profile) == nil { try write(object, space) }
    return " \(object) 0 R"
  }

  /// Stores a profile unless it is stored already, and returns its object.
  private func profile(_ profile: [UInt8], components: Int) throws(PDFError) -> Int {
    let digest = SHA256.digest(of: profile)
    if let object = shared.profiles[digest] { return object }
    let object = try writePacked(profile, "/N \(components)")
    shared.profiles[digest] = object
    return object
  }

  private func checkConformance(_ problem: (Conformance) -> String?) throws(PDFError) {
    guard let conformance = settings.conformance, let reason = problem(conformance) else { return }
    throw .conformance(conformance.name, page: pageCount + 1, reason: reason)
  }
}
