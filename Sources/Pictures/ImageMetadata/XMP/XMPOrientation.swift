import ImageCore

extension Orientation {
  /// Takes the orientation from EXIF, or else from XMP; upright if neither contains one.
  package init(_ exif: EXIFBlock?, _ xmp: @autoclosure () -> [UInt8]) {
    self = exif?.orientation ?? Self.stated(by: xmp()) ?? .upright
  }

  /// Returns the property `tiff:Orientation` of a packet; nil if it has none or cannot be parsed.
  private static func stated(by packet: [UInt8]) -> Orientation? {
    guard mayTurn(packet), let properties = try? XMPPacket(packet) else { return nil }
    let text = properties[XMPName(XMPSpace.tiff, "Orientation")]?.texts.first ?? ""
    return Int(text.filter { !$0.isWhitespace }).flatMap(Orientation.init)
  }

  /// Whether the property's name occurs in the packet with a value other than 1. This makes it unnecessary to parse
  /// nearly all packets.
  private static func mayTurn(_ packet: [UInt8]) -> Bool {
    let name = Array("Orientation".utf8)
    var place = 0
    while place + name.count < packet.count {
      guard packet[place] == name[0], packet[place...].starts(with: name) else {
        place += 1
        continue
      }
      place += name.count
      // The value in `="6"` or `>6<`, possibly with spaces.
      let value = packet[place...].prefix(32).first { $0 > 0x20 && !"=\"'>".utf8.contains($0) }
      if value != UInt8(ascii: "1") { return true }
    }
    return false
  }
}
