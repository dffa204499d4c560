import CShims
import ImageCore
import ImageMetadata

/// Metadata that takes several segments.
extension JPEGReader {
  /// The XMP packet, joined with the rest that other segments hold.
  var xmpPacket: [UInt8] {
    guard let main = segment(SHIM_JPEG_XMP) else { return [] }
    guard let first = segment(SHIM_JPEG_EXTENDED_XMP), first.count > 40, let name = ExtendedXMP.wantedName(main),
      let rest = rest(named: Array(name.utf8))
    else { return main }
    return ExtendedXMP.joined(main, rest)
  }

  /// The rest of an extended packet: parts with the packet's digest, its length, and their offset in it. Nil if a part is
  /// missing.
  private func rest(named name: [UInt8]) -> [UInt8]? {
    var parts: [Int: ArraySlice<UInt8>] = [:]
    var total = 0
    var index = 0
    while let segment = segment(SHIM_JPEG_EXTENDED_XMP, index) {
      index += 1
      guard segment.count > 40, Array(segment[..<32]) == name else { continue }
      total = segment[32..<36].reduce(0) { $0 << 8 | Int($1) }
      parts[segment[36..<40].reduce(0) { $0 << 8 | Int($1) }] = segment[40...]
    }
    var rest: [UInt8] = []
    while rest.count < total {
      guard let part = parts[rest.count] else { return nil }
      rest += part
    }
    return rest
  }

  /// The IPTC block among Photoshop's resources, which may take several segments.
  var iptcBlock: [UInt8] {
    guard var resources = segment(SHIM_JPEG_PHOTOSHOP) else { return [] }
    var index = 1
    while let more = segment(SHIM_JPEG_PHOTOSHOP, index) {
      resources += more
      index += 1
    }
    return PhotoshopResources.iptcBlock(resources)
  }

  /// The parts beside the picture, as far as they stand outside of XMP.
  var losses: [MetadataLoss] {
    (info.has_jumbf != 0 ? [.credentials] : []) + (info.has_gain_map != 0 ? [.gainMap] : [])
  }
}
