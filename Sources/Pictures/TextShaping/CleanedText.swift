/// Texts from a file name or metadata, cleaned for use on a page, and a description of the changes. The author of a
/// book has not chosen the characters of these texts, so gaps are better than an error.
package struct CleanedText: Sendable, Hashable {
  /// The cleaned texts, one for each input.
  package private(set) var parts: [String] = []
  /// Clauses that describe the changes, each once: "the control character U+0007 is shown as a space".
  package private(set) var changes: [String] = []

  private var controls: [UInt32] = []
  private var isNotUTF8 = false
  /// The number of UTF-8 bytes left for further parts.
  private var room: Int
  private var isCut = false

  private static let ellipsis = "…"
  /// The number of bytes reserved for text between parts, such as page numbers.
  private static let reserve = 100

  /// Replaces control characters and invalid UTF-8 with spaces, and text beyond `TextLimits.byteCount` with an
  /// ellipsis. Tabs become spaces, and carriage returns before line feeds are removed, without an entry in `changes`.
  ///
  /// - Parameters:
  ///   - parts: texts that are shown one after another.
  ///   - isOneLine: whether line ends become spaces, too.
  package init(_ parts: [String], isOneLine: Bool = false) {
    room = TextLimits.byteCount - (parts.count > 1 ? Self.reserve : 0)
    for part in parts { self.parts.append(cleaned(part, isOneLine: isOneLine)) }
    if let first = controls.first {
      let are = controls.count > 1 ? " and \(controls.count - 1) more are" : " is"
      changes.append("the control character \(TextError.codePoint(first))\(are) shown as a space")
    }
    if isNotUTF8 { changes.append("bytes that are not UTF-8 are shown as spaces") }
    if isCut {
      let count = parts.reduce(0) { $0 + $1.utf8.count }
      changes.append(
        "\(count) bytes are more than the \(TextLimits.byteCount) that a text may have, and the rest is "
          + "left out")
    }
  }

  private mutating func cleaned(_ text: String, isOneLine: Bool) -> String {
    let isWhole = text.utf8.count <= room
    // Most texts need no change.
    if isWhole, TextError.problem(with: text) == nil, !(isOneLine && text.unicodeScalars.contains("\n")) {
      room -= text.utf8.count
      return text
    }
    let most = isWhole ? room : room - Self.ellipsis.utf8.count
    var scalars = String.UnicodeScalarView()
    var byteCount = 0
    var rest = Substring(text).unicodeScalars
    while let scalar = rest.popFirst() {
      if scalar == "\r", rest.first == "\n" { continue }
      let shown = shown(scalar, isOneLine: isOneLine)
      guard byteCount + UTF8.width(shown) <= most else { break }
      byteCount += UTF8.width(shown)
      scalars.append(shown)
    }
    room -= byteCount
    guard !isWhole else { return String(scalars) }
    isCut = true
    guard most >= 0 else { return "" }
    room -= Self.ellipsis.utf8.count
    return String(scalars) + Self.ellipsis
  }

  private mutating func shown(_ scalar: Unicode.Scalar, isOneLine: Bool) -> Unicode.Scalar {
    switch scalar.value {
    case 0x0a: return isOneLine ? " " : scalar
    case 0x09: return " "
    case 0xfffd:
      isNotUTF8 = true
      return " "
    default:
      guard TextError.isControl(scalar) else { return scalar }
      if !controls.contains(scalar.value) { controls.append(scalar.value) }
      return " "
    }
  }
}
