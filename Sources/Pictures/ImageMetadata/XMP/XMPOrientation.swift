import ImageCore

extension Orientation {
  /// The orientation of a picture by its EXIF, or else by its XMP; upright if neither states one.
  package init(_ exif: EXIFBlock?, _ xmp: @autoclosure () -> [UInt8]) {
    self = exif?.orientation ?? Self.stated(by: xmp()) ?? .upright
  }

  /// The property `tiff:Orientation` of a packet; nil without one, or for a packet that cannot be read.
  private static func stated(by packet: [UInt8]) -> Orientation? {
    guard mayTurn(packet), let properties = try? XMPPacket(packet) else { return nil }
    let text = properties[XMPName(XMPSpace.tiff, "Orientation")]?.texts.first ?? ""
    return Int(text.filter { !$0.isWhitespace }).flatMap(Orientation.init)
  }

  /// Whether one of the places with the property's name is followed by another number than 1. Nearly all packets tell
  /// without being parsed.
  private static func mayTurn(_ packet: [UInt8]) -> Bool {
    let name = Array("Orientation".utf8)
    var place = 0
    while place + name.count < packet.count {
      guard packet[place] == name[0], packet[place...].starts(with: name) else {
        place += 1
        continue
      }
      place += name.count
      // `="6"`, `>6<`, and the same with spaces.
      let value = packet[place...].prefix(32).first { $0 > 0x20 && !"=\"'>".utf8.contains($0) }
      if value != UInt8(ascii: "1") { return true }
    }
    return false
  }
}
