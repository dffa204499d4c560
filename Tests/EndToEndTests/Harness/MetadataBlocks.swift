import Foundation
import PictureTestSupport

/// Pictures with blocks of metadata, which are inserted unchanged even if they are invalid.
struct MetadataBlocks {
  var profile: [UInt8] = []
  var xmp: [UInt8] = []
  /// The parts of extended XMP, each from its digest on.
  var extendedXMP: [[UInt8]] = []
  /// IPTC datasets. `resources`, if set, are complete Photoshop resources instead.
  var iptc: [UInt8] = []
  var resources: [UInt8] = []
  /// The number of profile segments that each segment states; nil for the actual number.
  var profileParts: Int?

  /// The bytes of a picture with waves and no metadata.
  private static let plain: (jpeg: [UInt8], png: [UInt8]) = {
    let waves = Pixels.waves(48, 32)
    return ((try? waves.jpeg()) ?? [], (try? waves.png()) ?? [])
  }()

  // MARK: JPEG

  var jpeg: [UInt8] {
    var file = Array(Self.plain.jpeg[..<2])
    for part in Self.split(xmp, 65_000).prefix(1) {
      file += Self.segment(0xe1, "http://ns.adobe.com/xap/1.0/\0", part)
    }
    for part in extendedXMP { file += Self.segment(0xe1, "http://ns.adobe.com/xmp/extension/\0", part) }
    let parts = Self.split(profile, 65_000)
    for (index, part) in parts.enumerated() {
      let numbers = [UInt8(truncatingIfNeeded: index + 1), UInt8(truncatingIfNeeded: profileParts ?? parts.count)]
      file += Self.segment(0xe2, "ICC_PROFILE\0", numbers + part)
    }
    let all = resources.isEmpty && !iptc.isEmpty ? Self.resource(iptc) : resources
    for part in Self.split(all, 65_000) { file += Self.segment(0xed, "Photoshop 3.0\0", part) }
    return file + Self.plain.jpeg[2...]
  }

  /// Returns Photoshop's image resource 0x0404, which contains IPTC.
  static func resource(_ iptc: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + [4, 4, 0, 0] + big(iptc.count) + iptc + [UInt8](repeating: 0, count: iptc.count % 2)
  }

  /// A part of extended XMP.
  static func part(_ digest: String, total: Int, at offset: Int, _ bytes: [UInt8]) -> [UInt8] {
    Array(digest.utf8) + big(total) + big(offset) + bytes
  }

  private static func segment(_ marker: UInt8, _ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let length = 2 + name.utf8.count + bytes.count
    return [0xff, marker, UInt8(length >> 8), UInt8(length & 255)] + Array(name.utf8) + bytes
  }

  private static func split(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
  }

  // MARK: PNG

  /// The same picture and metadata as a PNG. A chunk may be larger than 1 MB.
  var png: [UInt8] {
    var chunks: [UInt8] = []
    if !profile.isEmpty { chunks += Self.chunk("iCCP", Array("p\0\0".utf8) + Self.stored(profile)) }
    if !xmp.isEmpty { chunks += Self.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + xmp) }
    return Array(Self.plain.png[..<33]) + chunks + Self.plain.png[33...]
  }

  /// Returns a zlib stream of stored blocks.
  static func stored(_ bytes: [UInt8]) -> [UInt8] {
    let parts = split(bytes, 65_535)
    var stream: [UInt8] = [0x78, 0x01]
    for (index, part) in parts.enumerated() {
      let (low, high) = (UInt8(part.count & 255), UInt8(part.count >> 8))
      stream += [index == parts.count - 1 ? 1 : 0, low, high, ~low, ~high] + part
    }
    var (a, b) = (1, 0)
    for byte in bytes {
      a = (a + Int(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return stream + big(b << 16 | a)
  }

  private static let checksums: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    var checksum: UInt32 = 0xffff_ffff
    let bytes = Array(type.utf8) + data
    for byte in bytes { checksum = checksums[Int((checksum ^ UInt32(byte)) & 255)] ^ checksum >> 8 }
    return big(data.count) + bytes + big(Int(~checksum))
  }

  static func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
}

/// ICC profiles, valid and invalid ones.
struct ProfileBlock {
  var version: UInt8 = 4
  var space = "RGB "
  var signature = "acsp"
  /// The size that the header states; nil for the actual size.
  var size: Int?
  var tags: [(String, [UInt8])] = matrix + curves

  /// The colorants of sRGB relative to D50.
  static let matrix: [(String, [UInt8])] = [
    (
      "desc",
      Array("desc".utf8) + MetadataBlocks.big(0) + MetadataBlocks.big(5) + Array("sRGB\0".utf8)
        + [UInt8](repeating: 0, count: 78)
    ),
    ("wtpt", xyz([0.9642, 1, 0.8249])), ("rXYZ", xyz([0.4361, 0.2225, 0.0139])),
    ("gXYZ", xyz([0.3851, 0.7169, 0.0971])), ("bXYZ", xyz([0.1431, 0.0606, 0.7141])),
  ]
  /// An exponent of 2.2, in 8.8 bits.
  static let curves: [(String, [UInt8])] = ["rTRC", "gTRC", "bTRC"].map { ($0, curve) }
  static let curve = Array("curv".utf8) + MetadataBlocks.big(0) + MetadataBlocks.big(1) + [2, 0x33, 0, 0]

  private static func xyz(_ values: [Double]) -> [UInt8] {
    Array("XYZ ".utf8) + MetadataBlocks.big(0) + values.flatMap { MetadataBlocks.big(Int($0 * 65_536)) }
  }

  var bytes: [UInt8] {
    var (table, body) = (MetadataBlocks.big(tags.count), [UInt8]())
    let start = 132 + 12 * tags.count
    for (name, data) in tags {
      table += Array(name.utf8) + MetadataBlocks.big(start + body.count) + MetadataBlocks.big(data.count)
      body += data + [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    }
    var header = MetadataBlocks.big(size ?? start + body.count) + Array("none".utf8) + [version, 0x20, 0, 0]
    header += Array("mntr\(space)XYZ ".utf8) + [7, 0xea, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0]
    header += Array(signature.utf8) + [UInt8](repeating: 0, count: 28)
    header += [0.9642, 1, 0.8249].flatMap { MetadataBlocks.big(Int($0 * 65_536)) }
    return header + [UInt8](repeating: 0, count: 128 - header.count) + table + body
  }
}
