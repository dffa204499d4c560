import ImageCore

/// An XMP packet as a JPEG stores it: a main packet of at most one segment, and the rest, which the main packet
/// identifies by an MD5 digest (XMP Specification Part 3, 1.1.3.1).
package struct ExtendedXMP: Sendable, Hashable {
  package let main: [UInt8]
  /// The packet with the other properties; empty if everything fits into one segment.
  package let rest: [UInt8]
  /// The MD5 digest of the rest, as 32 hexadecimal digits; empty if there is no rest.
  package let name: String

  /// The maximum size of a main packet in bytes: that of a segment without the XMP identifier.
  package static let mainLimit = 65_533 - 29
  private static let hasExtended = XMPName(XMPSpace.note, "HasExtendedXMP")

  /// Splits a packet by moving the largest properties to the rest. Nil if the main packet is still too large, or if a
  /// packet that must be split cannot be parsed.
  package init?(splitting bytes: [UInt8]) {
    guard bytes.count > Self.mainLimit else {
      (main, rest, name) = (bytes, [], "")
      return
    }
    guard var packet = try? XMPPacket(bytes) else { return nil }
    var total = bytes.count
    var moved: Set<XMPName> = []
    // The 1,000 bytes leave room for the property with the digest of the rest.
    for (name, size) in packet.sizes.sorted(by: { $0.byteCount > $1.byteCount }) where total > Self.mainLimit - 1_000 {
      moved.insert(name)
      total -= size
    }
    var extended = XMPPacket()
    extended.merge(packet, replacing: false)
    extended.removeAll { !moved.contains($0) }
    packet.removeAll { moved.contains($0) }
    rest = extended.bytes(isWrapped: false)
    name = MD5.text(rest)
    packet[Self.hasExtended] = XMPElement(Self.hasExtended, text: name)
    main = packet.bytes()
    guard main.count <= Self.mainLimit else { return nil }
  }

  /// Returns the digest of the rest that a main packet refers to; nil if the packet is complete or cannot be parsed.
  package static func wantedName(_ main: [UInt8]) -> String? {
    (try? XMPPacket(main))?[hasExtended]?.plainText
  }

  /// Joins a main packet and its rest.
  package static func joined(_ main: [UInt8], _ rest: [UInt8]) throws(XMPFault) -> [UInt8] {
    var packet = try XMPPacket(main)
    packet[hasExtended] = nil
    packet.merge(try XMPPacket(rest), replacing: false)
    let bytes = packet.bytes()
    guard bytes.count <= XMPParser.maximumByteCount else { throw .tooLarge(bytes.count) }
    return bytes
  }
}
