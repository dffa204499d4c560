import ImageCore

/// Rows of a QOI. Every byte sequence is valid, so the only damage that can be detected is an early end.
final class QOIDecoder: RowSource {
  let layout: PictureLayout
  private let file: InputFile
  private let acceptsDamage: Bool
  /// The offset after the last byte that may belong to a pixel.
  private let end: Int
  /// A part of the file, and the offset of the byte after it.
  private let buffer = PooledBytes(capacity: 65_536)
  private var offset = QOICodec.headerByteCount
  private var filled = 0
  private var used = 0
  private var hasEnded = false

  private typealias Pixel = SIMD4<UInt8>
  private var pixel = Pixel(0, 0, 0, 255)
  /// The most recent pixel for each hash value.
  private var seen = [Pixel](repeating: Pixel(repeating: 0), count: 64)
  /// The number of remaining repetitions of the pixel.
  private var run = 0

  init(_ file: InputFile, layout: PictureLayout, acceptsDamage: Bool) {
    self.file = file
    self.layout = layout
    self.acceptsDamage = acceptsDamage
    end = file.byteCount - (acceptsDamage ? 0 : QOICodec.endMarker.count)
  }

  func read(_ count: Int, into destination: UnsafeMutableRawPointer, stride: Int) throws(PictureError) {
    for row in 0..<count { try readRow(into: destination + row * stride) }
  }

  private func readRow(into row: UnsafeMutableRawPointer) throws(PictureError) {
    let size = layout.rowByteCount / layout.width
    var place = row
    for x in 0..<layout.width {
      if run > 0 {
        run -= 1
      } else {
        try readPixel()
        if hasEnded {
          guard acceptsDamage else { throw .codec(.truncated) }
          place.initializeMemory(as: UInt8.self, repeating: 0, count: (layout.width - x) * size)
          return
        }
      }
      place.storeBytes(of: pixel.x, as: UInt8.self)
      place.storeBytes(of: pixel.y, toByteOffset: 1, as: UInt8.self)
      place.storeBytes(of: pixel.z, toByteOffset: 2, as: UInt8.self)
      if size == 4 { place.storeBytes(of: pixel.w, toByteOffset: 3, as: UInt8.self) }
      place += size
    }
  }

  /// Reads one chunk (qoiformat.org, "Data Chunks"): the next pixel, and the number of its repetitions.
  private func readPixel() throws(PictureError) {
    let tag = try byte()
    switch tag {
    case 0xfe, 0xff:
      pixel.x = try byte()
      pixel.y = try byte()
      pixel.z = try byte()
      if tag == 0xff { pixel.w = try byte() }
    case 0xc0...:
      run = Int(tag & 0x3f)
    case 0x80...:
      let second = try byte()
      let green = (tag & 0x3f) &- 32
      pixel.x &+= green &- 8 &+ (second >> 4)
      pixel.y &+= green
      pixel.z &+= green &- 8 &+ (second & 15)
    case 0x40...:
      pixel.x &+= ((tag >> 4) & 3) &- 2
      pixel.y &+= ((tag >> 2) & 3) &- 2
      pixel.z &+= (tag & 3) &- 2
    default:
      pixel = seen[Int(tag)]
    }
    seen[(Int(pixel.x) * 3 + Int(pixel.y) * 5 + Int(pixel.z) * 7 + Int(pixel.w) * 11) & 63] = pixel
  }

  /// Returns the next byte; 0 at the end.
  private func byte() throws(PictureError) -> UInt8 {
    if used == filled {
      let wanted = min(buffer.capacity, end - offset)
      used = 0
      filled = 0
      if wanted > 0 {
        do throws(FileError) {
          filled = try file.read(
            at: offset, into: UnsafeMutableRawBufferPointer(start: buffer.base, count: wanted))
        } catch { throw .file(error) }
      }
      offset += filled
      guard filled > 0 else {
        hasEnded = true
        return 0
      }
    }
    used += 1
    return buffer.base.load(fromByteOffset: used - 1, as: UInt8.self)
  }
}
