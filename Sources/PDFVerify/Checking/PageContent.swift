import ImageCore

/// A page's content: all of its streams, read as one (PDF 32000-1:2008, 7.8.2).
struct PageContent {
  let reader: ContentReader
  /// Of the content unpacked; nil where some of it could not be.
  private(set) var digest: ShortDigest?
  private(set) var faults: [Fault] = []

  /// - Parameter visible: what readers show of the page.
  init(_ entries: [String: PDFValue], visible: PageBox, _ file: PDFFile) {
    let resources = file.resolve(entries["Resources"]).dictionary ?? [:]
    var reader = ContentReader(page: visible) { name in
      let lists = file.resolve(resources["Properties"]).dictionary ?? [:]
      return file.resolve(file.resolve(lists[name]).dictionary?["MCID"]).integer
    }
    if let bytes = Self.bytes(Self.references(entries, file), file, &faults) {
      bytes.withUnsafeBytes { reader.read($0) }
      faults += reader.faults
      digest = ShortDigest(SHA256.digest(of: bytes))
    }
    self.reader = reader
  }

  /// All of a page's content; nil where some of it is missing or damaged.
  static func bytes(_ entries: [String: PDFValue], _ file: PDFFile) -> [UInt8]? {
    var faults: [Fault] = []
    return bytes(references(entries, file), file, &faults)
  }

  /// The streams that a page's content is made of.
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

  /// Nil where a part is missing or damaged.
  private static func bytes(
    _ references: [PDFValue], _ file: PDFFile, _ faults: inout [Fault]
  ) -> [UInt8]? {
    var bytes: [UInt8] = []
    for reference in references {
      guard let part = part(reference, file, &faults) else { return nil }
      if !bytes.isEmpty { bytes.append(10) }
      bytes += part
    }
    if references.isEmpty { faults.append(.contentMissing) }
    return bytes
  }

  private static func part(_ reference: PDFValue, _ file: PDFFile, _ faults: inout [Fault])
    -> [UInt8]?
  {
    guard let number = reference.reference, let object = file.object(number), object.stream != nil
    else {
      faults.append(.contentMissing)
      return nil
    }
    if let fault = object.streamFault { faults.append(fault) }
    switch file.resolve(object.dictionary["Filter"]) {
    case .null, .array([]), .name("FlateDecode"), .array([.name("FlateDecode")]):
      if let bytes = file.decoded(object, limit: 64 << 20) { return bytes }
      faults.append(.contentDamaged)
    case .name(let name): faults.append(.contentFilter(name))
    default: faults.append(.contentFilter("several filters"))
    }
    return nil
  }
}
