import CISAL
import ImageCore
import ImageMetadata

/// A text chunk with metadata (PNG, 11.3.3): XMP as defined in XMP Specification Part 3, 1.1.5, or a "raw profile", as
/// ImageMagick and ExifTool write it, with IPTC or XMP.
enum PNGText {
  private static let xmp = "XML:com.adobe.xmp"
  private static let xmpProfile = "Raw profile type xmp"
  private static let iptcProfile = "Raw profile type iptc"
  /// The maximum size of an inflated text or of a raw profile in bytes. No XMP packet or IPTC block that imghost uses
  /// is larger.
  private static let limit = 3 << 20

  /// Returns the kind of metadata in a chunk, by its first bytes; nil for any other text.
  static func kind(_ head: [UInt8]) -> MetadataLoss.Block? {
    func isKeyword(_ text: String) -> Bool { head.starts(with: Array(text.utf8) + [0]) }
    if isKeyword(xmp) || isKeyword(xmpProfile) { return .xmp }
    return isKeyword(iptcProfile) ? .iptc : nil
  }

  /// Returns the metadata in a chunk's data; nil if the data is damaged or too large.
  static func content(_ type: ArraySlice<UInt8>, _ data: [UInt8]) -> [UInt8]? {
    guard let end = data.firstIndex(of: 0) else { return nil }
    let keyword = String(decoding: data[..<end], as: UTF8.self)
    var rest = data[(end + 1)...]
    var isCompressed = type.first == UInt8(ascii: "z")
    if type.first == UInt8(ascii: "i") {
      // An iTXt chunk has a compression flag, a method, the language and the translated keyword before the text.
      guard rest.count >= 2 else { return nil }
      isCompressed = rest.first == 1
      rest = rest.dropFirst(2)
      for _ in 0..<2 {
        guard let end = rest.firstIndex(of: 0) else { return nil }
        rest = rest[(end + 1)...]
      }
    } else if isCompressed {
      rest = rest.dropFirst()
    }
    guard let text = isCompressed ? inflated(Array(rest), limit: limit) : Array(rest) else { return nil }
    if keyword == xmp { return text }
    guard let raw = rawProfile(text) else { return nil }
    return keyword == xmpProfile || raw.first == 0x1c ? raw : PhotoshopResources.iptcBlock(raw)
  }

  /// Inflates a zlib stream; nil if it is damaged or has more than `limit` bytes. Wraps `isal_inflate`.
  static func inflated(_ bytes: [UInt8], limit: Int) -> [UInt8]? {
    var bytes = bytes
    var result: [UInt8] = []
    let state = UnsafeMutablePointer<inflate_state>.allocate(capacity: 1)
    defer { state.deallocate() }
    isal_inflate_init(state)
    state.pointee.crc_flag = UInt32(ISAL_ZLIB)
    var piece = [UInt8](repeating: 0, count: 65_536)
    return bytes.withUnsafeMutableBufferPointer { input -> [UInt8]? in
      state.pointee.next_in = input.baseAddress
      state.pointee.avail_in = UInt32(input.count)
      while state.pointee.block_state != ISAL_BLOCK_FINISH {
        let made = piece.withUnsafeMutableBufferPointer { output -> Int? in
          state.pointee.next_out = output.baseAddress
          state.pointee.avail_out = UInt32(output.count)
          guard isal_inflate(state) == ISAL_DECOMP_OK else { return nil }
          return output.count - Int(state.pointee.avail_out)
        }
        guard let made, made > 0 || state.pointee.block_state == ISAL_BLOCK_FINISH, result.count + made <= limit
        else { return nil }
        result += piece[..<made]
      }
      return result
    }
  }

  /// Returns the bytes of a raw profile; nil if it is damaged. After a line feed, its text has a line with the name, a
  /// line with the length, and the bytes as hexadecimal digits.
  private static func rawProfile(_ text: [UInt8]) -> [UInt8]? {
    let lines = text.split(separator: 10, maxSplits: 2, omittingEmptySubsequences: true)
    guard lines.count == 3 else { return nil }
    let digits = lines[1].filter { $0 != 0x20 }
    guard let count = Int(String(decoding: digits, as: UTF8.self)), count > 0, count <= limit else { return nil }
    let written = lines[2].filter { $0 != 10 && $0 != 13 && $0 != 0x20 }
    let bytes = Hexadecimal.bytes(String(decoding: written, as: UTF8.self)) ?? []
    return bytes.count == count ? bytes : nil
  }

  /// Returns the data of an iTXt chunk with an XMP packet.
  static func xmpData(_ packet: [UInt8]) -> [UInt8] { Array(xmp.utf8) + [0, 0, 0, 0, 0] + packet }

  /// Returns the data of a tEXt chunk with an IPTC block, as Photoshop resources in a raw profile.
  static func iptcData(_ block: [UInt8]) -> [UInt8] {
    let raw = PhotoshopResources.holding(block)
    let count = String(raw.count)
    var data = Array(iptcProfile.utf8) + [0]
    data += Array("\niptc\n\(String(repeating: " ", count: max(0, 8 - count.count)))\(count)\n".utf8)
    for start in stride(from: 0, to: raw.count, by: 36) {
      data += Array(Hexadecimal.text(Array(raw[start..<min(raw.count, start + 36)])).utf8) + [10]
    }
    return data
  }
}
