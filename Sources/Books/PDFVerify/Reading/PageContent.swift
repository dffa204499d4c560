import BookExpectations
import ImageCore

/// A page's content: its streams, read as one stream (PDF 32000-1:2008, 7.8.2).
struct PageContent {
  let reader: ContentReader
  /// The digest of the uncompressed content, see `ContentForm`; nil if a stream could not be read.
  private(set) var digest: ShortDigest?
  private(set) var faults: [Fault] = []
  /// Whether the content is within the limits for rendering with poppler.
  var isRenderable: Bool { !faults.contains { if case .content(.limit) = $0 { true } else { false } } }
  /// The maximum size in bytes of all uncompressed streams together.
  private static let maximumBytes = 64 << 20

  /// - Parameters:
  ///   - visible: the part of the page that readers show.
  ///   - known: returns whether any page is expected to have content with this digest.
  init(_ entries: [String: PDFValue], visible: PageBox, _ file: PDFFile, known: (ShortDigest) -> Bool) {
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    var reader = ContentReader(page: visible) { name in
      let lists = file.resolve(resources["Properties"]).dictionary ?? [:]
      return file.resolve(file.resolve(lists[name]).dictionary?["MCID"]).integer
    }
    let form = Self.form(Self.references(entries, file), file, &faults)
    let bytes = form?.joined ?? []
    if let form {
      bytes.withUnsafeBytes { reader.read($0) }
      faults += reader.faults
      digest = form.digest(known: known)
    }
    self.reader = reader
    if isRenderable, Self.usesMore(resources) {
      let most = ContentReader.mostOperators
      var count = OperatorCount(file, most: most)
      if bytes.withUnsafeBytes({ count.count($0, resources) }) > most { faults.append(.operators(most)) }
    }
  }

  /// Returns whether resources contain patterns, fonts or XObjects, which may have content of their own.
  private static func usesMore(_ resources: [String: PDFValue]) -> Bool {
    resources["Pattern"] != nil || resources["Font"] != nil || resources["XObject"] != nil
  }

  /// Returns a page's whole content; nil if a part is missing or damaged.
  static func bytes(_ entries: [String: PDFValue], _ file: PDFFile) -> [UInt8]? {
    var faults: [Fault] = []
    return form(references(entries, file), file, &faults)?.joined
  }

  /// Returns the streams of a page's content.
  static func objects(_ entries: [String: PDFValue], _ file: PDFFile) -> [PDFFile.Object] {
    references(entries, file).compactMap { $0.reference.flatMap(file.object) }
  }

  private static func references(_ entries: [String: PDFValue], _ file: PDFFile) -> [PDFValue] {
    switch entries["Contents"] {
    case .array(let items)?: items
    case .reference(let number)?: file.object(number)?.value.array ?? [.reference(number)]
    default: []
    }
  }

  /// Returns the uncompressed streams of a page's content; nil if a part is missing or damaged.
  private static func form(_ references: [PDFValue], _ file: PDFFile, _ faults: inout [Fault]) -> ContentForm? {
    var parts: [[UInt8]] = []
    var left = maximumBytes
    for reference in references {
      guard let part = part(reference, file, limit: left, &faults) else { return nil }
      left -= part.count
      parts.append(part)
    }
    // The content may be omitted (PDF 32000-1:2008, table 30), but imghost never omits it.
    if references.isEmpty { faults.append(.content(.empty)) }
    return ContentForm(parts: parts)
  }

  private static func part(_ reference: PDFValue, _ file: PDFFile, limit: Int, _ faults: inout [Fault]) -> [UInt8]? {
    guard let number = reference.reference, let object = file.object(number), object.stream != nil else {
      faults.append(.content(.missing))
      return nil
    }
    if let fault = object.streamFault { faults.append(fault) }
    switch file.resolve(object.dictionary["Filter"]) {
    case .null, .array([]), .name("FlateDecode"), .array([.name("FlateDecode")]):
      if let bytes = file.decoded(object, limit: limit) { return bytes }
      faults.append(
        file.exceeds(object, limit: limit)
          ? .content(.limit("has more than \(FaultText.megabytes(maximumBytes))"))
          : .content(.damaged))
    case .name(let name): faults.append(.content(.filter(name)))
    default: faults.append(.content(.filter("several filters")))
    }
    return nil
  }
}

/// The streams of a page's content, which together form one stream (PDF 32000-1:2008, 7.8.2). Programs that rewrite
/// files join the streams, with line ends between them.
struct ContentForm {
  /// The uncompressed streams.
  let parts: [[UInt8]]

  /// The joined streams, with a line feed between two of them if the first does not end in one.
  var joined: [UInt8] { joined { $0.last != 10 } }

  /// Returns the digest of the joined streams, or the digest used in older books if only that is expected.
  func digest(known: (ShortDigest) -> Bool) -> ShortDigest {
    let own = Self.digest(joined)
    if parts.count < 2 || known(own) { return own }
    // In older books, the streams were always joined with line feeds.
    let parted = Self.digest(joined { _ in true })
    return known(parted) ? parted : own
  }

  private static func digest(_ bytes: [UInt8]) -> ShortDigest { ShortDigest(SHA256.digest(of: bytes)) }

  private func joined(_ isParted: ([UInt8]) -> Bool) -> [UInt8] {
    parts.reduce(into: []) { bytes, part in
      if !bytes.isEmpty, isParted(bytes) { bytes.append(10) }
      bytes += part
    }
  }
}
