import ImageCore
import Testing

@Suite struct SHA256Tests {
  /// FIPS 180-4 examples and NIST's short messages.
  static let vectors: [(String, String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (
      String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
    ),
  ]

  @Test(arguments: SHA256Tests.vectors) func knownDigests(text: String, digest: String) {
    #expect(SHA256.digest(of: Array(text.utf8)).description == digest)
    #expect(SHA256Digest(hexadecimal: digest) == SHA256.digest(of: Array(text.utf8)))
  }

  @Test func piecesDoNotMatter() {
    let bytes = (0..<300).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = SHA256.digest(of: bytes)
    for size in [1, 3, 63, 64, 65, 127, 128, 129] {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: size) {
        hash.update(Array(bytes[start..<min(bytes.count, start + size)]))
      }
      #expect(hash.finish() == whole, "pieces of \(size)")
    }
  }

  /// Blocks of a multiple of four rounds of the instructions, ends of every length.
  @Test func instructionsAndPlainLoopsAgree() {
    var bytes: [UInt8] = []
    var value: UInt32 = 1
    for count in 0..<700 {
      var fast = SHA256()
      var plain = SHA256(isPortable: true)
      fast.update(bytes)
      plain.update(bytes)
      #expect(fast.finish() == plain.finish(), "\(count) bytes")
      value = value &* 1_664_525 &+ 1_013_904_223
      bytes.append(UInt8(truncatingIfNeeded: value >> 24))
    }
  }

  @Test(arguments: SHA256Tests.vectors) func plainLoopsKnowTheDigests(
    text: String, digest: String
  ) {
    var hash = SHA256(isPortable: true)
    hash.update(Array(text.utf8))
    #expect(hash.finish().description == digest)
  }
}
