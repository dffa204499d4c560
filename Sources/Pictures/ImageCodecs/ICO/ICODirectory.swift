import ImageCore

/// The directory of an icon or a cursor (ICONDIR, ICONDIRENTRY of Windows), sorted by size with the largest picture
/// first.
struct ICODirectory {
  struct Entry {
    /// The width and height in pixels, at most 256. A PNG may be larger.
    let width: Int
    let height: Int
    /// The number of bits per pixel; 0 if unknown.
    let bits: Int
    let offset: Int
    let byteCount: Int
  }

  let entries: [Entry]

  /// The maximum number of pictures in a file.
  static let pictureLimit = 1_000
  /// The maximum size of a picture in bytes, because it is read as a whole. A bitmap of 256x256 pixels has 270 KB.
  static let byteLimit = 16 << 20
  static let headerByteCount = 6
  static let entryByteCount = 16

  init(_ file: InputFile) throws(PictureError) {
    let source = ByteSource.file(file)
    let start = try source.bytes(at: 0, upTo: Self.headerByteCount)
    guard start.count == Self.headerByteCount else { throw .codec(.truncated) }
    let (isIcon, count) = (start.littleEndian16(2) == 1, start.littleEndian16(4))
    guard count > 0 else { throw .codec(.damaged("it has no pictures")) }
    guard count <= Self.pictureLimit else {
      throw .codec(.unsupported("an icon of more than \(Self.pictureLimit) pictures"))
    }
    let bytes = try source.bytes(at: Self.headerByteCount, upTo: count * Self.entryByteCount)
    guard bytes.count == count * Self.entryByteCount else { throw .codec(.truncated) }
    let stored = (0..<count).map { index in
      let place = index * Self.entryByteCount
      // 0 means 256. A cursor has its hot spot in place of the bits.
      return Entry(
        width: Int(bytes[place] &- 1) + 1, height: Int(bytes[place + 1] &- 1) + 1,
        bits: isIcon ? bytes.littleEndian16(place + 6) : 0, offset: bytes.littleEndian32(place + 12),
        byteCount: bytes.littleEndian32(place + 8))
    }
    entries = stored.enumerated().sorted { first, second in
      let (one, other) = (first.element, second.element)
      let areas = (one.width * one.height, other.width * other.height)
      if areas.0 != areas.1 { return areas.0 > areas.1 }
      return one.bits != other.bits ? one.bits > other.bits : first.offset < second.offset
    }.map(\.element)
  }

  /// Returns a picture's bytes, as far as the file contains them.
  func bytes(_ file: InputFile, page: Int) throws(PictureError) -> [UInt8] {
    guard page <= entries.count else { throw .codec(.noPage(page, count: entries.count)) }
    let entry = entries[page - 1]
    guard entry.byteCount <= Self.byteLimit else {
      throw .codec(.unsupported("an icon's picture of more than \(Self.byteLimit >> 20) MB"))
    }
    let bytes = try ByteSource.file(file).bytes(at: entry.offset, upTo: entry.byteCount)
    guard !bytes.isEmpty else { throw .codec(.truncated) }
    return bytes
  }
}
