/// Checks what a document says about itself: its XMP packet, and which standard it claims.
struct MetadataCheck {
  /// The part of PDF/A that the document claims, 1 to 4; nil for none.
  private(set) var archivalPart: Int?
  private(set) var faults: [Fault] = []
  private static let maximumBytes = 16 << 20

  init(_ file: PDFFile) {
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    guard let number = catalogue["Metadata"]?.reference else { return }
    guard let object = file.object(number), object.stream != nil else {
      faults.append(.metadata("it is missing"))
      return
    }
    if let fault = object.streamFault { faults.append(fault) }
    guard let bytes = file.decoded(object, limit: Self.maximumBytes) else {
      faults.append(.metadata("its stream is damaged"))
      return
    }
    if let problem = XMLChecker.problem(with: bytes) { faults.append(.metadata(problem)) }
    archivalPart = bytes.withUnsafeBytes { Self.part($0) }
    if let archivalPart {
      faults += ArchiveCheck(file: file, part: archivalPart).faults(catalogue)
    }
  }

  /// ISO 19005-1:2005, 6.7.11: `pdfaid:part` as an attribute or an element.
  private static func part(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let key = Array("pdfaid:part".utf8)
    guard let found = ByteSearch.first(key, in: bytes, from: 0) else { return nil }
    let digit = bytes[(found + key.count)...].prefix(4).first { (0x31...0x39).contains($0) }
    return digit.map { Int($0 - 0x30) }
  }
}
