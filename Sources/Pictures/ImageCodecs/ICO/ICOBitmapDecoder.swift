import ImageCore

/// Rows of a bitmap in an icon. Alpha is the fourth byte of 32-bit pixels if any of these bytes is nonzero; otherwise
/// it is the mask that follows the pixels.
final class ICOBitmapDecoder: RowSource {
  let layout: PictureLayout
  private let acceptsDamage: Bool
  private let colours: BMPDecoder
  /// The bits of the mask, 1 for transparent; nil if the pixels themselves have alpha.
  private var mask: StoredRows?
  /// A converted row, before alpha is added.
  private let row: PooledBytes
  private var next = 0

  init(_ source: ByteSource, _ header: BMPHeader, acceptsDamage: Bool) throws(PictureError) {
    layout = Self.layout(header)
    self.acceptsDamage = acceptsDamage
    colours = try BMPDecoder(source, header, acceptsDamage: acceptsDamage)
    row = PooledBytes(capacity: colours.layout.rowByteCount)
    guard try !Self.hasAlpha(source, header, acceptsDamage) else { return }
    let rowByteCount = (header.width + 31) / 32 * 4
    mask = StoredRows(
      source, offset: header.pixelOffset + header.rowByteCount * header.height, rowByteCount: rowByteCount,
      usedByteCount: (header.width + 7) / 8, height: header.height, isTopDown: header.isTopDown)
  }

  /// Parses the header of a bitmap.
  ///
  /// - Throws: `CodecError.unsupported` for features that icons do not have.
  static func header(_ source: ByteSource) throws(PictureError) -> BMPHeader {
    let header = try BMPHeader(icon: source)
    guard !header.isRunLengthCoded, header.format.sample == .u8 else {
      throw .codec(.unsupported("an icon with runs or with more than 8 bits a sample"))
    }
    return header
  }

  static func layout(_ header: BMPHeader) -> PictureLayout {
    PictureLayout(width: header.width, height: header.height, format: header.format.with(alpha: true))
  }

  /// Returns whether any pixel has an alpha above 0.
  private static func hasAlpha(_ source: ByteSource, _ header: BMPHeader, _ acceptsDamage: Bool)
    throws(PictureError) -> Bool
  {
    guard header.hasAlpha else { return false }
    let decoder = try BMPDecoder(source, header, acceptsDamage: acceptsDamage)
    let byteCount = decoder.layout.rowByteCount
    let row = PooledBytes(capacity: byteCount)
    let bytes = UnsafeRawBufferPointer(start: row.base, count: byteCount)
    for _ in 0..<header.height {
      try decoder.read(1, into: row.base, stride: byteCount)
      for place in stride(from: 3, to: byteCount, by: 4) where bytes[place] != 0 { return true }
    }
    return false
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    guard mask != nil else { return try colours.read(count, into: destination, stride: stride) }
    for index in 0..<count { try readRow(into: destination + index * stride) }
  }

  private func readRow(into destination: UnsafeMutableRawPointer) throws(PictureError) {
    try colours.read(1, into: row.base, stride: colours.layout.rowByteCount)
    guard let bits = try mask!.row(next)?.assumingMemoryBound(to: UInt8.self) else {
      guard acceptsDamage else { throw .codec(.truncated) }
      destination.initializeMemory(as: UInt8.self, repeating: 0, count: layout.rowByteCount)
      next += 1
      return
    }
    next += 1
    let (size, bands) = (colours.layout.bands, layout.format.model.bandCount)
    let from = row.base.assumingMemoryBound(to: UInt8.self)
    let to = destination.assumingMemoryBound(to: UInt8.self)
    for x in 0..<layout.width {
      for band in 0..<bands { to[x * (bands + 1) + band] = from[x * size + band] }
      to[x * (bands + 1) + bands] = bits[x >> 3] >> UInt8(7 - x & 7) & 1 == 0 ? 255 : 0
    }
  }
}
