/// Reads a JPEG file byte by byte.
final class MarkedBytes {
  private static let pieceByteCount = 64 << 10

  /// Whether what is missing or wrong is made up for, as libjpeg does, instead of being an error.
  let acceptsDamage: Bool
  private let read: EntropyBytes.Reading
  private var piece = [UInt8](repeating: 0, count: pieceByteCount)
  private var next = 0
  private var end = 0
  private var offset = 0

  init(acceptsDamage: Bool, read: @escaping EntropyBytes.Reading) {
    self.acceptsDamage = acceptsDamage
    self.read = read
  }

  /// The next byte; after the file's last, where that is accepted, the end of image marker again and again.
  func byte() throws(ExtendedFault) -> UInt8 {
    if next == end { try fill() }
    next += 1
    return piece[next - 1]
  }

  /// The next two bytes as a number.
  func word() throws(ExtendedFault) -> Int { Int(try byte()) << 8 | Int(try byte()) }

  func skip(_ count: Int) throws(ExtendedFault) {
    for _ in 0..<count { _ = try byte() }
  }

  /// Passes over everything up to the next marker (T.81, B.1.1.2); gives its second byte.
  ///
  /// - Parameter known: that of a marker that was passed over already.
  func marker(_ known: UInt8? = nil) throws(ExtendedFault) -> UInt8 {
    if let known { return known }
    while true {
      while try byte() != 0xff {}
      var code = try byte()
      while code == 0xff { code = try byte() }
      if code != 0 { return code }
    }
  }

  /// Damage that is an error unless it is accepted.
  func note(_ fault: ExtendedFault) throws(ExtendedFault) {
    if !acceptsDamage { throw fault }
  }

  private func fill() throws(ExtendedFault) {
    let count = piece.withUnsafeMutableBytes { read(offset, $0) }
    guard count >= 0 else { throw .unreadable }
    next = 0
    end = count
    offset += count
    guard count == 0 else { return }
    try note(.truncated)
    piece[0] = 0xff
    piece[1] = 0xd9
    end = 2
  }
}
