import CZlib

/// Builds PNG files of any type and with any filters.
struct PNGBuilder {
  let width: Int
  let height: Int
  let bits: Int
  /// The colour type of PNG, table 11.1: 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha.
  let colourType: Int
  /// The filters of the rows, repeated cyclically.
  var filters: [UInt8] = [0]
  var palette: [UInt8] = []
  var transparency: [UInt8]?
  /// The compression level of zlib.
  var level: Int32 = 6
  /// The number of bytes in each IDAT chunk.
  var chunkSize = Int.max
  /// Chunks after the pixels.
  var trailing: [(String, [UInt8])] = []
  /// A change to the compressed pixels.
  var spoil: (inout [UInt8]) -> Void = { _ in }

  /// All types and bit depths.
  static let types = [
    (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8),
    (4, 8),
    (4, 16), (6, 8), (6, 16),
  ]

  var rowByteCount: Int { (width * bits * [1, 0, 3, 1, 2, 0, 4][colourType] + 7) / 8 }

  /// Returns a file with `noise` as filtered bytes; any bytes are a valid picture.
  func file(_ noise: (Int) -> UInt8) -> [UInt8] {
    var rows: [UInt8] = []
    for row in 0..<height {
      rows.append(filters[row % filters.count])
      for byte in 0..<rowByteCount { rows.append(noise(row * rowByteCount + byte)) }
    }
    var data = Self.compressed(rows, level)
    spoil(&data)
    var file: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    file += Self.chunk(
      "IHDR",
      Self.number(UInt32(width)) + Self.number(UInt32(height)) + [
        UInt8(bits), UInt8(colourType), 0, 0, 0,
      ])
    if !palette.isEmpty { file += Self.chunk("PLTE", palette) }
    if let transparency { file += Self.chunk("tRNS", transparency) }
    var start = 0
    while start < data.count {
      let end = chunkSize < data.count - start ? start + chunkSize : data.count
      file += Self.chunk("IDAT", Array(data[start..<end]))
      start = end
    }
    for (type, data) in trailing { file += Self.chunk(type, data) }
    return file + Self.chunk("IEND", [])
  }

  private static func compressed(_ bytes: [UInt8], _ level: Int32) -> [UInt8] {
    var count = compressBound(UInt(bytes.count))
    var result = [UInt8](repeating: 0, count: Int(count))
    let status = compress2(&result, &count, bytes, UInt(bytes.count), level)
    precondition(status == Z_OK)
    return Array(result[..<Int(count)])
  }

  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(type.utf8) + data
    return number(UInt32(data.count)) + body + number(UInt32(truncatingIfNeeded: crc32(0, body, UInt32(body.count))))
  }

  static func number(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
