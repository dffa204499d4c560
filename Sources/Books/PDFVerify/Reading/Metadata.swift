import BookExpectations
import ImageCore

/// A document's XMP packet, and the part and level of PDF/A that the packet claims.
struct Metadata: Sendable {
  /// The part of PDF/A that the document claims, such as 1; nil for none.
  private(set) var archivalPart: Int?
  /// The part of PDF/A and its level, such as `1b`; empty for none.
  private(set) var archivalClaim = ""
  /// The packet; nil if it is missing or cannot be read.
  private(set) var packet: XMPForm?
  private(set) var faults: [Fault] = []
  private static let maximumBytes = 16 << 20

  init(_ file: PDFFile) {
    let catalogue = file.resolve(file.trailer["Root"]).dictionary ?? [:]
    guard let number = catalogue["Metadata"]?.reference else { return }
    guard let object = file.object(number), object.stream != nil else {
      faults.append(.document(.metadataMalformed("it is missing")))
      return
    }
    if let fault = object.streamFault { faults.append(fault) }
    guard let bytes = file.decoded(object, limit: Self.maximumBytes) else {
      faults.append(.document(.metadataMalformed("its stream is damaged")))
      return
    }
    if let problem = XMLChecker.problem(with: bytes) { faults.append(.document(.metadataMalformed(problem))) }
    packet = XMPForm(bytes)
    let text = XMPEncoding.text(bytes).map { Array($0.utf8) } ?? bytes
    archivalPart = text.withUnsafeBytes { Self.part($0) }
    if let archivalPart { archivalClaim = "\(archivalPart)" + text.withUnsafeBytes { Self.level($0) } }
  }

  /// Returns the uncompressed bytes of the XMP packet.
  static func bytes(_ file: PDFFile, _ catalogue: [String: PDFValue]) -> [UInt8]? {
    catalogue["Metadata"]?.reference.flatMap(file.object).flatMap { file.decoded($0, limit: maximumBytes) }
  }

  /// Returns the letter of `pdfaid:conformance` in lower case; empty if there is none.
  private static func level(_ bytes: UnsafeRawBufferPointer) -> String {
    let key = Array("pdfaid:conformance".utf8)
    guard let found = ByteSearch.first(key, in: bytes, from: 0) else { return "" }
    let letter = bytes[(found + key.count)...].prefix(4).first { "ABUEFabuef".utf8.contains($0) }
    return letter.map { String(UnicodeScalar($0 | 0x20)) } ?? ""
  }

  /// Returns the value of `pdfaid:part`, which is an attribute or an element (ISO 19005-1:2005, 6.7.11).
  private static func part(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let key = Array("pdfaid:part".utf8)
    guard let found = ByteSearch.first(key, in: bytes, from: 0) else { return nil }
    let digit = bytes[(found + key.count)...].prefix(4).first { (0x31...0x39).contains($0) }
    return digit.map { Int($0 - 0x30) }
  }
}

/// Checks whether a text is well-formed XML, to the extent that XMP packets require.
enum XMLChecker {
  private static let maximumDepth = 256

  /// Returns the first problem; nil for none.
  static func problem(with bytes: [UInt8]) -> String? {
    guard let text = XMPEncoding.text(bytes) else { return "it is not UTF-8, UTF-16 or UTF-32" }
    var reader = XMLReader(Array(text.utf8), maximumDepth: maximumDepth, keepsContent: false)
    do throws(XMLFault) { try reader.readAll() } catch {
      switch error {
      case .documentType: return "it has a document type, which XMP does not allow"
      case .entity(let name): return "the reference '&\(name);' is unknown"
      case .tooDeep: return "elements are nested more than \(maximumDepth) deep"
      case .tooMany: return "an element has more than 1000 attributes, or 256 namespaces are in scope"
      case .malformed(let problem, _): return problem
      }
    }
    return nil
  }
}
