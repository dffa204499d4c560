import CJPEGFence
import ImageCore
import ImageMetadata

/// The APP segments of a JPEG's metadata, except for the ICC profile.
struct JPEGSegments {
  private(set) var segments: [(app: Int, bytes: [UInt8])] = []
  /// The blocks that do not fit into segments.
  private(set) var losses: [MetadataLoss] = []

  static let exif: [UInt8] = Array("Exif\0\0".utf8)
  static let xmp: [UInt8] = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  static let extendedXMP: [UInt8] = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  static let photoshop: [UInt8] = Array("Photoshop 3.0\0".utf8)
  private static let limit = Int(SHIM_JPEG_MAXIMUM_SEGMENT)

  init(_ metadata: PictureMetadata, _ layout: PictureLayout) {
    let block = EXIFBlock.forWriting(metadata, layout)
    if Self.exif.count + block.count > Self.limit {
      losses.append(.tooLarge(.exif, byteCount: block.count, format: "JPEG"))
    } else if !block.isEmpty {
      segments.append((1, Self.exif + block))
    }
    if !metadata.xmp.isEmpty { addXMP(metadata.xmp) }
    if !metadata.iptc.isEmpty {
      add(13, Self.photoshop, PhotoshopResources.holding(metadata.iptc))
    }
    if metadata.iccProfile.count > Int(SHIM_JPEG_MAXIMUM_ICC) {
      losses.append(.tooLarge(.icc, byteCount: metadata.iccProfile.count, format: "JPEG"))
    }
  }

  private mutating func addXMP(_ bytes: [UInt8]) {
    guard let packet = ExtendedXMP(splitting: bytes) else {
      losses.append(.tooLarge(.xmp, byteCount: bytes.count, format: "JPEG"))
      return
    }
    segments.append((1, Self.xmp + packet.main))
    let name = Array(packet.name.utf8)
    let size = Self.limit - Self.extendedXMP.count - 40
    for offset in stride(from: 0, to: packet.rest.count, by: size) {
      let part = packet.rest[offset..<min(packet.rest.count, offset + size)]
      segments.append((1, Self.extendedXMP + name + Self.word(packet.rest.count) + Self.word(offset) + part))
    }
  }

  /// Adds bytes in as many segments as necessary, each with the identifier.
  private mutating func add(_ app: Int, _ identifier: [UInt8], _ bytes: [UInt8]) {
    let size = Self.limit - identifier.count
    for offset in stride(from: 0, to: bytes.count, by: size) {
      segments.append((app, identifier + bytes[offset..<min(bytes.count, offset + size)]))
    }
  }

  static func word(_ value: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - $0 * 8)) }
  }
}
