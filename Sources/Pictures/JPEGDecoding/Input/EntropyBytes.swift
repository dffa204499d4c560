import JPEGTables
import Platform

/// Reads a scan's entropy-coded bytes, one segment between markers after another, without the zeros that are
/// stuffed after 0xFF (T.81, B.1.1.5).
///
/// Holds one piece of the file as it is and one without stuffing, whatever the file's size.
final class EntropyBytes {
  /// Reads at most so many bytes at an offset of the file: their number, 0 at its end, negative on failure.
  typealias Reading =
    @Sendable (_ offset: Int, _ buffer: UnsafeMutableRawBufferPointer) -> Int

  /// What may be read past the last byte: the rest of an MCU that runs out of them.
  private static let padding = EntropyLimits.longestMCU + 32

  private let read: Reading
  private let pieceByteCount: Int
  private var offset: Int
  /// A piece of the file. Owned by this object.
  private let piece: UnsafeMutablePointer<UInt8>
  private var pieceNext = 0
  private var pieceEnd = 0
  /// What has been made of it, with room for the padding. Owned by this object.
  private let bytes: UnsafeMutablePointer<UInt8>
  private var end = 0
  /// The second byte of the marker that ends the segment, once it is known.
  private var marker: UInt8?

  /// - Parameter pieceByteCount: read at once; several times an MCU's.
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

  /// Where `EntropyState.bytes` begins.
  var base: UnsafeRawPointer { UnsafeRawPointer(bytes) }

  /// Goes to another place of the file, where a segment begins.
  func seek(to offset: Int) {
    self.offset = offset
    pieceNext = 0
    pieceEnd = 0
  }

  /// Begins the segment after the marker that was found, or the first; false where there are no bytes.
  func startSegment(_ state: inout EntropyState) -> Bool {
    marker = nil
    end = 0
    state.restart(at: base)
    return fill(&state)
  }

  /// Puts more bytes behind those that are not decoded yet; false where there are none.
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

  /// The marker that ends the segment, after which what is left of the segment is passed over as libjpeg
  /// does; nil when it is not near.
  func marker(after state: inout EntropyState) -> UInt8? {
    guard isWithin(state) else { return nil }
    if marker == nil, !more(&state) { return nil }
    return marker
  }

  /// Whether the marker that ends the segment is that of the end of the image.
  func endsImage(_ state: inout EntropyState) -> Bool { marker(after: &state) == 0xd9 }

  /// Whether no bit has been taken that is not there.
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
      // Up to eight bytes are loaded ahead.
      state.limit = base + end + 8
    }
    return true
  }

  /// Reads the next piece of the file behind what is left of this one.
  private func readPiece() -> Bool {
    let left = pieceEnd - pieceNext
    piece.update(from: piece + pieceNext, count: left)
    let count = read(
      offset,
      UnsafeMutableRawBufferPointer(start: piece + left, count: pieceByteCount - left))
    guard count > 0 else { return false }
    offset += count
    pieceNext = 0
    pieceEnd = left + count
    return true
  }

  /// Copies up to and with the next 0xFF.
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

  /// Passes over 0xFF and what follows: a stuffed zero or a marker.
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
          // libjpeg makes of a zero after several one thing or another.
          if isFilled { return false }
          bytes[end] = 0xff
          end += 1
        }
        return true
      }
      // Before a marker there may be any number of 0xFF more: T.81, B.1.1.2.
      isFilled = true
      pieceNext += 1
    }
  }
}
