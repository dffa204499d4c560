import ImageCore

/// A buffer over a JPEG's header. For a megabyte of empty segments, a system call for each would take a quarter of a
/// second, and an array slice for each about 20 ms.
struct JPEGHeaderBuffer {
  private static let maximumSize = 65_536

  let byteCount: Int
  private let read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]
  private var window: [UInt8] = []
  private var start = 0
  private var size = 2_048

  /// - Parameter read: reads bytes of the file; returns fewer at its end.
  init(byteCount: Int, read: @escaping (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]) {
    self.byteCount = byteCount
    self.read = read
  }

  init(_ file: InputFile) {
    self.init(byteCount: file.byteCount) { (offset, count) throws(FileError) in
      try file.bytes(at: offset, count: count)
    }
  }

  /// Returns the byte at an offset. Offsets must not decrease.
  @inline(__always)
  mutating func byte(_ offset: Int) throws(JPEGFault) -> UInt8 {
    let place = offset - start
    if place >= 0, place < window.count { return window[place] }
    try move(to: offset, 1)
    return window[0]
  }

  /// Returns the big-endian 16-bit number at an offset.
  @inline(__always)
  mutating func length(_ offset: Int) throws(JPEGFault) -> Int {
    try Int(byte(offset)) << 8 | Int(byte(offset + 1))
  }

  /// Returns bytes at an offset.
  mutating func bytes(_ offset: Int, _ wanted: Int) throws(JPEGFault) -> ArraySlice<UInt8> {
    guard wanted <= byteCount - offset else { throw .truncated }
    if offset < start || offset + wanted > start + window.count { try move(to: offset, wanted) }
    return window[offset - start..<offset - start + wanted]
  }

  /// Fills the buffer at an offset. Each read is twice as long as the previous one.
  private mutating func move(to offset: Int, _ wanted: Int) throws(JPEGFault) {
    guard wanted <= byteCount - offset else { throw .truncated }
    do { window = try read(offset, max(wanted, size)) } catch { throw .file(error) }
    size = min(size * 2, Self.maximumSize)
    start = offset
    guard window.count >= wanted else { throw .truncated }
  }
}
