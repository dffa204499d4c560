import ImageCore

/// A part of a JPEG's header, read at once: for a megabyte of empty segments a call of the system each would take a
/// quarter second, and a slice of an array each some 20 ms.
struct JPEGHeaderWindow {
  private static let mostSize = 65_536

  let byteCount: Int
  private let read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]
  private var window: [UInt8] = []
  private var start = 0
  private var size = 2_048

  /// - Parameter read: gives bytes of the file; fewer at its end.
  init(byteCount: Int, read: @escaping (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]) {
    self.byteCount = byteCount
    self.read = read
  }

  init(_ file: InputFile) {
    self.init(byteCount: file.byteCount) { (offset, count) throws(FileError) in
      try file.bytes(at: offset, count: count)
    }
  }

  /// The byte at an offset that is not before the last one.
  @inline(__always)
  mutating func byte(_ offset: Int) throws(JPEGFault) -> UInt8 {
    let place = offset - start
    if place >= 0, place < window.count { return window[place] }
    try move(to: offset, 1)
    return window[0]
  }

  /// Two bytes at such an offset, the higher one first.
  @inline(__always)
  mutating func length(_ offset: Int) throws(JPEGFault) -> Int {
    try Int(byte(offset)) << 8 | Int(byte(offset + 1))
  }

  /// The bytes at such an offset.
  mutating func bytes(_ offset: Int, _ wanted: Int) throws(JPEGFault) -> ArraySlice<UInt8> {
    guard wanted <= byteCount - offset else { throw .truncated }
    if offset < start || offset + wanted > start + window.count { try move(to: offset, wanted) }
    return window[offset - start..<offset - start + wanted]
  }

  /// A longer header is read in longer parts.
  private mutating func move(to offset: Int, _ wanted: Int) throws(JPEGFault) {
    guard wanted <= byteCount - offset else { throw .truncated }
    do { window = try read(offset, max(wanted, size)) } catch { throw .file(error) }
    size = min(size * 2, Self.mostSize)
    start = offset
    guard window.count >= wanted else { throw .truncated }
  }
}
