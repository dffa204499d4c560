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
    archivalPart = Self.value(of: "pdfaid:part", among: "123456789", in: text).map { Int($0 - 0x30) }
    let level = Self.value(of: "pdfaid:conformance", among: "ABUEFabuef", in: text)
    if let archivalPart { archivalClaim = "\(archivalPart)" + (level.map { String(UnicodeScalar($0 | 0x20)) } ?? "") }
  }

  /// Returns the uncompressed bytes of the XMP packet.
  static func bytes(_ file: PDFFile, _ catalogue: [String: PDFValue]) -> [UInt8]? {
    catalogue["Metadata"]?.reference.flatMap(file.object).flatMap { file.decoded($0, limit: maximumBytes) }
  }

  /// Returns the character that is the value of a property, written as an attribute or an element (ISO 19005-1:2005,
  /// 6.7.11); nil if the value is not in `valid`.
  private static func value(of property: String, among valid: String, in text: [UInt8]) -> UInt8? {
    let key = Array(property.utf8)
    let found = text.withUnsafeBytes { ByteSearch.first(key, in: $0, from: 0) }
    return found.flatMap { text[($0 + key.count)...].prefix(4).first { valid.utf8.contains($0) } }
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
