import ImageCore

/// Everything that the bytes of an output depend on, except for the bytes of its source files.
///
/// Outputs with equal recipes and equal sources have equal bytes, unless there is a `reasonToMake`.
package struct OutputRecipe: Sendable {
  /// One fact per line: `SUBJECT<tab>NAME<tab>VALUE`. Sources are numbered as in `sources`.
  package let text: String
  /// The values of options that have no line because they equal the defaults; nil if all options have lines.
  let defaults: RecipeDefaults?
  /// The paths of the sources, without duplicates.
  package let sources: [String]
  /// The versions of the sources when this run read them; nil if unknown.
  package let versions: [FileVersion?]
  /// The reason why the output has to be made in every run; nil if equal recipes give equal bytes.
  package let reasonToMake: String?
  /// The digest of the recipe without the lines that affect only metadata; nil if the output's metadata cannot be
  /// replaced.
  package let pixels: SHA256Digest?
  /// Whether the bytes do not depend on the metadata of the sources, because none of it is written to the output.
  package let ignoresMetadata: Bool

  package init(
    text: String, sources: [String], versions: [FileVersion?] = [], reasonToMake: String?, pixels: SHA256Digest? = nil,
    ignoresMetadata: Bool = false,
    defaults: RecipeDefaults? = nil
  ) {
    (self.text, self.sources, self.reasonToMake, self.pixels) = (text, sources, reasonToMake, pixels)
    (self.ignoresMetadata, self.versions) = (ignoresMetadata, versions)
    self.defaults = defaults
  }

  /// The digest of the text.
  package var digest: SHA256Digest { SHA256.digest(of: Array(text.utf8)) }
}

extension OutputRecipe {
  /// Returns the differences between an earlier recipe and a later one, such as `quality 80 → 85`.
  ///
  /// - Parameter most: the maximum number of differences in the result. If there are more, one further entry counts
  ///   them.
  package func differences(from earlier: String, most: Int = 3) -> [String] {
    let (before, after) = (Self.facts(earlier), Self.facts(text))
    // The first line names the build, and the second is the first line of the request itself.
    let own = text.split(separator: "\n").dropFirst().first.map { String($0.prefix { $0 != "\t" }) }
    var all: [String] = []
    for key in (Set(before.keys).union(after.keys)).sorted() {
      let (old, new) = (before[key] ?? [], after[key] ?? [])
      guard old != new else { continue }
      let parts = key.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name =
        parts.count < 2 ? key : parts[1] == "is" ? parts[0] : parts[0] == own ? parts[1] : "\(parts[0]) \(parts[1])"
      // Usually, a value that equals the default has no line, so that a missing line means the default.
      let usual =
        (parts.count < 2 ? nil : defaults?.text(of: parts[1], parts[0])).flatMap { usual in
          (old + new).contains { $0 == usual } ? nil : usual
        }
      // Digests mean nothing to a reader, so the message only says that they differ.
      let isCode =
        (old + new).contains(where: Self.isDigest)
        || ["build", "plugin", "fonts", "text", "as drawn", "language"].contains { parts.last?.hasPrefix($0) ?? false }
        || (old + new).contains { $0.hasPrefix("source ") }
        || ["hint for picture ", "declared page "].contains { parts.last?.hasPrefix($0) ?? false }
      if parts == ["imghost", "build"] {
        all.append("imghost is another version")
      } else if isCode {
        all.append("\(Self.sentences[key] ?? name) \(old.isEmpty ? "is new" : new.isEmpty ? "is gone" : "has changed")")
      } else if let first = old.first, let second = new.first, old.count == 1, new.count == 1 {
        all.append("\(name) \(first.isEmpty ? "none" : first) → \(second.isEmpty ? "none" : second)")
      } else if old.isEmpty, let value = new.first {
        all.append("\(name) \(value == "used" ? "is new" : "\(usual ?? "none") → \(value)")")
      } else if new.isEmpty, let value = old.first {
        all.append("\(name) \(value == "used" ? "is gone" : "\(value) → \(usual ?? "none")")")
      } else {
        all.append("\(name) has changed")
      }
    }
    if all.isEmpty, earlier != text { all = ["steps are in another order"] }
    return all.count > most ? Array(all.prefix(most)) + ["\(all.count - most) more"] : all
  }

  /// The names, in messages, of facts whose lines have other names.
  private static let sentences = ["text\tfonts": "the list of fonts", "text\tlanguage": "the language of texts"]

  /// Returns whether a value is a SHA-256 in hexadecimal digits.
  private static func isDigest(_ value: Substring) -> Bool { value.utf8.count == 64 && value.allSatisfy(\.isHexDigit) }

  /// Returns the values of a recipe's lines, by subject and name.
  private static func facts(_ text: String) -> [String: [Substring]] {
    var facts: [String: [Substring]] = [:]
    for line in text.split(separator: "\n") {
      guard let end = line.lastIndex(of: "\t") else { continue }
      facts[String(line[..<end]), default: []].append(line[line.index(after: end)...])
    }
    return facts
  }
}
