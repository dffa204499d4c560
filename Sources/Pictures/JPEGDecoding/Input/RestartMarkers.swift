import Platform

/// Finds the restart markers of a scan (T.81, B.2.1) without decoding the bytes between them.
///
/// Bytes 0xFF and those that follow them are treated as in `EntropyBytes`.
final class RestartMarkers {
  private static let pieceByteCount = 64 << 10

  private let read: EntropyBytes.Reading
  /// A piece of the file. Owned by this object.
  private let piece: UnsafeMutablePointer<UInt8>
  private var next = 0
  private var end = 0
  /// The offset in the file of the byte after the piece.
  private var offset: Int
  /// The index of the segment that contains the next byte.
  private var segment = 0
  private var hasFailed = false

  /// - Parameter offset: the offset in the file of the scan's first segment.
  init(at offset: Int, read: @escaping EntropyBytes.Reading) {
    self.offset = offset
    self.read = read
    piece = .allocate(capacity: Self.pieceByteCount)
  }

  deinit { piece.deallocate() }

  /// Returns the second byte of the marker at the end of a segment.
  static func marker(after segment: Int) -> UInt8 { 0xd0 + UInt8(segment % 8) }

  /// Returns the offset of a segment in the file; nil if a marker before it is missing or wrong.
  ///
  /// - Parameter wanted: the index of a segment, which must not be lower than in earlier calls.
  func offset(of wanted: Int) -> Int? {
    while segment < wanted {
      guard !hasFailed, nextMarker() == Self.marker(after: segment) else {
        hasFailed = true
        return nil
      }
      segment += 1
    }
    return offset - (end - next)
  }

  /// Reads past the next marker and returns its second byte; nil if no marker can be read, or for a zero after several
  /// bytes 0xFF.
  private func nextMarker() -> UInt8? {
    while next < end || readPiece() {
      guard let found = memchr(piece + next, 0xff, end - next) else {
        next = end
        continue
      }
      next = UnsafeRawPointer(found) - UnsafeRawPointer(piece) + 1
      guard let (code, isFilled) = passFill() else { return nil }
      if code != 0 { return code }
      if isFilled { return nil }
    }
    return nil
  }

  /// Reads past fill bytes 0xFF (T.81, B.1.1.2). Returns the byte after them, and whether there were fill bytes; nil if
  /// that byte cannot be read.
  private func passFill() -> (code: UInt8, isFilled: Bool)? {
    var isFilled = false
    while next < end || readPiece() {
      let code = piece[next]
      next += 1
      if code != 0xff { return (code, isFilled) }
      isFilled = true
    }
    return nil
  }

  private func readPiece() -> Bool {
    let count = read(offset, UnsafeMutableRawBufferPointer(start: piece, count: Self.pieceByteCount))
    guard count > 0 else { return false }
    offset += count
    next = 0
    end = count
    return true
  }
}
