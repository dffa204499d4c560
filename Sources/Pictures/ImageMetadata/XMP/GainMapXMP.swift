/// The XMP properties that describe the gain map at the end of a JPEG (Ultra HDR version 1.1).
package enum GainMapXMP {
  private static let item = "http://ns.google.com/photos/1.0/container/item/"

  /// Returns the picture's packet with a list of the parts of the file: the picture and its gain map.
  ///
  /// - Parameters:
  ///   - packet: the packet of the picture; may be empty.
  ///   - mapLength: the size in bytes of the JPEG that contains the gain map.
  package static func naming(_ packet: [UInt8], mapLength: Int) -> [UInt8] {
    var result = (try? XMPPacket(packet)) ?? XMPPacket()
    let version = XMPName(XMPSpace.gainMap, "Version")
    result[version] = XMPElement(version, text: "1.0")
    var list = XMPElement(.rdf("Seq"))
    list.children = [part("Primary", length: nil), part("GainMap", length: mapLength)]
    var directory = XMPElement(XMPName(XMPSpace.container, "Directory"))
    directory.children = [list]
    result[directory.name] = directory
    return result.bytes()
  }

  /// Returns whether the packet of a gain map contains nothing but the parameters of the gain map.
  package static func isPlain(_ packet: [UInt8]) -> Bool {
    packet.isEmpty || (try? XMPPacket(packet))?.properties.allSatisfy { $0.name.space == XMPSpace.gainMap } ?? false
  }

  private static func part(_ semantic: String, length: Int?) -> XMPElement {
    var facts = [("Semantic", semantic), ("Mime", "image/jpeg")]
    if let length { facts.append(("Length", String(length))) }
    var element = XMPElement(XMPName(XMPSpace.container, "Item"))
    element.attributes = facts.map { .init(name: XMPName(item, $0.0), value: $0.1) }
    var entry = XMPElement(.rdf("li"))
    entry.attributes = [.init(name: .rdf("parseType"), value: "Resource")]
    entry.children = [element]
    return entry
  }
}
