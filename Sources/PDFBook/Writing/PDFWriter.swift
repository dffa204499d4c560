import ImageCore

/// What a finished book is.
public struct PDFSummary: Sendable, Hashable {
  public let pages: Int
  public let byteCount: Int
  /// Pictures stored.
  public let pictures: Int
  /// Pictures that were in the book already and are only referred to.
  public let reused: Int
}

/// Writes a PDF from front to back: each object once, nothing kept but offsets.
///
/// `add` a picture, then the pages that show it; `finish` writes the tables. The same calls give the same
/// bytes. The descriptor is an empty file open for writing that belongs to the caller, who closes it and
/// renames or removes the file; after an error the file is worthless.
///
/// `@unchecked Sendable`: it may be handed from one queue to another, but only the one that holds it
/// calls it.
public final class PDFWriter: @unchecked Sendable {
  private let info: DocumentInfo
  /// From how many bytes on offsets no longer fit the classic table's ten digits.
  private let tableLimit: Int
  private var output: PDFOutput
  var objects = ObjectTable()
  private var tree = PageTree()
  private var expectations = ExpectationStream()
  private let infoObject: Int
  private let catalogue: Int
  /// Helvetica, once it is written.
  var fontObject: Int?
  /// Fonts that are written at the end, and the dictionary that names them to all pages.
  var fonts = FontTable()
  var fontDictionary: Int?
  private var stored: [SHA256Digest: PictureReference] = [:]
  private var profiles: [SHA256Digest: Int] = [:]
  private var version = PDFVersion.v14
  private var pageCount = 0
  private var reused = 0
  private var isFinished = false

  /// Starts a book. The path is only for messages.
  public convenience init(descriptor: Int32, path: String, info: DocumentInfo = DocumentInfo())
    throws(PDFError)
  {
    try self.init(descriptor: descriptor, path: path, info: info, tableLimit: 10_000_000_000)
  }

  init(descriptor: Int32, path: String, info: DocumentInfo, tableLimit: Int) throws(PDFError) {
    self.info = info
    self.tableLimit = tableLimit
    output = PDFOutput(descriptor: descriptor, path: path)
    infoObject = objects.reserve()
    catalogue = objects.reserve()
    // The comment's bytes above 127 tell transfer programs that the file is binary (7.5.2).
    try output.write("%PDF-1.4\n%\u{e9}\u{ef}\n")
    try write(infoObject, info.dictionary)
  }

  /// Stores a picture, or finds it if the same bytes are in the book already.
  ///
  /// - Parameter known: the SHA-256 of the stream's bytes, where the caller has worked it out on another
  ///   thread; it is taken at its word.
  public func add(_ picture: PDFPicture, digest known: SHA256Digest? = nil) throws(PDFError)
    -> PictureReference
  {
    precondition(!isFinished, "the book is finished")
    let digest = if let known { known } else { try picture.data.digest() }
    let identity = picture.identity(digest)
    if let reference = stored[identity] {
      reused += 1
      return reference
    }
    let mask = try picture.mask.map { (bytes) throws(PDFError) in
      try writeStream(objects.reserve(), picture.maskDictionary(bytes.count), bytes)
    }
    let profile = try profile(picture)
    let object = objects.reserve()
    let dictionary = picture.dictionary(mask: mask, profile: profile)
    objects.place(object, at: output.offset)
    try output.write("\(object) 0 obj\n\(dictionary)stream\n")
    switch picture.data {
    case .bytes(let bytes): try output.write(bytes, digest: digest)
    case .encoded(let bytes):
      try bytes.withUnsafeBytes { (bytes) throws(PDFError) in
        try output.write(bytes, digest: digest)
      }
    case .file(let file, let offset, let count):
      try output.copy(file, at: offset, count: count, digest: digest)
    }
    try output.write("\nendstream\nendobj\n")
    let reference = PictureReference(
      object: object, width: picture.width, height: picture.height, digest: digest,
      identity: identity, version: picture.bits == 16 ? .v15 : .v14)
    stored[identity] = reference
    return reference
  }

  /// Adds a page. Its pictures are in the book already.
  public func addPage(_ page: PDFPage) throws(PDFError) {
    precondition(!isFinished, "the book is finished")
    let sides = [page.size.width, page.size.height]
    guard sides.allSatisfy({ $0 >= 3 && $0 <= PageSize.maximumSide }) else {
      throw .pageSize(width: page.size.width, height: page.size.height)
    }
    let content = try page.content() + draw(page.texts, unit: page.size.userUnit)
    let fonts = try fontResources(of: page)
    let contentObject = objects.reserve()
    try writeStream(contentObject, "<</Length \(content.utf8.count)>>", Array(content.utf8))
    let object = objects.reserve()
    let (parent, full) = tree.add(page: object) { objects.reserve() }
    for node in full { try write(node.object, node.dictionary) }
    try write(
      object,
      page.dictionary(
        parent: parent, contents: [contentObject] + (page.laterTexts.map { [$0.object] } ?? []),
        fonts: fonts))
    pageCount += 1
    version = max(version, page.version)
    expectations.add(page.expectation(), content: SHA256.digest(of: Array(content.utf8)))
  }

  /// Writes what remains. Called once, after the last page.
  public func finish() throws(PDFError) -> PDFSummary {
    precondition(!isFinished, "the book is finished")
    guard pageCount > 0 else { throw .noPages }
    isFinished = true
    try writeFonts()
    let nodes = tree.finish { objects.reserve() }
    for node in nodes { try write(node.object, node.dictionary) }
    let isLarge = output.offset >= tableLimit
    if isLarge { version = max(version, .v15) }
    let pieceInfo = try writeExpectations()
    let entry = version > .v14 ? "/Version/\(version.text)" : ""
    try write(catalogue, "<</Type/Catalog\(entry)/Pages \(nodes.last!.object) 0 R\(pieceInfo)>>")
    if isLarge { try writeReferenceStream() } else { try writeReferenceTable() }
    try output.flush()
    return PDFSummary(
      pages: pageCount, byteCount: output.offset, pictures: stored.count, reused: reused)
  }

  func write(_ object: Int, _ body: String) throws(PDFError) {
    objects.place(object, at: output.offset)
    try output.write("\(object) 0 obj\n\(body)\nendobj\n")
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

  /// What each page should show, for `imghost verify`: page-piece data of the catalogue (14.5), which every
  /// part of PDF/A allows. Gives the catalogue's entry.
  private func writeExpectations() throws(PDFError) -> String {
    let bytes = expectations.finish()
    let object = try writeStream(
      objects.reserve(), "<</Filter/FlateDecode/Length \(bytes.count)>>", bytes)
    let date = PDFString.date(info.creationTime ?? 0)
    return "/PieceInfo<</imghost<</LastModified\(date)/Private \(object) 0 R>>>>"
  }

  private func profile(_ picture: PDFPicture) throws(PDFError) -> Int? {
    guard !picture.iccProfile.isEmpty else { return nil }
    let digest = SHA256.digest(of: picture.iccProfile)
    if let object = profiles[digest] { return object }
    let bytes = Deflater.compress(picture.iccProfile, level: 9)
    let count = picture.colourSpace.componentCount
    let object = try writeStream(
      objects.reserve(), "<</N \(count)/Filter/FlateDecode/Length \(bytes.count)>>", bytes)
    profiles[digest] = object
    return object
  }

  // MARK: Cross-reference

  private static let entriesAtATime = 1_024

  private func writeReferenceTable() throws(PDFError) {
    let start = output.offset
    try output.write("xref\n0 \(objects.count + 1)\n0000000000 65535 f \n")
    for first in stride(from: 1, through: objects.count, by: Self.entriesAtATime) {
      let end = min(objects.count + 1, first + Self.entriesAtATime)
      try output.write(objects.tableEntries(first..<end))
    }
    try output.write("trailer\n<<\(trailer())>>\nstartxref\n\(start)\n%%EOF\n")
  }

  private func writeReferenceStream() throws(PDFError) {
    let object = objects.reserve()
    let start = output.offset
    objects.place(object, at: start)
    let length = (objects.count + 1) * 10
    try output.write(
      "\(object) 0 obj\n<</Type/XRef/W[1 8 1]/Length \(length)\(trailer())>>stream\n")
    // The head of the list of free objects.
    let free: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 255]
    try output.write(free, digest: SHA256.digest(of: free))
    for first in stride(from: 1, through: objects.count, by: Self.entriesAtATime) {
      let bytes = objects.streamEntries(first..<min(objects.count + 1, first + Self.entriesAtATime))
      try output.write(bytes, digest: SHA256.digest(of: bytes))
    }
    try output.write("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n")
  }

  /// The trailer's entries (7.5.5); the identifier is made of the content (14.4).
  private func trailer() -> String {
    let identifier = "<\(Hexadecimal.text(output.digest.bytes.prefix(16)))>"
    return "/Size \(objects.count + 1)/Root \(catalogue) 0 R/Info \(infoObject) 0 R"
      + "/ID[\(identifier)\(identifier)]"
  }
}
