@testable import BookComposing
@testable import BookExpectations
@testable import ImageCore
import PDFBook
@testable import PDFVerify
import RowCompression

/// The meaning of an XMP packet, as books and the verifier compare it.
enum XMPMeaning {
  static func digest(_ bytes: [UInt8]) -> ShortDigest? {
    _ = XMLChecker.problem(with: bytes)
    return XMPForm(bytes)?.digest
  }
}

/// Fax data of any width.
enum FaxReading {
  static func read(_ bytes: [UInt8]) {
    guard bytes.count > 2 else { return }
    let width = 1 + (Int(bytes[0]) << 8 | Int(bytes[1])) % 4_000
    bytes.withUnsafeBytes { bytes in
      var decoder = FaxDecoder(UnsafeRawBufferPointer(rebasing: bytes[2...]), width: width)
      var row = [UInt8](repeating: 7, count: width)
      for _ in 0..<200 {
        guard decoder.next() else { return }
        row.withUnsafeMutableBufferPointer { decoder.write(white: 1, black: 0, to: $0.baseAddress!) }
        precondition(row.allSatisfy { $0 < 2 })
      }
    }
  }
}

/// A JPEG or PNG that goes into a book as it is: its structure is checked, its pixels are not decoded.
enum EmbeddedReading {
  static func read(_ bytes: [UInt8]) {
    guard let file = PictureReading.file(bytes) else { return }
    if let picture = try? PDFPicture(jpegFile: file) { _ = try? picture.checkedDigest() }
    if let picture = try? PDFPicture(pngFile: file) { _ = try? picture.checkedDigest() }
    _ = try? bytes.withUnsafeBytes { bytes in try JPEGHeader(bytes) }
  }
}

/// A PDF as the verifier reads it before it renders a page.
enum PDFReading {
  private static let settings = CheckSettings(
    jobs: 1, limits: MemoryLimits(bytes: 256 << 20), requirements: Requirements(), sources: nil,
    decodeJPEG: { _ throws(PictureError) in throw .codec(.empty) }, drawsPages: false, nativePixels: 1 << 20)

  static func read(_ bytes: [UInt8]) {
    guard !bytes.isEmpty, let input = PictureReading.file(bytes), let mapping = try? FileMapping(input),
      let file = try? PDFFile(mapping)
    else { return }
    let document = DocumentContext(
      file, given: nil, isDecrypted: false, settings, Watchdog(seconds: 600))
    for check in CheckList.document { describe(check.check(document)) }
    for page in document.pages.prefix(8) { read(page, document) }
    for number in 1...max(1, min(file.objectCount, 200)) { read(file.object(number), file) }
    _ = try? ProfileRemoval.view(of: file, pages: document.pages, input: input)
  }

  private static func read(_ record: PageRecord, _ document: DocumentContext) {
    let entries = record.entries(document.file)
    _ = PageCost(entries, document.file, settings.limits)
    guard let geometry = try? PageGeometry(entries, document.file) else { return }
    let content = PageContent(entries, visible: geometry.visible, document.file, known: { _ in false })
    describe(content.faults)
    let text = ContentText(entries, document.file)
    _ = text.text(in: geometry.visible)
    let tags = PageTags(
      file: document.file, tags: document.tags, page: record.object, entries: entries, content: content.reader)
    _ = tags
  }

  private static func read(_ object: PDFFile.Object?, _ file: PDFFile) {
    guard let object else { return }
    if object.dictionary["Type"]?.name == "Font" { _ = FontFacts(object.dictionary, file) }
    guard let stream = object.stream else { return }
    if let facts = PictureFacts(0, object.dictionary, file) {
      _ = PictureIdentities(file).identity(of: facts, stream: stream)
    }
    _ = file.decoded(object, limit: 1 << 20)
    _ = file.exceeds(object, limit: 1 << 12)
  }

  private static func describe(_ faults: [Fault]) {
    for fault in faults { precondition(!fault.description.isEmpty) }
  }
}

/// The expectations in a book, with a matching digest, because otherwise reading would stop at the digest.
enum ExpectationReading {
  static func read(_ bytes: [UInt8]) {
    _ = parsed([bytes])
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    while let last = lines.last, last.isEmpty || last.starts(with: "end ".utf8) { lines.removeLast() }
    let body = lines.flatMap { $0 + [10] }
    readWhole(body + Array("end \(ShortDigest(SHA256.digest(of: body)))\n".utf8))
  }

  private static func readWhole(_ bytes: [UInt8]) {
    // In two pieces: where they part must not matter.
    let whole = parsed([bytes])
    let middle = bytes.count / 2
    let parts = parsed([Array(bytes[..<middle]), Array(bytes[middle...])])
    precondition((whole == nil) == (parts == nil) && whole?.text == parts?.text)
    guard let whole else { return }
    precondition((try? VerificationExpectations(text: whole.text))?.text == whole.text)
  }

  private static func parsed(_ parts: [[UInt8]]) -> VerificationExpectations? {
    var parser = ExpectationsParser()
    do {
      for part in parts { try parser.add(part) }
      return try parser.finish()
    } catch {
      return nil
    }
  }
}

/// The pages that a shard leaves for a merge.
enum PackReading {
  static func read(_ bytes: [UInt8]) {
    guard let file = PictureReading.file(bytes),
      var pack = try? PagePackReader(path: "pack", open: { (_) throws(PictureError) in file })
    else { return }
    while pack.nextIndex != nil {
      guard (try? pack.take()) != nil else { return }
    }
  }
}
