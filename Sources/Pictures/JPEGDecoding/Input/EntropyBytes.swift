import JPEGTables
import Platform

/// Reads a scan's entropy-coded segments one after another, and removes the zeros stuffed after 0xFF (T.81, B.1.1.5).
///
/// A segment contains the bytes of one restart interval. Whatever the size of the file, only one piece of it and the
/// unstuffed copy of that piece are in memory.
final class EntropyBytes {
  /// A function that fills a buffer from an offset of the file, and returns the number of bytes, 0 at the end, negative
  /// on failure.
  typealias Reading =
    @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int

  /// The number of bytes that may be read past the last byte of a segment, if the segment ends inside an MCU.
  private static let padding = EntropyLimits.longestMCU + 32

  private let read: Reading
  private let pieceByteCount: Int
  private var offset: Int
  /// A piece of the file. Owned by this object.
  private let piece: UnsafeMutablePointer<UInt8>
  private var pieceNext = 0
  private var pieceEnd = 0
  /// The unstuffed bytes, and space for the padding. Owned by this object.
  private let bytes: UnsafeMutablePointer<UInt8>
  private var end = 0
  /// The second byte of the marker at the end of the segment; nil until it is known.
  private var marker: UInt8?

  /// - Parameter pieceByteCount: the number of bytes to read at once, several times the size of the largest MCU.
  init(at offset: Int, pieceByteCount: Int, read: @escaping Reading) {
    self.offset = offset
    self.read = read
    self.pieceByteCount = pieceByteCount
    piece = .allocate(capacity: pieceByteCount)
    bytes = .allocate(capacity: pieceByteCount + Self.padding)
    bytes.initialize(repeating: 0, count: pieceByteCount + Self.padding)
  }

  deinit {
    piece.deallocate()
    bytes.deallocate()
  }

  /// The address for `EntropyState.bytes`.
  var base: UnsafeRawPointer { UnsafeRawPointer(bytes) }

  /// Seeks to another offset of the file, where a segment begins.
  func seek(to offset: Int) {
    self.offset = offset
    pieceNext = 0
    pieceEnd = 0
  }

  /// Starts the first segment, or the segment after the marker that was found. Returns false if its first bytes cannot
  /// be read, if the file ends before a marker, or for a zero after several bytes 0xFF.
  func startSegment(_ state: inout EntropyState) -> Bool {
    marker = nil
    end = 0
    state.restart(at: base)
    return fill(&state)
  }

  /// Appends more bytes of the segment to the bytes that are not decoded yet. Returns false if the segment has no more,
  /// or if the next ones cannot be read.
  func more(_ state: inout EntropyState) -> Bool {
    guard marker == nil, isWithin(state) else { return false }
    let position = state.position
    let first = position / 8
    bytes.update(from: bytes + first, count: end - first)
    end -= first
    state.restart(at: base)
    if position % 8 != 0 {
      state.bits = UInt64(bytes[0]) << UInt64(56 + position % 8)
      state.count = 8 - position % 8
      state.next = base + 1
    }
    return fill(&state)
  }

  /// Skips the rest of the segment, as libjpeg does, and returns the marker at its end; nil if more bytes than one
  /// piece precede the marker, if they cannot be read, or if bits beyond the segment were consumed.
  func marker(after state: inout EntropyState) -> UInt8? {
    guard isWithin(state) else { return nil }
    if marker == nil, !more(&state) { return nil }
    return marker
  }

  /// Returns whether the segment ends with the end of image marker.
  func endsImage(_ state: inout EntropyState) -> Bool { marker(after: &state) == 0xd9 }

  /// Returns whether all consumed bits belong to the segment.
  func isWithin(_ state: EntropyState) -> Bool { state.position <= end * 8 }

  private func fill(_ state: inout EntropyState) -> Bool {
    while marker == nil, end < pieceByteCount {
      if pieceNext == pieceEnd, !readPiece() { return false }
      guard unstuff() else { return false }
    }
    if marker == nil {
      state.limit = base + end - Self.padding
    } else {
      (bytes + end).update(repeating: 0, count: Self.padding)
      // The bit reader loads up to eight bytes ahead.
      state.limit = base + end + 8
    }
    return true
  }

  /// Moves the unread rest of the piece to its beginning, and reads the next bytes of the file after it.
  private func readPiece() -> Bool {
    let left = pieceEnd - pieceNext
    piece.update(from: piece + pieceNext, count: left)
    let count = read(offset, UnsafeMutableRawBufferPointer(start: piece + left, count: pieceByteCount - left))
    guard count > 0 else { return false }
    offset += count
    pieceNext = 0
    pieceEnd = left + count
    return true
  }

  /// Copies bytes up to the next 0xFF, which it passes to `unstuffMarker`. Returns false if that function does.
  private func unstuff() -> Bool {
    let from = piece + pieceNext
    let room = min(pieceEnd - pieceNext, pieceByteCount - end)
    guard let found = memchr(from, 0xff, room) else {
      (bytes + end).update(from: from, count: room)
      end += room
      pieceNext += room
      return true
    }
    let count = UnsafeRawPointer(found) - UnsafeRawPointer(from)
    (bytes + end).update(from: from, count: count)
    end += count
    pieceNext += count
    return unstuffMarker()
  }

  /// Reads past a byte 0xFF and what follows it: a stuffed zero, or the second byte of a marker. Returns false if the
  /// next byte cannot be read, or for a zero after several bytes 0xFF.
  private func unstuffMarker() -> Bool {
    var isFilled = false
    while true {
      if pieceNext + 1 == pieceEnd, !readPiece() { return false }
      let next = piece[pieceNext + 1]
      if next != 0xff {
        pieceNext += 2
        if next != 0 {
          marker = next
        } else {
          // How libjpeg treats a zero after several bytes 0xFF varies, so libjpeg itself must decode such files.
          if isFilled { return false }
          bytes[end] = 0xff
          end += 1
        }
        return true
      }
      // Any number of fill bytes 0xFF may precede a marker (T.81, B.1.1.2).
      isFilled = true
      pieceNext += 1
    }
  }
}
