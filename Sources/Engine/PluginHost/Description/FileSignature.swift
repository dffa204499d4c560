/// A pattern for a file's first bytes, declared by a codec: see `signatures` in imghost_plugin.h.
package struct FileSignature: Sendable, Hashable {
  /// The number of bytes at the start of a file that signatures may inspect.
  package static let byteCount = 4_096
  private static let maximumParts = 8

  /// A sequence of bytes at one of several offsets; nil matches any byte.
  private struct Part: Sendable, Hashable {
    let offsets: ClosedRange<Int>
    let bytes: [UInt8?]
  }

  private let parts: [Part]

  /// The number of bytes that are compared. If several codecs match a file, the one that compares the most bytes is
  /// tried first.
  package var precision: Int { parts.reduce(0) { $0 + $1.bytes.count { $0 != nil } } }

  /// Parses a signature; nil if the text is malformed or compares no byte.
  init?(_ text: String) {
    var parts: [Part] = []
    for word in text.utf8.split(separator: UInt8(ascii: " ")) {
      guard let part = Self.part(word), parts.count < Self.maximumParts else { return nil }
      parts.append(part)
    }
    self.parts = parts
    // A signature without bytes would match any file.
    guard precision > 0 else { return nil }
  }

  /// Returns whether a file that begins with these bytes matches.
  package func matches(_ prefix: [UInt8]) -> Bool {
    prefix.withUnsafeBufferPointer { prefix in parts.allSatisfy { Self.isIn(prefix, $0) } }
  }

  /// Returns whether a part is at one of its offsets. This is a plain loop for speed, because the format of a file with
  /// several pages is recognised again for each page.
  private static func isIn(_ prefix: UnsafeBufferPointer<UInt8>, _ part: Part) -> Bool {
    let (bytes, first) = (part.bytes, part.bytes[0])
    let last = min(part.offsets.upperBound, prefix.count - bytes.count)
    var offset = part.offsets.lowerBound
    while offset <= last {
      if first == nil || first == prefix[offset] {
        var index = 1
        while index < bytes.count, bytes[index] == nil || bytes[index] == prefix[offset + index] { index += 1 }
        if index == bytes.count { return true }
      }
      offset += 1
    }
    return false
  }

  private static func part(_ word: Substring.UTF8View.SubSequence) -> Part? {
    let halves = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let offsets = halves[0].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map { $0.first?.isSign == false ? Int(Substring($0)) : nil }
    guard (1...2).contains(offsets.count), let first = offsets[0], let last = offsets[offsets.count - 1],
      first >= 0, first <= last, last < byteCount, let bytes = bytes(halves[1])
    else { return nil }
    return Part(offsets: first...last, bytes: bytes)
  }

  private static func bytes(_ text: Substring.UTF8View.SubSequence) -> [UInt8?]? {
    let digits = Array(text)
    guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8?] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = digits[index..<index + 2]
      if pair.elementsEqual("..".utf8) {
        bytes.append(nil)
      } else if pair.first?.isSign == false, let value = UInt8(String(decoding: pair, as: UTF8.self), radix: 16) {
        bytes.append(value)
      } else {
        return nil
      }
    }
    return bytes
  }
}

extension UInt8 {
  /// Whether the byte is a sign, which Swift accepts in numbers but a signature does not.
  fileprivate var isSign: Bool { self == UInt8(ascii: "+") || self == UInt8(ascii: "-") }
}
