/// The 32 bytes of a SHA-256 digest. They are stored without an allocation, because a book keeps one for each picture.
public struct SHA256Digest: Sendable, Hashable {
  /// The bytes, eight per word, with the first in the highest place.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter state: the eight words of a finished computation.
  init(_ state: SIMD8<UInt32>) {
    func word(_ index: Int) -> UInt64 { UInt64(state[2 * index]) << 32 | UInt64(state[2 * index + 1]) }
    words = (word(0), word(1), word(2), word(3))
  }

  /// Reads 64 hexadecimal digits.
  public init?(hexadecimal text: some StringProtocol) {
    guard let bytes = Hexadecimal.bytes(text) else { return nil }
    self.init(bytes: bytes[...])
  }

  /// Makes a digest from 32 bytes; nil for any other number.
  public init?(bytes: ArraySlice<UInt8>) {
    guard bytes.count == 32 else { return nil }
    words = bytes.withUnsafeBytes { bytes in
      func word(_ index: Int) -> UInt64 {
        UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  /// The 32 bytes.
  public var bytes: [UInt8] {
    [words.0, words.1, words.2, words.3].flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
    }
  }

  /// The first eight bytes as a big-endian number.
  public var prefix: UInt64 { words.0 }

  /// The second eight bytes as a big-endian number.
  package var second: UInt64 { words.1 }

  /// Passes the 32 bytes to `body`.
  func withUnsafeBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    Swift.withUnsafeBytes(of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
  }

  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

extension SHA256Digest: CustomStringConvertible {
  /// The digest as 64 lower-case hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes) }
}
