import ImageCore
import Platform

/// The files that a manifest or a list of digests names. Both may come from an untrusted source.
package struct ListedFiles {
  package struct File: Sendable, Equatable {
    package let path: String
    /// The size in bytes; nil if the list does not contain it.
    package let byteCount: Int?
    package let digest: String
    /// Whether the file is a source of outputs, and not an output of the run.
    package let isSource: Bool
  }

  /// The reason why a list cannot be used.
  package struct Problem: Error, Equatable {
    package let text: String
  }

  package private(set) var files: [File] = []
  /// The number of outputs that the run did not write.
  package private(set) var unwritten = 0

  /// The maximum size of a list in bytes.
  package static let mostBytes = 1 << 28

  /// Parses the file of `--manifest FILE.json`.
  package init(manifest bytes: [UInt8]) throws(Problem) {
    var reader = JSONReader(bytes)
    guard let all = reader.value(), reader.isAtEnd, all["manifest"]?.textValue == "imghost" else {
      throw Problem(text: "it is not a whole manifest of imghost")
    }
    // Version 1 of the schema has no state `kept`, but is otherwise the same.
    guard let schema = all["schema"]?.integerValue, (1...OutputManifest.schema).contains(schema) else {
      throw Problem(text: "it has another schema than 1 to \(OutputManifest.schema), those that this imghost reads")
    }
    for name in ["sources", "outputs"] {
      for (index, item) in (all[name]?.items ?? []).enumerated() {
        guard name == "sources" || ["written", "kept"].contains(item["state"]?.textValue) else {
          unwritten += 1
          continue
        }
        let file = File(item, isSource: name == "sources")
        guard let file else {
          throw Problem(text: "item \(index + 1) of '\(name)' lacks a path, a size or a digest")
        }
        // Standard input cannot be read again.
        if file.path != "-" { files.append(file) }
      }
    }
  }

  /// Parses the file of `--manifest FILE.sha256`, or of `sha256sum`.
  package init(digests bytes: [UInt8]) throws(Problem) {
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      guard let found = DigestLine(line) else {
        throw Problem(text: "line \(index + 1) is not a SHA-256 digest with a path")
      }
      files.append(File(path: found.path, byteCount: nil, digest: found.digest, isSource: false))
    }
    if files.isEmpty { throw Problem(text: "it names no files") }
  }
}

extension ListedFiles.File {
  /// Parses an item of a manifest; returns nil if a field is missing or wrong.
  fileprivate init?(_ item: JSON, isSource: Bool) {
    guard let path = item["path"]?.textValue, !path.isEmpty, let count = item["bytes"]?.countValue,
      let digest = item["sha256"]?.textValue, Hexadecimal.bytes(digest)?.count == 32
    else { return nil }
    self.init(path: path, byteCount: count, digest: digest.lowercased(), isSource: isSource)
  }
}

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
