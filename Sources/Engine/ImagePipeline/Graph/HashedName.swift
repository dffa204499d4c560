import ImageCore

/// A file's name with digits of the SHA-256 digest of the file, such as `a-{hash:8}.jpg`. The whole name is known only
/// when the file is complete.
package struct HashedName: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case text(String)
    /// The leading digits of the digest, in lower-case hexadecimal.
    case digits(Int)
  }

  /// The name of the field in templates.
  static let field = "hash"
  /// The number of digits in a complete digest.
  static let allDigits = 64

  let parts: [Part]

  /// Reads the name in the last part of a path; nil if the path has no `{hash}`. Used for outputs whose names are not
  /// templates, so other braces are left unchanged.
  ///
  /// - Throws: the mistake in a `{hash}` of the path.
  package init?(inPath path: String) throws(NameTemplate.TemplateError) {
    var parts: [Part] = []
    var text = ""
    var rest = path[...]
    while let start = rest.firstRange(of: "{" + Self.field), let end = rest[start.upperBound...].firstIndex(of: "}") {
      let style = rest[start.upperBound..<end]
      guard style.isEmpty || style.first == ":" else {
        text += rest[..<start.upperBound]
        rest = rest[start.upperBound...]
        continue
      }
      parts.append(.text(text + rest[..<start.lowerBound]))
      parts.append(.digits(try Self.digits(style.isEmpty ? nil : String(style.dropFirst()))))
      text = ""
      rest = rest[rest.index(after: end)...]
    }
    if parts.isEmpty { return nil }
    parts.append(.text(text + rest))
    if case .text(let start) = parts[0] { parts[0] = .text(String(PathName.name(start))) }
    for part in parts.dropFirst() { if case .text(let text) = part, text.contains("/") { throw .hashInFolder } }
    self.parts = parts
  }

  init(parts: [Part]) { self.parts = parts }

  /// Reads the style of the field, which is the number of digits; by default, that of a complete digest.
  static func digits(_ style: String?) throws(NameTemplate.TemplateError) -> Int {
    guard let style else { return allDigits }
    guard style.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(style), (1...allDigits).contains(count)
    else {
      throw .unknownStyle(field: field, style)
    }
    return count
  }

  /// Returns the name of a file with this digest.
  func name(_ digest: SHA256Digest) -> String {
    let all = digest.description
    return parts.map { part in
      switch part {
      case .text(let text): text
      case .digits(let count): String(all.prefix(count))
      }
    }.joined()
  }

  /// Returns the field with its style: `{hash:8}`.
  static func text(digits: Int) -> String { digits == allDigits ? "{\(field)}" : "{\(field):\(digits)}" }
}
