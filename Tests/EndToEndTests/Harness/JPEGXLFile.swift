/// JPEG XL files in their container format (ISO/IEC 18181-2).
enum JPEGXLFile {
  /// Returns a file in boxes, to which others can be added.
  static func container(_ file: [UInt8]) -> [UInt8] {
    guard file.starts(with: [0xff, 0x0a]) else { return file }
    let signature = MetadataBlocks.big(12) + Array("JXL ".utf8) + [13, 10, 0x87, 10]
    return signature + box("ftyp", Array("jxl \0\0\0\0jxl ".utf8)) + box("jxlc", file)
  }

  static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
    MetadataBlocks.big(8 + content.count) + Array(name.utf8) + content
  }

  /// A box that is compressed with Brotli (RFC 7932), in uncompressed blocks of 64 KB.
  ///
  /// - Parameter blocks: the number of blocks, each filled with blanks.
  static func packedBox(_ name: String, blocks: Int) -> [UInt8] {
    var stream: [UInt8] = []
    for index in 0..<blocks {
      // In front of the first block there is the bit of the window's size (9.1 and 9.2).
      stream += index == 0 ? [0xf0, 0xff, 0x1f] : [0xf8, 0xff, 0x0f]
      stream += [UInt8](repeating: 0x20, count: 65_536)
    }
    return box("brob", Array(name.utf8) + stream + [3])
  }
}
