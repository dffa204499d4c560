/// Photoshop's image resources, which contain IPTC in JPEG and PNG files (Photoshop File Formats Specification, 2019).
package enum PhotoshopResources {
  private static let signature = Array("8BIM".utf8)
  private static let iptc = 0x0404

  /// Returns the IPTC block among the resources; empty if there is none, nil if the resources before it are damaged.
  package static func iptcBlock(_ bytes: [UInt8]) -> [UInt8]? {
    var offset = 0
    while offset + 12 <= bytes.count {
      guard Array(bytes[offset..<offset + 4]) == signature else { return nil }
      let number = Int(bytes[offset + 4]) << 8 | Int(bytes[offset + 5])
      // The name, with its length in front, is padded to an even number of bytes.
      let size = offset + 6 + (Int(bytes[offset + 6]) + 2) / 2 * 2
      guard size + 4 <= bytes.count else { return nil }
      let length = bytes[size..<size + 4].reduce(0) { $0 << 8 | Int($1) }
      let start = size + 4
      guard length <= bytes.count - start else { return nil }
      if number == iptc { return Array(bytes[start..<start + length]) }
      offset = start + length + length % 2
    }
    return []
  }

  /// Returns resources that contain only an IPTC block. Other resources show or describe the original picture.
  package static func holding(_ block: [UInt8]) -> [UInt8] {
    let length = (0..<4).map { UInt8(truncatingIfNeeded: block.count >> (24 - $0 * 8)) }
    return signature + [UInt8(iptc >> 8), UInt8(iptc & 0xff), 0, 0] + length + block
      + (block.count % 2 == 0 ? [] : [0])
  }
}
