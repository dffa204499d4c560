import ImageCore
import Platform

/// A line of a list of digests in the format of GNU `sha256sum`: the digest, a space, a space or an asterisk, and the
/// path. A backslash at the beginning means that the path contains escapes.
package struct DigestLine: Equatable {
  package let path: String
  /// 64 lowercase hexadecimal digits.
  package let digest: String

  package init(path: String, digest: String) {
    self.path = path
    self.digest = digest
  }

  private static let escapes: [(byte: UInt8, letter: UInt8)] = [
    (UInt8(ascii: "\\"), UInt8(ascii: "\\")), (UInt8(ascii: "\n"), UInt8(ascii: "n")),
    (UInt8(ascii: "\r"), UInt8(ascii: "r")),
  ]

  /// The line without its line end.
  package var text: String {
    let bytes = PathBytes.bytes(of: path)
    let escaped = bytes.flatMap { byte in
      Self.escapes.first { $0.byte == byte }.map { [UInt8(ascii: "\\"), $0.letter] } ?? [byte]
    }
    let mark = escaped.count > bytes.count ? "\\" : ""
    return mark + digest + "  " + PathBytes.text(bytes: escaped)
  }

  /// Parses a line; returns nil for any other text.
  package init?(_ line: some Collection<UInt8>) {
    var rest = Array(line)[...]
    if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
    let isEscaped = rest.first == UInt8(ascii: "\\")
    if isEscaped { rest.removeFirst() }
    let digits = String(decoding: rest.prefix(64), as: UTF8.self).lowercased()
    let path = rest.dropFirst(66)
    guard Hexadecimal.bytes(digits)?.count == 32, !path.isEmpty, rest[rest.startIndex + 64] == UInt8(ascii: " "),
      [UInt8(ascii: " "), UInt8(ascii: "*")].contains(rest[rest.startIndex + 65]),
      let bytes = isEscaped ? Self.unescaped(path) : Array(path)
    else { return nil }
    self.init(path: PathBytes.text(bytes: bytes), digest: digits)
  }

  private static func unescaped(_ path: ArraySlice<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = path
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      guard let letter = rest.popFirst(), let escape = escapes.first(where: { $0.letter == letter }) else { return nil }
      bytes.append(escape.byte)
    }
    return bytes
  }
}
