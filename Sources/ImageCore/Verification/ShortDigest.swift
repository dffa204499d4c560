/// The first 16 bytes of a SHA-256 digest: enough to tell any two streams of a document apart, and to notice
/// every change, in half the room.
public struct ShortDigest: Sendable, Hashable {
  /// The bytes, eight to a word, the first in the highest.
  private let words: (UInt64, UInt64)

  public init(_ digest: SHA256Digest) {
    var words: [UInt64] = [0, 0]
    for (index, byte) in digest.bytes.prefix(16).enumerated() {
      words[index / 8] = words[index / 8] << 8 | UInt64(byte)
    }
    self.words = (words[0], words[1])
  }

  /// Reads 32 hexadecimal digits.
  public init?(hexadecimal text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 16 else { return nil }
    words = (
      bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    )
  }

  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension ShortDigest: CustomStringConvertible {
  /// 32 lower-case hexadecimal digits.
  public var description: String {
    Hexadecimal.text(
      [words.0, words.1].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
      })
  }
}
