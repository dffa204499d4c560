import ImageCore

/// The XMP properties that depend on the pixels of the file. When other pixels are written, these properties must be
/// updated or removed.
enum PixelBoundXMP {
  private static let gainMaps: Set<String> = [XMPSpace.gainMap, XMPSpace.appleGainMap, XMPSpace.applePixels]
  private static let depthMaps: Set<String> = [XMPSpace.depth, XMPSpace.image, XMPSpace.device]

  /// Removes properties that depend on the pixels, updates the orientation, the size and the colours, and returns what
  /// is lost.
  ///
  /// - Parameter metadata: the metadata of the written file.
  static func remove(from packet: inout XMPPacket, _ metadata: PictureMetadata, _ layout: PictureLayout)
    -> [MetadataLoss]
  {
    let losses = losses(packet)
    packet.removeAll(where: isBound)
    ColourTags.update(&packet, metadata.iccProfile, layout.format.model)
    update(&packet, XMPName(XMPSpace.tiff, "Orientation"), metadata.orientation.rawValue)
    for name in [XMPName(XMPSpace.tiff, "ImageWidth"), XMPName(XMPSpace.exif, "PixelXDimension")] {
      update(&packet, name, layout.width)
    }
    for name in [XMPName(XMPSpace.tiff, "ImageLength"), XMPName(XMPSpace.exif, "PixelYDimension")] {
      update(&packet, name, layout.height)
    }
    return losses
  }

  /// Returns the attachments that a packet describes, which will be lost.
  private static func losses(_ packet: XMPPacket) -> [MetadataLoss] {
    var losses: [MetadataLoss] = []
    let names = packet.properties.map(\.name)
    let isMoving = packet.properties.contains { property in
      property.name.space == XMPSpace.camera && ["MotionPhoto", "MicroVideo"].contains(property.name.local)
        && property.plainText == "1"
    }
    if isMoving { losses.append(.motionPhoto) }
    if names.contains(where: { gainMaps.contains($0.space) }) { losses.append(.gainMap) }
    if names.contains(where: { depthMaps.contains($0.space) }) { losses.append(.depthMap) }
    return losses
  }

  private static func isBound(_ name: XMPName) -> Bool {
    switch name.space {
    case XMPSpace.camera, XMPSpace.container, XMPSpace.audio, XMPSpace.note: true
    case XMPSpace.xmp: name.local == "Thumbnails"
    // Programs use these digests of EXIF to detect whether EXIF is newer than XMP. The digests would no longer match.
    case XMPSpace.tiff, XMPSpace.exif: name.local == "NativeDigest"
    // This is the address of the manifest with the content credentials.
    case XMPSpace.terms: name.local == "provenance"
    default: gainMaps.contains(name.space) || depthMaps.contains(name.space)
    }
  }

  private static func update(_ packet: inout XMPPacket, _ name: XMPName, _ value: Int) {
    if packet[name] != nil { packet[name] = XMPElement(name, text: String(value)) }
  }
}

extension Orientation {
  /// Reads the orientation from EXIF or, if EXIF has none, from XMP; upright if neither has one.
  package init(_ exif: EXIFBlock?, _ xmp: @autoclosure () -> [UInt8]) {
    self = exif?.orientation ?? Self.stated(by: xmp()) ?? .upright
  }

  /// Returns the value of `tiff:Orientation` in a packet; nil if it is missing or invalid, if the packet cannot be
  /// parsed, and usually also if the value is 1.
  private static func stated(by packet: [UInt8]) -> Orientation? {
    guard mayTurn(packet), let properties = try? XMPPacket(packet) else { return nil }
    let text = properties[XMPName(XMPSpace.tiff, "Orientation")]?.texts.first ?? ""
    return Int(text.filter { !$0.isWhitespace }).flatMap(Orientation.init)
  }

  /// Returns whether a packet contains the name `Orientation` with a value other than 1. Nearly all packets do not, so
  /// they need not be parsed.
  private static func mayTurn(_ packet: [UInt8]) -> Bool {
    let name = Array("Orientation".utf8)
    var place = 0
    while place + name.count < packet.count {
      guard packet[place] == name[0], packet[place...].starts(with: name) else {
        place += 1
        continue
      }
      place += name.count
      // The value is written as `="6"` or `>6<`, possibly with spaces.
      let value = packet[place...].prefix(32).first { $0 > 0x20 && !"=\"'>".utf8.contains($0) }
      if value != UInt8(ascii: "1") { return true }
    }
    return false
  }
}
