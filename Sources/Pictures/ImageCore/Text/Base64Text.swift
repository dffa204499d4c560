/// Base64 (RFC 4648, section 4).
package enum Base64Text {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns bytes as text, padded to groups of four letters.
  package static func encoded(_ bytes: [UInt8]) -> String {
    let count = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: count) { text in
      var place = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let rest = bytes.count - start
        let group =
          UInt32(bytes[start]) << 16 | UInt32(rest > 1 ? bytes[start + 1] : 0) << 8
          | UInt32(rest > 2 ? bytes[start + 2] : 0)
        for index in 0..<4 {
          let letter = letters[Int(group >> UInt32(18 - 6 * index) & 63)]
          text[place] = index > rest ? UInt8(ascii: "=") : letter
          place += 1
        }
      }
      return place
    }
  }
}
