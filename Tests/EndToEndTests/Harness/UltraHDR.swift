import PictureTestSupport

/// An Ultra HDR file: a JPEG followed by a second one, the gain map, which brightens it on screens that can show this
/// (developer.android.com/media/platform/hdr-image-format, version 1.1, and ISO 21496-1).
struct UltraHDR {
  var size = (width: 96, height: 64)
  /// Whether XMP describes the gain map, as version 1.0 requires.
  var hasXMP = true
  /// Whether segments of ISO 21496-1 describe the gain map.
  var hasISO = true
  /// Whether the XMP packet only contains the directory of the parts, without the namespace of gain maps.
  var hasDirectoryAlone = false
  /// The size of the gain map; by default a quarter of the picture's sides.
  var mapSize: (width: Int, height: Int)?
  /// Further attributes in the XMP packet of the gain map.
  var mapFact = ""

  private static let isoName = "urn:iso:std:iso:ts:21496:-1\0"

  /// Returns the whole file.
  func bytes() throws -> [UInt8] {
    let map = try gainMap()
    let picture = try Pixels.waves(size.width, size.height).jpeg()
    // Lengths do not depend on offsets.
    let length = file(picture, map, mapOffset: 0, length: 0).count - map.count
    return file(picture, map, mapOffset: length - mpfStart(map), length: length)
  }

  private func file(_ picture: [UInt8], _ map: [UInt8], mapOffset: Int, length: Int) -> [UInt8] {
    leading(map) + Self.mpf(pictureLength: length, mapLength: map.count, mapOffset: mapOffset)
      + picture[2...] + map
  }

  /// Returns the segments before those of MPF.
  private func leading(_ map: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [0xff, 0xd8]
    if hasXMP { bytes += Self.segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", Array(packet(map.count).utf8)) }
    // Versions alone: the numbers are in the gain map.
    if hasISO { bytes += Self.segment(0xe2, Self.isoName, [0, 0, 0, 0]) }
    return bytes
  }

  /// Returns the offset that positions in MPF are relative to: that of its TIFF header.
  private func mpfStart(_ map: [UInt8]) -> Int { leading(map).count + 8 }

  private func packet(_ mapLength: Int) -> String {
    let version = hasDirectoryAlone ? "" : "xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version='1.0'"
    return """
      <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
      <rdf:Description rdf:about='' xmlns:Container='http://ns.google.com/photos/1.0/container/'
        xmlns:Item='http://ns.google.com/photos/1.0/container/item/' xmlns:dc='http://purl.org/dc/elements/1.1/' \(version)>
      <dc:format>image/jpeg</dc:format>
      <Container:Directory><rdf:Seq>
        <rdf:li rdf:parseType='Resource'><Container:Item Item:Semantic='Primary' Item:Mime='image/jpeg'/></rdf:li>
        <rdf:li rdf:parseType='Resource'>
          <Container:Item Item:Semantic='GainMap' Item:Mime='image/jpeg' Item:Length='\(mapLength)'/></rdf:li>
      </rdf:Seq></Container:Directory>
      </rdf:Description></rdf:RDF></x:xmpmeta>
      """
  }

  /// Returns the gain map: a gray JPEG with its own description.
  private func gainMap() throws -> [UInt8] {
    let side = mapSize ?? (size.width / 4, size.height / 4)
    let map = try Pixels.waves(side.width, side.height, .gray8).jpeg()
    let packet = """
      <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
      <rdf:Description rdf:about='' xmlns:hdrgm='http://ns.adobe.com/hdr-gain-map/1.0/' hdrgm:Version='1.0'
        hdrgm:GainMapMin='0' hdrgm:GainMapMax='2.3' hdrgm:Gamma='1' hdrgm:OffsetSDR='0.015625'
        hdrgm:OffsetHDR='0.015625' hdrgm:HDRCapacityMin='0' hdrgm:HDRCapacityMax='2.3'
        hdrgm:BaseRenditionIsHDR='False' \(mapFact)/></rdf:RDF></x:xmpmeta>
      """
    var bytes: [UInt8] = [0xff, 0xd8]
    if hasXMP { bytes += Self.segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", Array(packet.utf8)) }
    if hasISO {
      // Versions, flags, then fractions: headrooms, and minimum, maximum, gamma and offsets of one channel.
      let fractions = [(0, 1), (23, 10), (0, 1), (23, 10), (1, 1), (1, 64), (1, 64)]
      let numbers = fractions.flatMap { MetadataBlocks.big($0.0) + MetadataBlocks.big($0.1) }
      bytes += Self.segment(0xe2, Self.isoName, [0, 0, 0, 0, 0x40] + numbers)
    }
    return bytes + map[2...]
  }

  /// Returns an index of CIPA DC-007 with the positions of both pictures.
  private static func mpf(pictureLength: Int, mapLength: Int, mapOffset: Int) -> [UInt8] {
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      Array(MetadataBlocks.big(tag)[2...] + MetadataBlocks.big(type)[2...]) + MetadataBlocks.big(count) + value
    }
    var bytes = Array("MM\0*".utf8) + MetadataBlocks.big(8) + [0, 3]
    bytes += entry(0xb000, 7, 4, Array("0100".utf8)) + entry(0xb001, 4, 1, MetadataBlocks.big(2))
    bytes += entry(0xb002, 7, 32, MetadataBlocks.big(50)) + MetadataBlocks.big(0)
    bytes += MetadataBlocks.big(0x0003_0000) + MetadataBlocks.big(pictureLength) + MetadataBlocks.big(0) + [0, 0, 0, 0]
    bytes += MetadataBlocks.big(0) + MetadataBlocks.big(mapLength) + MetadataBlocks.big(mapOffset) + [0, 0, 0, 0]
    return segment(0xe2, "MPF\0", bytes)
  }

  private static func segment(_ marker: UInt8, _ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let length = 2 + name.utf8.count + bytes.count
    return [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + Array(name.utf8) + bytes
  }
}
