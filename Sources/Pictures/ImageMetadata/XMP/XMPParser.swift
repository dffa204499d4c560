import ImageCore

/// Parses XMP packets into `XMPElement`s. Packets are untrusted: their size and the number of their elements are
/// limited.
package struct XMPParser {
  package static let maximumByteCount = 1 << 20
  static let maximumDepth = 64
  static let maximumCount = 50_000

  private var reader: XMLReader
  /// The first prefix that the packet uses for each namespace.
  var prefixes: [String: String] { reader.prefixes }

  init(_ bytes: [UInt8]) throws(XMPFault) {
    guard bytes.count <= Self.maximumByteCount else { throw .tooLarge(bytes.count) }
    guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
    reader = XMLReader(
      bytes, maximumDepth: Self.maximumDepth, maximumCount: Self.maximumCount, acceptsRepeats: true)
  }

  /// Parses the root element. The rest of the packet is padding, and is ignored.
  mutating func root() throws(XMPFault) -> XMPElement {
    do throws(XMLFault) { return try element(reader.root()) } catch {
      switch error {
      case .documentType: throw .documentType
      case .entity(let name): throw .entity(name)
      case .tooDeep: throw .tooDeep
      case .tooMany: throw .tooMany
      case .malformed(_, let position): throw .malformed(position)
      }
    }
  }

  /// Returns an element with its attributes. If attributes have equal names, the first one is used.
  private func element(_ source: XMLElement) throws(XMLFault) -> XMPElement {
    var element = XMPElement(try name(source.name, source, isAttribute: false))
    for (name, value) in source.attributes {
      let full = try self.name(name, source, isAttribute: true)
      if element.attribute(full) == nil { element.attributes.append(.init(name: full, value: value)) }
    }
    for child in source.children { element.children.append(try self.element(child)) }
    // Text between child elements is only white space.
    if element.children.isEmpty { element.text = source.text }
    return element
  }

  private func name(_ name: XMLName, _ element: XMLElement, isAttribute: Bool) throws(XMLFault) -> XMPName {
    // Attributes without a prefix have no namespace. The exceptions are attributes of RDF, which old packets write
    // without a prefix.
    if isAttribute, !name.hasPrefix, ["about", "ID", "resource", "parseType"].contains(name.local) {
      return .rdf(name.local)
    }
    guard let space = name.space else { throw .malformed("a prefix is not declared", at: element.position) }
    return XMPName(space, name.local)
  }
}

/// The reason why an XMP packet cannot be used. Its description is a clause about the packet.
package enum XMPFault: Error, Sendable, Hashable {
  case tooLarge(Int)
  case notUTF8
  case documentType
  case entity(String)
  case tooDeep
  case tooMany
  case malformed(Int)
  case noDescription
  case incomplete
}

extension XMPFault: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLarge(let count): "it has \(count) bytes, more than 1 MB"
    case .notUTF8: "it is not UTF-8"
    case .documentType: "it has a document type"
    case .entity(let name): "it has the unknown entity '\(name)'"
    case .tooDeep: "its elements are nested more than \(XMPParser.maximumDepth) deep"
    case .tooMany: "it has more than \(XMPParser.maximumCount) elements and attributes"
    case .malformed(let place): "it is damaged at byte \(place)"
    case .noDescription: "it has no rdf:RDF"
    case .incomplete: "a part of it is missing"
    }
  }
}
