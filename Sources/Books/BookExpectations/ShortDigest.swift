import ImageCore

/// The first 8 bytes of a SHA-256: sufficient to distinguish the pictures and pages of a document, and to detect
/// accidental changes.
public struct ShortDigest: Sendable, Hashable {
  /// The bytes as a big-endian number.
  private let word: UInt64

  public init(_ digest: SHA256Digest) { word = digest.prefix }

  /// Reads 16 hexadecimal digits.
  public init?(hexadecimal text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == 8 else { return nil }
    word = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension ShortDigest: CustomStringConvertible {
  /// The digest as 16 lower-case hexadecimal digits.
  public var description: String {
    withUnsafeBytes(of: word.bigEndian) { Hexadecimal.text($0) }
  }

  /// Appends the hexadecimal digits.
  func append(to text: inout UTF8Text) {
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      let digit = UInt8(word >> shift & 15)
      text.bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
}
