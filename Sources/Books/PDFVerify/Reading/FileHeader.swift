/// A version of PDF.
struct StatedVersion: Equatable, Comparable, CustomStringConvertible {
  let major: Int
  let minor: Int

  /// Parses a version; nil for versions that do not exist. Those that do are `1.0` to `1.7` and `2.0`.
  init?(_ text: some StringProtocol) {
    let digits = text.utf8.map { Int($0) - 0x30 }
    guard digits.count == 3, text.utf8.dropFirst().first == UInt8(ascii: "."),
      digits[0] == 1 && (0...7).contains(digits[2]) || digits[0] == 2 && digits[2] == 0
    else { return nil }
    (major, minor) = (digits[0], digits[2])
  }

  static func < (left: StatedVersion, right: StatedVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  var description: String { "\(major).\(minor)" }
}

/// The first two lines of a file (PDF 32000-1:2008, 7.5.2).
struct FileHeader {
  /// The printable characters at the version's place.
  let text: String
  let version: StatedVersion?
  /// Whether a comment of four bytes above 127 follows, which marks the file as binary.
  let isMarkedBinary: Bool

  /// - Parameter bytes: the file's bytes, which begin with `%PDF-`.
  init(_ bytes: UnsafeRawBufferPointer) {
    let start = 5
    let shown = bytes.dropFirst(start).prefix(8).prefix { (0x21...0x7e).contains($0) }
    text = String(decoding: Array(shown), as: UTF8.self)
    // Another comment may follow directly.
    let isOver = bytes.count > start + 3 && [9, 10, 13, 32, 0x25].contains(bytes[start + 3])
    version = isOver ? StatedVersion(text.prefix(3)) : nil
    var end = start + 3
    if end < bytes.count, bytes[end] == 13 { end += 1 }
    if end < bytes.count, bytes[end] == 10 { end += 1 }
    isMarkedBinary =
      end > start + 3 && bytes.count >= end + 5 && bytes[end] == UInt8(ascii: "%")
      && bytes[(end + 1)..<(end + 5)].allSatisfy { $0 > 127 }
  }
}
