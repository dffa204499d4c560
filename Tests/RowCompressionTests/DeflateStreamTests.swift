import CZlib
import RowCompression
import Testing

/// What is compressed is what zlib inflates, however it is cut.
@Suite struct DeflateStreamTests {
  static let contents: [[UInt8]] = {
    var random = FixedRandom(state: 20_261_123)
    let noise = (0..<200_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    let letters = (0..<100_000).map { $0 % 97 < 10 ? UInt8(truncatingIfNeeded: $0 % 97 * 31) : 0 }
    return [
      [], [7], [UInt8](repeating: 0, count: 300_000), noise,
      (0..<150_000).map { UInt8(truncatingIfNeeded: $0 / 7) }, Array(noise[..<500] + noise[..<500]),
      // From what has many repetitions to what has none, and back.
      letters + noise[..<70_000] + letters,
    ]
  }()

  @Test(
    arguments: [DeflateStream.Effort.chosen, .level(0), .level(1), .level(9)], [64, 1_000, 65_536])
  func zlibInflatesIt(_ effort: DeflateStream.Effort, _ roomByteCount: Int) throws {
    for content in Self.contents {
      for piece in [1_000, 262_144] {
        let made = deflated(content, effort, piece: piece, roomByteCount)
        #expect(inflated(made, content.count) == content)
      }
    }
  }

  /// Of noise only runs are looked for, and what repeats is made with level 4.
  @Test func effortIsChosen() {
    let letters = Self.contents[6][..<100_000]
    let chosen = deflated(Array(letters), .chosen, piece: 50_000, 65_536)
    #expect(chosen == deflated(Array(letters), .level(4), piece: 50_000, 65_536))
    // Twice the same noise, which only runs are looked for in.
    let noise = Self.contents[5]
    #expect(deflated(noise, .chosen, piece: 1_000, 65_536).count > 900)
    #expect(deflated(noise, .level(4), piece: 1_000, 65_536).count < 600)
  }

  @Test func failuresOfTheRoomComeBack() {
    let stream = DeflateStream(.chosen)
    let rooms = ThreeRooms()
    #expect(throws: NoRoom.self) { try rooms.take(Self.contents[3], stream) }
    #expect(rooms.count == 3)
  }

  private func deflated(
    _ content: [UInt8], _ effort: DeflateStream.Effort, piece: Int, _ roomByteCount: Int
  )
    -> [UInt8]
  {
    let stream = DeflateStream(effort)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: roomByteCount, alignment: 1)
    defer { room.deallocate() }
    var output: [UInt8] = []
    func next() -> UnsafeMutableRawBufferPointer {
      output += room[..<stream.filledByteCount]
      return room
    }
    for start in stride(from: 0, to: content.count, by: piece) {
      content[start..<min(start + piece, content.count)].withUnsafeBytes { bytes in
        stream.add(bytes, nextRoom: next)
      }
    }
    stream.finish(nextRoom: next)
    return output + room[..<stream.filledByteCount]
  }

  /// Wraps `uncompress`; nil where it is no zlib stream or of another size.
  private func inflated(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: count + 1)
    var size = UInt(output.count)
    guard uncompress(&output, &size, bytes, UInt(bytes.count)) == Z_OK, size == count else {
      return nil
    }
    return Array(output[..<count])
  }
}

private struct NoRoom: Error {}

/// Two rooms, and a failure instead of the third.
private final class ThreeRooms {
  private(set) var count = 0
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)

  deinit { room.deallocate() }

  func take(_ bytes: [UInt8], _ stream: DeflateStream) throws {
    try bytes.withUnsafeBytes { try stream.add($0, nextRoom: next) }
    try stream.finish(nextRoom: next)
  }

  private func next() throws -> UnsafeMutableRawBufferPointer {
    count += 1
    if count == 3 { throw NoRoom() }
    return room
  }
}
