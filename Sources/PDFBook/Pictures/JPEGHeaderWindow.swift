import ImageCore

/// A part of a JPEG's header, read at once: a call of the system for each segment would take a quarter second for a
/// megabyte of empty ones.
struct JPEGHeaderWindow {
  private static let size = 2_048

  let byteCount: Int
  private let read: (_ offset: Int, _ count: Int) throws(FileError) -> [UInt8]
  private var window: [UInt8] = []
  private var start = 0

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

  /// The bytes at an offset that is not before the last one.
  mutating func bytes(_ offset: Int, _ wanted: Int) throws(JPEGFault) -> ArraySlice<UInt8> {
    guard offset + wanted <= byteCount else { throw .truncated }
    if offset < start || offset + wanted > start + window.count {
      do { window = try read(offset, max(wanted, Self.size)) } catch { throw .file(error) }
      start = offset
      guard window.count >= wanted else { throw .truncated }
    }
    return window[offset - start..<offset - start + wanted]
  }
}
