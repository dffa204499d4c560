import Platform

/// Where a scan's segments begin: finds restart markers (T.81, B.2.1) without decoding what is between them.
///
/// What it makes of 0xFF and the bytes after it is what `EntropyBytes` makes of them.
final class RestartMarkers {
  private static let pieceByteCount = 64 << 10

  private let read: EntropyBytes.Reading
  /// A piece of the file. Owned by this object.
  private let piece: UnsafeMutablePointer<UInt8>
  private var next = 0
  private var end = 0
  /// Of the byte after the piece.
  private var offset: Int
  /// The segment whose first byte, or a later one, is next.
  private var segment = 0
  private var hasFailed = false

  /// - Parameter offset: where the scan's first segment begins in the file.
  init(at offset: Int, read: @escaping EntropyBytes.Reading) {
    self.offset = offset
    self.read = read
    piece = .allocate(capacity: Self.pieceByteCount)
  }

  deinit { piece.deallocate() }

  /// The second byte of the marker that ends a segment.
  static func marker(after segment: Int) -> UInt8 { 0xd0 + UInt8(segment % 8) }

  /// Where a segment begins in the file; nil when the markers before it are not those that must be there.
  ///
  /// - Parameter wanted: the first segment, or a later one than was asked for before.
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

  /// Passes over the next marker; gives its second byte.
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

  /// Passes over more of 0xFF (T.81, B.1.1.2) and what follows, which it gives.
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
    let count = read(
      offset, UnsafeMutableRawBufferPointer(start: piece, count: Self.pieceByteCount))
    guard count > 0 else { return false }
    offset += count
    next = 0
    end = count
    return true
  }
}
