import ImageCore

/// The properties of a picture in XMP (ISO 16684-1), with the values as their elements.
package struct XMPPacket: Sendable, Hashable {
  /// Each name once.
  package private(set) var properties: [XMPElement] = []
  /// The subject of the properties; usually empty.
  private var about = ""
  private var prefixes: [String: String] = [:]

  package init() {}

  /// Reads a packet. Of properties that occur twice, the first counts.
  package init(_ bytes: [UInt8]) throws(XMPFault) {
    var parser = try XMPParser(bytes)
    let root = try parser.root()
    let candidates = [root] + root.children
    guard let rdf = candidates.first(where: { $0.name == .rdf("RDF") }) else { throw .noDescription }
    var known: Set<XMPName> = []
    for description in rdf.children where description.name == .rdf("Description") {
      if about.isEmpty { about = description.attribute(.rdf("about")) ?? "" }
      for property in description.descriptionProperties where known.insert(property.name).inserted {
        properties.append(property)
      }
    }
    prefixes = parser.prefixes
  }

  package var isEmpty: Bool { properties.isEmpty }

  /// The value of a property. Setting nil removes it.
  package subscript(name: XMPName) -> XMPElement? {
    get { properties.first { $0.name == name } }
    set {
      let index = properties.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): properties[index] = value
      case (let index?, nil): properties.remove(at: index)
      case (nil, let value?): properties.append(value)
      case (nil, nil): break
      }
    }
  }

  package mutating func removeAll(where isUnwanted: (XMPName) -> Bool) { properties.removeAll { isUnwanted($0.name) } }

  /// Adds the properties of another packet, and replaces those that both have if asked to.
  package mutating func merge(_ other: XMPPacket, replacing: Bool) {
    let known = Set(properties.map(\.name))
    for property in other.properties {
      if !known.contains(property.name) {
        properties.append(property)
      } else if replacing {
        self[property.name] = property
      }
    }
    prefixes.merge(other.prefixes) { own, _ in own }
  }

  /// Returns the name that a prefix and a local name stand for, as scripts write it: `dc:creator`.
  func prefixed(_ name: XMPName) -> String {
    let prefix = XMPSpace.prefixes[name.space] ?? prefixes[name.space]
    return prefix.map { "\($0):\(name.local)" } ?? name.local
  }

  /// The bytes that each property takes in the packet.
  var sizes: [(name: XMPName, byteCount: Int)] {
    var writer = XMPWriter(prefixes)
    return properties.map { ($0.name, writer.text($0).utf8.count + 1) }
  }

  /// The packet as bytes, always the same for the same properties; empty without any.
  ///
  /// - Parameter isWrapped: whether to add the processing instructions by which readers find a packet.
  package func bytes(isWrapped: Bool = true) -> [UInt8] {
    guard !properties.isEmpty else { return [] }
    var writer = XMPWriter(prefixes)
    return writer.packet(properties, about: about, isWrapped: isWrapped)
  }
}

extension XMPElement {
  /// The properties of an `rdf:Description`: its attributes, then its elements.
  fileprivate var descriptionProperties: [XMPElement] {
    let short = attributes.filter {
      $0.name.space != XMPSpace.rdf && $0.name.space != XMPSpace.xml && $0.name.space != ""
    }
    return short.map { XMPElement($0.name, text: $0.value) } + children.filter { $0.name.space != "" }
  }
}
