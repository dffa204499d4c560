/// Reads a JPEG file byte by byte.
final class MarkedBytes {
  private static let pieceByteCount = 64 << 10

  /// Whether damage is patched as in libjpeg instead of being an error.
  let acceptsDamage: Bool
  private let read: EntropyBytes.Reading
  private var piece = [UInt8](repeating: 0, count: pieceByteCount)
  private var next = 0
  private var end = 0
  private var offset = 0
  /// Whether the file may end here if nothing but the end marker is missing; false in headers.
  var mayEnd = false
  /// Whether it ended without an end marker.
  private(set) var hasEnded = false

  init(acceptsDamage: Bool, read: @escaping EntropyBytes.Reading) {
    self.acceptsDamage = acceptsDamage
    self.read = read
  }

  /// Reads the next byte. Past the end of the file, gives end of image markers where it may end.
  func byte() throws(ExtendedFault) -> UInt8 {
    if next == end { try fill() }
    next += 1
    return piece[next - 1]
  }

  /// Reads the next two bytes as a number.
  func word() throws(ExtendedFault) -> Int { Int(try byte()) << 8 | Int(try byte()) }

  func skip(_ count: Int) throws(ExtendedFault) { for _ in 0..<count { _ = try byte() } }

  /// Skips everything up to the next marker (T.81, B.1.1.2) and returns its second byte.
  ///
  /// - Parameter known: the second byte of a marker that was read already.
  func marker(_ known: UInt8? = nil) throws(ExtendedFault) -> UInt8 {
    if let known { return known }
    while true {
      while try byte() != 0xff {}
      var code = try byte()
      while code == 0xff { code = try byte() }
      if code != 0 { return code }
    }
  }

  /// Throws damage unless it is accepted.
  func note(_ fault: ExtendedFault) throws(ExtendedFault) { if !acceptsDamage { throw fault } }

  private func fill() throws(ExtendedFault) {
    let count = piece.withUnsafeMutableBytes { read(offset, $0) }
    guard count >= 0 else { throw .unreadable }
    next = 0
    end = count
    offset += count
    guard count == 0 else { return }
    if !mayEnd { try note(.truncated) }
    hasEnded = true
    piece[0] = 0xff
    piece[1] = 0xd9
    end = 2
  }
}
